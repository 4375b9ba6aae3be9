// SPDX-License-Identifier: Apache-2.0
/*
 * compare_tmpl.c - is a circuit the key's?  By its entries, and by its points
 *
 * The entries' digest compares A and B with what a key's file says of them.
 * Parameters of bellman say nothing, and no key says anything of C.  Points do:
 * take weights of the wires x, y and z such that row by row
 *
 *	(sum_i x_i A_ji) (sum_i y_i B_ji) = sum_i z_i C_ji
 *
 * which is weaker than what a witness must do, for it must have x = y = z.  Then
 * with A(x) = sum_i x_i A_i(tau) and so on, A(x) B(y) - C(z) is q Z as in a
 * proof, C(z) is what L, IC, A and B2 differ by, and
 *
 *	e(A(x), B2(y)) = e(H(q) + L(z), delta) e(IC(z), gamma)
 *				e(-A(z), beta) e(-alpha, B2(z))
 *
 * holds; of another circuit's points, with other rows or in another order, it
 * does not, but by chance.  Choices of weights:
 *
 *  - x is the wire with the fewest rows in A; y is random but 0 for wires that
 *    share a row with it; z = 0.  Compares B.
 *  - The same with A and B exchanged.  Compares A.
 *  - x is random; y is, on wires that B has in one row only, what makes those rows
 *    hold; z is random, but makes rows without such a wire 0.  Compares L, IC and
 *    C.
 *  - The same with A and B exchanged.
 *
 * z makes a row 0 by a wire that C has in no other row of this kind; the row is
 * then out of the way of the others, which may have such a wire now.  Of rows that
 * are left in the end all wires get 0.
 *
 * It is a check against mistakes: the weights are from a fast generator, and a
 * wire of C that gets 0 both times is compared by the first proof's own check.
 */
#include "base/base.h"
#include "base/error.h"
#include "base/mix.h"
#include "base/workers.h"
#include "curve/pairing.h"
#include "msm/msm.h"
#include "ntt/ntt.h"
#include "prove/convert_plan.h"
#include "prove/random.h"

#define circuit_sum LULL_CURVE_NAME(circuit_sum)
#define circuit_bytes LULL_CURVE_NAME(circuit_bytes)
#define circuit_compare LULL_CURVE_NAME(circuit_compare)

/* Points that are multiplied at a time, and that one task reads. */
#define PORTION ((size_t)1 << 17)
/* Of peeling: each takes whatever one before it set free. */
#define PASSES_MAX 64
/* Words of a weight: 128 bits. */
#define WEIGHT_WORDS 2

static const struct fr r2 = { CURVE_CONST(FR_R2) };

/* ---- the circuit's records ---------------------------------------------- */

static void add_record(struct lull_circuit_sum *sum, uint32_t matrix,
		       uint32_t row, uint32_t column, const struct fr *value)
{
	uint8_t record[LULL_RECORD_BYTES];

	lull_record_put(record, matrix, row, column, value);
	lull_circuit_add(sum, record);
}

static void add_terms(struct lull_circuit_sum *sum, uint32_t matrix,
		      uint32_t row, const struct lull_r1cs_lc *lc,
		      const struct fr *r3)
{
	struct fr value;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		memcpy(&value, lull_r1cs_term_value(lc, i), sizeof(value));
		fr_mul(&value, &value, r3);
		add_record(sum, matrix, row, lull_r1cs_term_wire(lc, i),
			   &value);
	}
}

void circuit_sum(const struct lull_source *source, const struct lull_r1cs *r1cs,
		 struct lull_circuit_sum *sum)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	struct fr r3; /* R^3: a plain value's product with it is times R^2 */
	uint32_t i, s;

	fr_mul(&r3, &r2, &r2);
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		add_terms(sum, 0, lull_source_row(source, i), &row.a, &r3);
		add_terms(sum, 1, lull_source_row(source, i), &row.b, &r3);
	}
	for (s = 0; s <= source->nr_public; s++)
		add_record(sum, 0, lull_source_row(source, i + s), s, &r2);
}

