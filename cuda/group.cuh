/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.cuh - points of y^2 = x^3 + b over fe (G1) or fe2 (G2)
 *
 * For the msm files and their tests.  Layouts and formulas are those of
 * userspace/curve/group.h: affine points as in a key, infinity all zero; XYZZ
 * with x = X / ZZ, y = Y / ZZZ, infinity ZZ = 0.  All functions are complete.
 * The branches for equal, opposite and infinite points are taken hardly ever,
 * so they stand in functions of their own, out of the way of registers.
 */
#ifndef LULL_CUDA_GROUP_CUH
#define LULL_CUDA_GROUP_CUH

#include "fp2.cuh"

namespace lull
{

template <class E>
struct alignas(16) affine {
	E x, y;

	static LULL_HD affine infinity()
	{
		return { E::zero(), E::zero() };
	}
};

template <class E>
struct alignas(16) xyzz {
	E x, y, zz, zzz;

	static LULL_HD xyzz infinity()
	{
		return { E::zero(), E::zero(), E::zero(), E::zero() };
	}
};

template <class E>
LULL_HD bool is_inf(const affine<E> &p)
{
	return is_zero(p.x) && is_zero(p.y);
}

template <class E>
LULL_HD bool is_inf(const xyzz<E> &p)
{
	return is_zero(p.zz);
}

template <class E>
LULL_HD affine<E> neg(const affine<E> &p)
{
	return { p.x, neg(p.y) };
}

/* p, or -p when negative is set */
template <class E>
LULL_HD affine<E> neg_if(bool negative, const affine<E> &p)
{
	return { p.x, select(negative, neg(p.y), p.y) };
}

template <class E>
LULL_HD xyzz<E> to_xyzz(const affine<E> &p)
{
	if (is_inf(p))
		return xyzz<E>::infinity();
	return { p.x, p.y, E::one(), E::one() };
}

/* 2 p; infinity stays. */
template <class E>
LULL_HD xyzz<E> dbl(const xyzz<E> &p)
{
	E u = dbl(p.y);
	E v = sqr(u);
	E w = mul(u, v);
	E s = mul(p.x, v);
	E x2 = sqr(p.x);
	E m = add(dbl(x2), x2);
	xyzz<E> r;

	r.x = sub(sqr(m), dbl(s));
	r.y = mul_diff(m, sub(s, r.x), w, p.y);
	r.zz = mul(v, p.zz);
	r.zzz = mul(w, p.zzz);
	return r;
}

/* 2 p of an affine point that is not infinity. */
template <class E>
__host__ __device__ __noinline__ void dbl_affine(xyzz<E> *r, const affine<E> *p)
{
	*r = dbl(xyzz<E>{ p->x, p->y, E::one(), E::one() });
}

template <class E>
__host__ __device__ __noinline__ void dbl_xyzz(xyzz<E> *r)
{
	*r = dbl(*r);
}

/* acc += p */
template <class E>
LULL_HD void add_affine(xyzz<E> &acc, const affine<E> &p)
{
	if (is_inf(p))
		return;
	if (is_inf(acc)) {
		acc = { p.x, p.y, E::one(), E::one() };
		return;
	}
	E d = sub(mul(p.x, acc.zz), acc.x);
	E r = sub(mul(p.y, acc.zzz), acc.y);

	if (is_zero(d)) {
		affine<E> copy = p;
		xyzz<E> twice = xyzz<E>::infinity();

		if (is_zero(r))
			dbl_affine(&twice, &copy);
		acc = twice;
		return;
	}
	E dd = sqr(d);
	E ddd = mul(d, dd);
	E q = mul(acc.x, dd);

	acc.zz = mul(acc.zz, dd);
	acc.zzz = mul(acc.zzz, ddd);
	acc.x = sub(sub(sqr(r), ddd), dbl(q));
	acc.y = mul_diff(r, sub(q, acc.x), acc.y, ddd);
}

/* acc += p */
template <class E>
LULL_HD void add_xyzz(xyzz<E> &acc, const xyzz<E> &p)
{
	if (is_inf(p))
		return;
	if (is_inf(acc)) {
		acc = p;
		return;
	}
	E u = mul(acc.x, p.zz);
	E s = mul(acc.y, p.zzz);
	E d = sub(mul(p.x, acc.zz), u);
	E r = sub(mul(p.y, acc.zzz), s);

	if (is_zero(d)) {
		if (is_zero(r))
			dbl_xyzz(&acc);
		else
			acc = xyzz<E>::infinity();
		return;
	}
	E dd = sqr(d);
	E ddd = mul(d, dd);
	E q = mul(u, dd);

	acc.zz = mul(mul(acc.zz, p.zz), dd);
	acc.zzz = mul(mul(acc.zzz, p.zzz), ddd);
	acc.x = sub(sub(sqr(r), ddd), dbl(q));
	acc.y = mul_diff(r, sub(q, acc.x), s, ddd);
}

/* The same out of line, for code that is not hot. */
template <class E>
__host__ __device__ __noinline__ void add_xyzz_call(xyzz<E> *acc, const xyzz<E> *p)
{
	add_xyzz(*acc, *p);
}

/* The affine point of p. */
template <class E>
__host__ __device__ __noinline__ void to_affine(affine<E> *ret, const xyzz<E> *p)
{
	/* With i = 1 / ZZZ: 1 / ZZ = (ZZ i)^2, for ZZ^3 = ZZZ^2. */
	E i = inverse_var(p->zzz);
	E j = mul(p->zz, i);

	ret->x = mul(p->x, sqr(j));
	ret->y = mul(p->y, i);
}

/*
 * The sum of two affine points with different x, both not infinity, given
 * inv = 1 / (b.x - a.x): 2 products and a square.
 */
template <class E>
LULL_HD affine<E> add_with_inverse(const affine<E> &a, const affine<E> &b, const E &inv)
{
	E slope = mul(sub(b.y, a.y), inv);
	affine<E> r;

	r.x = sub(sub(sqr(slope), a.x), b.x);
	r.y = sub(mul(slope, sub(a.x, r.x)), a.y);
	return r;
}

} /* namespace lull */

#endif
