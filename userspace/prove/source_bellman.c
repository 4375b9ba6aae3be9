// SPDX-License-Identifier: Apache-2.0
/*
 * source_bellman.c - parameters of bellman and a circuit as source of a .lkey
 *
 * The parameters have the points, the circuit the rows.  Three things differ
 * from a .zkey (Documentation/formats/bellman.rst):
 *
 *  - bellman's row i is row k i mod n of the domain whose powers are snarkjs's.
 *    A table by rows of that domain tells where each constraint stands in the
 *    circuit, so that records can be had from any place on.
 *  - a, b_g1 and b_g2 leave out wires that A or B does not have.  A bit a wire
 *    tells which are there.
 *  - h are powers of tau.  The prover has values on the odd powers of w_2n, and
 *
 *	H_j = -1/(2n) sum_(i < n - 1) (w_2n^-1 w_n^-j)^i h_i
 *
 *    is what they are multiplied by: one transform of points here, so that no
 *    proof needs one more of scalars and every backend takes the key as it is.
 *
 * Holds n points of G1, 12 bytes a row and 3 bits a wire.
 */
/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include <inttypes.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "ntt/passes.h"
#include "prove/bellman.h"
#include "prove/transform.h"

#define WORD_BITS 64
/* What stands in a row of the domain: a constraint, by its first byte in the
 * circuit, or an input's own row. */
#define ROW_EMPTY UINT64_MAX
#define ROW_INPUT ((uint64_t)1 << 63)

/**
 * struct dense - which wires a matrix has
 * @bits: one a wire
 * @before: by word of @bits: bits set in the words before it; one more at the
 *	end
 */
struct dense {
	uint64_t *bits;
	uint32_t *before;
};

/**
 * struct params_source - the state of a source
 * @file: the parameters
 * @r1cs: the circuit
 * @starts: by row of the domain: the records before it; one more at the end
 * @rows: by row of the domain: what stands there
 * @dense: of A and of B
 * @h: H as a .lkey has it
 */
struct params_source {
	struct lull_bellman file;
	struct lull_r1cs r1cs;
	struct lull_vec starts_vec, rows_vec, bits_vec, before_vec, h_vec;
	uint32_t *starts;
	uint64_t *rows;
	struct dense dense[LULL_CSR_MATRICES];
	struct g1_affine *h;
};

/* ---- points ------------------------------------------------------------- */

static const struct {
	enum lull_bellman_array array;
	int matrix; /* whose wires the array has; -1: it has all */
} arrays[LULL_NR_PARTS] = {
	[LULL_PART_IC] = { LULL_BELLMAN_IC, -1 },
	[LULL_PART_L] = { LULL_BELLMAN_L, -1 },
	[LULL_PART_A] = { LULL_BELLMAN_A, 0 },
	[LULL_PART_B1] = { LULL_BELLMAN_B_G1, 1 },
	[LULL_PART_B2] = { LULL_BELLMAN_B_G2, 1 },
	[LULL_PART_H] = { LULL_BELLMAN_H, -1 },
};

static bool is_dense(const struct dense *dense, size_t wire)
{
	return dense->bits[wire / WORD_BITS] >> wire % WORD_BITS & 1;
}

/* Dense wires below @wire, which may be the number of wires. */
static size_t rank(const struct dense *dense, size_t wire)
{
	size_t word = wire / WORD_BITS, bits = wire % WORD_BITS;
	size_t nr = dense->before[word];

	if (bits)
		nr += (size_t)__builtin_popcountll(dense->bits[word] &
						   (((uint64_t)1 << bits) - 1));
	return nr;
}

static size_t place_of(const struct params_source *s, enum lull_part part,
		       size_t index)
{
	int matrix = arrays[part].matrix;

	return matrix < 0 ? index : rank(&s->dense[matrix], index);
}

/* Points of dense wires, at the front of @to, to their places; infinity for the
 * others. */
static void spread(const struct dense *dense, size_t first, size_t nr,
		   size_t nr_dense, size_t each, uint8_t *to)
{
	while (nr--) {
		if (!is_dense(dense, first + nr))
			memset(to + nr * each, 0, each);
		else if (nr != --nr_dense)
			memcpy(to + nr * each, to + nr_dense * each, each);
	}
}

static int take_points(const struct lull_source *source, enum lull_part part,
		       size_t first, size_t nr, uint8_t *to,
		       struct lull_error *reterr)
{
	const struct params_source *s = source->state;
	enum lull_bellman_array array = arrays[part].array;
	size_t lo, hi;
	int err;