/* ---- weights ------------------------------------------------------------ */

/**
 * struct comparing - a key and a circuit under comparison
 * @c: the conversion
 * @r1cs: the circuit
 * @n: rows of the domain
 * @seed: of the weights
 * @r3: R^3
 * @terms: by wire, those that are not 0: of A and B, rows of the inputs
 *	included, and of C in rows that are left
 * @states: by constraint
 * @peeled: constraints, in the order in which they were
 * @nr_peeled: how many
 * @weight: x, y and z, plain, by wire
 * @a: A's rows, in the end q's values
 * @b: B's rows
 * @portion: points at a time: PORTION, or all of any array
 * @points: as many
 */
struct comparing {
	struct lull_converting *c;
	const struct lull_r1cs *r1cs;
	size_t n;
	uint64_t seed;
	struct fr r3;
	struct lull_vec counts_vec, weights_vec, states_vec, peeled_vec;
	struct lull_vec rows_vec, points_vec;
	uint32_t *terms[3];
	uint8_t *states;
	struct peeled *peeled;
	size_t nr_peeled;
	struct fr *weight[3];
	struct fr *a, *b;
	size_t portion;
	uint8_t *points;
};

enum { X, Y, Z };

/* How a constraint is made to hold. */
enum {
	ROW_LEFT,   /* by nothing yet */
	ROW_FREE,   /* by a weight of A or B */
	ROW_PEELED, /* by a weight of C */
};

/* A row that a weight of C makes 0: its first byte and that wire's term. */
struct peeled {
	const uint8_t *at;
	uint32_t term;
};

static void set_random(struct comparing *m, unsigned int which, uint32_t wire)
{
	uint64_t i = ((uint64_t)wire * 3 + which) * WEIGHT_WORDS;
	struct fr *w = &m->weight[which][wire];
	unsigned int k;

	memset(w, 0, sizeof(*w));
	for (k = 0; k < WEIGHT_WORDS; k++)
		w->l[k] = lull_mix(m->seed, i + k);
}

static void clear(struct comparing *m)
{
	memset(m->weight[X], 0, m->weights_vec.bytes);
}

static void take_value(struct fr *r, const struct lull_r1cs_lc *lc, uint32_t i)
{
	memcpy(r, lull_r1cs_term_value(lc, i), sizeof(*r));
}

static bool is_zero_term(const struct lull_r1cs_lc *lc, uint32_t i)
{
	return lull_is_zero(lull_r1cs_term_value(lc, i), LULL_FR_BYTES);
}

/* A row's sum over weights, in Montgomery form. */
static void evaluate(const struct comparing *m, struct fr *r,
		     const struct lull_r1cs_lc *lc, const struct fr *weight)
{
	struct fr t;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < lc->nr_terms; i++) {
		take_value(&t, lc, i);
		fr_mul(&t, &t, &weight[lull_r1cs_term_wire(lc, i)]);
		fr_add(r, r, &t);
	}
	fr_mul(r, r, &m->r3);
}

/* One more, or with -1 one less, for each term. */
static void count_terms(uint32_t *counts, const struct lull_r1cs_lc *lc,
			uint32_t by)
{
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++)
		if (!is_zero_term(lc, i))
			counts[lull_r1cs_term_wire(lc, i)] += by;
}

static void count_wires(struct comparing *m)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	struct lull_r1cs_row row;
	uint32_t s;

	while (lull_r1cs_next(m->r1cs, &walk, &row)) {
		count_terms(m->terms[X], &row.a, 1);
		count_terms(m->terms[Y], &row.b, 1);
	}
	for (s = 0; s <= m->c->source->nr_public; s++)
		m->terms[X][s]++;
}

