// SPDX-License-Identifier: Apache-2.0
/*
 * storm_module.c - arms on /dev/lull_arena, by its own interface
 *
 * For `lull bench storm`.  As the pools of user space: slots are given back by
 * runs, as many runs a call as the module takes.  Either retired, and revived
 * when they are needed again, or released and flushed.  What REVIVE says is
 * compared with what the memory holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"
#include "linux/lull_arena.h"

#define DEVICE "/dev/lull_arena"
/* Age is not what is measured: nothing goes for that within a run. */
#define RETIRE_MAX_AGE_MS (24 * 60 * 60 * 1000)
/* Ranges of one call, at most; the module may take fewer. */
#define RANGES_MAX 1024

enum how { HOW_RETIRE, HOW_RELEASE };

/**
 * struct module_state - of one run
 * @fd: the arena
 * @nr_ranges_max: of one call
 * @kept_bytes: by the last fill's REVIVEs
 * @fresh_bytes: by them
 * @zero_bytes: slots that were seen to be zero after them
 * @begun: something has been freed
 * @zeroed_before: the module's counter then
 */
struct module_state {
	int fd;
	size_t nr_ranges_max;
	_Atomic uint64_t kept_bytes;
	_Atomic uint64_t fresh_bytes;
	_Atomic uint64_t zero_bytes;
	atomic_bool begun;
	uint64_t zeroed_before;
};

static int query(int fd, struct lull_arena_query *ret_query)
{
	*ret_query = (struct lull_arena_query){ .size = sizeof(*ret_query) };
	return ioctl(fd, LULL_ARENA_QUERY, ret_query);
}

static bool probe_module(const struct storm_arm *arm,
			 const struct lull_bench_storm_opts *opts,
			 char why[STORM_TEXT_BYTES])
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	(void)arm;
	(void)opts;
	if (fd >= 0) {
		close(fd);
		return true;
	}
	snprintf(why, STORM_TEXT_BYTES, DEVICE ": %s%s", strerror(errno),
		 errno == ENOENT ? "; the module lull_arena is not loaded"
				 : "");
	return false;
}

static int create(struct storm_run *run, int *ret_fd, struct lull_error *reterr)
{
	struct lull_arena_create arg = {
		.size = sizeof(arg),
		.bytes = run->plan.region_bytes,
		.retire_max_bytes = run->plan.region_bytes,
		.retire_max_age_ms = RETIRE_MAX_AGE_MS,
	};
	int device = open(DEVICE, O_RDWR | O_CLOEXEC), failed, err;

	if (device < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, DEVICE);
	failed = ioctl(device, LULL_ARENA_CREATE, &arg);
	err = errno;
	close(device);
	if (failed)
		return lull_fail_errno(reterr, LULL_IO, err,
				       DEVICE ": an arena of %zu bytes",
				       run->plan.region_bytes);
	*ret_fd = (int)arg.fd;
	return LULL_OK;
}

static void close_module(struct storm_run *run)
{
	struct module_state *state = run->state;

	if (run->region)
		munmap(run->region, run->plan.region_bytes);
	run->region = NULL;
	if (state && state->fd >= 0)
		close(state->fd);
	free(state);
	free(run->slot_live);
	run->state = NULL;
	run->slot_live = NULL;
}

static int open_module(struct storm_run *run, struct lull_error *reterr)
{
	size_t nr_slots = run->plan.region_bytes / STORM_SLOT_BYTES;
	struct module_state *state = calloc(1, sizeof(*state));
	struct lull_arena_query info;
	void *region;
	int err;

	run->state = state;
	run->slot_live = malloc(nr_slots * sizeof(*run->slot_live));
	if (!state || !run->slot_live)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	/* All bytes of STORM_SLOT_GONE are the same. */
	memset(run->slot_live, (int)STORM_SLOT_GONE,
	       nr_slots * sizeof(*run->slot_live));
	state->fd = -1;
	err = create(run, &state->fd, reterr);
	if (err)
		return err;
	if (query(state->fd, &info))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "LULL_ARENA_QUERY");
	state->nr_ranges_max = lull_min(info.nr_ranges_max, RANGES_MAX);
	region = mmap(NULL, run->plan.region_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED, state->fd, 0);
	if (region == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "mapping an arena of %zu bytes",
				       run->plan.region_bytes);
	run->region = region;
	return LULL_OK;
}

