/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm_digits.cuh - from scalars to (bucket, ref) pairs, and where buckets start
 *
 * A scalar above r / 2 counts as r - scalar with the sign turned.  A bias is
 * added so that every digit but the topmost is its window's bits minus half
 * the window, without carries between windows.  Digit d goes to bucket |d| - 1
 * of its window's set; digits that are 0, and all digits of points at
 * infinity, go to a last bucket that nobody reads.
 *
 * A run makes those of some sets at a time: a part.
 */
#ifndef LULL_CUDA_MSM_DIGITS_CUH
#define LULL_CUDA_MSM_DIGITS_CUH

#include "msm_kernels.cuh"

namespace lull
{

/* Sets of buckets, from first_set on. */
struct msm_part {
	unsigned int first_set, nr_sets;
	uint32_t nr_buckets;
	size_t nr_refs;
};

static inline struct msm_part msm_part_of(const struct msm_plan *plan, unsigned int first_set,
					  size_t nr)
{
	unsigned int left = plan->nr_sets - first_set, nr_windows = 0;
	struct msm_part part = { first_set, left < plan->part_sets ? left : plan->part_sets, 0, 0 };

	for (unsigned int w = 0; w < plan->nr_windows; w++)
		nr_windows += w % plan->nr_sets - first_set < part.nr_sets;
	part.nr_buckets = part.nr_sets * plan->set_buckets;
	part.nr_refs = nr * nr_windows;
	return part;
}

struct digit_params {
	uint32_t bias[8];
	unsigned int nr_windows, window_bits, nr_wide, nr_sets;
	unsigned int first_set, part_sets;
	uint32_t set_buckets, nr_buckets;
	uint32_t nr_points; /* the distance between copies */
	uint32_t nr;	    /* scalars of this run */
};

static inline struct digit_params digit_params_of(const struct msm_plan *plan,
						  const struct msm_part *part, size_t nr)
{
	struct digit_params p = {};

	for (unsigned int w = 0; w + 1 < plan->nr_windows; w++) {
		unsigned int bit = msm_window_start(*plan, w + 1) - 1;

		p.bias[bit / 32] |= 1u << (bit % 32);
	}
	p.nr_windows = plan->nr_windows;
	p.window_bits = plan->window_bits;
	p.nr_wide = plan->nr_wide;
	p.nr_sets = plan->nr_sets;
	p.first_set = part->first_set;
	p.part_sets = part->nr_sets;
	p.set_buckets = plan->set_buckets;
	p.nr_buckets = part->nr_buckets;
	p.nr_points = (uint32_t)plan->shape.nr_points;
	p.nr = (uint32_t)nr;
	return p;
}

/* s = s > r / 2 ? r - s : s; true when it was turned. */
template <class F>
static __device__ __forceinline__ bool fold(fe<F> &s)
{
	fe<F> other;
	uint32_t borrow;
	chain c;

	other.l[0] = c.sub_cc(F::p(0), s.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < F::nr_words - 1; i++)
		other.l[i] = c.subc_cc(F::p(i), s.l[i]);
	other.l[F::nr_words - 1] = c.subc(F::p(F::nr_words - 1), s.l[F::nr_words - 1]);
	/* other < s? */
	c.sub_cc(other.l[0], s.l[0]);
#pragma unroll
	for (unsigned int i = 1; i < F::nr_words; i++)
		c.subc_cc(other.l[i], s.l[i]);
	borrow = c.subc(0, 0);
	s = select(borrow != 0, other, s);
	return borrow != 0;
}

template <class F>
static __global__ void __launch_bounds__(256)
	make_digits(uint32_t *keys, uint32_t *refs, const fe<F> *scalars, bool montgomery,
		    const uint32_t *index, const uint32_t *infinite, struct digit_params p)
{
	uint32_t j = blockIdx.x * blockDim.x + threadIdx.x, i;
	size_t at = j;
	bool negative, drop;
	chain c;
	fe<F> s;

	static_assert(F::nr_words == 8, "scalars of 256 bits");
	if (j >= p.nr)
		return;
	i = index ? index[j] : j;
	s = load_wide(scalars + i);
	if (montgomery)
		s = to_plain(s);
	drop = infinite[i / 32] >> (i % 32) & 1;
	negative = fold(s);
	s.l[0] = c.add_cc(s.l[0], p.bias[0]);
#pragma unroll
	for (unsigned int k = 1; k < 7; k++)
		s.l[k] = c.addc_cc(s.l[k], p.bias[k]);
	s.l[7] = c.addc(s.l[7], p.bias[7]);
#pragma unroll 1
	for (unsigned int w = 0; w < p.nr_windows; w++) {
		unsigned int bits = p.window_bits + (w < p.nr_wide);
		bool last = w + 1 == p.nr_windows;
		uint32_t low = last ? s.l[0] : s.l[0] & ((1u << bits) - 1);
		int32_t digit = (int32_t)low - (last ? 0 : (int32_t)(1u << (bits - 1)));
		uint32_t size = (uint32_t)(digit < 0 ? -digit : digit);
		uint32_t place = w / p.nr_sets * p.nr_points + i;
		/* Below the first one it is a large number. */
		unsigned int set = w % p.nr_sets - p.first_set;

		if (set < p.part_sets) {
			keys[at] = drop || !size ? p.nr_buckets : set * p.set_buckets + size - 1;
			refs[at] = place | ((digit < 0) != negative ? MSM_REF_NEG : 0);
			at += p.nr;
		}
#pragma unroll
		for (unsigned int k = 0; k < 7; k++)
			s.l[k] = __funnelshift_r(s.l[k], s.l[k + 1], bits);
		s.l[7] >>= bits;
	}
}

/* offsets[b] = how many of the sorted keys are below b, for b <= nr_buckets. */
static __global__ void __launch_bounds__(256)
	find_offsets(uint32_t *offsets, uint32_t nr_buckets, const uint32_t *keys, uint32_t nr)
{
	uint32_t b = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = nr;

	if (b > nr_buckets)
		return;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (keys[mid] < b)
			lo = mid + 1;
		else
			hi = mid;
	}
	offsets[b] = lo;
}

/* The offsets of a chunk of the refs, [lo, hi), from its start. */
static __global__ void __launch_bounds__(256)
	clip_offsets(uint32_t *out, const uint32_t *offsets, uint32_t nr_buckets, uint32_t lo,
		     uint32_t hi)
{
	uint32_t b = blockIdx.x * blockDim.x + threadIdx.x, at;

	if (b > nr_buckets)
		return;
	at = offsets[b];
	out[b] = at < lo ? 0 : (at > hi ? hi : at) - lo;
}

/* One bucket that holds everything: for plain sums. */
static __global__ void set_one_bucket(uint32_t *offsets, uint32_t nr)
{
	offsets[0] = 0;
	offsets[1] = nr;
}

} /* namespace lull */

#endif