/* The matrix whose weights these are. */
static const struct lull_r1cs_lc *of(const struct lull_r1cs_row *row,
				     unsigned int which)
{
	return which == X ? &row->a : which == Y ? &row->b : &row->c;
}

static bool holds(const struct lull_r1cs_lc *lc, uint32_t wire)
{
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++)
		if (lull_r1cs_term_wire(lc, i) == wire)
			return true;
	return false;
}

static void set_zero(struct comparing *m, unsigned int which,
		     const struct lull_r1cs_lc *lc)
{
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++)
		memset(&m->weight[which][lull_r1cs_term_wire(lc, i)], 0,
		       sizeof(struct fr));
}

/* The wire of the fewest terms; UINT32_MAX if there is none. */
static uint32_t fewest(const struct comparing *m, unsigned int which)
{
	const uint32_t *terms = m->terms[which];
	uint32_t i, best = UINT32_MAX;

	for (i = 0; i < m->r1cs->nr_wires; i++)
		if (terms[i] && (best == UINT32_MAX || terms[i] < terms[best]))
			best = i;
	return best;
}

/* One wire of A and every wire of B that shares no row with it, or the other
 * way round. */
static void weigh_apart(struct comparing *m, unsigned int one)
{
	const unsigned int many = one == X ? Y : X;
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	const uint32_t wire = fewest(m, one);
	struct lull_r1cs_row row;
	uint32_t i;

	clear(m);
	if (wire == UINT32_MAX)
		return;
	set_random(m, one, wire);
	for (i = 0; i < m->r1cs->nr_wires; i++)
		set_random(m, many, i);
	while (lull_r1cs_next(m->r1cs, &walk, &row))
		if (holds(of(&row, one), wire))
			set_zero(m, many, of(&row, many));
}

/* A row's term whose wire is counted nowhere else: nr_terms if none. */
static uint32_t own_term(const struct comparing *m, unsigned int which,
			 const struct lull_r1cs_lc *lc)
{
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++)
		if (m->terms[which][lull_r1cs_term_wire(lc, i)] == 1 &&
		    !is_zero_term(lc, i))
			break;
	return i;
}

/* The weight of term @i becomes sum / (factor coefficient). */
static void solve_term(struct comparing *m, unsigned int which,
		       const struct lull_r1cs_lc *lc, uint32_t i,
		       const struct fr *sum, const struct fr *factor)
{
	struct fr t;

	take_value(&t, lc, i);
	fr_from_plain(&t, t.l);
	fr_mul(&t, &t, factor);
	fr_inv(&t, &t);
	fr_mul(&t, &t, sum);
	fr_to_plain(m->weight[which][lull_r1cs_term_wire(lc, i)].l, &t);
}

/* Whether a wire of the solved matrix can make a row hold; the other matrix's
 * sum, which must not be 0. */
static bool is_free(const struct comparing *m, const struct lull_r1cs_row *row,
		    unsigned int solved, struct fr *ret_other)
{
	const unsigned int given = solved == X ? Y : X;
	const struct lull_r1cs_lc *lc = of(row, solved);

	if (own_term(m, solved, lc) == lc->nr_terms)
		return false;
	evaluate(m, ret_other, of(row, given), m->weight[given]);
	return !fr_is_zero(ret_other);
}

static void sort_rows(struct comparing *m, unsigned int solved)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	struct lull_r1cs_row row;
	struct fr other;
	uint32_t i;

	memset(m->terms[Z], 0, m->r1cs->nr_wires * sizeof(*m->terms[Z]));
	for (i = 0; lull_r1cs_next(m->r1cs, &walk, &row); i++) {
		m->states[i] =
			is_free(m, &row, solved, &other) ? ROW_FREE : ROW_LEFT;
		if (m->states[i] == ROW_LEFT)
			count_terms(m->terms[Z], &row.c, 1);
	}
}

