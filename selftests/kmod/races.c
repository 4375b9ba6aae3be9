// SPDX-License-Identifier: Apache-2.0
/*
 * races.c - all verbs at once from eight processors, with every byte accounted
 * for: what REVIVE calls kept is there, what it calls fresh is zero, what was
 * flushed is gone, and nobody's data shows up at somebody else's
 *
 * LULL_RACE_MS is how long each race runs (RACE_MS if not set).  lifetime.c
 * has processes that die and modules that go.
 */
#include <sched.h>
#include <sys/wait.h>

#include "kmod/holders.h"

#define RACE_MS 2500
#define THREADS 8
#define SLOTS_EACH 8
#define SLOTS (THREADS * SLOTS_EACH)
#define DROP_CACHES "/proc/sys/vm/drop_caches"
#define FREE_MS 20000

static uint64_t race_ms(void)
{
	const char *text = getenv("LULL_RACE_MS");

	return text ? strtoull(text, NULL, 10) : RACE_MS;
}

/* A generator for each thread: harness.h's is one for all. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void stay_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

struct race {
	struct arena a;
	uint64_t end_ms;
	volatile bool stop;
	volatile unsigned int gone; /* not 0: no slot has memory */
	uint64_t reports;
	unsigned int nr;     /* threads */
	unsigned int reused; /* pages that another arena was given */
	/* How often each thread has looked at every slot. */
	unsigned int passes[THREADS];
};

struct racer {
	struct race *race;
	pthread_t thread;
	unsigned int nr;
	uint64_t random;
};

/* One complaint is enough to read. */
#define REPORT(r, ...)                                                         \
	do {                                                                   \
		if (!__atomic_fetch_add(&(r)->race->reports, 1,                \
					__ATOMIC_RELAXED))                     \
			TEST_FAIL_(__VA_ARGS__);                               \
		test_failed = true;                                            \
	} while (0)

static void run_race(struct race *race, unsigned int nr, void *(*fn)(void *),
		     void (*main_fn)(struct race *))
{
	struct racer racers[THREADS];
	unsigned int i;

	race->reports = 0;
	race->stop = false;
	race->end_ms = now_ms() + race_ms();
	for (i = 0; i < nr; i++) {
		racers[i] = (struct racer){ .race = race,
					    .nr = i,
					    .random = i * 977 + test_seed };
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, fn,
					    &racers[i]));
	}
	if (main_fn)
		main_fn(race);
	while (now_ms() < race->end_ms)
		usleep(5000);
	race->stop = true;
	for (i = 0; i < nr; i++)
		pthread_join(racers[i].thread, NULL);
}

/* Nothing may be busy for good when nobody holds a page. */
static void expect_free(int fd)
{
	uint64_t end = now_ms() + FREE_MS, busy;

	do {
		busy = 0;
		EXPECT_EQ(0, arena_flush(fd, &busy));
		busy += arena_query(fd).busy_bytes;
		if (busy)
			usleep(20000);
	} while (busy && now_ms() < end);
	EXPECT_EQ(0, busy);
	EXPECT_EQ(0, arena_query(fd).retired_bytes);
}

/* --- each thread has slots of its own, and knows exactly what is in them ---- */

enum mine { EMPTY, LIVE, RETIRED, RELEASED };

struct slots {
	struct racer *r;
	unsigned char *map; /* this thread's own mapping, or the common one */
	uint64_t first;
	enum mine state[SLOTS_EACH];
	uint64_t word[SLOTS_EACH];
};

static volatile uint64_t *word_of(struct slots *s, unsigned int i,
				  uint64_t page)
{
	return (volatile uint64_t *)(s->map + (s->first + i) * SLOT +
				     page * PAGE);
}

static void write_slot(struct slots *s, unsigned int i)
{
	uint64_t word = s->r->random | 1, page;

	s->word[i] = word;
	for (page = 0; page < SLOT / PAGE; page += 73)
		if (touch_write(word_of(s, i, page), word + page))
			REPORT(s->r, "a LIVE slot raised a signal");
}

