// SPDX-License-Identifier: Apache-2.0
/*
 * sysfs.c - the attributes under /sys/class/misc/lull_arena, and tracepoints:
 * all there, with the right permissions, refusing nonsense, and saying what
 * LULL_ARENA_QUERY says
 */
#include <dirent.h>
#include <sys/stat.h>

#include "kmod/arena.h"

#define SLOTS 8
#define NR(a) (sizeof(a) / sizeof(*(a)))
#define TEXT_BYTES 256
#define PATIENCE_MS 20000
#define NAP_US 20000
#define MANUAL "Documentation/ABI/testing/sysfs-class-misc-lull_arena"

static const char *const settings[] = {
	"limit_bytes",	    "limit_bytes_per_uid", "reserve_bytes",
	"retire_max_bytes", "retire_max_age_ms",   "merge_gap",
};

static const char *const counters[] = {
	"arenas",	  "live_bytes",	    "retired_bytes",  "busy_bytes",
	"reserved_bytes", "poisoned_bytes", "batches",	      "runs",
	"flushes",	  "ranges_retired", "ranges_revived", "ranges_fresh",
	"pte_fallbacks",
};

static void path_of(char *ret, const char *name)
{
	snprintf(ret, TEXT_BYTES, SYSFS "%s", name);
}

static void expect_attribute(const char *name, mode_t mode)
{
	char path[TEXT_BYTES], text[TEXT_BYTES] = "";
	struct stat st;
	char *end;

	path_of(path, name);
	if (stat(path, &st)) {
		TEST_FAIL_("no %s", path);
		return;
	}
	if ((st.st_mode & 0777) != mode)
		TEST_FAIL_("%s has mode %o", path, st.st_mode & 0777);
	EXPECT_EQ(0, file_read(path, text, sizeof(text)));
	strtoull(text, &end, 10);
	if (!*text || *end)
		TEST_FAIL_("%s is no number: '%s'", path, text);
}

TEST(every_attribute_is_a_number)
{
	size_t i;

	for (i = 0; i < NR(settings); i++)
		expect_attribute(settings[i], 0644);
	for (i = 0; i < NR(counters); i++)
		expect_attribute(counters[i], 0444);
}

#define PATH_BYTES (2 * TEXT_BYTES)

/* The name, path and mode of SYSFS's next plain file; NULL behind the last. */
static const char *next_file(DIR *dir, char path[PATH_BYTES], struct stat *st)
{
	struct dirent *e;

	while ((e = readdir(dir))) {
		snprintf(path, PATH_BYTES, SYSFS "%.200s", e->d_name);
		if (!lstat(path, st) && S_ISREG(st->st_mode))
			return e->d_name;
	}
	return NULL;
}

/* What there is beyond the list is a number as well. */
TEST(nothing_else_is_unreadable)
{
	char path[PATH_BYTES], text[TEXT_BYTES];
	DIR *dir = opendir(SYSFS);
	struct stat st;

	ASSERT_TRUE(dir != NULL);
	while (next_file(dir, path, &st)) {
		if (!(st.st_mode & S_IRUSR))
			continue;
		EXPECT_EQ(0, file_read(path, text, sizeof(text)));
		EXPECT_EQ(0, st.st_mode & (S_IWGRP | S_IWOTH));
	}
	closedir(dir);
}

/* A file of SYSFS, or of a folder in it, has a What: in the manual. */
static bool is_documented(FILE *manual, const char *name)
{
	char line[TEXT_BYTES], want[TEXT_BYTES];

	snprintf(want, sizeof(want), "What:\t\t" SYSFS "%.100s\n", name);
	rewind(manual);
	while (fgets(line, sizeof(line), manual))
		if (!strcmp(line, want))
			return true;
	return false;
}

/* The core's, which every device has. */
static bool is_the_cores(const char *name)
{
	return !strcmp(name, "dev") || !strcmp(name, "uevent");
}

static void expect_documented(FILE *manual)
{
	DIR *dir = opendir(SYSFS);
	char path[PATH_BYTES];
	const char *name;
	struct stat st;

	ASSERT_TRUE(dir != NULL);
	while ((name = next_file(dir, path, &st)))
		if (!is_the_cores(name) && !is_documented(manual, name))
			TEST_FAIL_("%s is not in " MANUAL, path);
	closedir(dir);
}

/* The files that the manual names are there; those of nodeN on node 0. */
static void expect_there(FILE *manual)
{
	char line[TEXT_BYTES], path[TEXT_BYTES];
	unsigned int nr = 0;
	char *node;

	rewind(manual);
	while (fgets(line, sizeof(line), manual)) {
		if (sscanf(line, "What: %255s", path) != 1)
			continue;
		node = strstr(path, "/nodeN/");
		if (node)
			node[strlen("/node")] = '0';
		if (access(path, F_OK))
			TEST_FAIL_(MANUAL " names %s", path);
		nr++;
	}
	EXPECT_EQ(NR(settings) + NR(counters) + 1, nr);
}

