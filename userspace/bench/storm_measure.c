// SPDX-License-Identifier: Apache-2.0
/*
 * storm_measure.c - one arm, round by round
 *
 * For `lull bench storm`, in the process of that arm.  Rounds go like this:
 *
 *	fill	every thread allocates its vectors and touches each page
 *	calm	nobody frees: what bystanders do when they are left alone
 *	free	every thread frees; the arm settles
 *	again	the same vectors, allocated and touched once more
 *
 * Calm and free alternate, so that a host that grows slower in between does
 * so for both.  Counters are read while the threads stand still.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

/* Shorter windows say nothing about a rate. */
#define CALM_MIN_NS (20 * (uint64_t)LULL_NS_PER_MS)
#define CALM_MAX_NS (2 * (uint64_t)LULL_NS_PER_S)
#define RATE_MIN_NS (20 * (uint64_t)LULL_NS_PER_MS)

enum phase { PHASE_FILL, PHASE_FREE, PHASE_END };

/**
 * struct window - what happened in one phase
 * @ns: how long it took
 * @delta: what was counted; resident and huge bytes as they are at its end
 * @grown_bytes: resident memory at its end above that at its beginning
 * @work: of the bystanders, by kind
 */
struct window {
	uint64_t ns;
	struct storm_counts delta;
	uint64_t grown_bytes;
	uint64_t work[STORM_NR_BYSTANDER_KINDS];
};

/**
 * struct measure - one arm under way
 * @run: the arm and its vectors
 * @counters: what is counted
 * @bystanders: who computes meanwhile
 * @gate: opens a phase and closes it
 * @phase: under way
 * @threads: one a share
 * @nr_threads: of them started
 * @baseline_bytes: resident before the first vector
 * @fill: the first round's
 * @calm: one a round
 * @freed: one a round
 * @again: one a round
 * @nr_rounds: so far
 * @nr_again: of them those that had the memory again
 */
struct measure {
	struct storm_run run;
	struct storm_counters counters;
	struct storm_bystanders *bystanders;
	pthread_barrier_t gate;
	enum phase phase;
	pthread_t *threads;
	unsigned int nr_threads;
	uint64_t baseline_bytes;
	struct window fill;
	struct window *calm;
	struct window *freed;
	struct window *again;
	unsigned int nr_rounds;
	unsigned int nr_again;
};

void lull_bench_storm_fail(struct storm_run *run, int code, int sys_errno,
			   const char *what)
{
	pthread_mutex_lock(&run->error_lock);
	if (!run->failed)
		run->failed = lull_fail_errno(&run->error, code, sys_errno,
					      "%s: %s", run->arm->name, what);
	pthread_mutex_unlock(&run->error_lock);
}

void lull_bench_storm_note(struct storm_share *share, uint64_t ns)
{
	if (share->nr_calls < share->max_calls)
		share->call_ns[share->nr_calls++] = ns;
}

static void touch(struct storm_share *share)
{
	const struct storm_plan *plan = &share->run->plan;
	size_t i, at;
	volatile char *vec;

	for (i = plan->first[share->index]; i < plan->first[share->index + 1];
	     i++) {
		vec = share->run->vec[i];
		for (at = 0; vec && at < plan->bytes[i]; at += STORM_PAGE_BYTES)
			vec[at] = (char)(i | 1); /* never 0 */
	}
}

/**
 * struct worker - what a thread is started with
 * @measure: all of it
 * @share: its part
 */
struct worker {
	struct measure *measure;
	struct storm_share *share;
};

static void *work(void *arg)
{
	struct worker worker = *(struct worker *)arg;
	struct measure *m = worker.measure;

	free(arg);
	lull_bench_storm_pin(worker.share->index);
	for (;;) {
		pthread_barrier_wait(&m->gate);
		if (m->phase == PHASE_END)
			return NULL;
		if (m->phase == PHASE_FILL) {
			m->run.arm->ops->alloc(worker.share);
			touch(worker.share);
		} else {
			m->run.arm->ops->free(worker.share);
		}
		pthread_barrier_wait(&m->gate);
	}
}

static void run_phase(struct measure *m, enum phase phase)
{
	m->phase = phase;
	pthread_barrier_wait(&m->gate);
	if (phase == PHASE_END)
		return;
	pthread_barrier_wait(&m->gate);
	if (phase == PHASE_FREE && m->run.arm->ops->settle)
		m->run.arm->ops->settle(&m->run);
}