/* Returns whether a row was peeled. */
static bool peel_once(struct comparing *m)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs), here = walk;
	const size_t before = m->nr_peeled;
	struct lull_r1cs_row row;
	uint32_t i, term;

	for (i = 0; lull_r1cs_next(m->r1cs, &walk, &row); i++, here = walk) {
		term = own_term(m, Z, &row.c);
		if (m->states[i] != ROW_LEFT || term == row.c.nr_terms)
			continue;
		m->peeled[m->nr_peeled++] = (struct peeled){ here.next, term };
		m->states[i] = ROW_PEELED;
		count_terms(m->terms[Z], &row.c, (uint32_t)-1);
	}
	return m->nr_peeled > before;
}

static void clear_left(struct comparing *m)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	struct lull_r1cs_row row;
	uint32_t i;

	for (i = 0; lull_r1cs_next(m->r1cs, &walk, &row); i++)
		if (m->states[i] == ROW_LEFT)
			set_zero(m, Z, &row.c);
}

/* Rows that were peeled late do not have the wires of those before them. */
static void solve_peeled(struct comparing *m)
{
	struct lull_r1cs_walk walk;
	struct lull_r1cs_row row;
	const struct peeled *p;
	struct fr sum;

	while (m->nr_peeled) {
		p = &m->peeled[--m->nr_peeled];
		walk = lull_r1cs_walk(m->r1cs);
		walk.next = p->at;
		lull_r1cs_next(m->r1cs, &walk, &row);
		memset(&m->weight[Z][lull_r1cs_term_wire(&row.c, p->term)], 0,
		       sizeof(sum));
		evaluate(m, &sum, &row.c, m->weight[Z]);
		fr_neg(&sum, &sum);
		solve_term(m, Z, &row.c, p->term, &sum, &fr_one);
	}
}

static void solve_free(struct comparing *m, unsigned int solved)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	const struct lull_r1cs_lc *lc;
	struct lull_r1cs_row row;
	struct fr sum, other;

	while (lull_r1cs_next(m->r1cs, &walk, &row)) {
		evaluate(m, &sum, &row.c, m->weight[Z]);
		if (fr_is_zero(&sum) || !is_free(m, &row, solved, &other))
			continue;
		lc = of(&row, solved);
		solve_term(m, solved, lc, own_term(m, solved, lc), &sum,
			   &other);
	}
}

static void weigh_rows(struct comparing *m, unsigned int solved)
{
	unsigned int pass;
	uint32_t i;

	clear(m);
	for (i = 0; i < m->r1cs->nr_wires; i++) {
		set_random(m, solved == X ? Y : X, i);
		set_random(m, Z, i);
	}
	sort_rows(m, solved);
	for (pass = 0; pass < PASSES_MAX && peel_once(m); pass++)
		;
	clear_left(m);
	solve_peeled(m);
	solve_free(m, solved);
}

/* ---- sums of points ----------------------------------------------------- */

/* A portion being read. */
struct reading {
	const struct lull_source *source;
	enum lull_part part;
	size_t first, nr, each;
	uint8_t *to;
};

static int read_points(void *arg, size_t task, struct lull_error *reterr)
{
	const struct reading *r = arg;
	size_t lo = task * LULL_CONVERT_POINTS;
	size_t nr = lull_min(r->nr - lo, LULL_CONVERT_POINTS);

	return r->source->ops->points(r->source, r->part, r->first + lo, nr,
				      r->to + lo * r->each, reterr);
}

static int read_portion(const struct comparing *m, enum lull_part part,
			size_t first, size_t nr, size_t each,
			struct lull_error *reterr)
{
	struct reading r = { m->c->source, part, first, nr, each, m->points };

	return lull_workers_try(m->c->workers,
				lull_div_up(nr, LULL_CONVERT_POINTS),
				read_points, &r, reterr);
}

