/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.cuh - carry chains, and rows of products on them
 *
 * For field.cuh.
 *
 * How a product is made: a sum of 64-bit products at even word positions is
 * kept apart from the one at odd positions, so that each row of the
 * multiplication is one long carry chain of mad.lo.cc and madc.hi.cc, which
 * the assembler fuses into one wide multiply-add with carry a pair.  On the
 * host the same primitives run on a carry in a variable: one source, two
 * compilers, and a test of the host's code tests the order of the carries.
 */
#ifndef LULL_CUDA_ROWS_CUH
#define LULL_CUDA_ROWS_CUH

#include "traits.cuh"

namespace lull
{

/*
 * The carry chain.  On the device the carry is the processor's flag, which the
 * compiler does not know: volatile keeps the instructions in order.  On the
 * host it is this object's member.
 */
struct chain {
#ifdef __CUDA_ARCH__
	LULL_HD uint32_t add_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t addc_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t addc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t sub_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t subc_cc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	LULL_HD uint32_t subc(uint32_t a, uint32_t b)
	{
		uint32_t r;

		asm volatile("subc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
		return r;
	}
	/* (lo, hi) of a b; what the compiler makes of a product of 64 bits adds
	 * a zero to each. */
	LULL_HD void mul(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
	{
		asm("mul.lo.u32 %0, %2, %3;\n\t"
		    "mul.hi.u32 %1, %2, %3;"
		    : "=&r"(lo), "=r"(hi)
		    : "r"(a), "r"(b));
	}
	/* (lo, hi) of a b + (c_lo, c_hi), setting the carry. */
	LULL_HD void mad_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			    uint32_t c_hi)
	{
		asm volatile("mad.lo.cc.u32 %0, %2, %3, %4;\n\t"
			     "madc.hi.cc.u32 %1, %2, %3, %5;"
			     : "=&r"(lo), "=r"(hi)
			     : "r"(a), "r"(b), "r"(c_lo), "r"(c_hi));
	}
	/* The same, with the carry added. */
	LULL_HD void madc_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			     uint32_t c_hi)
	{
		asm volatile("madc.lo.cc.u32 %0, %2, %3, %4;\n\t"
			     "madc.hi.cc.u32 %1, %2, %3, %5;"
			     : "=&r"(lo), "=r"(hi)
			     : "r"(a), "r"(b), "r"(c_lo), "r"(c_hi));
	}
#else
	uint32_t carry = 0; /* or borrow: 0 or 1 */

	LULL_HD uint32_t take(uint64_t sum)
	{
		carry = (uint32_t)(sum >> 32) & 1;
		return (uint32_t)sum;
	}
	LULL_HD uint32_t add_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a + b);
	}
	LULL_HD uint32_t addc_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a + b + carry);
	}
	LULL_HD uint32_t addc(uint32_t a, uint32_t b)
	{
		return a + b + carry;
	}
	LULL_HD uint32_t sub_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a - b);
	}
	LULL_HD uint32_t subc_cc(uint32_t a, uint32_t b)
	{
		return take((uint64_t)a - b - carry);
	}
	LULL_HD uint32_t subc(uint32_t a, uint32_t b)
	{
		return a - b - carry;
	}
	LULL_HD void mul(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b)
	{
		uint64_t prod = (uint64_t)a * b;

		lo = (uint32_t)prod;
		hi = (uint32_t)(prod >> 32);
	}
	LULL_HD void mad_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			    uint32_t c_hi)
	{
		carry = 0;
		madc_cc(lo, hi, a, b, c_lo, c_hi);
	}
	LULL_HD void madc_cc(uint32_t &lo, uint32_t &hi, uint32_t a, uint32_t b, uint32_t c_lo,
			     uint32_t c_hi)
	{
		uint64_t prod = (uint64_t)a * b;

		lo = take((prod & 0xffffffffu) + c_lo + carry); /* low word */
		hi = take((prod >> 32) + c_hi + carry);
	}
#endif
};

/* ---- rows: n / 2 products a[0] b, a[2] b, ... at word distance 2 ---- */

/* acc = a b */
template <unsigned int N>
LULL_HD void row_mul(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
#pragma unroll
	for (unsigned int j = 0; j < N; j += 2)
		c.mul(acc[j], acc[j + 1], a[j], b);
}

/* acc += a b from word 2 on, and the carry; the carry is left in the chain. */
template <unsigned int N>
LULL_HD void row_madc_rest(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
#pragma unroll
	for (unsigned int j = 2; j < N; j += 2)
		c.madc_cc(acc[j], acc[j + 1], a[j], b, acc[j], acc[j + 1]);
}

/* acc += a b; the carry is left in the chain. */
template <unsigned int N>
LULL_HD void row_mad(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
	c.mad_cc(acc[0], acc[1], a[0], b, acc[0], acc[1]);
	row_madc_rest<N>(c, acc, a, b);
}

/* acc = (acc >> 64) + a b + carry; the result fits. */
template <unsigned int N>
LULL_HD void row_shift_mad(chain &c, uint32_t *acc, const uint32_t *a, uint32_t b)
{
#pragma unroll
	for (unsigned int j = 0; j < N - 2; j += 2)
		c.madc_cc(acc[j], acc[j + 1], a[j], b, acc[j + 2], acc[j + 3]);
	c.madc_cc(acc[N - 2], acc[N - 1], a[N - 2], b, 0, 0);
}

/* Both accumulators += a b: what even carries is odd's, one word further up. */
template <unsigned int N>
LULL_HD void rows_add(chain &c, uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b)
{
	row_mad<N>(c, odd, a + 1, b);
	row_mad<N>(c, even, a, b);
	odd[N - 1] = c.addc(odd[N - 1], 0);
}

/* The same in the next row, where odd was even: its word 1 belongs to word 0. */
template <unsigned int N>
LULL_HD void rows_shift_add(chain &c, uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b)
{
	even[0] = c.add_cc(even[0], odd[1]);
	row_shift_mad<N>(c, odd, a + 1, b);
	row_mad<N>(c, even, a, b);
	odd[N - 1] = c.addc(odd[N - 1], 0);
}

} /* namespace lull */

#endif
