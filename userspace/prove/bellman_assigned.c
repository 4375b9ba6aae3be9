// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_assigned.c - a proof from what bellperson hands to a prover
 *
 * Values come in Montgomery form, in two arrays; the multiplications want plain
 * integers, in one.  Everything is checked on that way: sizes and densities
 * against the key, each value's range, each row's equation.
 *
 * Values are the witness: they are wiped, and messages name rows and indices,
 * never values.
 */
/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include <inttypes.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/workers.h"
#include "curve/fr.h"
#include "prove/bellman.h"
#include "prove/prover.h"
#include "prove/random.h"

#define VALUES_PER_TASK ((size_t)1 << 13)
#define WORD_BITS 64

/* ---- sizes and densities ----------------------------------------------- */

static int expect_number(const struct lull_key *key, const char *what,
			 uint64_t want, uint64_t found,
			 struct lull_error *reterr)
{
	if (want == found)
		return LULL_OK;
	return lull_fail(reterr, LULL_MISMATCH,
			 "%s: %s: the key expects %" PRIu64 ", found %" PRIu64,
			 key->file.parts.name, what, want, found);
}

static size_t count_bits(const uint64_t *bits, size_t nr)
{
	size_t i, set = 0;

	for (i = 0; i < nr / WORD_BITS; i++)
		set += (size_t)__builtin_popcountll(bits[i]);
	/* What stands behind the last bit is nobody's. */
	if (nr % WORD_BITS)
		set += (size_t)__builtin_popcountll(
			bits[i] << (WORD_BITS - nr % WORD_BITS));
	return set;
}

static int check_rows(const struct lull_key *key,
		      const struct lull_assignment *in,
		      struct lull_error *reterr)
{
	size_t n = key->file.parts.domain_size;

	if (in->nr_rows > n / 2 && in->nr_rows <= n)
		return LULL_OK;
	return lull_fail(reterr, LULL_MISMATCH,
			 "%s: rows: the key expects from %zu to %zu, found %zu",
			 key->file.parts.name, n / 2 + 1, n, in->nr_rows);
}

static int check_sizes(const struct lull_key *key,
		       const struct lull_assignment *in,
		       struct lull_error *reterr)
{
	size_t nr_inputs = key->file.parts.nr_public + (size_t)1;
	int err;

	err = expect_number(key, "inputs, the constant one among them",
			    nr_inputs, in->nr_inputs, reterr);
	if (!err)
		err = expect_number(key, "private variables",
				    key->file.parts.nr_vars - nr_inputs,
				    in->nr_aux, reterr);
	if (!err)
		err = check_rows(key, in, reterr);
	if (!err)
		err = expect_number(
			key, "density of a", key->nr_a,
			in->nr_inputs +
				count_bits(in->a_aux_density, in->nr_aux),
			reterr);
	if (!err)
		err = expect_number(
			key, "density of b", key->nr_b,
			count_bits(in->b_input_density, in->nr_inputs) +
				count_bits(in->b_aux_density, in->nr_aux),
			reterr);
	return err;
}

static int check_call(const struct lull_key *key,
		      const struct lull_assignment *in,
		      struct lull_error *reterr)
{
	if (!key->assigned)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: expected a key of bellman's parameters",
				 key->file.parts.name);
	if (lull_check_size(reterr, "lull_assignment", sizeof(*in), in->size))
		return LULL_USAGE;
	if (!in->a || !in->b || !in->c || !in->inputs ||
	    (in->nr_aux &&
	     (!in->aux || !in->a_aux_density || !in->b_aux_density)) ||
	    !in->b_input_density)
		return lull_fail(reterr, LULL_USAGE,
				 "struct lull_assignment: an array is missing");
	if (!in->r != !in->s)
		return lull_fail(reterr, LULL_USAGE,
				 "struct lull_assignment: expected both of r "
				 "and s, or neither, found one");
	return LULL_OK;
}

/* ---- values ------------------------------------------------------------ */

static bool load(struct fr *r, const void *values, size_t i)
{
	memcpy(r, (const uint8_t *)values + i * sizeof(*r), sizeof(*r));
	return fr_is_canonical(r);
}

