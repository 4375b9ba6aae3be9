// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_tmpl.c - the numbers of a test key; see keygen.h
 *
 * With tau known, every point is a known multiple of a generator.  On the
 * domain of n rows, w = w_n and L_j(x) = (x^n - 1) w^j / (n (x - w^j)), wire i
 * has A_i = sum over its terms of coefficient L_row(tau), likewise B_i and C_i.
 * Rows behind the constraints hold wires 0 .. nPublic in A, as snarkjs has it.
 *
 *	A, B1, B2	A_i, B_i, B_i
 *	IC, C		(beta A_i + alpha B_i + C_i) / gamma, / delta
 *	H		Z(tau) / (s^n - 1) M_i(tau) / delta
 *
 * where M is the Lagrange basis of the coset s w^i and Z(x) = x^n - 1; with
 * s = w_2n that is the odd half of the 2n-th roots' basis, as snarkjs has it.
 *
 * Folding C into L (Documentation/internals/msm.rst) takes sum_j C_ji G_j from
 * L_i, and G_j = 1/n sum_k w^(-jk) s^k sum_i w^(ik) H_i.  M interpolates x^k, so
 * the inner sum is Z(tau) / ((s^n - 1) delta) tau^k s^(-k), and what is left over
 * k is L_j(tau): L'_i = L_i - Z(tau) / ((s^n - 1) delta) C_i, no point needed.
 *
 * Time depends on the trapdoor: it is toxic anyway.  It is wiped all the same.
 */
#include <errno.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/mix.h"
#include "prove/keygen.h"
#include "prove/keygen_fill.h"

#define keygen_fill LULL_CURVE_NAME(keygen_fill)

/* Two primes of at most 48 bytes, counts, and nine G1's worth of points. */
#define HEADER_BYTES_MAX 1024

static int draw_limbs(limb_t *k, const uint8_t *seed, uint64_t i,
		      struct lull_error *reterr)
{
	unsigned int j;
	ssize_t got;

	if (!seed) {
		do {
			got = getrandom(k, FR_LIMBS * sizeof(*k), 0);
		} while (got < 0 && errno == EINTR);
		if (got == FR_LIMBS * sizeof(*k))
			return LULL_OK;
		return lull_fail_errno(reterr, LULL_IO, got < 0 ? errno : EIO,
				       "random bytes for the trapdoor");
	}
	for (j = 0; j < FR_LIMBS; j++)
		k[j] = lull_mix(lull_load_u64(seed + j * sizeof(*k)), i);
	return LULL_OK;
}

/* x^(2^k) */
static void square_times(struct fr *r, const struct fr *x, unsigned int k)
{
	*r = *x;
	while (k--)
		fr_sqr(r, r);
}

/* A primitive root of order 2^log2_n. */
static void root_of(struct fr *r, unsigned int log2_n)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };

	LULL_ASSERT(log2_n <= CURVE_CONST(FR_TWO_ADICITY));
	square_times(r, &root, CURVE_CONST(FR_TWO_ADICITY) - log2_n);
}

void keygen_shift(struct fr *r, unsigned int log2_domain)
{
	static const struct fr square = { CURVE_CONST(FR_SHIFT) };

	if (log2_domain == CURVE_CONST(FR_TWO_ADICITY))
		*r = square;
	else
		root_of(r, log2_domain + 1);
}

/* tau must lie neither on the domain nor on the coset. */
static bool tau_is_apart(const struct fr *tau, unsigned int log2_domain)
{
	struct fr tau_n, shift_n;

	square_times(&tau_n, tau, log2_domain);
	keygen_shift(&shift_n, log2_domain);
	square_times(&shift_n, &shift_n, log2_domain);
	return !fr_equal(&tau_n, &fr_one) && !fr_equal(&tau_n, &shift_n);
}

