/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - eight elements side by side, in portable C
 *
 * For tile.h, which is built over this file or over lanes_ifma.h.  Values are
 * canonical after every step here; the bounds that the calls speak of (how
 * many times r a value may be below) bind the twin only.
 */
#ifndef LULL_NTT_LANES_H
#define LULL_NTT_LANES_H

#include "ntt/passes.h"

struct lanes {
	struct fr e[NTT_LANES];
};

struct twiddle {
	struct fr w;
};

#define LANES_OUT_DOUBLINGS 0

static void twiddle_prepare(void *dst, const struct fr *src, size_t nr)
{
	memcpy(dst, src, nr * sizeof(*src));
}

/* r = u + v */
static inline void lanes_add(struct lanes *r, const struct lanes *u,
			     const struct lanes *v)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++)
		fr_add(&r->e[i], &u->e[i], &v->e[i]);
}

/* r = u - v, v below 2^log_bound r */
static inline void lanes_sub(struct lanes *r, const struct lanes *u,
			     const struct lanes *v, unsigned int log_bound)
{
	unsigned int i;

	(void)log_bound;
	for (i = 0; i < NTT_LANES; i++)
		fr_sub(&r->e[i], &u->e[i], &v->e[i]);
}

/* r = a b, below 2 r when b is */
static inline void lanes_mul(struct lanes *r, const struct lanes *a,
			     const struct lanes *b)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++)
		fr_mul(&r->e[i], &a->e[i], &b->e[i]);
}

/* r = a w, below 2 r */
static inline void lanes_mul_by(struct lanes *r, const struct lanes *a,
				const struct twiddle *w)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++)
		fr_mul(&r->e[i], &a->e[i], &w->w);
}

/* The same twice: the twin does two at once. */
static inline void lanes_mul_two(struct lanes *r, const struct lanes *a,
				 const struct lanes *b)
{
	lanes_mul(&r[0], &a[0], &b[0]);
	lanes_mul(&r[1], &a[1], &b[1]);
}

static inline void lanes_mul_two_by(struct lanes *r, const struct lanes *a0,
				    const struct lanes *a1,
				    const struct twiddle *w0,
				    const struct twiddle *w1)
{
	lanes_mul_by(&r[0], a0, w0);
	lanes_mul_by(&r[1], a1, w1);
}

/* a itself, below 2 r */
static inline void lanes_reduce(struct lanes *r)
{
	(void)r;
}

/* Lane i = w[i], and where i >= nr, which nobody reads, w[0]. */
static inline void lanes_gather(struct lanes *r, const struct twiddle *w,
				unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++)
		r->e[i] = w[i < nr ? i : 0].w;
}

/* Lane i = src[i] and back; lanes from nr on are zero and not stored. */
static inline void lanes_load(struct lanes *r, const struct fr *src,
			      unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++)
		r->e[i] = i < nr ? src[i] : fr_zero;
}

static inline void lanes_store(struct fr *dst, const struct lanes *a,
			       unsigned int nr)
{
	memcpy(dst, a, nr * sizeof(*dst));
}

/* As lanes_store(), canonical whatever the bound was. */
static inline void lanes_store_canonical(struct fr *dst, const struct lanes *a,
					 unsigned int nr)
{
	lanes_store(dst, a, nr);
}

/* Lane i of t[0] and t[1] = src[stride i] and src[stride i + 1]. */
static inline void lanes_load_pair(struct lanes *t, const struct fr *src,
				   size_t stride, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < NTT_LANES; i++) {
		t[0].e[i] = i < nr ? src[stride * i] : fr_zero;
		t[1].e[i] = i < nr ? src[stride * i + 1] : fr_zero;
	}
}

static inline void lanes_store_pair(struct fr *dst, size_t stride,
				    const struct lanes *t, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		dst[stride * i] = t[0].e[i];
		dst[stride * i + 1] = t[1].e[i];
	}
}

static inline void lanes_store_pair_canonical(struct fr *dst, size_t stride,
					      const struct lanes *t,
					      unsigned int nr)
{
	lanes_store_pair(dst, stride, t, nr);
}

#endif
