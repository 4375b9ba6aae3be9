// SPDX-License-Identifier: Apache-2.0
/*
 * retire.c - RETIRE and REVIVE cost nothing, a batch flushes once a run, FLUSH
 * is a barrier, and what was taken is gone for good
 *
 * Flushes are counted twice: by the module's formula and by tlb:tlb_flush.
 * The latter counts the whole machine: of several tries the best one stands.
 */
#include <poll.h>

#include "kmod/arena.h"

#define SLOTS 32
#define SEED 11
#define ROUNDS 8
#define TRIES 4
#define BYSTANDERS 2
/* How long a bound of the module may be overrun on a machine that is busy. */
#define PATIENCE_MS 20000
#define NAP_US 20000
#define FILTER_BYTES 128

FIXTURE(retired)
{
	struct arena a;
	struct event_counter flushes;
	struct event_counter faults; /* at the arena's addresses */
};

FIXTURE_SETUP(retired)
{
	char filter[FILTER_BYTES];

	arena_open(&self->a, SLOTS, 0);
	if (test_failed)
		return;
	pattern_fill(self->a.map, self->a.bytes, SEED);
	ASSERT_TRUE(flush_counter_open(&self->flushes));
	snprintf(filter, sizeof(filter),
		 "address >= 0x%" PRIxPTR " && address < 0x%" PRIxPTR,
		 (uintptr_t)self->a.map,
		 (uintptr_t)self->a.map + self->a.bytes);
	ASSERT_TRUE(event_counter_open(&self->faults,
				       "exceptions/page_fault_user", filter));
}

FIXTURE_TEARDOWN(retired)
{
	event_counter_close(&self->flushes);
	event_counter_close(&self->faults);
	arena_close(&self->a);
}

/* What a piece of work cost. */
struct cost {
	uint64_t flushes;	    /* by the kernel */
	uint64_t faults;	    /* likewise */
	unsigned long minor_faults; /* of this process, anywhere */
	struct lull_arena_query q;  /* differences of counters */
};

static struct cost cost_now(struct retired *self)
{
	struct cost c;

	c.q = arena_query(self->a.fd);
	c.faults = event_counter_read(&self->faults);
	c.minor_faults = minor_faults();
	c.flushes = event_counter_read(&self->flushes);
	return c;
}

static struct cost cost_since(struct retired *self, const struct cost *before)
{
	struct cost c = cost_now(self);

	c.flushes -= before->flushes;
	c.faults -= before->faults;
	c.minor_faults -= before->minor_faults;
	c.q.faults -= before->q.faults;
	c.q.zeroed_bytes -= before->q.zeroed_bytes;
	c.q.acquired_bytes -= before->q.acquired_bytes;
	c.q.batches -= before->q.batches;
	c.q.runs -= before->q.runs;
	c.q.flushes -= before->q.flushes;
	return c;
}

/* The prover's steady state: everything retired and revived, and used. */
static struct cost one_cycle_cost(struct retired *self)
{
	struct cost before = cost_now(self);
	uint64_t kept, fresh;
	unsigned int i, k;

	for (i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
		EXPECT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, &kept,
					  &fresh));
		EXPECT_EQ(self->a.bytes, kept);
		EXPECT_EQ(0, fresh);
		for (k = 0; k < SLOTS; k++)
			EXPECT_EQ(0, touch_read(self->a.map + k * SLOT, NULL));
	}
	return cost_since(self, &before);
}

TEST_F(retired, retire_and_revive_cost_nothing)
{
	struct cost best = { .flushes = UINT64_MAX }, c;
	struct bystanders others;
	unsigned int i;

	bystanders_start(&others, BYSTANDERS);
	for (i = 0; i < TRIES && (best.flushes || best.minor_faults); i++) {
		c = one_cycle_cost(self);
		EXPECT_EQ(0, c.faults);
		EXPECT_EQ(0, c.q.faults);
		EXPECT_EQ(0, c.q.zeroed_bytes);
		EXPECT_EQ(0, c.q.acquired_bytes);
		EXPECT_EQ(0, c.q.runs);
		EXPECT_EQ(0, c.q.flushes);
		if (c.flushes <= best.flushes)
			best = c;
	}
	bystanders_stop(&others);
	EXPECT_EQ(0, best.flushes);
	EXPECT_EQ(0, best.minor_faults);
	/* The count of faults can count: this one is not free. */
	EXPECT_EQ(0, madvise(self->a.map, SLOT, MADV_DONTNEED));
	c = cost_now(self);
	EXPECT_EQ(0, touch_read(self->a.map, NULL));
	EXPECT_EQ(1, cost_since(self, &c).faults);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
	EXPECT_EQ(self->a.bytes, smaps_bytes(self->a.map, "FilePmdMapped:"));
}