static void rest(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / LULL_NS_PER_S),
			       (long)(ns % LULL_NS_PER_S) };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		continue;
}

static void subtract(struct storm_counts *from, const struct storm_counts *what)
{
	from->flushes -= what->flushes;
	from->flushes_own -= what->flushes_own;
	from->ipis_tlb -= what->ipis_tlb;
	from->ipis_cal -= what->ipis_cal;
	from->faults -= what->faults;
}

/* @ns of 0: a phase of the arm; else a calm window that long. */
static struct window watch(struct measure *m, enum phase phase, uint64_t ns)
{
	uint64_t work_before[STORM_NR_BYSTANDER_KINDS];
	struct window w = { 0 };
	struct storm_counts before;
	uint64_t start;
	size_t i;

	lull_bench_storm_counters_read(&m->counters, &before);
	lull_bench_storm_bystanders_read(m->bystanders, work_before);
	start = lull_bench_now_ns();
	if (ns)
		rest(ns);
	else
		run_phase(m, phase);
	w.ns = lull_bench_now_ns() - start;
	lull_bench_storm_bystanders_read(m->bystanders, w.work);
	lull_bench_storm_counters_read(&m->counters, &w.delta);
	for (i = 0; i < STORM_NR_BYSTANDER_KINDS; i++)
		w.work[i] -= work_before[i];
	if (w.delta.resident_bytes > before.resident_bytes)
		w.grown_bytes = w.delta.resident_bytes - before.resident_bytes;
	subtract(&w.delta, &before);
	return w;
}

/* Where only the frees of one round are asked for, nothing is had again. */
static bool is_enough(const struct measure *m)
{
	return m->run.opts->scenario != LULL_BENCH_STORM_PARTITION &&
	       m->nr_rounds == m->run.opts->nr_rounds;
}

static void measure_rounds(struct measure *m)
{
	uint64_t calm_ns = CALM_MIN_NS;
	unsigned int round;

	/* Counting itself faults and allocates; the second time not. */
	watch(m, PHASE_FILL, CALM_MIN_NS);
	m->baseline_bytes = lull_bench_storm_resident_bytes();
	m->fill = watch(m, PHASE_FILL, 0);
	while (m->nr_rounds < m->run.opts->nr_rounds && !m->run.failed) {
		round = m->nr_rounds++;
		m->calm[round] = watch(m, PHASE_FILL, calm_ns);
		m->freed[round] = watch(m, PHASE_FREE, 0);
		if (is_enough(m))
			return;
		m->again[round] = watch(m, PHASE_FILL, 0);
		m->nr_again++;
		calm_ns = lull_min(
			lull_max(m->freed[round].ns + m->again[round].ns,
				 CALM_MIN_NS),
			CALM_MAX_NS);
	}
}

static int start_workers(struct measure *m, struct lull_error *reterr)
{
	struct worker *worker;
	int err;

	while (m->nr_threads < m->run.plan.nr_shares) {
		worker = malloc(sizeof(*worker));
		if (!worker)
			return lull_fail(reterr, LULL_NOMEM, "out of memory");
		*worker = (struct worker){ m, &m->run.shares[m->nr_threads] };
		err = pthread_create(&m->threads[m->nr_threads], NULL, work,
				     worker);
		if (err) {
			free(worker);
			return lull_fail_errno(reterr, LULL_IO, err,
					       "starting a thread");
		}
		m->nr_threads++;
	}
	return LULL_OK;
}

/* Touched, so that noting a call faults nowhere. */
static int make_share(struct storm_run *run, unsigned int index)
{
	size_t nr_vecs = run->plan.first[index + 1] - run->plan.first[index];
	struct storm_share *share = &run->shares[index];

	share->run = run;
	share->index = index;
	share->max_calls = nr_vecs * (run->opts->nr_rounds + 1);
	share->call_ns = malloc(share->max_calls * sizeof(*share->call_ns));
	if (!share->call_ns)
		return LULL_NOMEM;
	memset(share->call_ns, 1, share->max_calls * sizeof(*share->call_ns));
	return LULL_OK;
}