int keygen_draw(struct keygen_trapdoor *ret_trapdoor, const uint8_t *seed,
		unsigned int log2_domain, struct lull_error *reterr)
{
	struct keygen_trapdoor t;
	struct fr *const parts[] = { &t.tau, &t.alpha, &t.beta, &t.gamma,
				     &t.delta };
	size_t nr = 0;
	uint64_t i;
	int err = LULL_OK;

	/* Uniform below r: what is not is drawn again. */
	for (i = 0; nr < LULL_ARRAY_SIZE(parts); i++) {
		err = draw_limbs(parts[nr]->l, seed, i, reterr);
		if (err)
			break;
		parts[nr]->l[FR_LIMBS - 1] >>= FR_LIMBS * LIMB_BITS - FR_BITS;
		if (!fr_is_canonical(parts[nr]) || fr_is_zero(parts[nr]))
			continue;
		if (nr == 0 && !tau_is_apart(&t.tau, log2_domain))
			continue;
		nr++;
	}
	if (!err)
		*ret_trapdoor = t;
	lull_wipe(&t, sizeof(t));
	return err;
}

/*
 * out[i] = scale x_i / (tau - x_i) for x_i = first root^i, i < nr, with one
 * inversion.  No x_i is tau.
 */
static void lagrange_run(struct fr *out, const struct keygen *kg,
			 const struct fr *first, const struct fr *scale,
			 size_t nr)
{
	const struct fr *tau = &kg->trapdoor.tau;
	struct fr x = *first, run = fr_one, den, inv;
	size_t i;

	for (i = 0; i < nr; i++) {
		out[i] = run;
		fr_sub(&den, tau, &x);
		fr_mul(&run, &run, &den);
		fr_mul(&x, &x, &kg->root);
	}
	fr_inv(&inv, &run);
	fr_mul(&inv, &inv, scale);
	while (i--) {
		fr_mul(&x, &x, &kg->root_inv);
		fr_mul(&out[i], &out[i], &inv);
		fr_mul(&out[i], &out[i], &x);
		fr_sub(&den, tau, &x);
		fr_mul(&inv, &inv, &den);
	}
}

/* first = s w_n^lo for the run that starts at @lo. */
static void power_of_root(struct fr *r, const struct fr *s,
			  const struct fr *root, uint64_t lo)
{
	const limb_t e[] = { lo };

	fr_pow_var(r, root, e, LULL_ARRAY_SIZE(e));
	fr_mul(r, r, s);
}

/* Task @task of the domain: KEYGEN_BATCH values of the Lagrange basis. */
static void fill_lagrange(void *arg, size_t task, unsigned int slot)
{
	struct keygen *kg = arg;
	size_t n = (size_t)1 << kg->plan->log2_domain;
	size_t lo = task * KEYGEN_BATCH;
	struct fr first;

	(void)slot;
	power_of_root(&first, &fr_one, &kg->root, lo);
	lagrange_run(kg->lagrange + lo, kg, &first, &kg->lagrange_scale,
		     lull_min(n - lo, KEYGEN_BATCH));
}

/* Everything of one number a key. */
static int set_constants(struct keygen *kg, struct lull_error *reterr)
{
	unsigned int log2_n = kg->plan->log2_domain;
	struct keygen_trapdoor *t = &kg->trapdoor;
	struct fr tau_n, shift_n, x, y;
	int err;

	err = keygen_draw(t, kg->plan->seed, log2_n, reterr);
	if (err)
		return err;
	root_of(&kg->root, log2_n);
	fr_inv(&kg->root_inv, &kg->root);
	keygen_shift(&kg->shift, log2_n);
	fr_inv(&kg->gamma_inv, &t->gamma);
	fr_inv(&kg->delta_inv, &t->delta);
	square_times(&tau_n, &t->tau, log2_n);
	square_times(&shift_n, &kg->shift, log2_n);
	fr_sub(&kg->vanishing, &tau_n, &fr_one);
	fr_from_u64(&x, (uint64_t)1 << log2_n);
	fr_inv(&x, &x);
	fr_mul(&kg->lagrange_scale, &kg->vanishing, &x);
	/* Z(tau) (tau^n - s^n) / ((s^n - 1) n s^n delta) */
	fr_sub(&x, &shift_n, &fr_one);
	/* Z(tau) / ((s^n - 1) delta) */
	fr_mul(&y, &x, &t->delta);
	fr_inv(&y, &y);
	fr_mul(&kg->fold, &y, &kg->vanishing);
	fr_mul(&x, &x, &shift_n);
	fr_from_u64(&y, (uint64_t)1 << log2_n);
	fr_mul(&x, &x, &y);
	fr_mul(&x, &x, &t->delta);
	fr_inv(&x, &x);
	fr_sub(&y, &tau_n, &shift_n);
	fr_mul(&x, &x, &y);
	fr_mul(&kg->h_scale, &x, &kg->vanishing);
	lull_wipe(&tau_n, sizeof(tau_n));
	lull_wipe(&y, sizeof(y));
	return LULL_OK;
}