/* The next runs of slots that have @live, as ranges of the arena. */
static size_t next_ranges(struct storm_walk *walk, uint32_t live, uint32_t mark,
			  struct lull_arena_range *ranges)
{
	struct storm_run *run = walk->share->run;
	struct module_state *state = run->state;
	size_t nr = 0, bytes;
	char *at;

	while (nr < state->nr_ranges_max &&
	       lull_bench_storm_next_run(walk, live, mark, &at, &bytes))
		ranges[nr++] = (struct lull_arena_range){
			.offset = (uint64_t)(at - run->region),
			.length = bytes,
		};
	return nr;
}

static void acquire(struct storm_run *run, struct lull_arena_range *ranges,
		    size_t nr)
{
	struct lull_arena_acquire arg = {
		.size = sizeof(arg),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = (uint32_t)nr,
	};
	struct module_state *state = run->state;

	if (ioctl(state->fd, LULL_ARENA_ACQUIRE, &arg))
		lull_bench_storm_fail(run, LULL_NOMEM, errno, "ACQUIRE");
}

/* Slots begin with a byte that is not 0 when they hold what was written. */
static void look(struct storm_run *run, const struct lull_arena_range *range,
		 uint64_t fresh_bytes)
{
	struct module_state *state = run->state;
	const char *at = run->region + range->offset;
	uint64_t zero_bytes = 0;
	size_t slot;

	for (slot = 0; slot < range->length; slot += STORM_SLOT_BYTES)
		if (!*(const volatile char *)(at + slot))
			zero_bytes += STORM_SLOT_BYTES;
	state->zero_bytes += zero_bytes;
	if (zero_bytes != fresh_bytes)
		lull_bench_storm_fail(run, LULL_INTERNAL, EUCLEAN,
				      "REVIVE told another number of fresh "
				      "bytes than are zero");
}

static void revive(struct storm_run *run, struct lull_arena_range *ranges,
		   size_t nr)
{
	uint64_t results[RANGES_MAX];
	struct lull_arena_revive arg = {
		.size = sizeof(arg),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = (uint32_t)nr,
		.results = (uintptr_t)results,
	};
	struct module_state *state = run->state;
	size_t i;

	memset(results, UINT8_MAX, sizeof(results));
	if (ioctl(state->fd, LULL_ARENA_REVIVE, &arg)) {
		lull_bench_storm_fail(run, LULL_NOMEM, errno, "REVIVE");
		return;
	}
	state->kept_bytes += arg.kept_bytes;
	state->fresh_bytes += arg.fresh_bytes;
	for (i = 0; i < nr; i++)
		look(run, &ranges[i], results[i]);
}

static void alloc_module(struct storm_share *share)
{
	struct storm_run *run = share->run;
	struct storm_walk walk = lull_bench_storm_walk(share);
	struct lull_arena_range ranges[RANGES_MAX];
	struct module_state *state = run->state;
	size_t i, nr;

	while ((nr = next_ranges(&walk, STORM_SLOT_GONE, 0, ranges))) {
		if (run->arm->how == HOW_RETIRE && state->begun)
			revive(run, ranges, nr);
		else
			acquire(run, ranges, nr);
	}
	if (run->failed)
		return;
	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->vec[i])
			continue;
		run->vec[i] = run->region + run->plan.offset[i];
		lull_bench_storm_count_slots(run, i, 1);
	}
}

static void give_back(struct storm_run *run, struct lull_arena_range *ranges,
		      size_t nr)
{
	struct lull_arena_retire retire = {
		.size = sizeof(retire),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = (uint32_t)nr,
	};
	struct lull_arena_release release = {
		.size = sizeof(release),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = (uint32_t)nr,
	};
	struct module_state *state = run->state;

	if (run->arm->how == HOW_RETIRE
		    ? ioctl(state->fd, LULL_ARENA_RETIRE, &retire)
		    : ioctl(state->fd, LULL_ARENA_RELEASE, &release))
		lull_bench_storm_fail(run, LULL_IO, errno, "RETIRE or RELEASE");
}

