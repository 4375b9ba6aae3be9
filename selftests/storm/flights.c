// SPDX-License-Identifier: Apache-2.0
/*
 * flights.c - the pipeline is silent, too, under every policy
 *
 * The same counters as in steady.c, over jobs of many partitions of two shapes
 * in turn: after the first job of each, nothing is unmapped, faulted in,
 * registered or flushed, exactly.  On module under every pair of policies
 * (sched/policies.h), on thp and hugetlb under those that keep memory; what is
 * registered with a device, as on a host with a GPU, is kept under all.  Then
 * what must not be silent is seen by the same counters.  Runs as root in a
 * virtual machine that does nothing else (scripts/check).
 */
/* Of little work, for an emulated machine. */
#define SHAPES "bls12381-mul2", "bn128-poseidon2"
#include "sched/policies.h"
#include "storm/counted.h"

/* As in steady.c: others in the machine may flush now and then, and the first
 * jobs of a process touch stacks. */
#define NR_ATTEMPTS 5
/* Jobs until what is given back was seen to be given back: how partitions meet is
 * chance. */
#define NR_LOOKS 6
/* Of the kernel that it unpins, ten seconds in all. */
#define UNPIN_LOOKS 1000
#define UNPIN_LOOK_US 10000
#define HUGEPAGES_FILE "/proc/sys/vm/nr_hugepages"
#define HUGEPAGES "64"
#define RETIRE_MAX_FILE "/sys/class/misc/lull_arena/retire_max_bytes"
#define ONE_SLOT "2097152"

/* What the context, the kernel and the machine counted. */
struct all {
	struct lull_ctx_stats arena;
	struct counted counted;
	uint64_t pinned_bytes;
	unsigned int nr_registrations;
};

/* ---- counting ---------------------------------------------------------- */

/* Pinned by the kernel for anybody in this process. */
static uint64_t kernel_pinned_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %llu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return (uint64_t)kib << 10;
}

/* A ring that was closed lets go of its buffers some time later. */
static void wait_until_unpinned(void)
{
	unsigned int i;

	for (i = 0; i < UNPIN_LOOKS && kernel_pinned_bytes(); i++)
		usleep(UNPIN_LOOK_US);
	EXPECT_EQ(0, kernel_pinned_bytes());
}

static bool count_all(const struct bed *bed, struct all *ret_all)
{
	ret_all->arena =
		(struct lull_ctx_stats){ .size = sizeof(ret_all->arena) };
	ret_all->pinned_bytes = kernel_pinned_bytes();
	ret_all->nr_registrations = nr_registrations;
	return !lull_ctx_stats(bed->ctx, &ret_all->arena, NULL) &&
	       count(&ret_all->counted);
}

/* A job of each shape: what they brought about. */
static bool prove_counted(const struct bed *bed, const char *what,
			  struct all *ret_before, struct all *ret_after,
			  struct counted *ret_delta)
{
	if (!count_all(bed, ret_before) || !prove(bed, 0) || !prove(bed, 1) ||
	    !count_all(bed, ret_after))
		return false;
	*ret_delta = counted_between(&ret_before->counted, &ret_after->counted);
	say(what, NR_SHAPES * (bed->in_flight + 1), ret_delta);
	return true;
}

/* Of the arena, and of the module: whoever else the machine has does not
 * matter. */
static void expect_silent_arena(const struct all *before,
				const struct all *after,
				const struct counted *delta)
{
	EXPECT_EQ(0, delta->module.faults);
	EXPECT_EQ(0, delta->module.zeroed_bytes);
	EXPECT_EQ(0, delta->module.acquired_bytes);
	EXPECT_EQ(0, delta->module.flushes);
	EXPECT_EQ(0, delta->module.batches);
	EXPECT_EQ(before->arena.held_bytes, after->arena.held_bytes);
	EXPECT_EQ(before->arena.faulted_bytes, after->arena.faulted_bytes);
	EXPECT_EQ(before->arena.zeroed_bytes, after->arena.zeroed_bytes);
	EXPECT_EQ(before->arena.fresh_bytes, after->arena.fresh_bytes);
	EXPECT_EQ(before->arena.flushes, after->arena.flushes);
	EXPECT_EQ(before->arena.munmaps, after->arena.munmaps);
	EXPECT_EQ(before->arena.unmapped_bytes, after->arena.unmapped_bytes);
	EXPECT_EQ(before->arena.registered_bytes,
		  after->arena.registered_bytes);
	EXPECT_EQ(before->nr_registrations, after->nr_registrations);
	EXPECT_EQ(before->pinned_bytes, after->pinned_bytes);
}

