// SPDX-License-Identifier: Apache-2.0
/*
 * storm_plan.c - a partition's vectors, scaled, and where they lie
 *
 * For `lull bench storm`.  A partition of the public 32 GiB circuit has a, b
 * and c of 2^27 scalars each and a witness of 130,170,221; a plan keeps the
 * proportions and cuts each into equal pieces.
 */
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

#define NR_PARTITION_VECTORS 4

static const double partition_scalars[NR_PARTITION_VECTORS] = {
	134217728, 134217728, 134217728, 130170221
};

static size_t whole_pages(double bytes)
{
	size_t pages = (size_t)(bytes / (double)STORM_PAGE_BYTES);

	return lull_max(pages, 1) * STORM_PAGE_BYTES;
}

/* Vector i of n is a piece of partition vector i * 4 / n. */
static void fill_partition(struct storm_plan *plan, double bytes_all)
{
	size_t nr_pieces[NR_PARTITION_VECTORS] = { 0 };
	double scalars_all = 0;
	size_t i, of;

	for (i = 0; i < plan->nr; i++)
		nr_pieces[i * NR_PARTITION_VECTORS / plan->nr]++;
	for (i = 0; i < NR_PARTITION_VECTORS; i++)
		scalars_all += nr_pieces[i] ? partition_scalars[i] : 0;
	for (i = 0; i < plan->nr; i++) {
		of = i * NR_PARTITION_VECTORS / plan->nr;
		plan->bytes[i] =
			whole_pages(bytes_all * partition_scalars[of] /
				    scalars_all / (double)nr_pieces[of]);
	}
}

/* Vectors of half a slot each, so that slots are freed by pairs. */
static void fill_table(struct storm_plan *plan, bool scattered)
{
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		plan->bytes[i] = LULL_BYTES_PER_MIB;
		plan->kept[i] = scattered &&
				i * LULL_BYTES_PER_MIB / STORM_SLOT_BYTES % 2;
	}
}

static void lay_out(struct storm_plan *plan)
{
	unsigned int share;
	size_t i, at = 0;

	for (share = 0; share < plan->nr_shares; share++) {
		plan->first[share] = plan->nr * share / plan->nr_shares;
		plan->first[share + 1] =
			plan->nr * (share + 1) / plan->nr_shares;
		for (i = plan->first[share]; i < plan->first[share + 1]; i++) {
			plan->offset[i] = at;
			at += plan->bytes[i];
			plan->bytes_all += plan->bytes[i];
			if (!plan->kept[i])
				plan->bytes_freed += plan->bytes[i];
		}
		at = lull_align_up(at, STORM_SLOT_BYTES);
	}
	plan->region_bytes = at;
}

int lull_bench_storm_plan(const struct lull_bench_storm_opts *opts,
			  struct storm_plan *ret_plan,
			  struct lull_error *reterr)
{
	struct storm_plan plan = { .nr = opts->nr_vectors,
				   .nr_shares = opts->nr_threads };
	double bytes_all = opts->gib * LULL_BYTES_PER_GIB;

	if (opts->scenario != LULL_BENCH_STORM_PARTITION)
		plan.nr = lull_max((size_t)(bytes_all / LULL_BYTES_PER_MIB), 4);
	plan.nr_shares = (unsigned int)lull_min(plan.nr_shares, plan.nr);
	plan.bytes = calloc(plan.nr, sizeof(*plan.bytes));
	plan.offset = calloc(plan.nr, sizeof(*plan.offset));
	plan.kept = calloc(plan.nr, sizeof(*plan.kept));
	plan.first = calloc(plan.nr_shares + 1, sizeof(*plan.first));
	if (!plan.bytes || !plan.offset || !plan.kept || !plan.first) {
		lull_bench_storm_plan_done(&plan);
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for %zu vectors", plan.nr);
	}
	if (opts->scenario == LULL_BENCH_STORM_PARTITION)
		fill_partition(&plan, bytes_all);
	else
		fill_table(&plan, opts->scenario == LULL_BENCH_STORM_SCATTERED);
	lay_out(&plan);
	*ret_plan = plan;
	return LULL_OK;
}

void lull_bench_storm_plan_done(struct storm_plan *plan)
{
	free(plan->bytes);
	free(plan->offset);
	free(plan->kept);
	free(plan->first);
	*plan = (struct storm_plan){ 0 };
}

size_t lull_bench_storm_nr_freed(const struct storm_plan *plan)
{
	size_t i, nr = 0;

	for (i = 0; i < plan->nr; i++)
		nr += !plan->kept[i];
	return nr;
}

/* Vectors stand in the order of their offsets, and no slot holds both a kept
 * and a freed one, as long as kept[] goes by slots. */
size_t lull_bench_storm_nr_runs(const struct storm_plan *plan, bool merged)
{
	unsigned int share;
	size_t i, nr = 0;
	bool begins;

	for (share = 0; share < plan->nr_shares; share++) {
		for (i = plan->first[share]; i < plan->first[share + 1]; i++) {
			begins = i == 0 || plan->kept[i - 1] ||
				 (!merged && i == plan->first[share]);
			nr += !plan->kept[i] && begins;
		}
	}
	return nr;
}