TEST(attributes_are_those_documented)
{
	FILE *manual = fopen(MANUAL, "r");

	if (!manual)
		SKIP("not in lull's sources: no " MANUAL);
	expect_documented(manual);
	expect_there(manual);
	fclose(manual);
}

TEST(settings_keep_what_is_written)
{
	uint64_t old, other;
	size_t i;

	for (i = 0; i < NR(settings); i++) {
		old = sysfs_read(settings[i]);
		other = strstr(settings[i], "bytes") ? 64 * SLOT : 77;
		if (strstr(settings[i], "reserve"))
			other = SLOT;
		EXPECT_EQ(0, sysfs_write(settings[i], other));
		EXPECT_EQ(other, sysfs_read(settings[i]));
		EXPECT_EQ(0, sysfs_write(settings[i], old));
		EXPECT_EQ(old, sysfs_read(settings[i]));
	}
}

TEST(nonsense_is_refused)
{
	const char *const nonsense[] = {
		"",    "x",   "-1",
		"1x",  "0x",  " ",
		"1 2", "1.5", "99999999999999999999999999"
	};
	char path[TEXT_BYTES];
	uint64_t old;
	size_t i, k;

	for (i = 0; i < NR(settings); i++) {
		path_of(path, settings[i]);
		old = sysfs_read(settings[i]);
		for (k = 1; k < NR(nonsense); k++)
			if (!file_write(path, nonsense[k]))
				TEST_FAIL_("%s takes '%s'", path, nonsense[k]);
		EXPECT_EQ(old, sysfs_read(settings[i]));
	}
	for (i = 0; i < NR(counters); i++) {
		path_of(path, counters[i]);
		EXPECT_TRUE(file_write(path, "0") < 0);
	}
}