/* sum += weights times points of G1. */
static int sum_g1(const struct comparing *m, enum lull_part part,
		  const struct fr *weights, size_t nr, void *scratch,
		  struct g1_xyzz *sum, struct lull_error *reterr)
{
	struct g1_xyzz t;
	size_t lo, each;
	int err = LULL_OK;

	for (lo = 0; lo < nr && !err; lo += each) {
		each = lull_min(nr - lo, m->portion);
		err = read_portion(m, part, lo, each, sizeof(struct g1_affine),
				   reterr);
		if (err)
			break;
		g1_msm_var(&t, m->points, (const uint8_t *)(weights + lo), each,
			   m->c->workers, scratch);
		g1_xyzz_add(sum, sum, &t);
	}
	return err;
}

static int sum_b2(const struct comparing *m, const struct fr *weights,
		  void *scratch, struct g2_affine *ret,
		  struct lull_error *reterr)
{
	size_t lo, each, nr = m->r1cs->nr_wires;
	struct g2_xyzz t, sum;
	int err = LULL_OK;

	g2_xyzz_set_inf(&sum);
	for (lo = 0; lo < nr && !err; lo += each) {
		each = lull_min(nr - lo, m->portion);
		err = read_portion(m, LULL_PART_B2, lo, each,
				   sizeof(struct g2_affine), reterr);
		if (err)
			break;
		g2_msm_var(&t, m->points, (const uint8_t *)(weights + lo), each,
			   m->c->workers, scratch);
		g2_xyzz_add(&sum, &sum, &t);
	}
	g2_xyzz_to_affine(ret, &sum);
	return err;
}

/* The six points of a key's header, as LULL_PART_HEADER has them. */
struct header {
	struct g1_affine alpha1, beta1;
	struct g2_affine beta2, gamma2;
	struct g1_affine delta1;
	struct g2_affine delta2;
};

/* Every sum that one choice of weights needs. */
struct sums {
	struct g1_affine a_x, b1_y, a_z, ic_z, hl;
	struct g2_affine b2_y, b2_z;
};

static int add_sums(const struct comparing *m, void *scratch, struct sums *s,
		    struct lull_error *reterr)
{
	const size_t nr = m->r1cs->nr_wires, ones = m->c->source->nr_public + 1;
	struct g1_xyzz hl = { 0 };
	const struct {
		enum lull_part part;
		const struct fr *weights;
		size_t nr;
		struct g1_affine *to;
	} list[] = {
		{ LULL_PART_A, m->weight[X], nr, &s->a_x },
		{ LULL_PART_A, m->weight[Z], nr, &s->a_z },
		{ LULL_PART_B1, m->weight[Y], nr, &s->b1_y },
		{ LULL_PART_IC, m->weight[Z], ones, &s->ic_z },
	};
	struct g1_xyzz sum;
	size_t i;
	int err;

	g1_xyzz_set_inf(&hl);
	err = sum_g1(m, LULL_PART_H, m->a, m->n, scratch, &hl, reterr);
	if (!err)
		err = sum_g1(m, LULL_PART_L, m->weight[Z] + ones, nr - ones,
			     scratch, &hl, reterr);
	g1_xyzz_to_affine(&s->hl, &hl);
	for (i = 0; i < LULL_ARRAY_SIZE(list) && !err; i++) {
		g1_xyzz_set_inf(&sum);
		err = sum_g1(m, list[i].part, list[i].weights, list[i].nr,
			     scratch, &sum, reterr);
		g1_xyzz_to_affine(list[i].to, &sum);
	}
	if (!err)
		err = sum_b2(m, m->weight[Y], scratch, &s->b2_y, reterr);
	if (!err)
		err = sum_b2(m, m->weight[Z], scratch, &s->b2_z, reterr);
	return err;
}

static int fail(const struct comparing *m, const char *what,
		struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_MISMATCH,
			 "%s: the key %s: %s: expected the points of this "
			 "circuit, found others: it is another circuit, or its "
			 "rows or wires have another order",
			 m->r1cs->file.in.name, m->c->source->name, what);
}

