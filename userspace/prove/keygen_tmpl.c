// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_tmpl.c - the numbers and points of a test key; see keygen.h
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
 * Time depends on the trapdoor: it is toxic anyway.  It is wiped all the same.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/mix.h"
#include "prove/keygen.h"
#include "prove/keygen_curve.h"
#include "prove/keygen_plan.h"

#define keygen_fill LULL_CURVE_NAME(keygen_fill)

enum { MATRIX_A, MATRIX_B, MATRIX_C, NR_MATRICES };

/* Sections of points, the costliest first so that threads end together. */
static const unsigned int point_sections[] = {
	LULL_ZKEY_B2, LULL_ZKEY_H, LULL_ZKEY_A,
	LULL_ZKEY_B1, LULL_ZKEY_C, LULL_ZKEY_IC,
};

/* Memory of one thread while points are made. */
struct slot {
	struct fr scalars[KEYGEN_BATCH];
	union {
		struct g1_affine g1[KEYGEN_BATCH];
		struct g2_affine g2[KEYGEN_BATCH];
		/* For the coefficients. */
		uint8_t bytes[KEYGEN_BATCH * sizeof(struct g2_affine)];
	} out;
	union {
		struct g1_multiply_scratch g1;
		struct g2_multiply_scratch g2;
	} scratch;
};

/**
 * struct keygen - a key being made
 * @plan: sizes and places
 * @trapdoor: the toxic part
 * @vanishing: Z(tau)
 * @root: w_n
 * @shift: s of the coset
 * @gamma_inv: 1 / gamma
 * @delta_inv: 1 / delta
 * @h_scale: what M_i's numerator is multiplied by for H
 * @lagrange: L_j(tau) times R, so that a plain coefficient times it is a
 *	Montgomery residue
 * @wires: A_i, B_i and C_i
 * @g1: multiples of the generators
 * @g2: multiples of the generators
 * @slots: memory for each thread
 * @failed: set by the first task that fails, which alone sets @err and @error
 */
struct keygen {
	const struct lull_keygen_plan *plan;
	struct keygen_trapdoor trapdoor;
	struct fr vanishing, root, shift, gamma_inv, delta_inv, h_scale;
	struct lull_vec lagrange_vec, wires_vec, slots_vec;
	struct fr *lagrange, *wires[NR_MATRICES];
	struct g1_multiples g1;
	struct g2_multiples g2;
	struct slot *slots;
	atomic_bool failed;
	int err;
	struct lull_error error;
};

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
static void lagrange_run(struct fr *out, const struct fr *tau,
			 const struct fr *first, const struct fr *root,
			 const struct fr *scale, size_t nr)
{
	struct fr x = *first, run = fr_one, den, inv, root_inv;
	size_t i;

	for (i = 0; i < nr; i++) {
		out[i] = run;
		fr_sub(&den, tau, &x);
		fr_mul(&run, &run, &den);
		fr_mul(&x, &x, root);
	}
	fr_inv(&inv, &run);
	fr_mul(&inv, &inv, scale);
	fr_inv(&root_inv, root);
	while (i--) {
		fr_mul(&x, &x, &root_inv);
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
	struct fr first, scale, n_inv;

	(void)slot;
	power_of_root(&first, &fr_one, &kg->root, lo);
	fr_from_u64(&n_inv, n);
	fr_inv(&n_inv, &n_inv);
	fr_mul(&scale, &kg->vanishing, &n_inv);
	fr_from_plain(&scale, scale.l); /* the further R; see @lagrange */
	lagrange_run(kg->lagrange + lo, &kg->trapdoor.tau, &first, &kg->root,
		     &scale, lull_min(n - lo, KEYGEN_BATCH));
}

/* What the tasks that sum wires share: each takes a matrix and some wires. */
struct sums {
	struct keygen *kg;
	size_t nr_ranges;
};

static void add_terms(struct fr *wires, const struct lull_r1cs_lc *lc,
		      uint32_t lo, uint32_t hi, const struct fr *lagrange)
{
	struct fr value, t;
	uint32_t i, wire;

	for (i = 0; i < lc->nr_terms; i++) {
		wire = lull_r1cs_term_wire(lc, i);
		if (wire < lo || wire >= hi)
			continue;
		memcpy(&value, lull_r1cs_term_value(lc, i), sizeof(value));
		fr_mul(&t, &value, lagrange);
		fr_add(&wires[wire], &wires[wire], &t);
	}
}

static void sum_wires(void *arg, size_t task, unsigned int slot)
{
	const struct sums *sums = arg;
	struct keygen *kg = sums->kg;
	const struct lull_r1cs *r1cs = kg->plan->r1cs;
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	size_t matrix = task % NR_MATRICES, lo, hi;
	const struct lull_r1cs_lc *lc;
	struct lull_r1cs_row row;
	uint32_t i;

	(void)slot;
	lull_workers_split(r1cs->nr_wires, sums->nr_ranges, task / NR_MATRICES,
			   1, &lo, &hi);
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		lc = matrix == MATRIX_A	  ? &row.a
		     : matrix == MATRIX_B ? &row.b
					  : &row.c;
		add_terms(kg->wires[matrix], lc, (uint32_t)lo, (uint32_t)hi,
			  &kg->lagrange[i]);
	}
}