	if (part == LULL_PART_H) {
		memcpy(to, s->h + first, nr * sizeof(*s->h));
		return LULL_OK;
	}
	lo = place_of(s, part, first);
	hi = place_of(s, part, first + nr);
	err = lull_bellman_take_points(&s->file, array, lo, hi - lo, to,
				       reterr);
	if (!err && arrays[part].matrix >= 0)
		spread(&s->dense[arrays[part].matrix], first, nr, hi - lo,
		       lull_bellman_point_bytes(array), to);
	return err;
}

static int take_header(const struct lull_source *source, uint8_t *to,
		       struct lull_error *reterr)
{
	const struct params_source *s = source->state;
	unsigned int array;
	int err = LULL_OK;

	/* The same points in the same order. */
	for (array = LULL_BELLMAN_ALPHA_G1; array < LULL_BELLMAN_IC && !err;
	     array++) {
		err = lull_bellman_take_points(&s->file, array, 0, 1, to,
					       reterr);
		to += lull_bellman_point_bytes(array);
	}
	return err;
}

static int fail_point(const struct lull_source *source, enum lull_part part,
		      const char *what, const struct lull_points_report *report,
		      struct lull_error *reterr)
{
	const struct params_source *s = source->state;
	enum lull_bellman_array array = arrays[part].array;
	size_t index = report->index;

	(void)what;
	if (part == LULL_PART_HEADER) {
		array = (enum lull_bellman_array)index;
		index = 0;
	} else {
		index = place_of(s, part, index);
	}
	return lull_bellman_fail_point(&s->file, array, index, report->fault,
				       reterr);
}

/* ---- h ------------------------------------------------------------------ */

/* h on its way to where a join expects it. */
struct loading {
	struct params_source *s;
	unsigned int log_n;
	uint8_t *buffers;
};

static int load_h_task(void *arg, size_t task, unsigned int slot,
		       struct lull_error *reterr)
{
	const struct loading *l = arg;
	const struct lull_bellman *file = &l->s->file;
	struct g1_affine *h = l->s->h;
	size_t lo = task * LULL_CONVERT_POINTS, i;
	size_t nr =
		lull_min(file->nr[LULL_BELLMAN_H] - lo, LULL_CONVERT_POINTS);
	uint8_t *buf = l->buffers + slot * LULL_CONVERT_POINTS * sizeof(*h);
	int err;

	err = lull_bellman_take_points(file, LULL_BELLMAN_H, lo, nr, buf,
				       reterr);
	if (!err)
		err = lull_bellman_check_points(file, LULL_BELLMAN_H, lo, nr,
						buf, reterr);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		memcpy(&h[ntt_reverse(lo + i, l->log_n)], buf + i * sizeof(*h),
		       sizeof(*h));
	return LULL_OK;
}

static int load_h(const struct lull_converting *c, struct params_source *s,
		  unsigned int log_n, struct lull_error *reterr)
{
	struct loading l = { .s = s, .log_n = log_n };
	const size_t n = (size_t)1 << log_n;
	struct lull_vec buffers;
	int err;

	err = lull_arena_carve(c->arena, n * sizeof(*s->h), 0, "points of h",
			       &s->h_vec, reterr);
	if (err)
		return err;
	err = lull_arena_carve(c->arena,
			       lull_workers_nr(c->workers) *
				       LULL_CONVERT_POINTS * sizeof(*s->h),
			       0, "points on their way", &buffers, reterr);
	if (err)
		return err;
	s->h = s->h_vec.ptr;
	l.buffers = buffers.ptr;
	/* There is no power n - 1 of tau; it is its own reversal. */
	memset(&s->h[n - 1], 0, sizeof(*s->h));
	err = lull_convert_run(c, "points of h",
			       lull_div_up(n - 1, LULL_CONVERT_POINTS),
			       load_h_task, &l, reterr);
	lull_arena_retire(&buffers);
	return err;
}

static int transform_h(const struct lull_converting *c, struct params_source *s,
		       unsigned int log_n, struct lull_error *reterr)
{
	struct g1_transform t = { .c = c,
				  .what = "h to H",
				  .points = s->h,
				  .log_n = log_n,
				  .all = log_n };
	struct fr shift, factor;
	int err;

	g1_transform_root(&shift, log_n + 1);
	fr_inv(&shift, &shift);
	fr_from_u64(&factor, (uint64_t)2 << log_n);
	fr_inv(&factor, &factor);
	fr_neg(&factor, &factor);
	err = g1_transform_open(&t, reterr);
	if (!err)
		err = g1_transform_join(&t, &shift, &factor, reterr);
	g1_transform_close(&t);
	return err;
}

