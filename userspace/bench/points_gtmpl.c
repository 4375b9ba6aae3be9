// SPDX-License-Identifier: Apache-2.0
/*
 * points_gtmpl.c - multiples of the generator, one addition each
 *
 * A chunk begins with one scalar multiplication, goes on by adding the
 * generator and ends with one inversion for all its points (Montgomery's
 * trick), so that a million points take about a second.
 */
#include "bench/points.h"

#define g_bench_points LULL_GROUP_LOCAL(bench_points)

/* Points a task makes at a time; they fit on a thread's stack. */
#define CHUNK 256

/**
 * struct points_job - what the tasks share
 * @points: where they go
 * @nr: how many
 */
struct points_job {
	struct g_affine *points;
	size_t nr;
};

/* affine[i] = xyzz[i], none of them infinity. */
static void normalize(struct g_affine *affine, const struct g_xyzz *xyzz,
		      size_t nr)
{
	struct gfe products[CHUNK], inverse, inv_zzz, inv_z, inv_zz;
	size_t i;

	products[0] = xyzz[0].zzz;
	for (i = 1; i < nr; i++)
		gfe_mul(&products[i], &products[i - 1], &xyzz[i].zzz);
	gfe_inv(&inverse, &products[nr - 1]);
	for (i = nr; i-- > 0;) {
		inv_zzz = inverse;
		if (i)
			gfe_mul(&inv_zzz, &inverse, &products[i - 1]);
		gfe_mul(&inverse, &inverse, &xyzz[i].zzz);
		/* ZZ = Z^2, ZZZ = Z^3 */
		gfe_mul(&inv_z, &xyzz[i].zz, &inv_zzz);
		gfe_sqr(&inv_zz, &inv_z);
		gfe_mul(&affine[i].x, &xyzz[i].x, &inv_zz);
		gfe_mul(&affine[i].y, &xyzz[i].y, &inv_zzz);
		LULL_ASSERT(g_affine_check(&affine[i]) == LULL_POINT_OK);
	}
}

static void make_chunk(void *arg, size_t task, unsigned int slot)
{
	const struct points_job *job = arg;
	size_t first = task * CHUNK, i;
	size_t nr = lull_min(CHUNK, job->nr - first);
	const limb_t multiple = first + 1;
	struct g_xyzz xyzz[CHUNK];

	(void)slot;
	g_mul_var(&xyzz[0], &g_generator, &multiple, 1);
	for (i = 1; i < nr; i++)
		g_xyzz_add_affine(&xyzz[i], &xyzz[i - 1], &g_generator);
	normalize(job->points + first, xyzz, nr);
}

void g_bench_points(struct g_affine *points, size_t nr,
		    struct lull_workers *workers)
{
	struct points_job job = { .points = points, .nr = nr };

	lull_workers_run(workers, lull_div_up(nr, CHUNK), make_chunk, &job);
}