/* The rows behind the constraints: wire s in A. */
static void add_public_rows(struct keygen *kg)
{
	static const struct fr unit = { { 1 } };
	struct fr *a = kg->wires[MATRIX_A], t;
	uint32_t s;

	for (s = 0; s <= kg->plan->nr_public; s++) {
		fr_mul(&t, &unit,
		       &kg->lagrange[kg->plan->r1cs->nr_constraints + s]);
		fr_add(&a[s], &a[s], &t);
	}
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
	keygen_shift(&kg->shift, log2_n);
	fr_inv(&kg->gamma_inv, &t->gamma);
	fr_inv(&kg->delta_inv, &t->delta);
	square_times(&tau_n, &t->tau, log2_n);
	square_times(&shift_n, &kg->shift, log2_n);
	fr_sub(&kg->vanishing, &tau_n, &fr_one);
	/* Z(tau) (tau^n - s^n) / ((s^n - 1) n s^n delta) */
	fr_sub(&x, &shift_n, &fr_one);
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
	size_t wires = plan->r1cs->nr_wires, i;
	unsigned int nr_threads = lull_workers_nr(plan->workers);
	struct sums sums = {
		.kg = kg,
		.nr_ranges = lull_div_up(nr_threads, NR_MATRICES),
	};
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
	lull_workers_run(plan->workers, NR_MATRICES * sums.nr_ranges, sum_wires,
			 &sums);
	add_public_rows(kg);
	lull_arena_retire(&kg->lagrange_vec);
	return LULL_OK;
}

static uint64_t points_of(const struct keygen *kg, unsigned int section)
{
	size_t each = section == LULL_ZKEY_B2 ? sizeof(struct g2_affine)
					      : sizeof(struct g1_affine);

	return kg->plan->bytes[section] / each;
}

/* (beta A_i + alpha B_i + C_i) scale */
static void mix_wires(const struct keygen *kg, size_t first,
		      const struct fr *scale, struct fr *out, size_t nr)
{
	struct fr alpha, beta, t;
	size_t i, wire;

	fr_mul(&alpha, &kg->trapdoor.alpha, scale);
	fr_mul(&beta, &kg->trapdoor.beta, scale);
	for (i = 0; i < nr; i++) {
		wire = first + i;
		fr_mul(&out[i], &kg->wires[MATRIX_C][wire], scale);
		fr_mul(&t, &kg->wires[MATRIX_A][wire], &beta);
		fr_add(&out[i], &out[i], &t);
		fr_mul(&t, &kg->wires[MATRIX_B][wire], &alpha);
		fr_add(&out[i], &out[i], &t);
	}
	lull_wipe(&alpha, sizeof(alpha));
	lull_wipe(&beta, sizeof(beta));
}

/* The scalars of points [first, first + nr) of a section. */
static void set_scalars(const struct keygen *kg, unsigned int section,
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
		mix_wires(kg, first, &kg->gamma_inv, out, nr);
		break;
	case LULL_ZKEY_C:
		first += (size_t)kg->plan->nr_public + 1;
		mix_wires(kg, first, &kg->delta_inv, out, nr);
		break;
	case LULL_ZKEY_H:
		power_of_root(&x, &kg->shift, &kg->root, first);
		lagrange_run(out, &kg->trapdoor.tau, &x, &kg->root,
			     &kg->h_scale, nr);
		break;
	}
}

static int write_points(struct keygen *kg, unsigned int section, size_t first,
			size_t nr, struct slot *slot, struct lull_error *reterr)
{
	size_t each;

	set_scalars(kg, section, first, slot->scalars, nr);
	if (section == LULL_ZKEY_B2) {
		each = sizeof(slot->out.g2[0]);
		g2_multiply_var(slot->out.g2, &kg->g2, slot->scalars, nr,
				&slot->scratch.g2);
	} else {
		each = sizeof(slot->out.g1[0]);
		g1_multiply_var(slot->out.g1, &kg->g1, slot->scalars, nr,
				&slot->scratch.g1);
	}
	return lull_outfile_write_at(kg->plan->out,
				     kg->plan->offset[section] + first * each,
				     &slot->out, nr * each, reterr);
}