static int fail_value(const struct lull_key *key, const char *what, size_t i,
		      struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_RANGE,
			 "%s: %s: value %zu: expected below r of BLS12-381",
			 key->file.parts.name, what, i);
}

/* One partition under way. */
struct taking {
	const struct lull_key *key;
	const struct lull_assignment *in;
	size_t nr_row_tasks;
	struct fr *witness; /* plain: inputs, then private variables */
	uint64_t *dense_a, *dense_b;
	struct lull_vec witness_vec, dense_vec;
};

static int check_rows_task(const struct taking *t, size_t task,
			   struct lull_error *reterr)
{
	const struct lull_assignment *in = t->in;
	size_t i = task * VALUES_PER_TASK;
	size_t hi = lull_min(i + VALUES_PER_TASK, in->nr_rows);
	int err = LULL_OK;
	struct fr a, b, c;

	for (; !err && i < hi; i++) {
		if (!load(&a, in->a, i))
			err = fail_value(t->key, "a", i, reterr);
		else if (!load(&b, in->b, i))
			err = fail_value(t->key, "b", i, reterr);
		else if (!load(&c, in->c, i))
			err = fail_value(t->key, "c", i, reterr);
		if (err)
			break;
		fr_mul(&a, &a, &b);
		if (!fr_equal(&a, &c))
			err = lull_fail(reterr, LULL_UNSATISFIED,
					"%s: row %zu of %zu does not hold: a b "
					"is not c",
					t->key->file.parts.name, i,
					in->nr_rows);
	}
	lull_wipe(&a, sizeof(a));
	lull_wipe(&b, sizeof(b));
	lull_wipe(&c, sizeof(c));
	return err;
}

/* Values [lo, hi) of inputs and private variables together. */
static int take_values(const struct taking *t, size_t lo, size_t hi,
		       struct lull_error *reterr)
{
	const struct lull_assignment *in = t->in;
	int err = LULL_OK;
	struct fr v;
	size_t i;

	for (i = lo; i < hi && !err; i++) {
		bool is_input = i < in->nr_inputs;
		size_t at = is_input ? i : i - in->nr_inputs;

		if (!load(&v, is_input ? in->inputs : in->aux, at))
			err = fail_value(t->key, is_input ? "inputs" : "aux",
					 at, reterr);
		else if (!i && !fr_equal(&v, &fr_one))
			err = lull_fail(reterr, LULL_RANGE,
					"%s: inputs: value 0: expected the "
					"constant one",
					t->key->file.parts.name);
		else
			fr_to_plain(t->witness[i].l, &v);
	}
	lull_wipe(&v, sizeof(v));
	return err;
}

static int take_task(void *arg, size_t task, struct lull_error *reterr)
{
	const struct taking *t = arg;
	size_t lo, nr = t->key->file.parts.nr_vars;

	if (task < t->nr_row_tasks)
		return check_rows_task(t, task, reterr);
	lo = (task - t->nr_row_tasks) * VALUES_PER_TASK;
	return take_values(t, lo, lull_min(lo + VALUES_PER_TASK, nr), reterr);
}

/* Sets bits [at, at + nr) of zeroed @to to @nr bits of @from. */
static void append_bits(uint64_t *to, size_t at, const uint64_t *from,
			size_t nr)
{
	unsigned int shift = at % WORD_BITS;
	uint64_t bits;

	for (to += at / WORD_BITS; nr; to++, from++) {
		bits = *from;
		if (nr < WORD_BITS)
			bits &= ((uint64_t)1 << nr) - 1;
		to[0] |= bits << shift;
		if (shift && bits >> (WORD_BITS - shift))
			to[1] |= bits >> (WORD_BITS - shift);
		nr -= lull_min(nr, WORD_BITS);
	}
}

/* The key's a has every input. */
static void take_density(struct taking *t)
{
	const struct lull_assignment *in = t->in;
	size_t i;

	for (i = 0; i < in->nr_inputs; i++)
		t->dense_a[i / WORD_BITS] |= (uint64_t)1 << i % WORD_BITS;
	append_bits(t->dense_a, in->nr_inputs, in->a_aux_density, in->nr_aux);
	append_bits(t->dense_b, 0, in->b_input_density, in->nr_inputs);
	append_bits(t->dense_b, in->nr_inputs, in->b_aux_density, in->nr_aux);
}