TEST_F(retired, retired_memory_is_still_there)
{
	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_EQ(self->a.bytes, arena_query(self->a.fd).retired_bytes);
	EXPECT_EQ(0, arena_query(self->a.fd).live_bytes);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
	EXPECT_EQ(0, touch_write(self->a.map + 8, 1));
	ASSERT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
	EXPECT_EQ(1, ((uint64_t *)self->a.map)[1]);
}

/* Releases RANGES and flushes; all is acquired and touched again afterwards. */
static struct cost release_cost(struct retired *self,
				const struct lull_arena_range *ranges,
				uint32_t nr)
{
	struct lull_arena_acquire again = { 0 };
	struct cost before = cost_now(self), c;
	uint64_t busy = 1;
	unsigned int i;

	EXPECT_EQ(0, arena_release_ranges(self->a.fd, ranges, nr, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, &busy));
	EXPECT_EQ(0, busy);
	c = cost_since(self, &before);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(SIGBUS,
			  touch_read(self->a.map + ranges[i].offset, NULL));
	EXPECT_EQ(0, arena_acquire_ranges(self->a.fd, &again, ranges, nr));
	for (i = 0; i < SLOTS; i++)
		EXPECT_EQ(0, touch_write(self->a.map + i * SLOT, i));
	return c;
}

static void expect_flushes(struct retired *self,
			   const struct lull_arena_range *ranges, uint32_t nr,
			   uint64_t runs, uint64_t flushes)
{
	uint64_t best = UINT64_MAX;
	struct bystanders others;
	struct cost c;
	unsigned int i;

	bystanders_start(&others, BYSTANDERS);
	for (i = 0; i < TRIES && best != flushes; i++) {
		c = release_cost(self, ranges, nr);
		EXPECT_EQ(1, c.q.batches);
		EXPECT_EQ(runs, c.q.runs);
		EXPECT_EQ(flushes, c.q.flushes);
		if (c.flushes < best)
			best = c.flushes;
	}
	bystanders_stop(&others);
	EXPECT_EQ(flushes, best);
}

TEST_F(retired, whole_arena_is_one_flush)
{
	const struct lull_arena_range all = { 0, self->a.bytes };

	expect_flushes(self, &all, 1, 1, 1);
}

TEST_F(retired, neighbours_are_one_run)
{
	struct lull_arena_range ranges[SLOTS];
	unsigned int i;

	/* Backwards: the order of the ranges is not the order of the runs. */
	for (i = 0; i < SLOTS; i++)
		ranges[i] = (struct lull_arena_range){ (SLOTS - 1 - i) * SLOT,
						       SLOT };
	expect_flushes(self, ranges, SLOTS, 1, 1);
}

TEST_F(retired, scattered_slots_are_a_flush_each)
{
	struct lull_arena_range ranges[SLOTS / 2];
	unsigned int i;

	for (i = 0; i < SLOTS / 2; i++)
		ranges[i] = (struct lull_arena_range){ 2 * i * SLOT, SLOT };
	expect_flushes(self, ranges, SLOTS / 2, SLOTS / 2, SLOTS / 2);
	/* The slots between kept what was in them, but for the first word. */
	EXPECT_TRUE(pattern_search(self->a.map + SLOT, SLOT, SEED) ==
		    SLOT / sizeof(uint64_t) - 1);
}