static void check_slot(struct slots *s, unsigned int i)
{
	uint64_t page, word = 0, want;
	int sig;

	for (page = 0; page < SLOT / PAGE; page += 73) {
		sig = touch_read(word_of(s, i, page), &word);
		want = s->word[i] ? s->word[i] + page : 0;
		if (sig || word != want)
			REPORT(s->r,
			       "slot %u page %" PRIu64 ": signal %d, found "
			       "%" PRIx64 ", expected %" PRIx64,
			       i, page, sig, word, want);
	}
}

static void revive_slot(struct slots *s, unsigned int i)
{
	int fd = s->r->race->a.fd, rc;
	uint64_t kept, fresh;

	rc = arena_revive(fd, (s->first + i) * SLOT, SLOT, &kept, &fresh);
	if (rc)
		REPORT(s->r, "REVIVE: %d", rc);
	if (rc)
		return;
	if (kept + fresh != SLOT)
		REPORT(s->r, "REVIVE: kept %" PRIu64 " fresh %" PRIu64, kept,
		       fresh);
	if (fresh)
		s->word[i] = 0;
	check_slot(s, i);
	s->state[i] = LIVE;
}

static void acquire_slot(struct slots *s, unsigned int i)
{
	int rc = arena_acquire(s->r->race->a.fd, (s->first + i) * SLOT, SLOT);

	/* Another thread's unmapping may hold the page for a moment. */
	if (rc == -EBUSY) {
		revive_slot(s, i);
		return;
	}
	if (rc)
		REPORT(s->r, "ACQUIRE: %d", rc);
	s->word[i] = 0;
	check_slot(s, i);
	s->state[i] = LIVE;
}

/* A mapping of one's own comes and goes, against batches (CVE-2022-39188). */
static void remap(struct slots *s)
{
	struct race *race = s->r->race;

	if (s->map != race->a.map) {
		munmap(s->map, race->a.bytes);
		s->map = race->a.map;
		return;
	}
	s->map = arena_map(race->a.fd, 0, race->a.bytes);
	if (!s->map) {
		REPORT(s->r, "mmap: %s", strerror(errno));
		s->map = race->a.map;
	}
}

static void retire_or_release(struct slots *s, unsigned int i, bool release)
{
	int fd = s->r->race->a.fd;
	uint64_t at = (s->first + i) * SLOT;
	int rc = release ? arena_release(fd, at, SLOT, NULL)
			 : arena_retire(fd, at, SLOT, NULL);

	if (rc)
		REPORT(s->r, "%s: %d", release ? "RELEASE" : "RETIRE", rc);
	s->state[i] = release ? RELEASED : RETIRED;
}

static void flush_mine(struct slots *s)
{
	int fd = s->r->race->a.fd, rc = arena_flush(fd, NULL);
	unsigned int i;

	if (rc)
		REPORT(s->r, "FLUSH: %d", rc);
	for (i = 0; i < SLOTS_EACH; i++) {
		if (s->state[i] != RETIRED && s->state[i] != RELEASED)
			continue;
		if (touch_read(word_of(s, i, 1), NULL) != SIGBUS)
			REPORT(s->r, "flushed memory can be read");
		s->state[i] = EMPTY;
	}
}

static void *own_slots(void *arg)
{
	struct racer *r = arg;
	struct slots s = { .r = r,
			   .map = r->race->a.map,
			   .first = r->nr * SLOTS_EACH };
	unsigned int i, what;

	stay_on(r->nr);
	for (i = 0; i < SLOTS_EACH; i++)
		s.state[i] = LIVE;
	while (!r->race->stop) {
		i = (unsigned int)next_random(&r->random) % SLOTS_EACH;
		what = (unsigned int)next_random(&r->random) % 64;
		if (what == 0)
			remap(&s);
		else if (what == 1)
			flush_mine(&s);
		else if (s.state[i] == LIVE && what < 8)
			write_slot(&s, i);
		else if (s.state[i] == LIVE)
			retire_or_release(&s, i, what < 16);
		else if (s.state[i] == EMPTY)
			acquire_slot(&s, i);
		else
			revive_slot(&s, i);
	}
	if (s.map != r->race->a.map)
		munmap(s.map, r->race->a.bytes);
	return NULL;
}