static int evaluate_circuit(struct keygen *kg, struct lull_error *reterr)
{
	const struct lull_keygen_plan *plan = kg->plan;
	size_t n = (size_t)1 << plan->log2_domain;
	size_t wires = plan->circuit->nr_wires, i;
	int err;

	err = lull_arena_carve(plan->arena, n * sizeof(struct fr),
			       LULL_CARVE_SECRET, "Lagrange basis",
			       &kg->lagrange_vec, reterr);
	if (err)
		return err;
	kg->lagrange = kg->lagrange_vec.ptr;
	err = lull_arena_carve(plan->arena,
			       NR_MATRICES * wires * sizeof(struct fr),
			       LULL_CARVE_ZERO | LULL_CARVE_SECRET,
			       "numbers of the wires", &kg->wires_vec, reterr);
	if (err)
		return err;
	for (i = 0; i < NR_MATRICES; i++)
		kg->wires[i] = (struct fr *)kg->wires_vec.ptr + i * wires;
	lull_workers_run(plan->workers, lull_div_up(n, KEYGEN_BATCH),
			 fill_lagrange, kg);
	err = keygen_sum_wires(kg, reterr);
	/* It is large, and nothing later is made in its place. */
	lull_arena_release(&kg->lagrange_vec);
	return err;
}

/* (beta A_i + alpha B_i + C_i) scale - C_i fold */
static void mix_wires(const struct keygen *kg, size_t first,
		      const struct fr *scale, const struct fr *fold,
		      struct fr *out, size_t nr)
{
	struct fr alpha, beta, c, t;
	size_t i, wire;

	fr_mul(&alpha, &kg->trapdoor.alpha, scale);
	fr_mul(&beta, &kg->trapdoor.beta, scale);
	fr_sub(&c, scale, fold);
	for (i = 0; i < nr; i++) {
		wire = first + i;
		fr_mul(&out[i], &kg->wires[MATRIX_C][wire], &c);
		fr_mul(&t, &kg->wires[MATRIX_A][wire], &beta);
		fr_add(&out[i], &out[i], &t);
		fr_mul(&t, &kg->wires[MATRIX_B][wire], &alpha);
		fr_add(&out[i], &out[i], &t);
	}
	lull_wipe(&alpha, sizeof(alpha));
	lull_wipe(&beta, sizeof(beta));
	lull_wipe(&c, sizeof(c));
}

/* L_i: of a folded key of all wires, of which the public ones have C alone. */
static void set_l(const struct keygen *kg, size_t first, struct fr *out,
		  size_t nr)
{
	const size_t ones = kg->plan->circuit->nr_public + (size_t)1;
	size_t public;

	if (!kg->plan->native || !lull_keygen_is_folded(kg->plan->native)) {
		mix_wires(kg, first + ones, &kg->delta_inv, &fr_zero, out, nr);
		return;
	}
	public = first < ones ? lull_min(ones - first, nr) : 0;
	mix_wires(kg, first, &fr_zero, &kg->fold, out, public);
	mix_wires(kg, first + public, &kg->delta_inv, &kg->fold, out + public,
		  nr - public);
}

void keygen_set_scalars(const struct keygen *kg, unsigned int section,
			size_t first, struct fr *out, size_t nr)
{
	struct fr x;

	switch (section) {
	case LULL_ZKEY_A:
		memcpy(out, kg->wires[MATRIX_A] + first, nr * sizeof(*out));
		break;
	case LULL_ZKEY_B1:
	case LULL_ZKEY_B2:
		memcpy(out, kg->wires[MATRIX_B] + first, nr * sizeof(*out));
		break;
	case LULL_ZKEY_IC:
		mix_wires(kg, first, &kg->gamma_inv, &fr_zero, out, nr);
		break;
	case LULL_ZKEY_C:
		set_l(kg, first, out, nr);
		break;
	case LULL_ZKEY_H:
		power_of_root(&x, &kg->shift, &kg->root, first);
		lagrange_run(out, kg, &x, &kg->h_scale, nr);
		break;
	}
}