TEST_F(retired, merge_gap_joins_runs)
{
	uint64_t gap = sysfs_read("merge_gap"), faults;
	struct lull_arena_range ranges[SLOTS / 2];
	struct cost before, c;
	unsigned int i;

	for (i = 0; i < SLOTS / 2; i++)
		ranges[i] = (struct lull_arena_range){ 2 * i * SLOT, SLOT };
	ASSERT_EQ(0, sysfs_write("merge_gap", 1));
	before = cost_now(self);
	EXPECT_EQ(0, arena_release_ranges(self->a.fd, ranges, SLOTS / 2, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	c = cost_since(self, &before);
	EXPECT_EQ(0, sysfs_write("merge_gap", gap));
	EXPECT_EQ(1, c.q.runs);
	EXPECT_EQ(1, c.q.flushes);
	faults = arena_query(self->a.fd).faults;
	for (i = 0; i < SLOTS; i++) {
		EXPECT_EQ(i % 2 ? 0 : SIGBUS,
			  touch_read(self->a.map + i * SLOT, NULL));
		if (i % 2)
			EXPECT_EQ(SLOT / sizeof(uint64_t),
				  pattern_search(self->a.map + i * SLOT, SLOT,
						 SEED));
	}
	/* Those between were unmapped with the rest and had to fault. */
	EXPECT_TRUE(arena_query(self->a.fd).faults >= faults + SLOTS / 2 - 1);
	EXPECT_EQ(SLOTS / 2 * SLOT, smaps_bytes(self->a.map, "FilePmdMapped:"));
}

TEST_F(retired, each_mapping_is_flushed)
{
	const struct lull_arena_range all = { 0, self->a.bytes };
	unsigned char *other = arena_map(self->a.fd, 0, self->a.bytes);
	struct bystanders others;
	struct cost c;

	ASSERT_TRUE(other != NULL);
	EXPECT_TRUE(pattern_holds(other, self->a.bytes, SEED));
	bystanders_start(&others, BYSTANDERS);
	c = release_cost(self, &all, 1);
	bystanders_stop(&others);
	EXPECT_EQ(1, c.q.runs);
	EXPECT_EQ(2, c.q.flushes);
	EXPECT_TRUE(c.flushes >= 2);
	EXPECT_TRUE(all_zero(other + 8, self->a.bytes / SLOTS - 8));
	munmap(other, self->a.bytes);
}

/* What no one has mapped needs no flush. */
TEST_F(retired, unmapped_arena_is_released_without_a_flush)
{
	const struct lull_arena_range all = { 0, self->a.bytes };
	struct cost before;

	munmap(self->a.map, self->a.bytes);
	self->a.map = NULL;
	before = cost_now(self);
	EXPECT_EQ(0, arena_release_ranges(self->a.fd, &all, 1, NULL));
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	EXPECT_EQ(0, cost_since(self, &before).q.flushes);
	EXPECT_EQ(0, arena_query(self->a.fd).retired_bytes);
}

/* FLUSH: unmapped, and the memory is back; all it held is gone. */
TEST_F(retired, flush_is_a_barrier)
{
	uint64_t ticket, kept, fresh, busy = 1;
	unsigned int i;

	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, &ticket));
	ASSERT_EQ(0, arena_flush_ticket(self->a.fd, ticket, FLUSH_MS, &busy));
	EXPECT_EQ(0, busy);
	EXPECT_EQ(0, arena_query(self->a.fd).retired_bytes);
	EXPECT_EQ(0, smaps_bytes(self->a.map, "Rss:"));
	for (i = 0; i < SLOTS; i++)
		EXPECT_EQ(SIGBUS, touch_read(self->a.map + i * SLOT, NULL));
	ASSERT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, &kept, &fresh));
	EXPECT_EQ(0, kept);
	EXPECT_EQ(self->a.bytes, fresh);
	EXPECT_TRUE(all_zero(self->a.map, self->a.bytes));
}

/* A barrier for its ticket: what was retired later may stay. */
TEST_F(retired, flush_of_what_was_revived_takes_nothing)
{
	uint64_t ticket, busy = 1;

	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, &ticket));
	ASSERT_EQ(0, arena_revive(self->a.fd, 0, self->a.bytes, NULL, NULL));
	ASSERT_EQ(0, arena_flush_ticket(self->a.fd, ticket, FLUSH_MS, &busy));
	EXPECT_EQ(0, busy);
	EXPECT_EQ(self->a.bytes, arena_query(self->a.fd).live_bytes);
	EXPECT_TRUE(pattern_holds(self->a.map, self->a.bytes, SEED));
}

TEST_F(retired, flush_does_not_wait_when_told)
{
	int rc;

	EXPECT_EQ(0, arena_flush_ticket(self->a.fd, LULL_ARENA_TICKET_ALL, 0,
					NULL));
	ASSERT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	rc = arena_flush_ticket(self->a.fd, LULL_ARENA_TICKET_ALL, 0, NULL);
	EXPECT_TRUE(rc == 0 || rc == -ETIMEDOUT);
	EXPECT_EQ(0, arena_flush_ticket(self->a.fd, LULL_ARENA_TICKET_ALL,
					LULL_ARENA_TIMEOUT_NONE, NULL));
	EXPECT_EQ(0, arena_flush_ticket(self->a.fd, LULL_ARENA_TICKET_ALL, 0,
					NULL));
}

/* REVIVE of much that is gone: slot 0, which is not, is in its hands so long. */
#define LONG_SLOTS 512
#define SHORT_MS 50
#define MUCH_LONGER 10

static void *revive_all(void *arg)
{
	const struct arena *a = arg;

	EXPECT_EQ(0, arena_revive(a->fd, 0, a->bytes, NULL, NULL));
	return NULL;
}

