// SPDX-License-Identifier: Apache-2.0
/*
 * buckets_gtmpl.c - sums of buckets, and sums over buckets, by rounds of pairs
 *
 * The sorted refs are taken in segments.  In a segment every bucket has a run
 * of refs; a round adds neighbours of every run, and an odd one waits for the
 * next round.  Rounds go on until each run is one point, its bucket's.  How
 * the runs are distributed does not matter: one hot bucket makes as many pairs
 * as many cold ones do.
 */
#include "msm/buckets.h"

#include "base/base.h"
#include "msm/scalars.h"

/* Adds the pairs, in batches of about the same size. */
static void flush(const struct g_buckets *b, const uint8_t *points,
		  size_t nr_pairs)
{
	size_t nr_batches = lull_div_up(nr_pairs, G_PAIR_BATCH), i, lo, hi;

	for (i = 0; i < nr_batches; i++) {
		lo = nr_pairs * i / nr_batches;
		hi = nr_pairs * (i + 1) / nr_batches;
		if (points)
			b->ops->add_refs(b->points, points, b->pairs + lo,
					 hi - lo, b->temp);
		else
			b->ops->add(b->points, b->pairs + lo, hi - lo, b->temp);
	}
}

/* A segment on its way. */
struct segment {
	uint32_t next;	 /* where the next waiting point goes */
	size_t nr_pairs; /* in front of b->pairs */
	size_t nr_loads; /* at the end of it */
	size_t nr_runs;
};

/* First round of one bucket: pairs of refs.  A seeded bucket holds the sum of
 * earlier segments, which joins the run. */
static void first_round(const struct g_buckets *b, struct segment *s,
			uint32_t bucket, const uint32_t *refs, size_t nr,
			bool seeded)
{
	uint32_t first = s->next, out;
	size_t i;

	out = nr <= 2 && !seeded ? bucket : first;
	for (i = 0; i + 1 < nr; i += 2)
		b->pairs[s->nr_pairs++] =
			(struct lull_msm_pair){ refs[i], refs[i + 1], out++ };
	if (i < nr)
		b->pairs[LULL_MSM_SEGMENT - ++s->nr_loads] =
			(struct lull_msm_pair){ refs[i], 0, out++ };
	if (nr <= 2 && !seeded)
		return;
	if (seeded)
		b->points[out++] = b->points[bucket];
	s->next = out;
	b->runs[s->nr_runs++] =
		(struct lull_msm_run){ bucket, first, out - first };
}

/* A further round of all runs; those that end leave the list. */
static void next_round(const struct g_buckets *b, struct segment *s)
{
	size_t i, nr_runs = s->nr_runs;
	uint32_t j;

	s->nr_pairs = 0;
	s->nr_runs = 0;
	for (i = 0; i < nr_runs; i++) {
		struct lull_msm_run run = b->runs[i];
		uint32_t first = s->next, out;

		out = run.nr == 2 ? run.bucket : first;
		for (j = run.first; j + 1 < run.first + run.nr; j += 2)
			b->pairs[s->nr_pairs++] =
				(struct lull_msm_pair){ j, j + 1, out++ };
		if (run.nr == 2)
			continue;
		if (run.nr % 2)
			b->points[out++] = b->points[j];
		s->next = out;
		b->runs[s->nr_runs++] =
			(struct lull_msm_run){ run.bucket, first, out - first };
	}
}

static void sum_rounds(const struct g_buckets *b, struct segment *s,
		       const uint8_t *points, uint32_t waiting)
{
	uint32_t end = s->next;
	bool low = true;

	b->ops->load(b->points, points,
		     b->pairs + LULL_MSM_SEGMENT - s->nr_loads, s->nr_loads);
	flush(b, points, s->nr_pairs);
	/* The waiting points of the first round end at end; rounds write
	 * behind them and in front in turn. */
	while (s->nr_runs) {
		s->next = low ? end : waiting;
		low = !low;
		next_round(b, s);
		flush(b, NULL, s->nr_pairs);
	}
}

void g_buckets_sum(const struct g_buckets *buckets, const uint8_t *points,
		   const uint32_t *refs, const uint32_t *starts,
		   size_t nr_buckets)
{
	size_t total = starts[nr_buckets], pos, end, lo, hi, bucket = 0;
	uint32_t waiting = (uint32_t)nr_buckets;

	memset(buckets->points, 0, nr_buckets * sizeof(*buckets->points));
	for (pos = 0; pos < total; pos = end) {
		struct segment s = { .next = waiting };

		end = lull_min(pos + LULL_MSM_SEGMENT, total);
		for (lo = pos; lo < end; lo = hi) {
			while (starts[bucket + 1] <= lo)
				bucket++;
			hi = lull_min(starts[bucket + 1], end);
			first_round(buckets, &s, (uint32_t)bucket, refs + lo,
				    hi - lo, lo > starts[bucket]);
		}
		LULL_ASSERT(s.next <= waiting + LULL_MSM_WAITING);
		sum_rounds(buckets, &s, points, waiting);
	}
}

/*
 * One halving: each window's lists, the first of all buckets and the others of
 * those with bit 0, 1, ... set, go from m points to m / 2; the odd points of
 * the first start a new list.
 */
static size_t halve(const struct g_buckets *b, uint32_t from, uint32_t to,
		    size_t nr_windows, unsigned int nr_lists, uint32_t m)
{
	size_t nr_pairs = 0, w;
	unsigned int l;
	uint32_t i;

	for (w = 0; w < nr_windows; w++) {
		uint32_t odd = from + 1;

		for (l = 0; l < nr_lists; l++, from += m)
			for (i = 0; i < m; i += 2)
				b->pairs[nr_pairs++] = (struct lull_msm_pair){
					from + i, from + i + 1, to++
				};
		for (i = 0; i < m; i += 2)
			b->points[to++] = b->points[odd + i];
	}
	return nr_pairs;
}

void g_buckets_reduce(const struct g_buckets *buckets, struct g_affine *sums,
		      size_t nr_windows, unsigned int log2)
{
	uint32_t from = 0, to = (uint32_t)(nr_windows << log2), t;
	unsigned int round;
	size_t nr_pairs;

	for (round = 0; round < log2; round++) {
		nr_pairs = halve(buckets, from, to, nr_windows, round + 1,
				 (uint32_t)1 << (log2 - round));
		flush(buckets, NULL, nr_pairs);
		t = from;
		from = to;
		to = t;
	}
	memcpy(sums, buckets->points + from,
	       nr_windows * (log2 + 1) * sizeof(*sums));
	buckets->ops->finish(sums, nr_windows * (log2 + 1));
}