static int make_tables(struct measure *m, struct lull_error *reterr)
{
	struct storm_run *run = &m->run;
	unsigned int i, nr_rounds = run->opts->nr_rounds;
	int err;

	err = lull_bench_storm_plan(run->opts, &run->plan, reterr);
	if (err)
		return err;
	run->vec = calloc(run->plan.nr, sizeof(*run->vec));
	run->shares = calloc(run->plan.nr_shares, sizeof(*run->shares));
	m->threads = calloc(run->plan.nr_shares, sizeof(*m->threads));
	m->calm = calloc(3 * (size_t)nr_rounds, sizeof(*m->calm));
	if (!run->vec || !run->shares || !m->threads || !m->calm)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	m->freed = m->calm + nr_rounds;
	m->again = m->freed + nr_rounds;
	for (i = 0; i < run->plan.nr_shares; i++)
		if (make_share(run, i))
			return lull_fail(reterr, LULL_NOMEM, "out of memory");
	pthread_barrier_init(&m->gate, NULL, run->plan.nr_shares + 1);
	return LULL_OK;
}

static void free_tables(struct measure *m)
{
	unsigned int i;

	for (i = 0; m->run.shares && i < m->run.plan.nr_shares; i++)
		free(m->run.shares[i].call_ns);
	free(m->run.shares);
	free(m->run.vec);
	free(m->threads);
	free(m->calm);
	lull_bench_storm_plan_done(&m->run.plan);
}

/* The median over rounds of one number of each window. */
static json_t *median_of(const struct measure *m, const struct window *windows,
			 size_t offset)
{
	unsigned int i, nr = windows == m->again ? m->nr_again : m->nr_rounds;
	uint64_t *values = calloc(m->nr_rounds, sizeof(*values)), median;
	struct lull_bench_samples samples = { values, nr };

	if (!values || !nr) {
		free(values);
		return values ? json_null() : NULL;
	}
	for (i = 0; i < nr; i++)
		memcpy(&values[i], (const char *)&windows[i] + offset,
		       sizeof(*values));
	lull_bench_sort(&samples);
	median = lull_bench_median(&samples);
	free(values);
	return json_integer((json_int_t)median);
}

static int set(json_t *row, const char *key, json_t *value)
{
	return json_object_set_new(row, key, value);
}

/* Flushes are null where the tracepoint could not be counted. */
static int add_flushes(const struct measure *m, json_t *row)
{
	static const size_t all = offsetof(struct window, delta.flushes),
			    own = offsetof(struct window, delta.flushes_own);
	const struct storm_counters *c = &m->counters;
	int failed = 0;

	failed |= set(row, "flushes_free",
		      *c->why ? json_null() : median_of(m, m->freed, all));
	failed |= set(row, "flushes_again",
		      *c->why ? json_null() : median_of(m, m->again, all));
	failed |= set(row, "flushes_free_own",
		      *c->why ? json_null() : median_of(m, m->freed, own));
	failed |= set(row, "flushes_again_own",
		      *c->why ? json_null() : median_of(m, m->again, own));
	if (*c->why)
		failed |= set(row, "flushes_why", json_string(c->why));
	return failed;
}

static int add_prediction(const struct measure *m, json_t *row)
{
	const char *key =
		m->run.arm->by_kernel ? "flushes_free" : "flushes_free_own";
	json_t *counted = json_object_get(row, key), *holds = NULL;
	struct storm_prediction p;
	int failed;

	lull_bench_storm_predict(m->run.arm, &m->run.plan, &p);
	failed = json_object_set(row, "counted", counted);
	failed |= set(row, "predicted_kind",
		      json_string(lull_bench_storm_kind_name(p.kind)));
	if (p.kind == STORM_NO_FORMULA)
		return failed;
	failed |= set(row, "predicted", json_integer((json_int_t)p.flushes));
	failed |= set(row, "formula", json_string(p.formula));
	if (*m->counters.why)
		holds = json_null();
	else
		holds = json_boolean(lull_bench_storm_holds(
			&p, (uint64_t)json_integer_value(counted)));
	return failed | set(row, "holds", holds);
}

