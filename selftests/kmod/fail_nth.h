/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_nth.h - the first, second, third ... allocation or copy of a call
 * fails, until one run meets no failure (/proc/self/fail-nth)
 *
 * For `make check-debug`: Debian's kernels have no fault injection, and there
 * the programs say so.  A call that answers ENOMEM must have changed nothing.
 * One that answers EFAULT because its outputs could not be written has either
 * changed nothing or done all that it does, as uapi/linux/lull_arena.h says;
 * what makes a descriptor or a mapping has changed nothing.  Made again, the
 * call must work.
 */
#ifndef LULL_SELFTESTS_KMOD_FAIL_NTH_H
#define LULL_SELFTESTS_KMOD_FAIL_NTH_H

/* Fewer than acquire.c wakes a worker for: the caller does it all. */
#define SLOTS 7
#define SEED 71
#define FAIL_NTH "/proc/thread-self/fail-nth"
#define FAILSLAB "/sys/kernel/debug/failslab/"
#define FAIL_PAGES "/sys/kernel/debug/fail_page_alloc/"
#define RELEASE_DELAY "/sys/module/lull_arena/parameters/release_delay_ms"
/* No batch but those that are asked for. */
#define RELEASE_DELAY_MS "3600000"
#define TEXT_BYTES 32
/* More failures than any of these calls has allocations and copies. */
#define FAILURES_MAX 2000
/*
 * Now and then a slab needs a new page, or a debugging tool one of its own:
 * what follows is then one failure further on, and a sweep misses something.
 */
#define SWEEPS 3

static inline bool can_fail(void)
{
	return access(FAIL_NTH, W_OK) == 0;
}

/* Allocations that may sleep fail too, and those of user pages. */
static inline void fail_all_kinds(void)
{
	file_write(FAILSLAB "ignore-gfp-wait", "N");
	file_write(FAIL_PAGES "ignore-gfp-wait", "N");
	file_write(FAIL_PAGES "ignore-gfp-highmem", "N");
	file_write(FAIL_PAGES "min-order", "0");
	file_write(FAILSLAB "verbose", "0");
	file_write(FAIL_PAGES "verbose", "0");
	file_write("/sys/kernel/debug/fail_usercopy/verbose", "0");
}

/*
 * Both of these copy from or to us, and that copy is a failure's chance too:
 * with EFAULT it has had the last one that was asked for.
 */
static inline void fail_from(int fd, unsigned int nth)
{
	char text[TEXT_BYTES];
	ssize_t n;

	snprintf(text, sizeof(text), "%u", nth);
	n = pwrite(fd, text, strlen(text), 0);
	if (n < 0 && errno == EFAULT)
		n = pwrite(fd, text, strlen(text), 0);
	if (n < 0)
		TEST_FAIL_("%s: %s", FAIL_NTH, strerror(errno));
}

/* True when the failure that was asked for has happened. */
static inline bool has_failed(int fd)
{
	char text[TEXT_BYTES] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0) {
		if (errno != EFAULT)
			TEST_FAIL_("%s: %s", FAIL_NTH, strerror(errno));
		return false;
	}
	return strtoul(text, NULL, 10) == 0;
}

FIXTURE(failing)
{
	struct arena a;
	int dev;
	int nth;
	/* What a call opened or mapped. */
	int made;
	unsigned char *map;
};

FIXTURE_SETUP(failing)
{
	self->a.fd = self->nth = self->made = -1;
	self->dev = device_open();
	ASSERT_TRUE(self->dev >= 0);
	EXPECT_EQ(0, file_write(RELEASE_DELAY, RELEASE_DELAY_MS));
	arena_open(&self->a, SLOTS, 0);
	if (!test_failed)
		pattern_fill(self->a.map, self->a.bytes, SEED);
	self->nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	ASSERT_TRUE(self->nth >= 0);
}

FIXTURE_TEARDOWN(failing)
{
	if (self->nth >= 0)
		close(self->nth);
	if (self->a.fd >= 0)
		arena_close(&self->a);
	close(self->dev);
	EXPECT_EQ(0, file_write(RELEASE_DELAY, "100"));
}

/* --- what a call may change -------------------------------------------------- */

struct state {
	struct lull_arena_query all;
	struct lull_arena_query arena;
	uint64_t merge_gap;
	uint64_t reserve;
	/* The lowest that is free: a lost descriptor moves it. */
	int fd;
};

static inline struct state state_of(const struct failing *self)
{
	struct state s = {
		.all = arena_query(self->dev),
		.arena = arena_query(self->a.fd),
		.merge_gap = sysfs_read("merge_gap"),
		.reserve = sysfs_read("reserve_bytes"),
		.fd = dup(self->dev),
	};

	close(s.fd);
	return s;
}

static inline bool same_slots(const struct lull_arena_query *a,
			      const struct lull_arena_query *b)
{
	return a->nr_arenas == b->nr_arenas && a->bytes == b->bytes &&
	       a->live_bytes == b->live_bytes &&
	       a->retired_bytes == b->retired_bytes &&
	       a->busy_bytes == b->busy_bytes;
}

