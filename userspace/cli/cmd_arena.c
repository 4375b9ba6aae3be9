// SPDX-License-Identifier: Apache-2.0
/*
 * cmd_arena.c - lull arena: what memory a host has for proofs
 *
 * For people: the files of the module, of the hugetlb pool and of transparent
 * huge pages, read, and written where a command asks for it.  Refuses to guess:
 * what cannot be written is an error that names the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/doctor.h"
#include "arena/host.h"
#include "arena/node.h"
#include "base/base.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/term.h"

#define PATH_BYTES 256
#define TEXT_BYTES 64
#define PAGE_2M ((uint64_t)2 << 20)
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define POOL_OF_NODE                                                           \
	"/sys/devices/system/node/node%u/hugepages/hugepages-2048kB/"          \
	"nr_hugepages"
/* How long the module has to let go of what is retired, and how often that is
 * looked at. */
#define FLUSH_WAIT_MS 10000u
#define FLUSH_LOOK_MS 10u

/* The module's files, in the order of Documentation/ABI. */
static const char *const module_files[] = {
	"limit_bytes",
	"limit_bytes_per_uid",
	"retire_max_bytes",
	"merge_gap",
	"retire_max_age_ms",
	"reserve_bytes",
	"arenas",
	"live_bytes",
	"retired_bytes",
	"busy_bytes",
	"reserved_bytes",
	"poisoned_bytes",
	"batches",
	"runs",
	"flushes",
	"ranges_retired",
	"ranges_revived",
	"ranges_fresh",
	"pte_fallbacks",
};

static bool read_module(const char *name, uint64_t *ret_number)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), LULL_ARENA_SYSFS "/%s", name);
	return lull_arena_host_number("", path, ret_number);
}

static int write_number(const char *path, uint64_t number,
			struct lull_error *reterr)
{
	char text[TEXT_BYTES];
	int len = snprintf(text, sizeof(text), "%" PRIu64 "\n", number);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t put;

	if (fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", path);
	put = write(fd, text, (size_t)len);
	if (put < 0)
		lull_fail_errno(reterr, LULL_IO, errno, "%s: writing %" PRIu64,
				path, number);
	close(fd);
	return put < 0 ? LULL_IO : LULL_OK;
}

/* ---- status ------------------------------------------------------------ */

static const char *const thp_names[] = {
	[LULL_ARENA_THP_ALWAYS] = "always",
	[LULL_ARENA_THP_MADVISE] = "madvise",
	[LULL_ARENA_THP_NEVER] = "never",
	[LULL_ARENA_THP_PROCESS] = "off for this process",
	[LULL_ARENA_THP_ABSENT] = "absent",
};

static json_t *module_json(void)
{
	json_t *object;
	uint64_t number;
	size_t i;

	if (access(LULL_ARENA_SYSFS, F_OK))
		return json_null();
	object = json_object();
	for (i = 0; i < LULL_ARRAY_SIZE(module_files); i++)
		if (read_module(module_files[i], &number))
			json_object_set_new(object, module_files[i],
					    json_integer((json_int_t)number));
	return object;
}

static json_t *hugetlb_json(size_t page_bytes)
{
	struct lull_arena_hugetlb_pool pool;

	if (!lull_arena_host_hugetlb_of("", page_bytes, LULL_ARENA_NODE_ANY,
					&pool))
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "pages", (json_int_t)pool.nr_total,
			 "free", (json_int_t)pool.nr_free, "overcommit",
			 (json_int_t)pool.nr_overcommit);
}

static json_t *notes_json(const struct lull_arena *arena)
{
	json_t *notes = json_array();
	const char *note;
	size_t i;

	for (i = 0; (note = lull_arena_note(arena, i)); i++)
		json_array_append_new(notes, lull_term_text(note));
	return notes;
}

static int status_json(const struct lull_arena *arena, const char *text)
{
	return lull_term_emit(json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:s}", "auto", text, "notes",
		notes_json(arena), "module", module_json(), "hugetlb",
		hugetlb_json(LULL_ARENA_HUGETLB_BYTES), "hugetlb_gigantic",
		hugetlb_json(LULL_ARENA_GIGANTIC_BYTES), "thp",
		thp_names[lull_arena_host_thp("")]));
}

static void say_hugetlb(size_t page_bytes, const char *size)
{
	struct lull_arena_hugetlb_pool pool;

	if (lull_arena_host_hugetlb_of("", page_bytes, LULL_ARENA_NODE_ANY,
				       &pool))
		lull_term_say("hugetlb               %" PRIu64
			      " pages of %s, %" PRIu64 " free",
			      pool.nr_total, size, pool.nr_free);
	else
		lull_term_say("hugetlb               no pages of %s", size);
}