static int check_sums(const struct comparing *m, const char *what,
		      const struct sums *s, struct lull_error *reterr)
{
	struct g1_affine p[5], b1[2];
	struct g2_affine q[5], b2[2];
	struct header h;
	int err;

	err = m->c->source->ops->header(m->c->source, (uint8_t *)&h, reterr);
	if (err)
		return err;
	g1_affine_neg(&b1[0], &s->b1_y);
	b1[1] = h.beta1;
	b2[0] = h.beta2;
	b2[1] = s->b2_y;
	if (!pairing_product_is_one(b1, b2, LULL_ARRAY_SIZE(b1)))
		return fail(m, "B in G1 beside B in G2", reterr);
	g1_affine_neg(&p[0], &s->a_x);
	p[1] = s->hl;
	p[2] = s->ic_z;
	g1_affine_neg(&p[3], &s->a_z);
	g1_affine_neg(&p[4], &h.alpha1);
	q[0] = s->b2_y;
	q[1] = h.delta2;
	q[2] = h.gamma2;
	q[3] = h.beta2;
	q[4] = s->b2_z;
	if (!pairing_product_is_one(p, q, LULL_ARRAY_SIZE(p)))
		return fail(m, what, reterr);
	return LULL_OK;
}

/* ---- one choice --------------------------------------------------------- */

static void fill_rows(struct comparing *m)
{
	const struct lull_source *source = m->c->source;
	struct lull_r1cs_walk walk = lull_r1cs_walk(m->r1cs);
	struct lull_r1cs_row row;
	uint32_t i, s, at;

	memset(m->a, 0, m->rows_vec.bytes);
	for (i = 0; lull_r1cs_next(m->r1cs, &walk, &row); i++) {
		at = lull_source_row(source, i);
		evaluate(m, &m->a[at], &row.a, m->weight[X]);
		evaluate(m, &m->b[at], &row.b, m->weight[Y]);
	}
	for (s = 0; s <= source->nr_public; s++)
		fr_from_plain(&m->a[lull_source_row(source, i + s)],
			      m->weight[X][s].l);
}

static int make_quotient(struct comparing *m, struct lull_error *reterr)
{
	const unsigned int log_n = m->c->source->log2_domain;
	struct fr_domain *domain;
	struct lull_vec scratch;
	int err;

	err = lull_arena_carve(m->c->arena,
			       fr_quotient_scratch_bytes(
				       log_n, lull_workers_nr(m->c->workers)),
			       0, "scratch of a quotient", &scratch, reterr);
	if (err)
		return err;
	err = fr_domain_create(log_n, m->c->arena, &domain, reterr);
	if (!err) {
		fr_quotient(domain, m->a, m->b, m->c->workers, scratch.ptr);
		fr_domain_destroy(domain);
	}
	lull_arena_retire(&scratch);
	return err;
}

static size_t portion_of(const struct lull_source *source)
{
	return lull_min(PORTION, lull_max(source->nr_vars,
					  (size_t)1 << source->log2_domain));
}

static size_t sums_bytes(size_t portion, unsigned int nr_threads)
{
	return lull_max(g1_msm_scratch_bytes(portion, nr_threads),
			g2_msm_scratch_bytes(portion, nr_threads));
}

uint64_t circuit_bytes(const struct lull_source *source,
		       unsigned int nr_threads)
{
	const size_t portion = portion_of(source);

	return portion * sizeof(struct g2_affine) +
	       lull_max(sums_bytes(portion, nr_threads),
			fr_ntt_scratch_bytes(source->log2_domain, nr_threads));
}

static int compare(struct comparing *m, const char *what,
		   struct lull_error *reterr)
{
	const unsigned int nr_threads = lull_workers_nr(m->c->workers);
	struct lull_vec scratch;
	struct sums sums;
	int err;