/* ---- rows --------------------------------------------------------------- */

/* The constraint that begins at byte @at of the circuit's. */
static void constraint_at(const struct params_source *s, uint64_t at,
			  struct lull_r1cs_row *ret_row)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(&s->r1cs);

	walk.next = s->r1cs.constraints + at;
	lull_r1cs_next(&s->r1cs, &walk, ret_row);
}

static void put_term(uint8_t *to, uint32_t matrix, uint32_t row,
		     const struct lull_r1cs_lc *lc, uint32_t i)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	struct fr value;

	memcpy(&value, lull_r1cs_term_value(lc, i), sizeof(value));
	fr_mul(&value, &value, &r2); /* Montgomery form */
	fr_mul(&value, &value, &r2);
	lull_record_put(to, matrix, row, lull_r1cs_term_wire(lc, i), &value);
}

/* Up to @nr records of a row, from number @skip on; returns how many. */
static size_t put_row(const struct params_source *s, uint32_t row, size_t skip,
		      size_t nr, uint8_t *to)
{
	static const struct fr r2 = { CURVE_CONST(FR_R2) };
	const uint64_t what = s->rows[row];
	struct lull_r1cs_row c;
	size_t all = s->starts[row + 1] - s->starts[row], i;

	if (!all)
		return 0;
	if (what & ROW_INPUT) {
		lull_record_put(to, 0, row, (uint32_t)what, &r2);
		return 1;
	}
	nr = lull_min(nr, all - skip);
	constraint_at(s, what, &c);
	for (i = skip; i < skip + nr; i++, to += LULL_RECORD_BYTES) {
		if (i < c.a.nr_terms)
			put_term(to, 0, row, &c.a, (uint32_t)i);
		else
			put_term(to, 1, row, &c.b, (uint32_t)i - c.a.nr_terms);
	}
	return nr;
}

