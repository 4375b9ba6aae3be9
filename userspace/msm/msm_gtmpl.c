// SPDX-License-Identifier: Apache-2.0
/*
 * msm_gtmpl.c - bucket accumulation in XYZZ coordinates, one task a window
 */
#include "base/base.h"
#include "msm/msm.h"

#define g_msm_var LULL_GROUP_LOCAL(msm_var)
#define g_msm_scratch_bytes LULL_GROUP_LOCAL(msm_scratch_bytes)
#define WINDOW_BITS_MAX 12
#define SCALAR_BYTES 32

struct job {
	const uint8_t *points;
	const uint8_t *scalars;
	size_t nr;
	unsigned int window_bits;
	struct g_xyzz *buckets; /* one set a slot */
	struct g_xyzz *sums;	/* one a window */
};

static unsigned int window_bits(size_t nr)
{
	unsigned int c = 2;

	while (c < WINDOW_BITS_MAX && ((size_t)1 << (c + 3)) < nr)
		c++;
	return c;
}

static unsigned int nr_windows(unsigned int c)
{
	return (unsigned int)lull_div_up(FR_BITS, c);
}

size_t g_msm_scratch_bytes(size_t nr, unsigned int nr_threads)
{
	unsigned int c = window_bits(nr);

	return sizeof(struct g_xyzz) *
	       (((size_t)nr_threads << c) + nr_windows(c));
}

static unsigned int digit(const uint8_t *scalar, unsigned int window,
			  unsigned int c)
{
	limb_t k[FR_LIMBS + 1] = { 0 };
	unsigned int bit = window * c, limb = bit / LIMB_BITS;
	limb2_t both;

	memcpy(k, scalar, SCALAR_BYTES);
	both = (limb2_t)k[limb + 1] << LIMB_BITS | k[limb];
	return (unsigned int)(both >> (bit % LIMB_BITS)) & ((1u << c) - 1);
}

static void run_window(void *arg, size_t window, unsigned int slot)
{
	struct job *job = arg;
	unsigned int c = job->window_bits, d, b;
	struct g_xyzz *buckets = job->buckets + ((size_t)slot << c);
	struct g_xyzz running;
	struct g_affine p;
	size_t i;

	memset(buckets, 0, sizeof(*buckets) << c);
	for (i = 0; i < job->nr; i++) {
		d = digit(job->scalars + i * SCALAR_BYTES, (unsigned int)window,
			  c);
		if (!d)
			continue;
		memcpy(&p, job->points + i * sizeof(p), sizeof(p));
		g_xyzz_add_affine(&buckets[d], &buckets[d], &p);
	}
	g_xyzz_set_inf(&running);
	g_xyzz_set_inf(&job->sums[window]);
	for (b = (1u << c) - 1; b; b--) {
		g_xyzz_add(&running, &running, &buckets[b]);
		g_xyzz_add(&job->sums[window], &job->sums[window], &running);
	}
}

void g_msm_var(struct g_xyzz *r, const uint8_t *points, const uint8_t *scalars,
	       size_t nr, struct lull_workers *workers, void *scratch)
{
	unsigned int c = window_bits(nr), i, w = nr_windows(c);
	struct job job = { .points = points,
			   .scalars = scalars,
			   .nr = nr,
			   .window_bits = c,
			   .sums = scratch };
	struct g_xyzz acc;

	g_xyzz_set_inf(&acc);
	job.buckets = job.sums + w;
	lull_workers_run(workers, nr ? w : 0, run_window, &job);
	while (nr && w--) {
		for (i = 0; i < c; i++)
			g_xyzz_dbl(&acc, &acc);
		g_xyzz_add(&acc, &acc, &job.sums[w]);
	}
	*r = acc;
}