/* Coefficients on their way to section 4. */
struct coef_writer {
	struct keygen *kg;
	uint8_t *buf;
	size_t room, used;
	uint64_t offset;
	struct fr r3; /* R^3 mod r */
};

static int flush_coefs(struct coef_writer *writer, struct lull_error *reterr)
{
	int err;

	err = lull_outfile_write_at(writer->kg->plan->out, writer->offset,
				    writer->buf, writer->used, reterr);
	if (err)
		return err;
	writer->offset += writer->used;
	writer->used = 0;
	return LULL_OK;
}

/* @value is plain; the file wants it times R^2, a Montgomery form twice. */
static int put_coef(struct coef_writer *writer, uint32_t matrix, uint32_t row,
		    uint32_t wire, const uint8_t *value,
		    struct lull_error *reterr)
{
	uint8_t *to = writer->buf + writer->used;
	struct fr v;
	int err;

	if (writer->used + LULL_ZKEY_COEF_BYTES > writer->room) {
		err = flush_coefs(writer, reterr);
		if (err)
			return err;
		to = writer->buf;
	}
	memcpy(&v, value, sizeof(v));
	fr_mul(&v, &v, &writer->r3);
	memcpy(to + LULL_ZKEY_COEF_MATRIX, &matrix, sizeof(matrix));
	memcpy(to + LULL_ZKEY_COEF_CONSTRAINT, &row, sizeof(row));
	memcpy(to + LULL_ZKEY_COEF_SIGNAL, &wire, sizeof(wire));
	memcpy(to + LULL_ZKEY_COEF_VALUE, &v, sizeof(v));
	writer->used += LULL_ZKEY_COEF_BYTES;
	return LULL_OK;
}

static int put_terms(struct coef_writer *writer, uint32_t matrix, uint32_t row,
		     const struct lull_r1cs_lc *lc, struct lull_error *reterr)
{
	uint32_t i;
	int err;

	for (i = 0; i < lc->nr_terms; i++) {
		err = put_coef(writer, matrix, row, lull_r1cs_term_wire(lc, i),
			       lull_r1cs_term_value(lc, i), reterr);
		if (err)
			return err;
	}
	return LULL_OK;
}

static int write_coefs(struct keygen *kg, struct slot *slot,
		       struct lull_error *reterr)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	static const uint8_t one[LULL_FR_BYTES] = { 1 };
	const struct lull_keygen_plan *plan = kg->plan;
	const struct lull_r1cs *r1cs = plan->r1cs;
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct coef_writer writer = {
		.kg = kg,
		.buf = slot->out.bytes,
		.room = sizeof(slot->out.bytes),
		.offset = plan->offset[LULL_ZKEY_COEFS],
		.used = sizeof(plan->nr_coefs),
	};
	struct lull_r1cs_row row;
	uint32_t i, s;
	int err;

	fr_mul(&writer.r3, &r2, &r2);
	memcpy(writer.buf, &plan->nr_coefs, sizeof(plan->nr_coefs));
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		err = put_terms(&writer, MATRIX_A, i, &row.a, reterr);
		if (err)
			return err;
		err = put_terms(&writer, MATRIX_B, i, &row.b, reterr);
		if (err)
			return err;
	}
	for (s = 0; s <= plan->nr_public; s++) {
		err = put_coef(&writer, MATRIX_A, i + s, s, one, reterr);
		if (err)
			return err;
	}
	return flush_coefs(&writer, reterr);
}

/* Task 0 writes the coefficients, each other one a batch of points. */
static int make_part(struct keygen *kg, size_t task, struct slot *slot,
		     struct lull_error *reterr)
{
	uint64_t nr, batches, first;
	size_t i;

	if (task == 0)
		return write_coefs(kg, slot, reterr);
	task--;
	for (i = 0; i < LULL_ARRAY_SIZE(point_sections); i++) {
		nr = points_of(kg, point_sections[i]);
		batches = lull_div_up(nr, KEYGEN_BATCH);
		if (task < batches)
			break;
		task -= batches;
	}
	LULL_ASSERT(i < LULL_ARRAY_SIZE(point_sections));
	first = (uint64_t)task * KEYGEN_BATCH;
	return write_points(kg, point_sections[i], first,
			    lull_min(nr - first, KEYGEN_BATCH), slot, reterr);
}

static void run_part(void *arg, size_t task, unsigned int slot)
{
	struct keygen *kg = arg;
	struct lull_error error = { 0 };
	int err;

	if (atomic_load(&kg->failed))
		return;
	err = make_part(kg, task, &kg->slots[slot], &error);
	if (err && !atomic_exchange(&kg->failed, true)) {
		kg->err = err;
		kg->error = error;
	}
}