/* How long a FLUSH of SHORT_MS takes meanwhile, in ms, and what it answers. */
static uint64_t flush_meanwhile(int *ret_rc)
{
	struct arena a = { .bytes = LONG_SLOTS * SLOT };
	uint64_t begin, flushed, revived;
	pthread_t reviver;
	int rc;

	a.fd = arena_create(a.bytes, 0);
	EXPECT_TRUE(a.fd >= 0);
	EXPECT_EQ(0, arena_acquire(a.fd, 0, SLOT));
	EXPECT_EQ(0, arena_retire(a.fd, 0, SLOT, NULL));
	begin = now_ms();
	if (test_failed || pthread_create(&reviver, NULL, revive_all, &a)) {
		TEST_FAIL_("no REVIVE");
		return UINT64_MAX;
	}
	/* RETIRED is ENOENT to a RETIRE; in another call's hands it is EBUSY. */
	do
		rc = arena_retire(a.fd, 0, SLOT, NULL);
	while (rc == -ENOENT);
	flushed = now_ms();
	if (rc == -EBUSY)
		rc = arena_flush_ticket(a.fd, LULL_ARENA_TICKET_ALL, SHORT_MS,
					NULL);
	flushed = now_ms() - flushed;
	pthread_join(reviver, NULL);
	revived = now_ms() - begin;
	printf("# FLUSH: %d after %" PRIu64 " ms, REVIVE after %" PRIu64
	       " ms\n",
	       rc, flushed, revived);
	EXPECT_TRUE(rc == 0 || rc == -ETIMEDOUT);
	close(a.fd);
	*ret_rc = rc;
	return flushed;
}

/*
 * The time of a FLUSH is up when it is up, however many batches it asks for.
 * 0 is right as well when the REVIVE ends within that time.  A processor that
 * stands still makes a FLUSH long: then another has to be given up in time.
 */
TEST(flush_keeps_its_time_while_a_revive_has_the_slot)
{
	const uint64_t most = MUCH_LONGER * SHORT_MS * slowness();
	bool in_time = false;
	unsigned int i;
	int rc = 0;

	for (i = 0; i < TRIES && !in_time && !test_failed; i++)
		in_time = flush_meanwhile(&rc) < most &&
			  (!i || rc == -ETIMEDOUT);
	EXPECT_TRUE(in_time);
}

/* Released memory goes out by itself, with nobody asking. */
TEST_F(retired, release_needs_no_flush)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	ASSERT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	while (arena_query(self->a.fd).retired_bytes && now_ms() < end)
		usleep(NAP_US);
	EXPECT_EQ(0, arena_query(self->a.fd).retired_bytes);
	EXPECT_EQ(SIGBUS, touch_read(self->a.map, NULL));
}

/* Whatever REVIVE says of released slots, it says the truth. */
TEST_F(retired, revive_after_release_tells_the_truth)
{
	uint64_t results[SLOTS], i;
	struct lull_arena_range ranges[SLOTS];
	struct lull_arena_revive call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = SLOTS,
		.results = (uintptr_t)results,
	};
	unsigned char *p;

	for (i = 0; i < SLOTS; i++)
		ranges[i] = (struct lull_arena_range){ i * SLOT, SLOT };
	ASSERT_EQ(0, arena_release(self->a.fd, 0, self->a.bytes, NULL));
	ASSERT_EQ(0, arena_call(self->a.fd, LULL_ARENA_REVIVE, &call));
	EXPECT_EQ(self->a.bytes, call.kept_bytes + call.fresh_bytes);
	for (i = 0; i < SLOTS; i++) {
		p = self->a.map + i * SLOT;
		if (results[i] == 0)
			EXPECT_EQ(SLOT / 8, pattern_search(p, SLOT, SEED));
		else
			EXPECT_TRUE(results[i] == SLOT && all_zero(p, SLOT));
	}
	EXPECT_EQ(self->a.bytes, arena_query(self->a.fd).live_bytes);
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}

static void *wait_readable(void *arg)
{
	struct retired *self = arg;

	return readable(self->a.fd, FLUSH_MS) ? self : NULL;
}

TEST_F(retired, poll_waits_for_the_tickets)
{
	void *seen = NULL;
	pthread_t waiter;

	EXPECT_TRUE(readable(self->a.fd, 0));
	ASSERT_EQ(0, arena_retire(self->a.fd, 0, self->a.bytes, NULL));
	EXPECT_TRUE(!readable(self->a.fd, 0));
	ASSERT_EQ(0, pthread_create(&waiter, NULL, wait_readable, self));
	usleep(NAP_US);
	EXPECT_EQ(0, arena_flush(self->a.fd, NULL));
	pthread_join(waiter, &seen);
	EXPECT_TRUE(seen == self);
	EXPECT_TRUE(readable(self->a.fd, 0));
}