static int status_text(const struct lull_arena *arena, const char *text)
{
	const char *note;
	uint64_t number;
	size_t i;

	lull_term_say("auto                  %s", text);
	for (i = 0; (note = lull_arena_note(arena, i)); i++)
		lull_term_say("  not %s", note);
	lull_term_say("module                %s",
		      access(LULL_ARENA_SYSFS, F_OK) ? "not loaded" : "loaded");
	for (i = 0; i < LULL_ARRAY_SIZE(module_files); i++)
		if (read_module(module_files[i], &number))
			lull_term_say("  %-20s%" PRIu64, module_files[i],
				      number);
	say_hugetlb(LULL_ARENA_HUGETLB_BYTES, "2 MiB");
	say_hugetlb(LULL_ARENA_GIGANTIC_BYTES, "1 GiB");
	lull_term_say("thp                   %s",
		      thp_names[lull_arena_host_thp("")]);
	return lull_term_finish();
}

int lull_cli_arena_status(const struct lull_cli *cli)
{
	const struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_AUTO,
		.node = lull_arena_node_here(),
	};
	struct lull_arena *arena;
	struct lull_error err;
	char text[TEXT_BYTES];
	int ret;

	if (lull_arena_open(&opts, &arena, &err))
		return lull_term_fail(cli->json, &err);
	lull_arena_describe(arena, text, sizeof(text));
	ret = cli->json ? status_json(arena, text) : status_text(arena, text);
	lull_arena_close(arena);
	return ret;
}

/* ---- reserve ----------------------------------------------------------- */

/* The kernel takes for the pool whatever it finds, until others are killed for
 * want of memory. */
static int check_memory(uint64_t bytes, struct lull_error *reterr)
{
	uint64_t all = lull_arena_host_memory_bytes();

	if (!all || bytes <= all)
		return LULL_OK;
	return lull_fail(reterr, LULL_NOMEM,
			 "BYTES: expected at most the %" PRIu64
			 " bytes that the machine has, found %" PRIu64,
			 all, bytes);
}

static int reserve_hugetlb(const struct lull_cli *cli, uint64_t bytes,
			   uint64_t *ret_got, struct lull_error *reterr)
{
	uint64_t want = lull_div_up(bytes, PAGE_2M), got = 0, before = 0;
	char path[PATH_BYTES];
	int err;

	err = check_memory(bytes, reterr);
	if (err)
		return err;
	if (cli->has_node)
		snprintf(path, sizeof(path), POOL_OF_NODE, cli->node);
	else
		snprintf(path, sizeof(path), POOL);
	lull_arena_host_number("", path, &before);
	err = write_number(path, want, reterr);
	if (err)
		return err;
	/* The kernel takes what it finds and says nothing. */
	lull_arena_host_number("", path, &got);
	if (got < want) {
		write_number(path, before, NULL);
		return lull_fail(reterr, LULL_NOMEM,
				 "%s: expected %" PRIu64
				 " pages of 2 MiB, found %" PRIu64
				 " (echo 1 > /proc/sys/vm/compact_memory, and "
				 "again)",
				 path, want, got);
	}
	*ret_got = got * PAGE_2M;
	return LULL_OK;
}

static int reserve_module(const struct lull_cli *cli, uint64_t bytes,
			  uint64_t *ret_got, struct lull_error *reterr)
{
	uint64_t want = lull_div_up(bytes, PAGE_2M) * PAGE_2M;
	char path[PATH_BYTES];
	int err;

	if (access(LULL_ARENA_SYSFS, F_OK))
		return lull_fail(
			reterr, LULL_UNSUPPORTED,
			"the module is not loaded (`lull arena doctor` "
			"says more; --carrier hugetlb reserves without "
			"it)");
	if (cli->has_node)
		snprintf(path, sizeof(path),
			 LULL_ARENA_SYSFS "/node%u/reserve_bytes", cli->node);
	else
		snprintf(path, sizeof(path), LULL_ARENA_SYSFS "/reserve_bytes");
	err = write_number(path, want, reterr);
	if (!err)
		*ret_got = want;
	return err;
}

