// SPDX-License-Identifier: Apache-2.0
/*
 * dense.cu - which wires of a key have points in A and in B, and these alone
 *
 * See dense.cuh.
 */
#include "dense.cuh"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"

extern "C" {
#include "base/base.h"
#include "base/workers.h"
}

namespace lull
{

constexpr size_t wires_per_word = 64;
/* Wires that a thread looks at or copies at a time, in words of bits. */
constexpr size_t words_per_task = 64;

/* ---- which they are ---------------------------------------------------- */

/* Points side by side of which a wire has one each. */
struct columns {
	const uint8_t *points[2];
	size_t point_bytes[2];
	unsigned int nr;
};

struct find_job {
	struct columns columns;
	size_t nr_vars;
	uint64_t *bits;
};

static bool is_infinity(const uint8_t *point, size_t bytes)
{
	uint64_t word, any = 0;
	size_t at;

	/* Nearly all others show in the first word. */
	for (at = 0; at < bytes && !any; at += sizeof(word)) {
		memcpy(&word, point + at, sizeof(word));
		any |= word;
	}
	return !any;
}

static bool has_point(const struct columns *c, size_t wire)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (!is_infinity(c->points[i] + wire * c->point_bytes[i], c->point_bytes[i]))
			return true;
	return false;
}

static void find_task(void *arg, size_t task, unsigned int slot)
{
	const struct find_job *job = (const struct find_job *)arg;
	size_t first = task * words_per_task * wires_per_word, i;
	size_t end = lull_min(first + words_per_task * wires_per_word, job->nr_vars);

	(void)slot;
	for (i = first; i < end; i++)
		if (has_point(&job->columns, i))
			job->bits[i / wires_per_word] |= (uint64_t)1 << i % wires_per_word;
}

static int find_list(const struct columns *columns, size_t nr_vars, struct lull_workers *workers,
		     size_t *ret_nr, uint64_t **ret_bits, struct lull_error *reterr)
{
	size_t nr_words = lull_div_up(nr_vars, wires_per_word);
	struct find_job job = { *columns, nr_vars, NULL };

	job.bits = (uint64_t *)calloc(nr_words, sizeof(*job.bits));
	if (!job.bits)
		return lull_fail(reterr, LULL_NOMEM, "no memory for which wires have points");
	*ret_bits = job.bits;
	lull_workers_run(workers, lull_div_up(nr_words, words_per_task), find_task, &job);
	*ret_nr = 0;
	for (size_t i = 0; i < nr_words; i++)
		*ret_nr += (size_t)__builtin_popcountll(job.bits[i]);
	return LULL_OK;
}

int dense_find(const struct curve_ops *curve, const struct lull_key_arrays *k,
	       struct lull_workers *workers, struct dense *ret_dense, struct lull_error *reterr)
{
	const size_t g1_bytes = curve->sums[0].point_bytes, g2_bytes = curve->sums[1].point_bytes;
	const struct columns a = { { k->a }, { g1_bytes }, 1 };
	/* As a rule a wire is in both of B's or in neither. */
	const struct columns b = { { k->b1, k->b2 }, { g1_bytes, g2_bytes }, 2 };
	struct dense *d = ret_dense;

	d->nr[LIST_ALL] = k->nr_vars;
	if (k->assigned) {
		d->nr[LIST_A] = k->nr_a;
		d->nr[LIST_B] = k->nr_b;
		return LULL_OK;
	}
	LULL_TRY(find_list(&a, k->nr_vars, workers, &d->nr[LIST_A], &d->bits[LIST_A], reterr));
	return find_list(&b, k->nr_vars, workers, &d->nr[LIST_B], &d->bits[LIST_B], reterr);
}

void dense_done(struct dense *dense)
{
	for (uint64_t *bits : dense->bits)
		free(bits);
	*dense = {};
}

/* ---- their points ------------------------------------------------------ */

/* Tasks of one buffer: more would be for a key that has hardly any points. */
constexpr size_t nr_tasks_max = 256;

/* Words of bits that a buffer takes, from first on. */
struct piece {
	struct staging_fill fill;
	const struct kept_points *kept;
	size_t first, nr_words, nr_points;
	size_t before[nr_tasks_max];
};

static size_t nr_words_of(const struct kept_points *kept)
{
	return lull_div_up(kept->nr_vars, wires_per_word);
}

/* As many words as the buffer holds points of; which of them each task begins
 * with. */
static void measure(struct piece *p)
{
	size_t end = lull_min(p->first + nr_tasks_max * words_per_task, nr_words_of(p->kept));
	size_t most = staging_bytes / p->kept->point_bytes, i, nr;

	p->nr_points = 0;
	for (i = p->first; i < end; i++) {
		nr = (size_t)__builtin_popcountll(p->kept->bits[i]);
		if (p->nr_points + nr > most)
			break;
		if ((i - p->first) % words_per_task == 0)
			p->before[(i - p->first) / words_per_task] = p->nr_points;
		p->nr_points += nr;
	}
	p->nr_words = i - p->first;
}

static void keep_task(const struct staging_fill *fill, uint8_t *buffer, size_t task)
{
	const struct piece *p = (const struct piece *)fill;
	const size_t bytes = p->kept->point_bytes, first = task * words_per_task;
	size_t end = lull_min(first + words_per_task, p->nr_words), i;
	uint8_t *to = buffer + p->before[task] * bytes;
	uint64_t word;

	for (i = first; i < end; i++)
		for (word = p->kept->bits[p->first + i]; word; word &= word - 1) {
			memcpy(to,
			       p->kept->points +
				       ((p->first + i) * wires_per_word +
					(size_t)__builtin_ctzll(word)) *
					       bytes,
			       bytes);
			to += bytes;
		}
}

int dense_upload(const struct kept_points *kept, struct staging *staging, struct device *device,
		 uint8_t *to, struct lull_workers *workers, cudaStream_t stream,
		 struct lull_error *reterr)
{
	struct piece piece = {};
	size_t bytes;

	piece.fill.task = keep_task;
	piece.kept = kept;
	for (; piece.first < nr_words_of(kept); piece.first += piece.nr_words) {
		measure(&piece);
		bytes = piece.nr_points * kept->point_bytes;
		piece.fill.nr_tasks = lull_div_up(piece.nr_words, words_per_task);
		if (!bytes)
			continue;
		LULL_TRY(staging_send(staging, device, to, bytes, &piece.fill, workers, stream,
				      reterr));
		to += bytes;
	}
	return LULL_OK;
}

} /* namespace lull */