static int create_bounded(uint64_t bytes, uint64_t max_bytes, uint32_t max_ms)
{
	struct lull_arena_create call = {
		.size = sizeof(call),
		.bytes = bytes,
		.retire_max_bytes = max_bytes,
		.retire_max_age_ms = max_ms,
	};
	int dev = device_open(), rc;

	rc = arena_call(dev, LULL_ARENA_CREATE, &call);
	close(dev);
	return rc ? rc : (int)call.fd;
}

/* Waits until at most BYTES are retired. */
static void expect_retired_at_most(int fd, uint64_t bytes)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	while (arena_query(fd).retired_bytes > bytes && now_ms() < end)
		usleep(NAP_US);
	EXPECT_TRUE(arena_query(fd).retired_bytes <= bytes);
}

TEST(age_bound_gives_back)
{
	const uint64_t bytes = 4 * SLOT;
	int fd = create_bounded(bytes, 0, 100);
	uint64_t fresh = 0;

	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(0, arena_acquire(fd, 0, bytes));
	ASSERT_EQ(0, arena_retire(fd, 0, bytes, NULL));
	expect_retired_at_most(fd, 0);
	EXPECT_TRUE(readable(fd, 0));
	EXPECT_EQ(0, arena_revive(fd, 0, bytes, NULL, &fresh));
	EXPECT_EQ(bytes, fresh);
	close(fd);
}

TEST(module_age_bound_is_the_default)
{
	uint64_t old = sysfs_read("retire_max_age_ms");
	int fd = create_bounded(2 * SLOT, 0, 0);

	ASSERT_EQ(0, sysfs_write("retire_max_age_ms", 100));
	EXPECT_EQ(0, arena_acquire(fd, 0, 2 * SLOT));
	EXPECT_EQ(0, arena_retire(fd, 0, 2 * SLOT, NULL));
	expect_retired_at_most(fd, 0);
	EXPECT_EQ(0, sysfs_write("retire_max_age_ms", old));
	close(fd);
}

TEST(bytes_bound_gives_back)
{
	int fd = create_bounded(8 * SLOT, 4 * SLOT, 0);
	unsigned int i;

	ASSERT_TRUE(fd >= 0);
	ASSERT_EQ(0, arena_acquire(fd, 0, 8 * SLOT));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, arena_retire(fd, i * SLOT, SLOT, NULL));
	/* At the bound, not above it. */
	EXPECT_EQ(4 * SLOT, arena_query(fd).retired_bytes);
	for (; i < 8; i++)
		ASSERT_EQ(0, arena_retire(fd, i * SLOT, SLOT, NULL));
	expect_retired_at_most(fd, 4 * SLOT);
	EXPECT_EQ(0, arena_query(fd).live_bytes);
	close(fd);
}

TEST_F(retired, punch_hole_releases)
{
	const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	struct arena *a = &self->a;

	ASSERT_EQ(0, fallocate(a->fd, hole, (off_t)SLOT, (off_t)(2 * SLOT)));
	EXPECT_EQ(SIGBUS, touch_read(a->map + SLOT, NULL));
	EXPECT_EQ(SIGBUS, touch_read(a->map + 2 * SLOT, NULL));
	EXPECT_TRUE(pattern_holds(a->map, SLOT, SEED));
	EXPECT_EQ(0, touch_read(a->map + 3 * SLOT, NULL));
	EXPECT_EQ(a->bytes - 2 * SLOT, arena_query(a->fd).live_bytes);
	EXPECT_EQ(0, arena_query(a->fd).retired_bytes);
	EXPECT_EQ(-1, fallocate(a->fd, hole, (off_t)PAGE, (off_t)SLOT));
	EXPECT_EQ(-1, fallocate(a->fd, hole, 0, (off_t)PAGE));
	EXPECT_EQ(-1, fallocate(a->fd, hole, (off_t)a->bytes, (off_t)SLOT));
	EXPECT_EQ(-1, fallocate(a->fd, 0, 0, (off_t)SLOT));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(-1, fallocate(a->fd, 0, 0, (off_t)(a->bytes + SLOT)));
	EXPECT_EQ(-1, fallocate(a->fd, FALLOC_FL_ZERO_RANGE, 0, (off_t)SLOT));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(a->bytes, arena_query(a->fd).bytes);
	EXPECT_TRUE(pattern_holds(a->map, SLOT, SEED));
}

KMOD_TEST_MAIN