TEST(counters_agree_with_query)
{
	int dev = device_open();
	struct lull_arena_query q;
	struct arena a;

	arena_open(&a, SLOTS, 0);
	EXPECT_EQ(0, touch_write(a.map, 1));
	EXPECT_EQ(0, arena_retire(a.fd, 0, 2 * SLOT, NULL));
	EXPECT_EQ(0, arena_revive(a.fd, 0, SLOT, NULL, NULL));
	EXPECT_EQ(0, arena_release(a.fd, 2 * SLOT, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	EXPECT_EQ(0, arena_retire(a.fd, 3 * SLOT, 2 * SLOT, NULL));
	q = arena_query(dev);
	EXPECT_EQ(q.nr_arenas, sysfs_read("arenas"));
	EXPECT_EQ(q.live_bytes, sysfs_read("live_bytes"));
	EXPECT_EQ(q.retired_bytes, sysfs_read("retired_bytes"));
	EXPECT_EQ(q.busy_bytes, sysfs_read("busy_bytes"));
	EXPECT_EQ(q.reserved_bytes, sysfs_read("reserved_bytes"));
	EXPECT_EQ(q.poisoned_bytes, sysfs_read("poisoned_bytes"));
	EXPECT_EQ(q.batches, sysfs_read("batches"));
	EXPECT_EQ(q.runs, sysfs_read("runs"));
	EXPECT_EQ(q.flushes, sysfs_read("flushes"));
	EXPECT_EQ(q.ranges_retired, sysfs_read("ranges_retired"));
	EXPECT_EQ(q.ranges_revived, sysfs_read("ranges_revived"));
	EXPECT_EQ(q.ranges_fresh, sysfs_read("ranges_fresh"));
	EXPECT_EQ(q.pte_fallbacks, sysfs_read("pte_fallbacks"));
	arena_close(&a);
	close(dev);
}

TEST(arena_counters_count)
{
	struct lull_arena_query q;
	struct arena a;

	arena_open(&a, SLOTS, 0);
	EXPECT_EQ(0, touch_write(a.map, 1));
	EXPECT_EQ(0, touch_write(a.map + SLOT, 1));
	EXPECT_EQ(0, arena_retire(a.fd, 0, 2 * SLOT, NULL));
	EXPECT_EQ(0, arena_revive(a.fd, 0, SLOT, NULL, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	EXPECT_EQ(0, arena_revive(a.fd, SLOT, SLOT, NULL, NULL));
	q = arena_query(a.fd);
	EXPECT_EQ(2, q.faults);
	EXPECT_EQ(1, q.ranges_retired);
	EXPECT_EQ(1, q.ranges_revived);
	EXPECT_EQ(1, q.ranges_fresh);
	EXPECT_EQ(1, q.batches);
	EXPECT_EQ(1, q.runs);
	EXPECT_EQ(1, q.flushes);
	EXPECT_EQ((SLOTS + 1) * SLOT, q.acquired_bytes);
	EXPECT_EQ((SLOTS + 1) * SLOT, q.zeroed_bytes);
	arena_close(&a);
}

static void expect_reserved(uint64_t bytes)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	while (sysfs_read("reserved_bytes") != bytes && now_ms() < end)
		usleep(NAP_US);
	EXPECT_EQ(bytes, sysfs_read("reserved_bytes"));
}

/* Pages kept zeroed and ready: an ACQUIRE out of them zeroes nothing. */
TEST(reserve_is_kept_and_used)
{
	uint64_t old = sysfs_read("reserve_bytes");
	struct lull_arena_query q;
	struct arena a;

	ASSERT_EQ(0, sysfs_write("reserve_bytes", SLOTS * SLOT));
	expect_reserved(SLOTS * SLOT);
	arena_open(&a, SLOTS / 2, 0);
	ASSERT_TRUE(a.map != NULL);
	q = arena_query(a.fd);
	EXPECT_EQ(0, q.zeroed_bytes);
	EXPECT_TRUE(q.available_bytes >= q.reserved_bytes);
	EXPECT_TRUE(all_zero(a.map, a.bytes));
	memset(a.map, 0x77, a.bytes);
	arena_close(&a);
	expect_reserved(SLOTS * SLOT);
	arena_open(&a, SLOTS, 0);
	EXPECT_TRUE(all_zero(a.map, a.bytes));
	arena_close(&a);
	EXPECT_EQ(0, sysfs_write("reserve_bytes", 0));
	expect_reserved(0);
	EXPECT_EQ(0, sysfs_write("reserve_bytes", old));
}

TEST(reserve_on_a_node)
{
	char path[TEXT_BYTES], text[TEXT_BYTES];
	uint64_t old = sysfs_read("reserve_bytes");

	path_of(path, "node0/reserve_bytes");
	ASSERT_EQ(0, file_read(path, text, sizeof(text)));
	EXPECT_EQ(0, sysfs_write("node0/reserve_bytes", 4 * SLOT));
	EXPECT_EQ(4 * SLOT, sysfs_read("node0/reserve_bytes"));
	expect_reserved(4 * SLOT);
	EXPECT_EQ(0, sysfs_write("node0/reserve_bytes", 0));
	expect_reserved(0);
	EXPECT_EQ(0, sysfs_write("reserve_bytes", old));
}

static void one_of_each_verb(void)
{
	struct arena a;

	arena_open(&a, SLOTS, 0);
	EXPECT_EQ(0, touch_write(a.map, 1));
	EXPECT_EQ(0, arena_retire(a.fd, 0, SLOT, NULL));
	EXPECT_EQ(0, arena_revive(a.fd, 0, SLOT, NULL, NULL));
	EXPECT_EQ(0, arena_release(a.fd, 0, SLOT, NULL));
	EXPECT_EQ(0, arena_flush(a.fd, NULL));
	arena_close(&a);
}

TEST(tracepoints_fire)
{
	static const char *const events[] = { "acquire",     "fault",
					      "retire",	     "revive",
					      "batch_begin", "run",
					      "batch_end" };
	struct event_counter counter[NR(events)];
	char name[TEXT_BYTES];
	uint64_t count;
	size_t i;

	for (i = 0; i < NR(events); i++) {
		snprintf(name, sizeof(name), "lull_arena/%s", events[i]);
		if (!event_counter_open(&counter[i], name, NULL))
			TEST_FAIL_("no tracepoint %s", name);
	}
	one_of_each_verb();
	for (i = 0; i < NR(events); i++) {
		count = event_counter_read(&counter[i]);
		if (!count)
			TEST_FAIL_("%s did not fire", events[i]);
		event_counter_close(&counter[i]);
	}
}

static uint64_t module_references(void)
{
	char text[TEXT_BYTES] = "";

	EXPECT_EQ(0, file_read("/sys/module/lull_arena/refcnt", text,
			       sizeof(text)));
	return strtoull(text, NULL, 10);
}

/* Unloading is refused because of these; lifetime.c tries. */
TEST(each_arena_holds_the_module)
{
	int first = arena_create(SLOT, 0), second;
	uint64_t before = module_references();

	ASSERT_TRUE(first >= 0);
	second = arena_create(SLOT, 0);
	ASSERT_TRUE(second >= 0);
	EXPECT_EQ(before + 1, module_references());
	close(second);
	EXPECT_EQ(before, module_references());
	close(first);
}

KMOD_TEST_MAIN