static uint8_t *put(uint8_t *to, const void *data, size_t bytes)
{
	memcpy(to, data, bytes);
	return to + bytes;
}

static uint8_t *put_g1(uint8_t *to, const struct fr *k)
{
	struct g1_affine p;

	g1_generated_var(&p, k);
	return put(to, &p, sizeof(p));
}

static uint8_t *put_g2(uint8_t *to, const struct fr *k)
{
	struct g2_affine p;

	g2_generated_var(&p, k);
	return put(to, &p, sizeof(p));
}

/* What a .zkey has before the points: primes and counts. */
static uint8_t *put_counts(uint8_t *to, const struct lull_keygen_plan *plan)
{
	const struct lull_keygen_circuit *c = plan->circuit;
	const uint32_t counts[] = { c->nr_wires, c->nr_public,
				    (uint32_t)1 << plan->log2_domain };
	const uint32_t q_bytes = c->facts->fp_bytes;
	const uint32_t r_bytes = c->facts->fr_bytes;

	to = put(to, &q_bytes, sizeof(q_bytes));
	to = put(to, c->facts->fp_prime, q_bytes);
	to = put(to, &r_bytes, sizeof(r_bytes));
	to = put(to, c->facts->fr_prime, r_bytes);
	return put(to, counts, sizeof(counts));
}

/* Section 2, its points alpha1, beta1, beta2, gamma2, delta1, delta2. */
static int write_header(struct keygen *kg, struct lull_error *reterr)
{
	const struct lull_keygen_plan *plan = kg->plan;
	const struct keygen_trapdoor *t = &kg->trapdoor;
	uint8_t header[HEADER_BYTES_MAX], *to = header;

	LULL_ASSERT(plan->bytes[LULL_ZKEY_HEADER] <= sizeof(header));
	if (!plan->native)
		to = put_counts(to, plan);
	to = put_g1(to, &t->alpha);
	to = put_g1(to, &t->beta);
	to = put_g2(to, &t->beta);
	to = put_g2(to, &t->gamma);
	to = put_g1(to, &t->delta);
	to = put_g2(to, &t->delta);
	LULL_ASSERT((size_t)(to - header) == plan->bytes[LULL_ZKEY_HEADER]);
	return lull_outfile_write_at(plan->out, plan->offset[LULL_ZKEY_HEADER],
				     header, (size_t)(to - header), reterr);
}

static int write_matrices(struct keygen *kg, struct lull_error *reterr)
{
	return kg->plan->native
		       ? lull_keygen_write_rows(kg->plan->native, reterr)
		       : keygen_write_coefs(kg, reterr);
}

/* The long part, and where its time went. */
static int write_sections(struct keygen *kg, struct lull_error *reterr)
{
	static const struct {
		int (*run)(struct keygen *kg, struct lull_error *reterr);
		const char *what;
	} steps[] = {
		{ evaluate_circuit, "numbers of the wires" },
		{ write_matrices, "coefficients" },
		{ keygen_write_points, "points" },
	};
	struct lull_keygen_start start;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(steps) && !err; i++) {
		start = lull_keygen_start();
		err = steps[i].run(kg, reterr);
		if (!err)
			lull_keygen_say(kg->plan, steps[i].what, &start);
	}
	return err;
}

int keygen_fill(const struct lull_keygen_plan *plan, struct lull_error *reterr)
{
	struct keygen kg = { .plan = plan };
	int err;

	err = set_constants(&kg, reterr);
	if (!err)
		err = write_header(&kg, reterr);
	if (!err)
		err = write_sections(&kg, reterr);
	lull_arena_retire(&kg.wires_vec);
	lull_arena_retire(&kg.lagrange_vec);
	lull_wipe(&kg, sizeof(kg));
	return err;
}