/* Between the first fill and the first free: what the fill was not. */
static void note_begin(struct module_state *state)
{
	struct lull_arena_query info;

	if (!atomic_exchange(&state->begun, true) && !query(state->fd, &info))
		state->zeroed_before = info.zeroed_bytes;
	state->kept_bytes = state->fresh_bytes = state->zero_bytes = 0;
}

static void free_module(struct storm_share *share)
{
	struct storm_run *run = share->run;
	struct storm_walk walk = lull_bench_storm_walk(share);
	struct lull_arena_range ranges[RANGES_MAX];
	uint64_t start;
	size_t i, nr;

	note_begin(run->state);
	for (i = run->plan.first[share->index];
	     i < run->plan.first[share->index + 1]; i++) {
		if (run->plan.kept[i] || !run->vec[i])
			continue;
		lull_bench_storm_count_slots(run, i, UINT32_MAX);
		run->vec[i] = NULL;
	}
	for (;;) {
		start = lull_bench_now_ns();
		nr = next_ranges(&walk, 0, STORM_SLOT_GONE, ranges);
		if (!nr)
			break;
		give_back(run, ranges, nr);
		lull_bench_storm_note(share, lull_bench_now_ns() - start);
	}
}

static void settle_release(struct storm_run *run)
{
	struct lull_arena_flush arg = {
		.size = sizeof(arg),
		.ticket = LULL_ARENA_TICKET_ALL,
		.timeout_ms = LULL_ARENA_TIMEOUT_NONE,
	};
	struct module_state *state = run->state;

	if (ioctl(state->fd, LULL_ARENA_FLUSH, &arg))
		lull_bench_storm_fail(run, LULL_IO, errno, "FLUSH");
	else if (arg.busy_bytes)
		lull_bench_storm_fail(run, LULL_IO, EBUSY, "FLUSH");
}

static int report_module(struct storm_run *run, json_t *row)
{
	struct module_state *state = run->state;
	struct lull_arena_query info;
	json_t *module;

	if (query(state->fd, &info))
		return -1;
	module = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"batches", (json_int_t)info.batches, "runs",
		(json_int_t)info.runs, "flushes", (json_int_t)info.flushes,
		"faults", (json_int_t)info.faults, "pte_fallbacks",
		(json_int_t)info.pte_fallbacks, "zeroed_bytes",
		(json_int_t)info.zeroed_bytes, "live_bytes",
		(json_int_t)info.live_bytes, "retired_bytes",
		(json_int_t)info.retired_bytes, "kept_bytes",
		(json_int_t)state->kept_bytes, "fresh_bytes",
		(json_int_t)state->fresh_bytes, "fresh_bytes_seen",
		(json_int_t)state->zero_bytes);
	if (json_object_set_new(row, "module", module))
		return -1;
	/* After pressure the row has its rounds' figure already. */
	if (json_object_get(row, "held_bytes") ||
	    json_is_null(json_object_get(row, "zeroed_bytes")))
		return 0;
	return json_object_set_new(
		       row, "zeroed_bytes",
		       json_integer((json_int_t)(info.zeroed_bytes -
						 state->zeroed_before) /
				    run->opts->nr_rounds)) ||
	       json_object_set_new(row, "zeroed_by",
				   json_string("the module's counter"));
}

static const struct storm_ops retire_ops = {
	.open = open_module,
	.close = close_module,
	.alloc = alloc_module,
	.free = free_module,
	.report = report_module,
};

static const struct storm_ops release_ops = {
	.open = open_module,
	.close = close_module,
	.alloc = alloc_module,
	.free = free_module,
	.settle = settle_release,
	.report = report_module,
};

const struct storm_arm lull_bench_storm_module_arms[] = {
	{
		.name = "module-retire",
		.about = "lull_arena: RETIRE, then REVIVE",
		.how = HOW_RETIRE,
		.law = STORM_LAW_ZERO,
		.by_kernel = true,
		.probe = probe_module,
		.ops = &retire_ops,
	},
	{
		.name = "module-release",
		.about = "lull_arena: RELEASE and FLUSH, then ACQUIRE",
		.how = HOW_RELEASE,
		.law = STORM_LAW_MERGED,
		.by_kernel = true,
		.probe = probe_module,
		.ops = &release_ops,
	},
};

const size_t lull_bench_storm_nr_module_arms =
	LULL_ARRAY_SIZE(lull_bench_storm_module_arms);
