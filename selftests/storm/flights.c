// SPDX-License-Identifier: Apache-2.0
/*
 * flights.c - the pipeline with several partitions in flight is silent, too
 *
 * The same counters as in steady.c, over jobs of many partitions.  By default
 * (--dealloc retire) every carrier that is not malloc is silent from the second
 * job on.  The other policies give memory back to the system, which is
 * what they are for: they are what the counters must see.  Runs as root in a
 * virtual machine that does nothing else (scripts/check).
 */
#include "lull_pipeline.h"
#include "storm/counted.h"

#define KEY "selftests/golden/bn128-chain1000.zkey"
#define WITNESS "selftests/golden/bn128-chain1000.wtns"
#define NR_THREADS 3
#define IN_FLIGHT 4
#define NR_PARTITIONS 8
#define WAIT_MS 120000
/* As in steady.c: others in the machine may flush now and then. */
#define NR_ATTEMPTS 3
/* Jobs until what a policy gives back was seen to be given back: how partitions
 * meet is chance. */
#define NR_LOOKS 6
/* Page faults that are not the arena's: stacks, mallocs of a few bytes. */
#define OTHER_FAULTS_MAX 24
#define HUGEPAGES_FILE "/proc/sys/vm/nr_hugepages"
#define HUGEPAGES "64"

/* Proofs are checked once: that takes an emulated processor most of the time. */
struct bed {
	struct lull_ctx *ctx;
	struct lull_key *key;
	struct lull_pipeline *pipeline;
	unsigned int flags;
};

/* What the context, the kernel and the machine counted. */
struct all {
	struct lull_ctx_stats arena;
	struct counted counted;
	uint64_t pinned_bytes;
};

static bool set_up(struct bed *bed, const char *carrier, const char *dealloc)
{
	const struct lull_ctx_opts ctx_opts = { .size = sizeof(ctx_opts),
						.nr_threads = NR_THREADS,
						.arena = carrier };
	const struct lull_pipeline_opts opts = { .size = sizeof(opts),
						 .in_flight = IN_FLIGHT,
						 .workers_per_device = 2,
						 .dealloc = dealloc };
	struct lull_error err = { .msg = "" };
	bool ok;

	*bed = (struct bed){ 0 };
	ok = counting_begins() &&
	     !lull_ctx_create(&ctx_opts, &bed->ctx, &err) &&
	     !lull_key_open(bed->ctx, KEY, &bed->key, &err) &&
	     !lull_pipeline_create(bed->ctx, &opts, &bed->pipeline, &err);
	if (!ok)
		printf("# %s, %s: %s\n", carrier, dealloc, err.msg);
	return ok;
}

static void take_down(struct bed *bed)
{
	lull_pipeline_destroy(bed->pipeline);
	lull_key_close(bed->key);
	lull_ctx_destroy(bed->ctx);
	counting_ends();
}

static bool prove_all(const struct bed *bed)
{
	const char *paths[NR_PARTITIONS];
	const struct lull_job_opts opts = { .size = sizeof(opts),
					    .flags = bed->flags,
					    .nr_partitions = NR_PARTITIONS,
					    .paths = paths };
	struct lull_error err = { .msg = "" };
	struct lull_job *job;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < NR_PARTITIONS; i++)
		paths[i] = WITNESS;
	if (lull_job_submit(bed->pipeline, bed->key, &opts, &job, &err)) {
		printf("# %s\n", err.msg);
		return false;
	}
	ok = lull_job_wait(job, WAIT_MS);
	for (i = 0; i < NR_PARTITIONS && ok; i++)
		ok = lull_job_proof(job, i, &err);
	if (!ok)
		printf("# %s\n", err.msg);
	lull_job_free(job);
	return ok;
}

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

static bool count_all(const struct bed *bed, struct all *ret_all)
{
	ret_all->arena =
		(struct lull_ctx_stats){ .size = sizeof(ret_all->arena) };
	ret_all->pinned_bytes = kernel_pinned_bytes();
	return !lull_ctx_stats(bed->ctx, &ret_all->arena, NULL) &&
	       count(&ret_all->counted);
}

/* One job: what it brought about, and the arena's counters before and after. */
static bool prove_counted(const struct bed *bed, const char *what,
			  struct all *ret_before, struct all *ret_after,
			  struct counted *ret_delta)
{
	if (!count_all(bed, ret_before) || !prove_all(bed) ||
	    !count_all(bed, ret_after))
		return false;
	*ret_delta = counted_between(&ret_before->counted, &ret_after->counted);
	say(what, NR_PARTITIONS, ret_delta);
	return true;
}