	fill_rows(m);
	err = make_quotient(m, reterr);
	if (err)
		return err;
	err = lull_arena_carve(m->c->arena, sums_bytes(m->portion, nr_threads),
			       0, "scratch of a comparison", &scratch, reterr);
	if (err)
		return err;
	err = add_sums(m, scratch.ptr, &sums, reterr);
	lull_arena_retire(&scratch);
	return err ? err : check_sums(m, what, &sums, reterr);
}

static int run(struct comparing *m, struct lull_error *reterr)
{
	static const struct {
		void (*weigh)(struct comparing *m, unsigned int which);
		unsigned int which;
		const char *what;
	} choices[] = {
		{ weigh_apart, X, "B" },
		{ weigh_apart, Y, "A" },
		{ weigh_rows, Y, "L, IC and C" },
		{ weigh_rows, X, "L, IC and C" },
	};
	size_t i;
	int err = LULL_OK;

	count_wires(m);
	for (i = 0; i < LULL_ARRAY_SIZE(choices) && !err; i++) {
		choices[i].weigh(m, choices[i].which);
		err = compare(m, choices[i].what, reterr);
	}
	return err;
}

/* ---- all of it ---------------------------------------------------------- */

static int take_memory(struct comparing *m, struct lull_error *reterr)
{
	const size_t nr = m->r1cs->nr_wires;
	struct lull_arena *arena = m->c->arena;
	size_t i;
	int err;

	err = lull_arena_carve(arena, 3 * nr * sizeof(uint32_t),
			       LULL_CARVE_ZERO, "counts of the wires",
			       &m->counts_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena, 3 * nr * sizeof(struct fr), 0,
				       "weights of the wires", &m->weights_vec,
				       reterr);
	if (!err)
		err = lull_arena_carve(arena, m->r1cs->nr_constraints, 0,
				       "kinds of the rows", &m->states_vec,
				       reterr);
	if (!err)
		err = lull_arena_carve(
			arena, m->r1cs->nr_constraints * sizeof(*m->peeled), 0,
			"an order of the rows", &m->peeled_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena, 2 * m->n * sizeof(*m->a), 0,
				       "rows", &m->rows_vec, reterr);
	if (!err)
		err = lull_arena_carve(
			arena, m->portion * sizeof(struct g2_affine), 0,
			"points to be compared", &m->points_vec, reterr);
	if (err)
		return err;
	for (i = 0; i < 3; i++) {
		m->terms[i] = (uint32_t *)m->counts_vec.ptr + i * nr;
		m->weight[i] = (struct fr *)m->weights_vec.ptr + i * nr;
	}
	m->states = m->states_vec.ptr;
	m->peeled = m->peeled_vec.ptr;
	m->a = m->rows_vec.ptr;
	m->b = m->a + m->n;
	m->points = m->points_vec.ptr;
	return LULL_OK;
}

int circuit_compare(struct lull_converting *c, const struct lull_r1cs *r1cs,
		    struct lull_error *reterr)
{
	struct comparing m = { .c = c,
			       .r1cs = r1cs,
			       .n = (size_t)1 << c->source->log2_domain,
			       .portion = portion_of(c->source) };
	uint8_t random[LULL_FR_BYTES];
	int err;

	err = lull_prove_random(c->source->facts, random, reterr);
	if (err)
		return err;
	m.seed = lull_load_u64(random);
	fr_mul(&m.r3, &r2, &r2);
	err = take_memory(&m, reterr);
	if (!err)
		err = run(&m, reterr);
	lull_arena_retire(&m.counts_vec);
	lull_arena_retire(&m.weights_vec);
	lull_arena_retire(&m.states_vec);
	lull_arena_retire(&m.peeled_vec);
	lull_arena_retire(&m.rows_vec);
	lull_arena_retire(&m.points_vec);
	return err;
}