static void shrink_meanwhile(struct race *race)
{
	while (now_ms() < race->end_ms) {
		EXPECT_EQ(0, file_write(DROP_CACHES, "2"));
		usleep(30000);
	}
}

static void open_bounded(struct race *race, uint64_t max_bytes,
			 uint32_t max_age_ms, uint32_t flags)
{
	struct lull_arena_create call = {
		.size = sizeof(call),
		.flags = flags,
		.bytes = SLOTS * SLOT,
		.retire_max_bytes = max_bytes,
		.retire_max_age_ms = max_age_ms,
	};
	int dev = device_open();

	memset(race, 0, sizeof(*race));
	race->a.bytes = SLOTS * SLOT;
	race->a.fd = -1;
	ASSERT_EQ(0, arena_call(dev, LULL_ARENA_CREATE, &call));
	race->a.fd = (int)call.fd;
	close(dev);
	ASSERT_EQ(0, arena_acquire(race->a.fd, 0, race->a.bytes));
	race->a.map = arena_map(race->a.fd, 0, race->a.bytes);
	ASSERT_TRUE(race->a.map != NULL);
}

static void race_with_bounds(uint64_t max_bytes, uint32_t max_age_ms,
			     uint32_t flags)
{
	struct race race;

	open_bounded(&race, max_bytes, max_age_ms, flags);
	if (test_failed)
		return;
	run_race(&race, THREADS, own_slots, shrink_meanwhile);
	expect_free(race.a.fd);
	EXPECT_EQ(0, arena_query(race.a.fd).pte_fallbacks);
	EXPECT_EQ(0, arena_reset(race.a.fd));
	arena_close(&race.a);
}

TEST(verbs_against_shrinker)
{
	race_with_bounds(0, 0, 0);
}

TEST(verbs_against_bounds)
{
	race_with_bounds(4 * SLOT, 5, 0);
}

TEST(verbs_on_a_secret_arena)
{
	race_with_bounds(8 * SLOT, 20, LULL_ARENA_CREATE_SECRET);
}

/* --- all threads on the same slots: any refusal is right, no damage is ------- */

#define CROWDED 16

static bool is_refusal(int rc)
{
	return rc == 0 || rc == -ENOENT || rc == -EBUSY;
}

static void *crowd(void *arg)
{
	struct racer *r = arg;
	int fd = r->race->a.fd, rc = 0;
	uint64_t at, length, word;

	stay_on(r->nr);
	while (!r->race->stop) {
		at = next_random(&r->random) % CROWDED * SLOT;
		length = (1 + next_random(&r->random) % 3) * SLOT;
		switch (next_random(&r->random) % 8) {
		case 0:
			rc = arena_acquire(fd, at, length);
			break;
		case 1:
			rc = arena_retire(fd, at, length, NULL);
			break;
		case 2:
			rc = arena_revive(fd, at, length, NULL, NULL);
			break;
		case 3:
			rc = arena_release(fd, at, length, NULL);
			break;
		case 4:
			rc = r->nr ? 0 : arena_flush(fd, NULL);
			break;
		default:
			/* A word of this arena's own, or fresh. */
			if (!touch_read(r->race->a.map + at, &word) && word &&
			    word >> 32 != CROWDED)
				REPORT(r, "found %" PRIx64, word);
			touch_write(r->race->a.map + at,
				    (uint64_t)CROWDED << 32 | r->nr);
		}
		if (!is_refusal(rc))
			REPORT(r, "a verb answered %d", rc);
	}
	return NULL;
}