static void expect_own_silence(const struct all *before,
			       const struct all *after,
			       const struct counted *delta)
{
	EXPECT_EQ(0, delta->host.flushes_own);
	EXPECT_EQ(0, delta->nr_munmaps);
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
	EXPECT_EQ(before->arena.pinned_bytes, after->arena.pinned_bytes);
	EXPECT_EQ(before->pinned_bytes, after->pinned_bytes);
	EXPECT_TRUE(after->arena.kept_bytes > before->arena.kept_bytes);
	if (delta->host.faults > OTHER_FAULTS_MAX)
		TEST_FAIL_("%" PRIu64 " page faults", delta->host.faults);
}

/* The first job has all memory, however partitions meet later (sched/reserve.c);
 * the second has the rest of what is not the arena's, such as stacks. */
static bool warm_up(const struct bed *bed, const char *carrier)
{
	struct all before, first, after;
	struct counted delta;

	if (!prove_counted(bed, carrier, &before, &first, &delta))
		return false;
	EXPECT_TRUE(first.arena.faulted_bytes > before.arena.faulted_bytes);
	if (!prove_counted(bed, carrier, &before, &after, &delta))
		return false;
	EXPECT_EQ(first.arena.held_bytes, after.arena.held_bytes);
	EXPECT_EQ(first.arena.faulted_bytes, after.arena.faulted_bytes);
	EXPECT_EQ(first.arena.pinned_bytes, after.arena.pinned_bytes);
	EXPECT_EQ(first.pinned_bytes, after.pinned_bytes);
	return true;
}

static void expect_silence(const char *carrier, unsigned int flags)
{
	uint64_t least_flushes = UINT64_MAX, least_ipis = UINT64_MAX;
	struct all before, after;
	struct counted delta;
	struct bed bed;
	unsigned int i;

	ASSERT_TRUE(set_up(&bed, carrier, "retire"));
	bed.flags = flags;
	EXPECT_STREQ("", counters.why);
	ASSERT_TRUE(warm_up(&bed, carrier));
	for (i = 0; i < NR_ATTEMPTS && (least_flushes || least_ipis); i++) {
		ASSERT_TRUE(
			prove_counted(&bed, carrier, &before, &after, &delta));
		expect_own_silence(&before, &after, &delta);
		if (delta.host.flushes < least_flushes)
			least_flushes = delta.host.flushes;
		if (delta.host.ipis_tlb < least_ipis)
			least_ipis = delta.host.ipis_tlb;
	}
	EXPECT_EQ(0, least_flushes);
	EXPECT_EQ(0, least_ipis);
	EXPECT_TRUE(!strncmp(after.arena.arena, carrier, strlen(carrier)));
	take_down(&bed);
}

TEST(silent_on_module)
{
	expect_silence("module", 0);
}

TEST(silent_on_thp)
{
	expect_silence("thp", LULL_PROVE_NO_VERIFY);
}

static bool set_hugepages(const char *number)
{
	FILE *file = fopen(HUGEPAGES_FILE, "we");
	bool ok = file && fputs(number, file) >= 0;

	return file && !fclose(file) && ok;
}

TEST(silent_on_hugetlb)
{
	if (!getenv("LULL_VM"))
		SKIP("this changes " HUGEPAGES_FILE ": in a virtual machine "
		     "only");
	ASSERT_TRUE(set_hugepages(HUGEPAGES));
	expect_silence("hugetlb", LULL_PROVE_NO_VERIFY);
	EXPECT_TRUE(set_hugepages("0"));
}

static bool was_seen(const struct all *first, const struct all *last)
{
	struct counted all = counted_between(&first->counted, &last->counted);

	return all.module.faults && all.module.zeroed_bytes &&
	       all.module.flushes &&
	       last->arena.unmapped_bytes > first->arena.unmapped_bytes;
}

/* What gives memory back to the system is seen to: flushed by the module's
 * batches, faulted in and zeroed again.  Even so nothing is unmapped by a
 * munmap(), and nothing is pinned. */
static void expect_seen(const char *dealloc)
{
	struct all first, before, after;
	struct counted delta;
	struct bed bed;
	unsigned int i;

	ASSERT_TRUE(set_up(&bed, "module", dealloc));
	bed.flags = LULL_PROVE_NO_VERIFY;
	ASSERT_TRUE(prove_counted(&bed, dealloc, &before, &first, &delta));
	for (i = 0; i < NR_LOOKS; i++) {
		ASSERT_TRUE(
			prove_counted(&bed, dealloc, &before, &after, &delta));
		EXPECT_EQ(0, delta.nr_munmaps);
		EXPECT_EQ(before.arena.munmaps, after.arena.munmaps);
		EXPECT_EQ(before.arena.pinned_bytes, after.arena.pinned_bytes);
		EXPECT_EQ(before.pinned_bytes, after.pinned_bytes);
		if (was_seen(&first, &after))
			break;
	}
	EXPECT_TRUE(was_seen(&first, &after));
	take_down(&bed);
}

TEST(inline_is_seen)
{
	expect_seen("inline");
}

TEST(async_is_seen)
{
	expect_seen("async");
}

TEST(serial_is_seen)
{
	expect_seen("serial");
}

TEST_MAIN