/* The row of record @record. */
static uint32_t find_row(const struct params_source *s, uint32_t nr_rows,
			 size_t record)
{
	uint32_t lo = 0, hi = nr_rows, middle;

	/* starts[lo] <= record < starts[hi] */
	while (hi - lo > 1) {
		middle = lo + (hi - lo) / 2;
		if (s->starts[middle] <= record)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

static int take_records(const struct lull_source *source, size_t first,
			size_t nr, uint8_t *to, struct lull_error *reterr)
{
	const struct params_source *s = source->state;
	uint32_t row = find_row(s, (uint32_t)1 << source->log2_domain, first);
	size_t skip = first - s->starts[row], put;

	(void)reterr;
	for (; nr; row++, skip = 0) {
		put = put_row(s, row, skip, nr, to);
		nr -= put;
		to += put * LULL_RECORD_BYTES;
	}
	return LULL_OK;
}

static void note_wires(struct dense *dense, const struct lull_r1cs_lc *lc)
{
	uint32_t i, wire;

	for (i = 0; i < lc->nr_terms; i++) {
		wire = lull_r1cs_term_wire(lc, i);
		if (!lull_is_zero(lull_r1cs_term_value(lc, i), LULL_FR_BYTES))
			dense->bits[wire / WORD_BITS] |= (uint64_t)1
							 << wire % WORD_BITS;
	}
}

static void sum_words(struct dense *dense, size_t nr_words)
{
	size_t i;

	dense->before[0] = 0;
	for (i = 0; i < nr_words; i++)
		dense->before[i + 1] =
			dense->before[i] +
			(uint32_t)__builtin_popcountll(dense->bits[i]);
}

/* Fills rows, starts and bits, which are empty. */
static void index_rows(struct params_source *s,
		       const struct lull_source *source)
{
	const size_t n = (size_t)1 << source->log2_domain;
	struct lull_r1cs_walk walk = lull_r1cs_walk(&s->r1cs), here = walk;
	struct lull_r1cs_row row;
	uint32_t i, in, at;
	size_t z;

	memset(s->rows, 0xff, n * sizeof(*s->rows));
	for (i = 0; lull_r1cs_next(&s->r1cs, &walk, &row); i++, here = walk) {
		at = lull_source_row(source, i);
		s->rows[at] = (uint64_t)(here.next - s->r1cs.constraints);
		s->starts[at + 1] = row.a.nr_terms + row.b.nr_terms;
		note_wires(&s->dense[0], &row.a);
		note_wires(&s->dense[1], &row.b);
	}
	for (in = 0; in <= source->nr_public; in++) {
		at = lull_source_row(source, i + in);
		s->rows[at] = ROW_INPUT | in;
		s->starts[at + 1] = 1;
		s->dense[0].bits[in / WORD_BITS] |= (uint64_t)1
						    << in % WORD_BITS;
	}
	for (z = 0; z < n; z++)
		s->starts[z + 1] += s->starts[z];
	for (i = 0; i < LULL_CSR_MATRICES; i++)
		sum_words(&s->dense[i],
			  lull_div_up(source->nr_vars, WORD_BITS));
}

/* Points of h, tables by row, and by wire what bits and counts of words come
 * to. */
static uint64_t own_bytes(const struct params_source *s,
			  const struct lull_source *source)
{
	const uint64_t n = (uint64_t)1 << source->log2_domain;
	const uint64_t nr_words = lull_div_up(source->nr_vars, WORD_BITS);

	return n * (sizeof(*s->h) + sizeof(*s->starts) + sizeof(*s->rows)) +
	       LULL_CSR_MATRICES * nr_words *
		       (sizeof(uint64_t) + sizeof(uint32_t));
}

static int take_tables(struct params_source *s,
		       const struct lull_source *source,
		       struct lull_arena *arena, struct lull_error *reterr)
{
	const size_t n = (size_t)1 << source->log2_domain;
	const size_t nr_words = lull_div_up(source->nr_vars, WORD_BITS);
	unsigned int k;
	int err;

	err = lull_arena_carve(arena, (n + 1) * sizeof(*s->starts),
			       LULL_CARVE_ZERO, "where rows begin",
			       &s->starts_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena, n * sizeof(*s->rows), 0,
				       "where rows stand", &s->rows_vec,
				       reterr);
	if (!err)
		err = lull_arena_carve(
			arena, LULL_CSR_MATRICES * nr_words * sizeof(uint64_t),
			LULL_CARVE_ZERO, "densities", &s->bits_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena,
				       LULL_CSR_MATRICES * (nr_words + 1) *
					       sizeof(uint32_t),
				       0, "densities", &s->before_vec, reterr);
	if (err)
		return err;
	s->starts = s->starts_vec.ptr;
	s->rows = s->rows_vec.ptr;
	for (k = 0; k < LULL_CSR_MATRICES; k++) {
		s->dense[k].bits = (uint64_t *)s->bits_vec.ptr + k * nr_words;
		s->dense[k].before =
			(uint32_t *)s->before_vec.ptr + k * (nr_words + 1);
	}
	return LULL_OK;
}

/* ---- do they belong together? ------------------------------------------- */

static int expect(const struct params_source *s, enum lull_bellman_array array,
		  const char *what, uint64_t want, struct lull_error *reterr)
{
	if (s->file.nr[array] == want)
		return LULL_OK;
	return lull_bellman_fail(
		&s->file, array,
		s->file.offset[array] - LULL_BELLMAN_COUNT_BYTES, reterr,
		LULL_MISMATCH,
		"expected %" PRIu64 " points, %s of %s, found %" PRIu32, want,
		what, s->r1cs.file.in.name, s->file.nr[array]);
}

static int check_sizes(const struct params_source *s, struct lull_error *reterr)
{
	const struct lull_r1cs *r = &s->r1cs;
	const uint64_t nr_inputs = (uint64_t)r->nr_pub_out + r->nr_pub_in + 1;
	const uint64_t nr_rows = r->nr_constraints + nr_inputs;
	const uint64_t nr_records = r->nr_terms_a + r->nr_terms_b + nr_inputs;
	uint64_t n = 1;
	int err;

	if (r->curve != LULL_CURVE_BLS12_381)
		return lull_fail(reterr, LULL_MISMATCH,
				 "%s: the circuit is of %s, the key %s of "
				 "BLS12-381",
				 r->file.in.name, r->facts->name,
				 s->file.in.name);
	if (nr_records > UINT32_MAX)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: terms of A and B: expected at most "
				 "%" PRIu32 ", found %" PRIu64,
				 r->file.in.name, UINT32_MAX, nr_records);
	while (n < nr_rows)
		n *= 2;
	err = expect(s, LULL_BELLMAN_IC, "the inputs", nr_inputs, reterr);
	if (!err)
		err = expect(s, LULL_BELLMAN_L, "the private wires",
			     r->nr_wires - nr_inputs, reterr);
	if (!err)
		err = expect(s, LULL_BELLMAN_H, "for the rows", n - 1, reterr);
	return err;
}

static int check_densities(const struct params_source *s,
			   struct lull_error *reterr)
{
	const size_t nr = s->r1cs.nr_wires;
	int err;

	err = expect(s, LULL_BELLMAN_A, "the wires in A",
		     rank(&s->dense[0], nr), reterr);
	if (!err)
		err = expect(s, LULL_BELLMAN_B_G1, "the wires in B",
			     rank(&s->dense[1], nr), reterr);
	return err;
}

/* ---- the source --------------------------------------------------------- */

static int finish(const struct lull_source *source, struct lull_error *reterr)
{
	const struct params_source *s = source->state;

	int err = lull_instream_same(&s->file.in, reterr);

	return err ? err : lull_infile_same(&s->r1cs.file.in, reterr);
}

static void end(struct lull_source *source)
{
	struct params_source *s = source->state;

	if (!s)
		return;
	lull_arena_retire(&s->starts_vec);
	lull_arena_retire(&s->rows_vec);
	lull_arena_retire(&s->bits_vec);
	lull_arena_retire(&s->before_vec);
	lull_arena_retire(&s->h_vec);
	lull_r1cs_close(&s->r1cs);
	lull_bellman_close(&s->file);
	free(s);
	*source = (struct lull_source){ 0 };
}

static const struct lull_source_ops bellman_ops = {
	.header = take_header,
	.points = take_points,
	.records = take_records,
	.fail_point = fail_point,
	.finish = finish,
	.done = end,
};

static void describe(struct lull_source *source, const struct params_source *s)
{
	const struct lull_r1cs *r = &s->r1cs;

	memcpy(source->name, s->file.in.name, sizeof(source->name));
	source->facts = r->facts;
	source->nr_vars = r->nr_wires;
	source->nr_public = r->nr_pub_out + r->nr_pub_in;
	source->log2_domain = (uint32_t)__builtin_ctzll(
		(uint64_t)s->file.nr[LULL_BELLMAN_H] + 1);
	source->nr_records = (uint32_t)(r->nr_terms_a + r->nr_terms_b) +
			     source->nr_public + 1;
	source->row_step = BLS12_381_FR_BELLMAN_STEP;
}

/* Everything but what is cheap is done by the threads and told to whoever
 * wants to know, as if it were part of the conversion that follows. */
static int fill(const struct lull_converting *c, struct lull_source *source,
		struct lull_error *reterr)
{
	struct params_source *s = source->state;
	int err;

	err = check_sizes(s, reterr);
	if (err)
		return err;
	describe(source, s);
	err = lull_convert_need(c, source, own_bytes(s, source), reterr);
	if (!err)
		err = take_tables(s, source, c->arena, reterr);
	if (err)
		return err;
	index_rows(s, source);
	if (s->starts[(size_t)1 << source->log2_domain] != source->nr_records)
		return lull_instream_fail_changed(s->r1cs.file.in.name, reterr);
	err = check_densities(s, reterr);
	if (!err)
		err = load_h(c, s, source->log2_domain, reterr);
	if (!err)
		err = transform_h(c, s, source->log2_domain, reterr);
	return err;
}

static int open_source(const char *path, const struct lull_converting *c,
		       struct lull_source *ret_source,
		       struct lull_error *reterr)
{
	struct lull_source source = { .ops = &bellman_ops };
	struct params_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	source.state = s;
	s->file.in.fd = -1;
	err = lull_bellman_open(path, 0, &s->file, reterr);
	s->file.in.reader = c->how->reader;
	if (!err)
		err = lull_r1cs_open(c->how->r1cs_path, &s->r1cs, reterr);
	if (!err)
		err = fill(c, &source, reterr);
	if (err) {
		end(&source);
		return err;
	}
	*ret_source = source;
	return LULL_OK;
}

int lull_convert_bellman(const char *params_path, const char *path,
			 const struct lull_convert_how *how,
			 struct lull_workers *workers, struct lull_arena *arena,
			 struct lull_error *reterr)
{
	const struct lull_converting c = { .how = how,
					   .workers = workers,
					   .arena = arena };
	struct lull_source source;
	int err;

	if (!how->r1cs_path)
		return lull_fail(
			reterr, LULL_USAGE,
			"%.80s: parameters of bellman hold no circuit: "
			"expected one beside them",
			params_path);
	err = lull_convert_check_paths(params_path, path, how, reterr);
	if (!err)
		err = open_source(params_path, &c, &source, reterr);
	if (err)
		return err;
	err = lull_convert(&source, path, how, workers, arena, reterr);
	source.ops->done(&source);
	return err;
}