TEST(everybody_on_the_same_slots)
{
	struct lull_arena_query q;
	struct race race;

	open_bounded(&race, 0, 0, 0);
	ASSERT_TRUE(race.a.map != NULL);
	run_race(&race, THREADS, crowd, shrink_meanwhile);
	expect_free(race.a.fd);
	q = arena_query(race.a.fd);
	EXPECT_TRUE(q.live_bytes <= race.a.bytes);
	EXPECT_EQ(0, q.live_bytes % SLOT);
	EXPECT_EQ(q.ticket_last, q.ticket_done);
	EXPECT_EQ(0, arena_reset(race.a.fd));
	EXPECT_EQ(0, arena_acquire(race.a.fd, 0, race.a.bytes));
	EXPECT_TRUE(all_zero(race.a.map, (CROWDED + 3) * SLOT));
	arena_close(&race.a);
}

/* --- faults against the batch ------------------------------------------------ */

#define FAULT_SLOTS 2
#define GONE_US 1500

/*
 * Faults all the time: half of the threads unmap what they touch.  While the
 * memory is gone they let things be, and no touch may succeed.
 */
static void *keep_faulting(void *arg)
{
	struct racer *r = arg;
	struct race *race = r->race;
	unsigned int i = r->nr, was_gone;
	unsigned char *p;

	stay_on(r->nr);
	while (!race->stop) {
		p = race->a.map + i++ % FAULT_SLOTS * SLOT;
		was_gone = race->gone;
		if (!was_gone && r->nr % 2)
			madvise(p, SLOT, MADV_DONTNEED);
		if (!touch_read(p, NULL) && was_gone && race->gone == was_gone)
			REPORT(r, "memory that has gone can be read");
	}
	return NULL;
}

/* A fault that saw LIVE must not map the page after the batch unmapped it. */
static void release_under_faults(struct race *race)
{
	unsigned int rounds = 0, i;

	while (now_ms() < race->end_ms && !test_failed) {
		ASSERT_EQ(0, arena_acquire(race->a.fd, 0, FAULT_SLOTS * SLOT));
		usleep(rounds++ % 1000);
		EXPECT_EQ(0, arena_release(race->a.fd, 0, FAULT_SLOTS * SLOT,
					   NULL));
		EXPECT_EQ(0, arena_flush(race->a.fd, NULL));
		/* A number of its own, so that a thread knows it is the same. */
		race->gone = rounds;
		for (i = 0; i < FAULT_SLOTS; i++)
			EXPECT_EQ(SIGBUS,
				  touch_read(race->a.map + i * SLOT, NULL));
		usleep(GONE_US);
		for (i = 0; i < FAULT_SLOTS; i++)
			EXPECT_EQ(SIGBUS,
				  touch_read(race->a.map + i * SLOT, NULL));
		expect_free(race->a.fd);
		race->gone = 0;
	}
}

TEST(faults_against_the_batch)
{
	struct race race;

	open_bounded(&race, 0, 0, 0);
	ASSERT_TRUE(race.a.map != NULL);
	ASSERT_EQ(0, arena_reset(race.a.fd));
	run_race(&race, THREADS - 1, keep_faulting, release_under_faults);
	arena_close(&race.a);
}

/* --- faults against each other: all of them on the same slots ---------------- */

/* Whoever finds a slot that another thread has just mapped has it as well. */
static void *touch_and_unmap(void *arg)
{
	struct racer *r = arg;
	unsigned char *p;
	unsigned int i;
	int signal;

	stay_on(r->nr);
	for (i = 0; !r->race->stop; i++) {
		p = r->race->a.map + i % FAULT_SLOTS * SLOT;
		if (i % THREADS == r->nr)
			madvise(p, SLOT, MADV_DONTNEED);
		signal = touch_read(p + r->nr * PAGE, NULL);
		if (signal)
			REPORT(r, "a LIVE slot raised signal %d", signal);
	}
	return NULL;
}

TEST(faults_against_each_other)
{
	struct race race;

	open_bounded(&race, 0, 0, 0);
	ASSERT_TRUE(race.a.map != NULL);
	run_race(&race, THREADS, touch_and_unmap, NULL);
	EXPECT_EQ(0, arena_query(race.a.fd).pte_fallbacks);
	arena_close(&race.a);
}

/* --- stale translations -------------------------------------------------------- */