static inline bool same_state(const struct state *a, const struct state *b)
{
	return same_slots(&a->all, &b->all) &&
	       same_slots(&a->arena, &b->arena) &&
	       a->all.reserved_bytes == b->all.reserved_bytes &&
	       a->merge_gap == b->merge_gap && a->reserve == b->reserve &&
	       a->fd == b->fd;
}

/* Nor has a ticket been given. */
static inline bool untouched(const struct state *a, const struct state *b)
{
	return same_state(a, b) && a->arena.ticket_last == b->arena.ticket_last;
}

/* --- each failure of a call -------------------------------------------------- */

/**
 * struct verb - a call, and what its failures must come to
 * @name: for the output
 * @call: makes it; 0 or -errno
 * @undo: takes back what a call did
 * @check: looks at what a call that returned RC did, without failures; or NULL
 * @met_min: how many failures it gets on in spite of
 * @refusals_min: how many of its allocations it cannot do without
 * @copies_min: how many copies from and to the caller it makes
 * @whole: with EFAULT, too, it has changed nothing
 * @partial: success may bring less than all (and CALL checks it)
 */
struct verb {
	const char *name;
	int (*call)(struct failing *self);
	void (*undo)(struct failing *self);
	void (*check)(struct failing *self, int rc);
	unsigned int met_min;
	unsigned int refusals_min;
	unsigned int copies_min;
	bool whole;
	bool partial;
};

/* What came of all failures that happened, and of each of a sweep. */
struct tally {
	unsigned int met;
	unsigned int refused;
	unsigned int copies;
	char each[FAILURES_MAX + 1];
};

/* What came of one call; true when something is there to be undone. */
static inline bool judge(const struct verb *v, int rc,
			 const struct state *before, const struct state *after,
			 const struct state *done)
{
	bool nothing = untouched(before, after);
	bool all = same_state(after, done);

	if (!rc) {
		if (!all && !v->partial)
			TEST_FAIL_("%s: succeeded and did not do it", v->name);
		return true;
	}
	if (rc == -EFAULT && all && !v->whole && !nothing)
		return true;
	if (!nothing)
		TEST_FAIL_("%s: %d, and changed something", v->name, rc);
	return false;
}

/* One call with its nth failure; false when it has fewer. */
static inline bool fail_once(struct failing *self, const struct verb *v,
			     unsigned int nth, const struct state *done,
			     struct tally *tally)
{
	struct state before = state_of(self), after;
	bool failed, to_undo;
	int rc;

	fail_from(self->nth, nth);
	rc = v->call(self);
	failed = has_failed(self->nth);
	fail_from(self->nth, 0);
	after = state_of(self);
	if (rc && !(failed && (rc == -ENOMEM || rc == -EFAULT)))
		TEST_FAIL_("%s, failure %u: %d", v->name, nth, rc);
	if (v->check)
		v->check(self, rc);
	to_undo = judge(v, rc, &before, &after, done);
	if (test_failed)
		printf("# that was failure %u of %s\n", nth, v->name);
	if (to_undo)
		v->undo(self);
	if (!failed)
		return false;
	tally->met++;
	tally->refused += rc == -ENOMEM;
	tally->copies += rc == -EFAULT;
	tally->each[nth - 1] = rc == -ENOMEM ? 'm' : rc == -EFAULT ? 'c' : '.';
	tally->each[nth] = '\0';
	return true;
}

/* m: refused for want of memory; c: a copy; .: done all the same. */
static inline void sweep(struct failing *self, const struct verb *v,
			 const struct state *done, struct tally *tally)
{
	unsigned int n;

	tally->each[0] = '\0';
	for (n = 1; n < FAILURES_MAX && !test_failed; n++)
		if (!fail_once(self, v, n, done, tally))
			break;
	printf("# %s: %s\n", v->name, tally->each);
	EXPECT_TRUE(n < FAILURES_MAX);
}

/* A call with each of its failures, one at a time. */
static inline void fail_each(struct failing *self, const struct verb *v)
{
	uint64_t pages = module_pages_bytes();
	struct tally tally = { 0 };
	struct state done;
	unsigned int i;

	ASSERT_EQ(0, v->call(self));
	done = state_of(self);
	v->undo(self);
	for (i = 0; i < SWEEPS && !test_failed; i++)
		sweep(self, v, &done, &tally);
	EXPECT_TRUE(tally.met >= v->met_min);
	EXPECT_TRUE(tally.refused >= v->refusals_min);
	EXPECT_TRUE(tally.copies >= v->copies_min);
	EXPECT_EQ(pages, module_pages_bytes());
}

/* main() of these programs. */
static inline int fail_nth_main(int argc, char **argv)
{
	if (!can_fail()) {
		printf("TAP version 13\n1..0 # SKIP this kernel injects no "
		       "failures: make check-debug does\n");
		return 0;
	}
	fail_all_kinds();
	return kmod_test_main(argc, argv);
}

#endif