static int add_windows(const struct measure *m, json_t *row)
{
	static const size_t ns = offsetof(struct window, ns),
			    tlb = offsetof(struct window, delta.ipis_tlb),
			    cal = offsetof(struct window, delta.ipis_cal),
			    faults = offsetof(struct window, delta.faults),
			    grown = offsetof(struct window, grown_bytes);
	int failed = 0;

	failed |= set(row, "ipis_tlb_free", median_of(m, m->freed, tlb));
	failed |= set(row, "ipis_cal_free", median_of(m, m->freed, cal));
	failed |= set(row, "ipis_tlb_again", median_of(m, m->again, tlb));
	failed |= set(row, "faults_free", median_of(m, m->freed, faults));
	failed |= set(row, "faults_again", median_of(m, m->again, faults));
	failed |= set(row, "zeroed_bytes", median_of(m, m->again, grown));
	failed |=
		set(row, "zeroed_by", json_string("growth of resident memory"));
	failed |= set(row, "huge_bytes",
		      json_integer((json_int_t)m->fill.delta.huge_bytes));
	failed |= set(row, "first_ns", json_integer((json_int_t)m->fill.ns));
	failed |= set(row, "free_ns", median_of(m, m->freed, ns));
	failed |= set(row, "again_ns", median_of(m, m->again, ns));
	return failed;
}

/* Percentiles over the calls of all rounds and threads. */
static int add_calls(const struct measure *m, json_t *row)
{
	const struct storm_run *run = &m->run;
	struct lull_bench_samples all = { 0 };
	size_t nr = 0, percent;
	unsigned int i;
	int failed = 0;

	for (i = 0; i < run->plan.nr_shares; i++)
		nr += run->shares[i].nr_calls;
	failed |= set(row, "free_calls",
		      json_integer((json_int_t)(nr / m->nr_rounds)));
	if (!nr)
		return failed;
	all.ns = malloc(nr * sizeof(*all.ns));
	if (!all.ns)
		return -1;
	for (i = 0; i < run->plan.nr_shares; i++) {
		memcpy(all.ns + all.nr, run->shares[i].call_ns,
		       run->shares[i].nr_calls * sizeof(*all.ns));
		all.nr += run->shares[i].nr_calls;
	}
	lull_bench_sort(&all);
	percent = all.nr * 99 / 100;
	failed |= set(row, "free_p50_ns",
		      json_integer((json_int_t)lull_bench_median(&all)));
	failed |= set(row, "free_p99_ns",
		      json_integer((json_int_t)all.ns[percent]));
	failed |= set(row, "free_max_ns",
		      json_integer((json_int_t)all.ns[all.nr - 1]));
	free(all.ns);
	return failed;
}

/* The share of a kind's calm rate that was missing; null for too short a
 * time and for no bystander. */
static json_t *lost(const struct window *calm, const struct window *busy,
		    const struct window *more, size_t nr, size_t kind)
{
	double calm_work = 0, calm_ns = 0, work = 0, ns = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		calm_work += (double)calm[i].work[kind];
		calm_ns += (double)calm[i].ns;
		work += (double)busy[i].work[kind];
		ns += (double)busy[i].ns;
		if (!more)
			continue;
		work += (double)more[i].work[kind];
		ns += (double)more[i].ns;
	}
	if (calm_work <= 0 || ns < RATE_MIN_NS)
		return json_null();
	return json_real(1 - work / ns / (calm_work / calm_ns));
}

static int add_lost(const struct measure *m, json_t *row)
{
	static const char *const kinds[] = {
		[STORM_BYSTANDER_TLB] = "lost_tlb",
		[STORM_BYSTANDER_MEMORY] = "lost_memory",
	};
	unsigned int i, nr = m->nr_rounds;
	json_t *object, *rounds;
	int failed = 0;
	size_t kind;

	for (kind = 0; kind < LULL_ARRAY_SIZE(kinds); kind++) {
		rounds = json_array();
		for (i = 0; i < nr; i++)
			failed |= json_array_append_new(
				rounds, lost(&m->calm[i], &m->freed[i],
					     &m->again[i], 1, kind));
		object = json_pack("{s:o, s:o, s:o}", "free",
				   lost(m->calm, m->freed, NULL, nr, kind),
				   "cycle",
				   lost(m->calm, m->freed, m->again, nr, kind),
				   "rounds", rounds);
		failed |= set(row, kinds[kind], object);
	}
	return failed;
}

static json_t *begin_row(const struct measure *m)
{
	const struct storm_run *run = &m->run;
	const struct lull_bench_storm_opts *opts = run->opts;

	return json_pack(
		"{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:i}", "bench",
		"storm", "name", run->arm->name, "about", run->arm->about,
		"scenario", lull_bench_storm_scenario_name(opts->scenario),
		"bytes", (json_int_t)run->plan.bytes_all, "freed_bytes",
		(json_int_t)run->plan.bytes_freed, "vectors",
		(json_int_t)lull_bench_storm_nr_freed(&run->plan), "threads",
		(int)run->plan.nr_shares, "bystanders",
		(int)opts->nr_bystanders);
}