#define OTHER_SEED 52
#define PASS_MS 2000
#define REUSE_MS 30000
#define TEXT_BYTES 64
#define WORK_CPUS "/sys/devices/virtual/workqueue/cpumask"

static void passed(struct racer *r)
{
	__atomic_fetch_add(&r->race->passes[r->nr], 1, __ATOMIC_RELEASE);
}

static void *watch(void *arg)
{
	struct racer *r = arg;
	uint64_t word = 0;
	unsigned int i;

	stay_on(r->nr);
	while (!r->race->stop) {
		for (i = 0; i < CROWDED; i++)
			if (!touch_read(r->race->a.map + i * SLOT + PAGE,
					&word) &&
			    pattern_search(&word, sizeof(word), OTHER_SEED))
				REPORT(r, "another arena's data shows through");
		passed(r);
	}
	return NULL;
}

/* Until each of NR threads has looked at every slot, from now on. */
static void wait_for_a_pass(struct race *race, unsigned int nr)
{
	uint64_t end = now_ms() + PASS_MS;
	unsigned int before[THREADS], i;

	for (i = 0; i < nr; i++)
		before[i] = __atomic_load_n(&race->passes[i], __ATOMIC_ACQUIRE);
	for (i = 0; i < nr; i++)
		/* The one that it is in now may have begun earlier. */
		while (__atomic_load_n(&race->passes[i], __ATOMIC_ACQUIRE) -
				       before[i] <
			       2 &&
		       now_ms() < end)
			usleep(GONE_US);
}

/*
 * Ranges of the slots whose neighbour in physical memory stays: their pages do
 * not merge into larger ones when freed, and are the next to be handed out.
 */
static uint32_t choose_loners(struct race *race,
			      struct lull_arena_range *ranges, uint64_t *frames)
{
	uint64_t frame;
	uint32_t nr = 0, i;

	for (i = 0; i < CROWDED; i++) {
		touch_read(race->a.map + i * SLOT, NULL);
		frame = page_frame(race->a.map + i * SLOT);
		if (!frame || frame / (SLOT / PAGE) % 2)
			continue;
		frames[nr] = frame;
		ranges[nr++] = (struct lull_arena_range){ i * SLOT, SLOT };
	}
	return nr;
}

static unsigned int count_reused(const struct arena *other,
				 const uint64_t *frames, uint32_t nr)
{
	unsigned int reused = 0;
	uint64_t frame;
	uint32_t i, k;

	for (i = 0; i < CROWDED; i++) {
		frame = page_frame(other->map + i * SLOT);
		for (k = 0; k < nr; k++)
			reused += frame && frame == frames[k];
	}
	return reused;
}

/* Not before pages did come back, unless they take too long. */
static bool reuse_is_over(const struct race *race)
{
	uint64_t end = race->end_ms + (race->reused ? 0 : REUSE_MS);

	return test_failed || now_ms() >= end;
}

/* The freed pages go to another arena at once, and are written there. */
static void reuse_elsewhere(struct race *race)
{
	struct lull_arena_range ranges[CROWDED];
	struct lull_arena_acquire again;
	uint64_t frames[CROWDED];
	struct arena other;
	unsigned int i;
	uint32_t nr;

	while (!reuse_is_over(race)) {
		nr = choose_loners(race, ranges, frames);
		if (!nr)
			break;
		EXPECT_EQ(0,
			  arena_release_ranges(race->a.fd, ranges, nr, NULL));
		EXPECT_EQ(0, arena_flush(race->a.fd, NULL));
		arena_open(&other, CROWDED, 0);
		for (i = 0; i < CROWDED && other.map; i++)
			pattern_fill(other.map + i * SLOT, 2 * PAGE,
				     OTHER_SEED);
		if (other.map)
			race->reused += count_reused(&other, frames, nr);
		wait_for_a_pass(race, race->nr);
		arena_close(&other);
		expect_free(race->a.fd);
		again = (struct lull_arena_acquire){ 0 };
		ASSERT_EQ(0,
			  arena_acquire_ranges(race->a.fd, &again, ranges, nr));
	}
}

