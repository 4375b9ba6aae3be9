/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params.h - parameters of a circuit by bellman's definition
 *
 * From a known trapdoor, over bellman's own roots of unity, without the code
 * under test.
 */
#ifndef LULL_SELFTESTS_PARAMS_H
#define LULL_SELFTESTS_PARAMS_H

#include "assignment.h"
#include "curve/group.h"

static inline void plain_scalar(uint8_t out[LULL_FR_BYTES], uint64_t seed)
{
	unsigned int i;

	for (i = 0; i < LULL_FR_BYTES; i++)
		out[i] = (uint8_t)(seed * 0x9d + i * 0x35 + 1);
	out[LULL_FR_BYTES - 1] &= 0x3f;
}

/* 7^t, bellman's root of order 2^32 (t = (r - 1) / 2^32): plain. */
static inline void bellman_root(struct fr *r, unsigned int log2_n)
{
	static const limb_t minus_one[FR_LIMBS] = CURVE_CONST(FR_P);
	limb_t t[FR_LIMBS];
	struct fr seven;
	unsigned int i;

	for (i = 0; i < FR_LIMBS; i++)
		t[i] = minus_one[i] >> 32 |
		       (i + 1 < FR_LIMBS ? minus_one[i + 1] << 32 : 0);
	fr_from_u64(&seven, 7);
	fr_pow_var(r, &seven, t, FR_LIMBS);
	for (; log2_n < 32; log2_n++)
		fr_sqr(r, r);
}

/* A key under construction. */
struct made {
	struct fr tau, alpha, beta, gamma, delta;
	struct fr *wires[3];
	size_t nr_wires, nr_inputs, n;
	unsigned int log2_n;
	struct blob file;
};

static inline void put_plain(struct blob *b, const struct fp *x)
{
	limb_t plain[FP_LIMBS];
	uint8_t bytes[sizeof(plain)];
	unsigned int i;

	fp_to_plain(plain, x);
	for (i = 0; i < sizeof(plain); i++)
		bytes[i] = ((uint8_t *)plain)[sizeof(plain) - 1 - i];
	blob_append(b, bytes, sizeof(bytes));
}

static inline void put_g1(struct made *m, const struct fr *k)
{
	struct g1_affine p;

	g1_generated_var(&p, k);
	put_plain(&m->file, &p.x);
	put_plain(&m->file, &p.y);
}

static inline void put_g2(struct made *m, const struct fr *k)
{
	struct g2_affine p;

	g2_generated_var(&p, k);
	put_plain(&m->file, &p.x.c1);
	put_plain(&m->file, &p.x.c0);
	put_plain(&m->file, &p.y.c1);
	put_plain(&m->file, &p.y.c0);
}

static inline void put_count(struct made *m, size_t nr)
{
	const uint8_t bytes[] = { (uint8_t)(nr >> 24), (uint8_t)(nr >> 16),
				  (uint8_t)(nr >> 8), (uint8_t)nr };

	blob_append(&m->file, bytes, sizeof(bytes));
}

/* The Lagrange basis at tau over bellman's roots. */
static inline struct fr *lagrange(const struct made *m)
{
	struct fr *l = zeroed(m->n, sizeof(*l)), w, x = fr_one, z, t, n;
	size_t i;

	bellman_root(&w, m->log2_n);
	z = m->tau;
	for (i = 0; i < m->log2_n; i++)
		fr_sqr(&z, &z);
	fr_sub(&z, &z, &fr_one);
	fr_from_u64(&n, m->n);
	for (i = 0; i < m->n; i++) {
		fr_sub(&t, &m->tau, &x);
		fr_mul(&t, &t, &n);
		fr_inv(&t, &t);
		fr_mul(&t, &t, &x);
		fr_mul(&l[i], &t, &z);
		fr_mul(&x, &x, &w);
	}
	return l;
}

static inline void add_terms(struct fr *wires, const struct lull_r1cs_lc *lc,
			     const struct fr *l)
{
	struct fr value;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		fr_load(&value, lull_r1cs_term_value(lc, i));
		fr_mul(&value, &value, l);
		fr_add(&wires[lull_r1cs_term_wire(lc, i)],
		       &wires[lull_r1cs_term_wire(lc, i)], &value);
	}
}