static int make_parts(struct keygen *kg, struct lull_error *reterr)
{
	size_t nr = 1, i;

	for (i = 0; i < LULL_ARRAY_SIZE(point_sections); i++)
		nr += lull_div_up(points_of(kg, point_sections[i]),
				  KEYGEN_BATCH);
	lull_workers_run(kg->plan->workers, nr, run_part, kg);
	if (kg->err && reterr)
		*reterr = kg->error;
	return kg->err;
}

static int create_tables(struct keygen *kg, struct lull_error *reterr)
{
	struct lull_workers *workers = kg->plan->workers;
	struct lull_arena *arena = kg->plan->arena;
	uint64_t nr_g1 = 0;
	size_t i;
	int err;

	for (i = 0; i < LULL_ARRAY_SIZE(point_sections); i++)
		if (point_sections[i] != LULL_ZKEY_B2)
			nr_g1 += points_of(kg, point_sections[i]);
	err = g1_multiples_create(&kg->g1, nr_g1, workers, arena, reterr);
	if (err)
		return err;
	err = g2_multiples_create(&kg->g2, points_of(kg, LULL_ZKEY_B2), workers,
				  arena, reterr);
	if (err)
		return err;
	err = lull_arena_carve(
		arena, lull_workers_nr(workers) * sizeof(*kg->slots),
		LULL_CARVE_SECRET, "scratch of the key generator",
		&kg->slots_vec, reterr);
	kg->slots = kg->slots_vec.ptr;
	return err;
}

static uint8_t *put(uint8_t *to, const void *data, size_t bytes)
{
	memcpy(to, data, bytes);
	return to + bytes;
}

/* Section 2: primes, counts, alpha1, beta1, beta2, gamma2, delta1, delta2. */
static int write_header(struct keygen *kg, struct lull_error *reterr)
{
	const struct lull_keygen_plan *plan = kg->plan;
	const struct lull_curve_facts *facts = plan->r1cs->facts;
	const struct keygen_trapdoor *t = &kg->trapdoor;
	struct fr in_g1[] = { t->alpha, t->beta, t->delta };
	struct fr in_g2[] = { t->beta, t->gamma, t->delta };
	const uint32_t counts[] = { plan->r1cs->nr_wires, plan->nr_public,
				    (uint32_t)1 << plan->log2_domain };
	struct slot *slot = &kg->slots[0];
	struct g1_affine g1[LULL_ARRAY_SIZE(in_g1)];
	struct g2_affine g2[LULL_ARRAY_SIZE(in_g2)];
	uint8_t *to = slot->out.bytes;
	const uint32_t q_bytes = facts->fp_bytes, r_bytes = facts->fr_bytes;

	g1_multiply_var(g1, &kg->g1, in_g1, LULL_ARRAY_SIZE(in_g1),
			&slot->scratch.g1);
	g2_multiply_var(g2, &kg->g2, in_g2, LULL_ARRAY_SIZE(in_g2),
			&slot->scratch.g2);
	lull_wipe(in_g1, sizeof(in_g1));
	lull_wipe(in_g2, sizeof(in_g2));
	to = put(to, &q_bytes, sizeof(q_bytes));
	to = put(to, facts->fp_prime, q_bytes);
	to = put(to, &r_bytes, sizeof(r_bytes));
	to = put(to, facts->fr_prime, r_bytes);
	to = put(to, counts, sizeof(counts));
	to = put(to, &g1[0], sizeof(g1[0]));
	to = put(to, &g1[1], sizeof(g1[1]));
	to = put(to, &g2[0], sizeof(g2[0]));
	to = put(to, &g2[1], sizeof(g2[1]));
	to = put(to, &g1[2], sizeof(g1[2]));
	to = put(to, &g2[2], sizeof(g2[2]));
	LULL_ASSERT((size_t)(to - slot->out.bytes) ==
		    plan->bytes[LULL_ZKEY_HEADER]);
	return lull_outfile_write_at(plan->out, plan->offset[LULL_ZKEY_HEADER],
				     slot->out.bytes,
				     (size_t)(to - slot->out.bytes), reterr);
}

int keygen_fill(const struct lull_keygen_plan *plan, struct lull_error *reterr)
{
	struct keygen kg = { .plan = plan };
	int err;

	err = set_constants(&kg, reterr);
	if (!err)
		err = evaluate_circuit(&kg, reterr);
	if (!err)
		err = create_tables(&kg, reterr);
	if (!err)
		err = write_header(&kg, reterr);
	if (!err)
		err = make_parts(&kg, reterr);
	lull_arena_retire(&kg.slots_vec);
	lull_arena_retire(&kg.wires_vec);
	lull_arena_retire(&kg.lagrange_vec);
	g2_multiples_done(&kg.g2);
	g1_multiples_done(&kg.g1);
	lull_wipe(&kg, sizeof(kg));
	return err;
}