/* The row's own samples: giving all back and having it again. */
static int add_cycles(const struct measure *m, json_t *row,
		      struct lull_error *reterr)
{
	struct lull_bench_samples cycles = {
		calloc(m->nr_rounds, sizeof(*cycles.ns)), 0
	};
	int err;

	if (!cycles.ns)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	for (; cycles.nr < m->nr_rounds; cycles.nr++)
		cycles.ns[cycles.nr] =
			m->freed[cycles.nr].ns + m->again[cycles.nr].ns;
	err = lull_bench_describe(row, &cycles, reterr);
	free(cycles.ns);
	return err;
}

static int make_row(struct measure *m, json_t **ret_row,
		    struct lull_error *reterr)
{
	json_t *row = begin_row(m);
	int err;

	if (!row || add_flushes(m, row) || add_prediction(m, row) ||
	    add_windows(m, row) || add_calls(m, row) || add_lost(m, row) ||
	    (m->run.arm->ops->report && m->run.arm->ops->report(&m->run, row)))
		err = lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	else
		err = add_cycles(m, row, reterr);
	if (err)
		json_decref(row);
	else
		*ret_row = row;
	return err;
}

/* All freed once more, then somebody else wants memory; then all again. */
static int press(struct measure *m, json_t *row, struct lull_error *reterr)
{
	struct storm_pressure p;
	struct window again;
	int err, failed;

	run_phase(m, PHASE_FREE);
	err = m->run.failed;
	if (!err)
		err = lull_bench_storm_pressure(&m->run, m->baseline_bytes, &p,
						reterr);
	if (err)
		return err;
	again = watch(m, PHASE_FILL, 0);
	failed = set(row, "held_bytes", json_integer((json_int_t)p.held_bytes));
	failed |= set(row, "returned_bytes",
		      json_integer((json_int_t)p.returned_bytes));
	failed |= set(row, "pressure_ns", json_integer((json_int_t)p.ns));
	failed |= set(row, "hog_bytes", json_integer((json_int_t)p.hog_bytes));
	failed |= set(row, "hog_waits", json_integer((json_int_t)p.nr_waits));
	failed |= set(row, "again_after_pressure_ns",
		      json_integer((json_int_t)again.ns));
	failed |= set(row, "zeroed_after_pressure_bytes",
		      json_integer((json_int_t)again.grown_bytes));
	if (!failed && m->run.arm->ops->report)
		failed = m->run.arm->ops->report(&m->run, row);
	return failed ? lull_fail(reterr, LULL_NOMEM, "out of memory")
		      : LULL_OK;
}

static int measure_arm(struct measure *m, json_t **ret_row,
		       struct lull_error *reterr)
{
	json_t *row = NULL;
	int err;

	err = m->run.arm->ops->open(&m->run, reterr);
	if (!err)
		err = lull_bench_storm_bystanders_start(
			m->run.opts->nr_bystanders, m->run.plan.nr_shares,
			&m->bystanders, reterr);
	if (!err)
		err = start_workers(m, reterr);
	if (!err) {
		measure_rounds(m);
		err = m->run.failed ? m->run.failed : make_row(m, &row, reterr);
		if (!err && m->run.opts->pressure_s)
			err = press(m, row, reterr);
		run_phase(m, PHASE_END);
		while (m->nr_threads)
			pthread_join(m->threads[--m->nr_threads], NULL);
	}
	lull_bench_storm_bystanders_stop(m->bystanders);
	m->run.arm->ops->close(&m->run);
	if (m->run.failed && reterr)
		*reterr = m->run.error;
	if (err)
		json_decref(row);
	else
		*ret_row = row;
	return err;
}

int lull_bench_storm_measure(const struct storm_arm *arm,
			     const struct lull_bench_storm_opts *opts,
			     json_t **ret_row, struct lull_error *reterr)
{
	struct measure *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	m->run.arm = arm;
	m->run.opts = opts;
	pthread_mutex_init(&m->run.error_lock, NULL);
	err = make_tables(m, reterr);
	if (!err) {
		lull_bench_storm_counters_open(&m->counters);
		err = measure_arm(m, ret_row, reterr);
		lull_bench_storm_counters_close(&m->counters);
	}
	/* Threads that never left the gate still have it all. */
	if (!m->nr_threads) {
		free_tables(m);
		free(m);
	}
	return err;
}