static inline void make_wires(struct made *m, const struct lull_r1cs *r1cs)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	struct fr *l = lagrange(m);
	size_t i, j;

	for (i = 0; i < 3; i++)
		m->wires[i] = zeroed(m->nr_wires, sizeof(struct fr));
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		add_terms(m->wires[0], &row.a, &l[i]);
		add_terms(m->wires[1], &row.b, &l[i]);
		add_terms(m->wires[2], &row.c, &l[i]);
	}
	for (j = 0; j < m->nr_inputs; j++)
		fr_add(&m->wires[0][j], &m->wires[0][j], &l[i + j]);
	free(l);
}

/* (beta A + alpha B + C) / by of wires [lo, hi) */
static inline void put_mixed(struct made *m, size_t lo, size_t hi,
			     const struct fr *by)
{
	struct fr inv, x, t;
	size_t i;

	fr_inv(&inv, by);
	put_count(m, hi - lo);
	for (i = lo; i < hi; i++) {
		fr_mul(&x, &m->beta, &m->wires[0][i]);
		fr_mul(&t, &m->alpha, &m->wires[1][i]);
		fr_add(&x, &x, &t);
		fr_add(&x, &x, &m->wires[2][i]);
		fr_mul(&x, &x, &inv);
		put_g1(m, &x);
	}
}

static inline void put_dense(struct made *m, unsigned int matrix,
			     void (*put)(struct made *, const struct fr *))
{
	size_t i, nr = 0;

	for (i = 0; i < m->nr_wires; i++)
		nr += !fr_is_zero(&m->wires[matrix][i]);
	put_count(m, nr);
	for (i = 0; i < m->nr_wires; i++)
		if (!fr_is_zero(&m->wires[matrix][i]))
			put(m, &m->wires[matrix][i]);
}

static inline void put_h(struct made *m)
{
	struct fr x, inv;
	size_t i;

	x = m->tau;
	for (i = 0; i < m->log2_n; i++)
		fr_sqr(&x, &x);
	fr_sub(&x, &x, &fr_one);
	fr_inv(&inv, &m->delta);
	fr_mul(&x, &x, &inv);
	put_count(m, m->n - 1);
	for (i = 0; i < m->n - 1; i++) {
		put_g1(m, &x);
		fr_mul(&x, &x, &m->tau);
	}
}

/* What bellman's generator would write for the circuit. */
static inline void make_key(struct made *m, const char *r1cs_path)
{
	struct fr *parts[] = { &m->tau, &m->alpha, &m->beta, &m->gamma,
			       &m->delta };
	struct lull_r1cs r1cs;
	uint8_t plain[LULL_FR_BYTES];
	size_t i;

	if (lull_r1cs_open(r1cs_path, &r1cs, NULL)) {
		printf("Bail out! no circuit %s\n", r1cs_path);
		exit(1);
	}
	*m = (struct made){ .nr_wires = r1cs.nr_wires, .n = 1 };
	m->nr_inputs = (size_t)r1cs.nr_pub_out + r1cs.nr_pub_in + 1;
	for (; m->n < r1cs.nr_constraints + m->nr_inputs; m->n *= 2)
		m->log2_n++;
	for (i = 0; i < LULL_ARRAY_SIZE(parts); i++) {
		plain_scalar(plain, 17 + i);
		fr_load(parts[i], plain);
	}
	make_wires(m, &r1cs);
	m->file.data = must_alloc(1);
	put_g1(m, &m->alpha);
	put_g1(m, &m->beta);
	put_g2(m, &m->beta);
	put_g2(m, &m->gamma);
	put_g1(m, &m->delta);
	put_g2(m, &m->delta);
	put_mixed(m, 0, m->nr_inputs, &m->gamma);
	put_h(m);
	put_mixed(m, m->nr_inputs, m->nr_wires, &m->delta);
	put_dense(m, 0, put_g1);
	put_dense(m, 1, put_g1);
	put_dense(m, 1, put_g2);
	for (i = 0; i < 3; i++)
		free(m->wires[i]);
	lull_r1cs_close(&r1cs);
}

#endif