/* There is something that must not move.  Kernels before 6.5 do not have the
 * module's memory as fixed buffers. */
static void expect_registered(const char *carrier, const struct all *first)
{
	unsigned int major = 0, minor = 0;
	FILE *file = fopen("/proc/sys/kernel/osrelease", "re");

	ASSERT_TRUE(file && fscanf(file, "%u.%u", &major, &minor) == 2);
	fclose(file);
	if (strcmp(carrier, "module") || major > 6 || minor >= 5)
		EXPECT_TRUE(first->pinned_bytes > 0);
	EXPECT_TRUE(first->nr_registrations > 0);
	EXPECT_EQ(first->arena.held_bytes, first->arena.pinned_bytes);
}

/* Behind the first job of each shape.  Now and then a thread touches a page of
 * its stack: of page faults there must be fewer than proofs. */
static void expect_silence_behind(const struct bed *bed, const char *what)
{
	uint64_t flushes = UINT64_MAX, ipis = UINT64_MAX, faults = UINT64_MAX;
	const unsigned int nr_proofs = NR_SHAPES * (bed->in_flight + 1);
	struct all before, after;
	struct counted delta;
	unsigned int i;

	for (i = 0; i < NR_ATTEMPTS && (flushes || ipis || faults >= nr_proofs);
	     i++) {
		ASSERT_TRUE(prove_counted(bed, what, &before, &after, &delta));
		expect_silent_arena(&before, &after, &delta);
		EXPECT_EQ(0, delta.host.flushes_own);
		EXPECT_EQ(0, delta.nr_munmaps);
		flushes = lull_min(flushes, delta.host.flushes);
		ipis = lull_min(ipis, delta.host.ipis_tlb);
		faults = lull_min(faults, delta.host.faults);
	}
	EXPECT_EQ(0, flushes);
	EXPECT_EQ(0, ipis);
	if (faults >= nr_proofs)
		TEST_FAIL_("%" PRIu64 " page faults", faults);
}

static void expect_silence(const char *carrier, const struct policies *row,
			   bool verify)
{
	struct all before, first;
	struct counted delta;
	struct bed bed;
	char what[96];

	snprintf(what, sizeof(what), "%s/%s/%s/%u/%u/%u/%s%s", carrier,
		 deallocs[row->dealloc], gates[row->gate],
		 nr_threads(row->threads), in_flights[row->in_flight],
		 computings[row->computing], loaders[row->loader],
		 row->loader == FIXED ? "+fixed" : "");
	ASSERT_TRUE(counting_begins() &&
		    set_up(&bed, carrier, loaders[row->loader], row));
	EXPECT_STREQ("", counters.why);
	if (verify)
		bed.flags = 0;
	ASSERT_TRUE(prove_counted(&bed, "first", &before, &first, &delta));
	/* What is registered comes by 32 MiB, with the keys. */
	EXPECT_TRUE(row->loader == FIXED ||
		    first.arena.faulted_bytes > before.arena.faulted_bytes);
	EXPECT_TRUE(!strncmp(first.arena.arena, carrier, strlen(carrier)));
	if (row->loader == FIXED)
		expect_registered(carrier, &first);
	expect_silence_behind(&bed, what);
	take_down(&bed);
	wait_until_unpinned();
	counting_ends();
}

TEST(silent_on_module)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(rows); i++)
		expect_silence("module", &rows[i], !i);
}

static void expect_silence_kept(const char *carrier)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(rows); i++)
		if (rows[i].dealloc == RETIRE || rows[i].loader == FIXED)
			expect_silence(carrier, &rows[i], false);
}

TEST(silent_on_thp)
{
	expect_silence_kept("thp");
}

static bool set_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	bool ok = file && fputs(text, file) >= 0;

	return file && !fclose(file) && ok;
}