/*
 * Batches run on this thread's CPU: what they free is on top of that CPU's
 * list of free pages, and what this thread fetches is taken from there.  A
 * race whose pages never came back would have shown nothing.
 */
static void race_for_reuse(unsigned int nr, void *(*fn)(void *))
{
	char old[TEXT_BYTES] = "", here[TEXT_BYTES];
	struct race race;
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	stay_on(THREADS - 1);
	snprintf(here, sizeof(here), "%x", 1u << sched_getcpu());
	EXPECT_EQ(0, file_read(WORK_CPUS, old, sizeof(old)));
	EXPECT_EQ(0, file_write(WORK_CPUS, here));
	open_bounded(&race, 0, 0, 0);
	if (race.a.map) {
		race.nr = nr;
		run_race(&race, nr, fn, reuse_elsewhere);
		printf("# %u pages were used again\n", race.reused);
		EXPECT_TRUE(race.reused > 0);
	}
	arena_close(&race.a);
	EXPECT_EQ(0, file_write(WORK_CPUS, old));
	sched_setaffinity(0, sizeof(all), &all);
}

TEST(stale_translation_never_shows_anothers_data)
{
	race_for_reuse(THREADS - 1, watch);
}

/* The same by reference: a page in a pipe is not freed, whatever else is. */
static void *watch_by_pipe(void *arg)
{
	struct racer *r = arg;
	uint64_t page[PAGE / sizeof(uint64_t)];
	unsigned int i = r->nr;
	int ends[2];

	stay_on(r->nr);
	while (!r->race->stop) {
		i++;
		if (pipe_hold(r->race->a.map + i % CROWDED * SLOT + PAGE, PAGE,
			      ends))
			continue;
		if (i % 4 == 0)
			usleep(i % 1000);
		if (read(ends[0], page, sizeof(page)) != (ssize_t)sizeof(page))
			REPORT(r, "a page was lost in a pipe");
		if (pattern_search(page, sizeof(page), OTHER_SEED))
			REPORT(r, "another arena's data is in the pipe");
		pipe_let_go(ends);
		passed(r);
	}
	return NULL;
}

TEST(referenced_page_never_shows_anothers_data)
{
	race_for_reuse(THREADS / 2, watch_by_pipe);
}

/* --- fork while all that goes on --------------------------------------------- */

static void child_looks(void *arg)
{
	struct race *race = arg;
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		if (touch_read(race->a.map + i * SLOT, NULL) == 0)
			TEST_FAIL_("a child reads slot %u", i);
}

static void fork_meanwhile(struct race *race)
{
	madvise(race->a.map, race->a.bytes, MADV_DOFORK);
	while (now_ms() < race->end_ms && !test_failed)
		in_child(child_looks, race, (uid_t)-1);
}

TEST(verbs_against_fork)
{
	struct race race;

	open_bounded(&race, 0, 50, 0);
	ASSERT_TRUE(race.a.map != NULL);
	run_race(&race, THREADS / 2, own_slots, fork_meanwhile);
	expect_free(race.a.fd);
	arena_close(&race.a);
}

/* --- several processes on one arena -------------------------------------------- */

static void crowd_in_a_process(void *arg)
{
	struct race *outer = arg, race = *outer;

	race.a.map = arena_map(outer->a.fd, 0, outer->a.bytes);
	ASSERT_TRUE(race.a.map != NULL);
	run_race(&race, 2, crowd, NULL);
}

TEST(processes_on_the_same_slots)
{
	struct race race;
	pid_t pids[3];
	int status;
	size_t i;

	open_bounded(&race, 0, 20, LULL_ARENA_CREATE_SHARED);
	ASSERT_TRUE(race.a.map != NULL);
	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			crowd_in_a_process(&race);
			fflush(stdout);
			_exit(test_failed);
		}
	}
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	expect_free(race.a.fd);
	EXPECT_EQ(0, arena_reset(race.a.fd));
	arena_close(&race.a);
}

KMOD_TEST_MAIN