int lull_cli_arena_reserve(const struct lull_cli *cli)
{
	const char *carrier = cli->carrier ? cli->carrier : "module";
	struct lull_error err;
	uint64_t bytes = 0, got = 0;
	int status = LULL_OK;

	if (strcmp(cli->words[0], "0"))
		status = lull_cli_parse_bytes("BYTES", cli->words[0], &bytes,
					      &err);
	if (status)
		return lull_term_fail(cli->json, &err);
	if (!strcmp(carrier, "hugetlb"))
		status = reserve_hugetlb(cli, bytes, &got, &err);
	else if (!strcmp(carrier, "module"))
		status = reserve_module(cli, bytes, &got, &err);
	else
		status = lull_fail(&err, LULL_USAGE,
				   "--carrier: expected module or hugetlb, "
				   "found '%.40s'",
				   carrier);
	if (status)
		return lull_term_fail(cli->json, &err);
	if (cli->json)
		return lull_term_emit(json_pack("{s:s, s:I}", "carrier",
						carrier, "bytes",
						(json_int_t)got));
	lull_term_say("%s: %" PRIu64 " MiB reserved", carrier, got >> 20);
	return lull_term_finish();
}

/* ---- flush ------------------------------------------------------------- */

static uint64_t wait_for_retired(void)
{
	const struct timespec look = { .tv_nsec =
					       FLUSH_LOOK_MS * LULL_NS_PER_MS };
	uint64_t left = 0;
	unsigned int ms;

	for (ms = 0; ms < FLUSH_WAIT_MS; ms += FLUSH_LOOK_MS) {
		if (!read_module("retired_bytes", &left) || !left)
			break;
		nanosleep(&look, NULL);
	}
	return left;
}

/*
 * Every arena that follows the module's bound looks at it again when it is
 * written.  A bound of less than a slot lets nothing stay retired.
 */
static int flush_module(uint64_t *ret_before, uint64_t *ret_left,
			struct lull_error *reterr)
{
	const char *path = LULL_ARENA_SYSFS "/retire_max_bytes";
	uint64_t bound;
	int err;

	if (!lull_arena_host_number("", path, &bound) ||
	    !read_module("retired_bytes", ret_before))
		return lull_fail(
			reterr, LULL_UNSUPPORTED,
			"the module is not loaded (`lull arena doctor` "
			"says more)");
	err = write_number(path, 1, reterr);
	if (err)
		return err;
	*ret_left = wait_for_retired();
	return write_number(path, bound, reterr);
}

int lull_cli_arena_flush(const struct lull_cli *cli)
{
	uint64_t before = 0, left = 0;
	struct lull_error err;
	int status;

	lull_cli_signals_hold(); /* the bound is written back in any case */
	status = flush_module(&before, &left, &err);
	lull_cli_signals_release();
	if (status)
		return lull_term_fail(cli->json, &err);
	if (cli->json)
		return lull_term_emit(json_pack(
			"{s:I, s:I}", "retired_bytes_before",
			(json_int_t)before, "retired_bytes", (json_int_t)left));
	lull_term_say("retired: %" PRIu64 " MiB, now %" PRIu64 " MiB%s",
		      before >> 20, left >> 20,
		      left ? " (pinned, or of arenas with a bound of their own)"
			   : "");
	return lull_term_finish();
}

/* ---- doctor ------------------------------------------------------------ */

static json_t *findings_json(const struct lull_arena_finding *findings)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < LULL_ARENA_NR_FINDINGS; i++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:b, s:o, s:o}", "name",
				  findings[i].name, "ok", findings[i].ok,
				  "what", lull_term_text(findings[i].what),
				  "cure", lull_term_text(findings[i].cure)));
	return list;
}

int lull_cli_arena_doctor(const struct lull_cli *cli)
{
	struct lull_arena_finding findings[LULL_ARENA_NR_FINDINGS];
	bool ok = true;
	size_t i;
	int ret;

	lull_arena_doctor("", findings);
	for (i = 0; i < LULL_ARENA_NR_FINDINGS; i++) {
		ok = ok && findings[i].ok;
		if (cli->json)
			continue;
		lull_term_say("%-14s %s  %s", findings[i].name,
			      findings[i].ok ? "ok  " : "MEND",
			      findings[i].what);
		if (!findings[i].ok)
			lull_term_say("%-14s       %s", "", findings[i].cure);
	}
	ret = cli->json ? lull_term_emit(json_pack("{s:b, s:o}", "ok", ok,
						   "findings",
						   findings_json(findings)))
			: lull_term_finish();
	return ret || ok ? ret : LULL_EXIT_INVALID;
}