TEST(silent_on_hugetlb)
{
	if (!getenv("LULL_VM"))
		SKIP("this changes " HUGEPAGES_FILE ": in a virtual machine "
		     "only");
	ASSERT_TRUE(set_file(HUGEPAGES_FILE, HUGEPAGES));
	expect_silence_kept("hugetlb");
	EXPECT_TRUE(set_file(HUGEPAGES_FILE, "0"));
}

/* ---- what is not silent ------------------------------------------------ */

static const struct policies usual = { RETIRE, OFF, HALF, TWO, MANY, PREAD };

/* Several jobs, until everything that @is_seen looks for was counted. */
static void expect_seen(struct bed *bed, const char *what,
			bool (*is_seen)(const struct all *first,
					const struct all *last))
{
	struct all first, before, after;
	struct counted delta;
	unsigned int i;

	ASSERT_TRUE(prove_counted(bed, what, &before, &first, &delta));
	for (i = 0; i < NR_LOOKS; i++) {
		ASSERT_TRUE(prove_counted(bed, what, &before, &after, &delta));
		if (is_seen(&first, &after))
			break;
	}
	EXPECT_TRUE(is_seen(&first, &after));
}

static bool taken_is_seen(const struct all *first, const struct all *last)
{
	struct counted all = counted_between(&first->counted, &last->counted);

	return all.module.faults && all.module.zeroed_bytes &&
	       all.module.flushes && all.module.batches &&
	       last->arena.fresh_bytes > first->arena.fresh_bytes;
}

/* On the module what a partition gives back is the kernel's under every policy:
 * with a bound on what may be retired it takes it. */
TEST(taken_from_module_is_seen)
{
	struct policies row = usual;
	struct bed bed;

	for (row.dealloc = 0; row.dealloc < NR_DEALLOCS; row.dealloc++) {
		ASSERT_TRUE(set_file(RETIRE_MAX_FILE, ONE_SLOT));
		ASSERT_TRUE(counting_begins() &&
			    set_up(&bed, "module", "pread", &row));
		expect_seen(&bed, deallocs[row.dealloc], taken_is_seen);
		take_down(&bed);
		counting_ends();
		EXPECT_TRUE(set_file(RETIRE_MAX_FILE, "0"));
	}
}

static bool released_is_seen(const struct all *first, const struct all *last)
{
	struct counted all = counted_between(&first->counted, &last->counted);

	return all.host.flushes_own &&
	       last->arena.flushes > first->arena.flushes &&
	       last->arena.unmapped_bytes > first->arena.unmapped_bytes &&
	       last->arena.faulted_bytes > first->arena.faulted_bytes;
}

/* On thp only a page that is gone is the system's. */
TEST(released_from_thp_is_seen)
{
	struct policies row = usual;
	struct bed bed;

	for (row.dealloc = INLINE; row.dealloc < NR_DEALLOCS; row.dealloc++) {
		ASSERT_TRUE(counting_begins() &&
			    set_up(&bed, "thp", "pread", &row));
		expect_seen(&bed, deallocs[row.dealloc], released_is_seen);
		take_down(&bed);
		counting_ends();
	}
}

static bool unmapped_is_seen(const struct all *first, const struct all *last)
{
	return last->arena.munmaps > first->arena.munmaps &&
	       last->arena.faulted_bytes > first->arena.faulted_bytes;
}

TEST(malloc_is_seen)
{
	struct bed bed;

	ASSERT_TRUE(counting_begins() &&
		    set_up(&bed, "malloc-serial", "pread", &usual));
	expect_seen(&bed, "malloc-serial", unmapped_is_seen);
	take_down(&bed);
	counting_ends();
}

/* The twin that maps a file unmaps it: each witness once, and the arena is silent
 * all the same. */
TEST(mapped_files_are_seen)
{
	struct all before, after;
	struct counted delta;
	struct bed bed;

	ASSERT_TRUE(counting_begins() &&
		    set_up(&bed, "module", "mmap", &usual));
	ASSERT_TRUE(prove_counted(&bed, "mmap", &before, &after, &delta));
	ASSERT_TRUE(prove_counted(&bed, "mmap", &before, &after, &delta));
	expect_silent_arena(&before, &after, &delta);
	EXPECT_EQ(NR_SHAPES * (bed.in_flight + 1), delta.nr_munmaps);
	take_down(&bed);
	counting_ends();
}

TEST_MAIN