static int take(struct taking *t, struct lull_workers *workers,
		struct lull_arena *arena, struct lull_error *reterr)
{
	size_t nr = t->key->file.parts.nr_vars,
	       nr_words = lull_div_up(nr, WORD_BITS);
	int err;

	err = lull_arena_carve(arena, nr * sizeof(struct fr), LULL_CARVE_SECRET,
			       "an assignment", &t->witness_vec, reterr);
	if (!err)
		err = lull_arena_carve(arena, 2 * nr_words * sizeof(uint64_t),
				       LULL_CARVE_ZERO, "densities",
				       &t->dense_vec, reterr);
	if (err)
		return err;
	t->witness = t->witness_vec.ptr;
	t->dense_a = t->dense_vec.ptr;
	t->dense_b = t->dense_a + nr_words;
	take_density(t);
	t->nr_row_tasks = lull_div_up(t->in->nr_rows, VALUES_PER_TASK);
	return lull_workers_try(
		workers, t->nr_row_tasks + lull_div_up(nr, VALUES_PER_TASK),
		take_task, t, reterr);
}

/* ---- blinding ---------------------------------------------------------- */

struct blinding {
	struct fr r, s; /* plain */
};

static int draw(struct fr *ret_plain, struct lull_error *reterr)
{
	uint8_t bytes[LULL_FR_BYTES];
	int err;

	err = lull_prove_random(lull_curve_facts(LULL_CURVE_BLS12_381), bytes,
				reterr);
	if (!err)
		memcpy(ret_plain, bytes, sizeof(bytes));
	lull_wipe(bytes, sizeof(bytes));
	return err;
}

static int take_blinding(struct blinding *blinding, const struct taking *t,
			 struct lull_error *reterr)
{
	struct fr *r = &blinding->r, *s = &blinding->s;
	int err = LULL_OK;

	if (t->in->r) {
		if (!load(r, t->in->r, 0))
			return fail_value(t->key, "r", 0, reterr);
		if (!load(s, t->in->s, 0))
			return fail_value(t->key, "s", 0, reterr);
		fr_to_plain(r->l, r);
		fr_to_plain(s->l, s);
	} else {
		err = draw(r, reterr);
		if (!err)
			err = draw(s, reterr);
	}
	if (!err && fr_is_zero(r) && fr_is_zero(s))
		err = lull_fail(reterr, LULL_USAGE,
				"%s: r and s are both zero: the proof would "
				"not hide the witness",
				t->key->file.parts.name);
	return err;
}

/* ---- the proof --------------------------------------------------------- */

static int prove(const struct taking *t, struct lull_workers *workers,
		 struct lull_arena *arena, const struct lull_prove_opts *opts,
		 struct lull_proof **ret_proof, struct lull_error *reterr)
{
	const struct lull_assigned assigned = {
		.a = t->in->a,
		.b = t->in->b,
		.nr_rows = t->in->nr_rows,
		.dense_a = t->dense_a,
		.dense_b = t->dense_b,
	};
	struct blinding blinding;
	int err;

	err = take_blinding(&blinding, t, reterr);
	if (!err)
		err = lull_prover_run_assigned(
			workers, arena, t->key, (const uint8_t *)t->witness,
			&assigned, opts, (const uint8_t *)&blinding.r,
			(const uint8_t *)&blinding.s, ret_proof, reterr);
	lull_wipe(&blinding, sizeof(blinding));
	return err;
}

int lull_bellman_prove(struct lull_workers *workers, struct lull_arena *arena,
		       const struct lull_key *key,
		       const struct lull_assignment *in,
		       const struct lull_prove_opts *opts,
		       struct lull_proof **ret_proof, struct lull_error *reterr)
{
	struct taking t = { .key = key, .in = in };
	int err;

	err = check_call(key, in, reterr);
	if (!err)
		err = check_sizes(key, in, reterr);
	if (!err)
		err = take(&t, workers, arena, reterr);
	if (!err)
		err = prove(&t, workers, arena, opts, ret_proof, reterr);
	lull_arena_retire(&t.witness_vec);
	lull_arena_retire(&t.dense_vec);
	return err;
}
