// SPDX-License-Identifier: Apache-2.0
/*
 * layout.cu - plans of device memory: inside the budget, and nothing twice
 *
 * Needs no GPU: a plan is arithmetic.  The curve's functions here only say
 * sizes.
 */
#include "classify.cuh"
#include "harness.h"
#include "layout.cuh"

extern "C" {
#include "base/base.h"
}

using namespace lull;

#define GIB ((uint64_t)1 << 30)
#define NR_SMS 132 /* of the cards that the figures are for */

/* Tables of a domain and scratch, about as large as they are. */
static uint64_t tables_bytes(unsigned int log2_n)
{
	return (uint64_t)64 << log2_n;
}

static uint64_t quotient_scratch(unsigned int log2_n, bool folded)
{
	return folded ? 0 : (uint64_t)32 << log2_n;
}

static uint64_t coefs_bytes(unsigned int log2_n)
{
	return (uint64_t)64 << (log2_n + 1) / 2;
}

static uint64_t classify_scratch(size_t nr)
{
	return nr / 4 + 4096;
}

static struct curve_ops curve_of(enum lull_curve id)
{
	size_t fp_bytes = id == LULL_CURVE_BN254 ? 32 : 48;
	struct curve_ops ops = {};

	ops.id = id;
	for (int g = 0; g < 2; g++) {
		ops.sums[g].group = g + 1;
		ops.sums[g].point_bytes = 2 * (g + 1) * fp_bytes;
	}
	ops.tables_bytes = tables_bytes;
	ops.quotient_scratch = quotient_scratch;
	ops.coefs_bytes = coefs_bytes;
	ops.classify_scratch = classify_scratch;
	return ops;
}

static struct lull_key_arrays arrays_of(enum lull_curve id,
					unsigned int log2_domain)
{
	struct lull_key_arrays arrays = {};

	arrays.curve = id;
	arrays.log2_domain = log2_domain;
	arrays.nr_vars = ((size_t)1 << log2_domain) - 1;
	arrays.nr_public = log2_domain > 4 ? 5 : 0;
	arrays.nr_l = arrays.nr_vars - arrays.nr_public - 1;
	return arrays;
}

/* A row of matrices. */
#define ROW_BYTES ((uint64_t)40)

/* How many wires have points in A and in B: all, or a quarter. */
enum density { ALL, QUARTER_OF_B, QUARTER_OF_BOTH };

static int make_dense(const struct curve_ops *ops, unsigned int log2_domain,
		      enum density density, uint64_t budget, struct layout *l,
		      struct lull_error *error)
{
	const struct lull_key_arrays arrays = arrays_of(ops->id, log2_domain);
	const size_t nr = arrays.nr_vars, part = nr / 4;
	const struct dense dense = { { nr, density == QUARTER_OF_BOTH ? part : nr,
				       density == ALL ? nr : part } };
	const struct matrices_bytes spmv = { 6400, ROW_BYTES << log2_domain,
					     4000, (uint64_t)4 << log2_domain };

	return layout_make(ops, &arrays, &dense, &spmv, NR_SMS, budget, l,
			   error);
}

static int make(const struct curve_ops *ops, unsigned int log2_domain,
		uint64_t budget, struct layout *l, struct lull_error *error)
{
	return make_dense(ops, log2_domain, ALL, budget, l, error);
}

/* An assigned key has no matrices, and points for some wires alone. */
static int make_assigned(const struct curve_ops *ops, unsigned int log2_domain,
			 size_t nr_b, uint64_t budget, struct layout *l,
			 struct lull_error *error)
{
	struct lull_key_arrays arrays = arrays_of(ops->id, log2_domain);
	const struct dense dense = { { arrays.nr_vars,
				       arrays.nr_vars - arrays.nr_vars / 3,
				       nr_b } };
	const struct matrices_bytes none = {};

	arrays.assigned = true;
	arrays.nr_a = dense.nr[LIST_A];
	arrays.nr_b = nr_b;
	arrays.row_step = 1;
	return layout_make(ops, &arrays, &dense, &none, NR_SMS, budget, l,
			   error);
}

static void expect_inside(const struct layout *l, const struct part *part,
			  enum block_id block)
{
	EXPECT_EQ(block, part->block);
	EXPECT_EQ(0, part->at % part_align);
	EXPECT_TRUE(part->at + part->bytes <= l->bytes[block]);
}

static void expect_apart(const struct part *a, const struct part *b)
{
	EXPECT_TRUE(a->block != b->block || a->at + a->bytes <= b->at || b->at + b->bytes <= a->at);
}

/* Parts of a block; those that have no bytes are none. */
static void expect_all_apart(const struct layout *l, enum block_id block,
			     const struct part *const *parts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (parts[i]->bytes)
			expect_inside(l, parts[i], block);
		for (size_t j = 0; j < i; j++)
			expect_apart(parts[i], parts[j]);
	}
}

static void expect_within(const struct part *part, const struct part *around)
{
	EXPECT_TRUE(part->block == around->block && part->at >= around->at &&
		    part->at + part->bytes <= around->at + around->bytes);
}

/* Matrices on the device, or two blocks of them behind SpMV's scratch. */
static void check_matrices(const struct layout *l)
{
	const struct part scratch = { l->scratch0.at, l->spmv.scratch,
				      BLOCK_WORK };

	EXPECT_TRUE(l->matrices.bytes >=
		    l->spmv.dictionary +
			    (l->matrices_streamed ? 0 : l->spmv.rows));
	expect_within(&scratch, &l->scratch0);
	if (!l->matrices_streamed)
		return;
	EXPECT_TRUE(l->block_bytes >= l->spmv.row_max);
	for (const struct part &buffer : l->matrix_buffers) {
		EXPECT_EQ(0, buffer.at % part_align);
		EXPECT_TRUE(buffer.bytes >= l->block_bytes);
		expect_within(&buffer, &l->scratch0);
		expect_apart(&buffer, &scratch);
	}
	expect_apart(&l->matrix_buffers[0], &l->matrix_buffers[1]);
}

/* The values of A and of B, their lists and what makes these: where there is room
 * for one at a time, over the quotient's, beside everything else. */
static void check_lists(const struct layout *l)
{
	const struct list *all = &l->lists[LIST_ALL];
	const struct part *others[] = { &all->values,
					&l->a,
					&l->buffers[0],
					&l->buffers[1],
					&l->sum_scratch[0],
					&l->sum_scratch[1],
					&l->sum_scratch[2],
					l->lists_shared ? &l->a : &l->b,
					l->lists_shared ? &l->a
							: &l->scratch0 };
	const struct list *list;

	EXPECT_TRUE(l->list_scratch.bytes >=
		    l->curve->classify_scratch(l->arrays.nr_vars));
	EXPECT_TRUE(!l->lists_shared ||
		    (l->nr_lanes == 1 &&
		     (l->lists[LIST_A].used || l->lists[LIST_B].used)));
	for (list = all + 1; list < l->lists + NR_LISTS; list++) {
		const struct part nothing = { 0, 0, BLOCK_SEAT };
		const struct part *parts[] = { list->of_key ? &nothing
							    : &list->bits,
					       &list->values, &list->ones,
					       &list->others };

		if (!list->used) {
			EXPECT_TRUE(!list->bits.bytes && !list->values.bytes);
			continue;
		}
		EXPECT_TRUE(list->bits.bytes >= (all->nr + 63) / 64 * 8);
		EXPECT_TRUE(list->values.bytes >= list->nr * scalar_bytes);
		EXPECT_TRUE(list->ones.bytes >= list->nr * 4 &&
			    list->others.bytes >= list->nr * 4);
		for (const struct part *p : parts) {
			expect_inside(l, p,
				      p == &list->values && l->lists_shared
					      ? BLOCK_WORK
					      : BLOCK_SEAT);
			for (const struct part *q : others)
				expect_apart(p, q);
			for (const struct part *q : parts)
				if (p != q)
					expect_apart(p, q);
		}
		expect_apart(&list->values, &l->list_scratch);
	}
	if (!l->lists[LIST_A].used || !l->lists[LIST_B].used || l->lists_shared)
		return;
	expect_apart(&l->lists[LIST_A].values, &l->lists[LIST_B].values);
	expect_apart(&l->lists[LIST_A].others, &l->lists[LIST_B].others);
	expect_apart(&l->lists[LIST_A].ones, &all->ones);
}

/* Bits of the key lie with it; sections are over lists that are used, and have
 * as many points. */
static void check_dense(const struct layout *l)
{
	const struct section *s;

	for (const struct list &list : l->lists) {
		if (!list.used || !list.of_key)
			continue;
		expect_inside(l, &list.bits, BLOCK_KEY);
		for (s = l->sections; s < l->sections + NR_SECTIONS; s++)
			expect_apart(&list.bits, &s->table);
		expect_apart(&list.bits, &l->matrices);
		expect_apart(&list.bits, &l->tables);
	}
	for (s = l->sections; s < l->sections + SECTION_H; s++) {
		EXPECT_TRUE(l->lists[s->list].used);
		EXPECT_EQ(l->lists[s->list].nr, s->nr);
		EXPECT_TRUE(!s->streamed || !l->lists[s->list].of_key);
	}
}

/* A map, and room over places of values for what comes beside it; none for an
 * assigned key. */
static void check_packed(const struct layout *l)
{
	const struct list *all = &l->lists[LIST_ALL];
	size_t nr = l->arrays.nr_vars;
	char text[512] = "";

	EXPECT_EQ(l->arrays.assigned ? 0 : nr / 8, l->packed_max);
	EXPECT_EQ(l->arrays.assigned, !l->map.bytes);
	EXPECT_TRUE(l->arrays.assigned ||
		    l->map.bytes >= lull_classes_bytes(nr));
	EXPECT_TRUE(all->others.bytes >= l->packed_max * scalar_bytes);
	EXPECT_TRUE(all->ones.bytes >=
		    expand_nr_groups(nr) * sizeof(uint32_t));
	layout_describe(l, text, sizeof(text));
	EXPECT_EQ(l->packed_max != 0, strstr(text, ", witness packed ") != NULL);
}

/* What a key could do without: what is left holds its points and one proof. */
static void check_optional(const struct layout *l)
{
	bool some = l->nr_seats > 1 || l->nr_works > 1;
	uint64_t optional = layout_optional_bytes(l, l->nr_seats, l->nr_works);
	uint64_t least = layout_proof_bytes(l) + l->matrices.bytes;

	for (const struct section &s : l->sections) {
		if (s.streamed || !s.nr)
			continue;
		some = some || s.plan.nr_copies > 1;
		least += s.nr * s.sum->point_bytes;
	}
	EXPECT_EQ(some, optional != 0);
	EXPECT_TRUE(layout_bytes(l) - optional >= least);
}

/* What must not overlay does not, and everything has the room that it needs. */
static void check(const struct layout *l)
{
	const struct part *key[] = { &l->sections[0].table,
				     &l->sections[1].table,
				     &l->sections[2].table,
				     &l->sections[3].table,
				     &l->sections[4].table,
				     &l->matrices,
				     &l->tables };
	const struct list *all = &l->lists[LIST_ALL];
	const struct part nothing = {};
	const struct part *seat[] = { &all->values, &all->ones, &all->others,
				      &l->map,
				      l->lists_shared ? &nothing
						      : &l->list_scratch };
	const struct part *work[] = { &l->a,
				      &l->b,
				      &l->scratch0,
				      &l->buffers[0],
				      &l->buffers[1],
				      &l->sum_scratch[1],
				      &l->sum_scratch[2] };
	const struct part *beside_sum[] = { &all->values,   &all->ones,
					    &all->others,   &l->a,
					    &l->buffers[0], &l->buffers[1] };
	const struct section *s;
	unsigned int lane;

	expect_all_apart(l, BLOCK_KEY, key, LULL_ARRAY_SIZE(key));
	expect_all_apart(l, BLOCK_SEAT, seat, LULL_ARRAY_SIZE(seat));
	expect_all_apart(l, BLOCK_WORK, work, LULL_ARRAY_SIZE(work));
	check_matrices(l);
	check_lists(l);
	check_dense(l);
	check_packed(l);
	check_optional(l);
	/* A sum of lane 0 overlays b, and nothing that a sum reads. */
	for (const struct part *p : beside_sum)
		expect_apart(p, &l->sum_scratch[0]);
	for (s = l->sections; s < l->sections + NR_SECTIONS; s++) {
		lane = l->nr_lanes == 1 ? 0 : s->lane;
		EXPECT_TRUE(s->plan.scratch.bytes <=
			    l->sum_scratch[lane].bytes);
		EXPECT_TRUE(s->last_plan.scratch.bytes <=
			    l->sum_scratch[lane].bytes);
		EXPECT_TRUE(!s->few_max || s->few_plan.scratch.bytes <=
						   l->sum_scratch[lane].bytes);
		EXPECT_TRUE(
			s->plan.table_bytes <=
			(s->streamed ? l->buffers[0].bytes : s->table.bytes));
		if (!s->nr) {
			EXPECT_EQ(0, s->nr_chunks);
			continue;
		}
		EXPECT_EQ(s->nr, (s->nr_chunks - 1) * s->chunk +
					 s->last_plan.shape.nr_points);
		EXPECT_TRUE(!s->streamed || s->plan.nr_copies == 1);
		EXPECT_TRUE(!s->streamed || l->nr_lanes == 1);
	}
}

/* Budgets from plenty to none: what fits is sound, and less never fits where
 * more did not. */
static void shrink(enum lull_curve id, unsigned int log2_domain,
		   enum density density)
{
	const struct curve_ops ops = curve_of(id);
	unsigned int nr_fit = 0, nr_streamed = 0, nr_works = nr_works_max;
	unsigned int nr_compact = 0, nr_shared = 0, nr_turns = 0;
	struct lull_error error;
	struct layout l;
	uint64_t budget;
	int err = LULL_OK;

	for (budget = 4096 * GIB; budget > 4096; budget = budget / 16 * 15) {
		err = make_dense(&ops, log2_domain, density, budget, &l,
				 &error);
		if (err)
			break;
		nr_fit++;
		nr_streamed += l.sections[SECTION_B2].streamed;
		nr_compact += l.sections[SECTION_B2].list == LIST_B;
		nr_shared += l.lists_shared;
		EXPECT_TRUE(layout_bytes(&l) <= budget);
		/* Nothing else is given up while two compute, and with less
		 * there are not more of them.  A second one that waits is there
		 * just when its seat is all that is wanting. */
		EXPECT_TRUE(l.nr_works == 1 || (l.nr_lanes == nr_lanes_max &&
						l.nr_works <= nr_works));
		EXPECT_EQ(l.nr_works == 2 ||
				  layout_bytes(&l) + (2 - l.nr_seats) *
							     l.bytes[BLOCK_SEAT] <=
					  budget,
			  l.nr_seats == 2);
		nr_works = l.nr_works;
		nr_turns += l.nr_seats > l.nr_works;
		check(&l);
	}
	EXPECT_EQ(LULL_NOMEM, err);
	EXPECT_TRUE(strstr(error.msg, "expected at least"));
	EXPECT_TRUE(nr_turns);
	EXPECT_TRUE(nr_fit && (log2_domain < 13 || nr_streamed));
	EXPECT_EQ(density == ALL, !nr_compact);
	EXPECT_TRUE(density == ALL ? !nr_shared : log2_domain < 13 || nr_shared);
	printf("# 2^%u: %u budgets fit, %u of them stream B2, %u compact it\n",
	       log2_domain, nr_fit, nr_streamed, nr_compact);
	/* What the refusal asks for is enough, by streaming everything, but for
	 * keys that are smaller than the buffers of that. */
	budget = layout_bytes(&l);
	ASSERT_EQ(LULL_OK, make_dense(&ops, log2_domain, density, budget, &l,
				      &error));
	check(&l);
	if (log2_domain < (density == ALL ? 10 : 13))
		return;
	EXPECT_TRUE(l.matrices_streamed);
	for (const struct section &s : l.sections)
		EXPECT_TRUE(s.streamed);
	EXPECT_EQ(LULL_NOMEM, make_dense(&ops, log2_domain, density, budget - 1,
					 &l, NULL));
	EXPECT_EQ(LULL_NOMEM, make_dense(&ops, log2_domain, density, budget / 2,
					 &l, NULL));
}

static void shrink_any_density(enum lull_curve id, unsigned int log2_domain)
{
	shrink(id, log2_domain, ALL);
	shrink(id, log2_domain, QUARTER_OF_B);
	shrink(id, log2_domain, QUARTER_OF_BOTH);
}

TEST(every_budget_bn254)
{
	static const unsigned int logs[] = { 1, 2, 5, 10, 13, 20, 24 };

	for (unsigned int log2 : logs)
		shrink_any_density(LULL_CURVE_BN254, log2);
}

TEST(every_budget_bls12_381)
{
	static const unsigned int logs[] = { 1, 4, 12, 13, 18, 22, 26 };

	for (unsigned int log2 : logs)
		shrink_any_density(LULL_CURVE_BLS12_381, log2);
}

/* The same for an assigned key, with few points in B and with none. */
static void shrink_assigned(unsigned int log2_domain, size_t nr_b)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BLS12_381);
	unsigned int nr_shared = 0, nr_apart = 0;
	struct lull_error error;
	struct layout l;
	uint64_t budget;

	for (budget = 4096 * GIB; budget > 4096; budget = budget / 16 * 15) {
		if (make_assigned(&ops, log2_domain, nr_b, budget, &l, &error))
			break;
		EXPECT_TRUE(layout_bytes(&l) <= budget);
		EXPECT_TRUE(!l.matrices_streamed && !l.matrices.bytes);
		EXPECT_TRUE(l.scratch0.bytes >= scalar_bytes << log2_domain);
		EXPECT_TRUE(l.coefs.bytes >= coefs_bytes(log2_domain));
		expect_inside(&l, &l.coefs, BLOCK_KEY);
		expect_apart(&l.coefs, &l.tables);
		nr_shared += l.lists_shared;
		nr_apart += !l.lists_shared;
		check(&l);
	}
	/* What little lists take is made good by less scratch. */
	EXPECT_TRUE(nr_apart && (log2_domain < 17 || nr_shared));
	EXPECT_TRUE(strstr(error.msg, "expected at least"));
	budget = layout_bytes(&l);
	EXPECT_EQ(LULL_OK,
		  make_assigned(&ops, log2_domain, nr_b, budget, &l, &error));
	check(&l);
	EXPECT_EQ(LULL_NOMEM,
		  make_assigned(&ops, log2_domain, nr_b, budget / 2, &l, NULL));
}

TEST(every_budget_assigned)
{
	static const unsigned int logs[] = { 3, 10, 17, 27 };

	for (unsigned int log2 : logs) {
		shrink_assigned(log2, (size_t)1 << log2 / 2);
		shrink_assigned(log2, 0);
	}
}

/* Folded keys have no scratch of a quotient for blocks to lie in: these are of
 * some size anyhow, and so are few. */
static void shrink_folded(unsigned int log2_domain)
{
	constexpr uint64_t block_bytes = (uint64_t)8 << 20;
	const struct curve_ops ops = curve_of(LULL_CURVE_BN254);
	struct lull_key_arrays arrays = arrays_of(ops.id, log2_domain);
	const uint64_t rows = ROW_BYTES << log2_domain;
	const struct dense dense = { { arrays.nr_vars, arrays.nr_vars,
				       arrays.nr_vars } };
	const struct matrices_bytes spmv = { 6400, rows, 4000,
					     (uint64_t)4 << log2_domain };
	unsigned int nr_streamed = 0;
	struct layout l;
	uint64_t budget;

	arrays.folded = true;
	for (budget = 4096 * GIB; !layout_make(&ops, &arrays, &dense, &spmv,
					       NR_SMS, budget, &l, NULL);
	     budget = budget / 16 * 15) {
		check(&l);
		if (!l.matrices_streamed)
			continue;
		nr_streamed++;
		EXPECT_TRUE(l.block_bytes * 8 >= rows ||
			    l.block_bytes >= block_bytes);
		/* Two are less than to have them there. */
		EXPECT_TRUE(l.block_bytes * 4 <= rows);
	}
	EXPECT_TRUE(nr_streamed);
	printf("# 2^%u, folded: %u budgets stream rows\n", log2_domain,
	       nr_streamed);
}

TEST(every_budget_folded)
{
	static const unsigned int logs[] = { 13, 18, 22, 27 };

	for (unsigned int log2 : logs)
		shrink_folded(log2);
}

static int make_wires(const struct curve_ops *ops, unsigned int log2_domain,
		      size_t nr_vars, uint64_t gib, struct layout *l,
		      struct lull_error *error)
{
	struct lull_key_arrays arrays = arrays_of(ops->id, log2_domain);
	const struct dense dense = { { nr_vars, nr_vars, nr_vars } };
	const struct matrices_bytes spmv = { 6400, ROW_BYTES << log2_domain,
					     4000, (uint64_t)4 << log2_domain };

	arrays.nr_vars = nr_vars;
	arrays.nr_l = nr_vars - arrays.nr_public - 1;
	return layout_make(ops, &arrays, &dense, &spmv, NR_SMS, gib * GIB, l,
			   error);
}

/* Sums of more digits than 32 bits count have them in parts: what streams them is
 * memory alone. */
static void expect_many(enum lull_curve id, unsigned int log2_domain,
			size_t nr_vars, uint64_t gib, bool all_stay)
{
	const struct curve_ops ops = curve_of(id);
	struct lull_error error = {};
	unsigned int nr_stay = 0, nr_many = 0;
	struct layout l;
	char text[240];

	if (make_wires(&ops, log2_domain, nr_vars, gib, &l, &error)) {
		TEST_FAIL_("%s", error.msg);
		return;
	}
	layout_describe(&l, text, sizeof(text));
	printf("# 2^%u, %zu wires: %s\n", log2_domain, nr_vars, text);
	for (const struct section &s : l.sections) {
		nr_stay += !s.streamed;
		nr_many += !s.streamed && s.plan.nr_refs >= MSM_REF_NEG;
		EXPECT_TRUE(s.plan.part_refs < MSM_REF_NEG);
		EXPECT_TRUE(s.plan.nr_copies * s.nr < MSM_REF_NEG);
	}
	EXPECT_TRUE(nr_many && (!all_stay || nr_stay == NR_SECTIONS));
	check(&l);
}

TEST(more_digits_than_32_bits_count)
{
	const size_t all = ((size_t)1 << 28) - 1;

	expect_many(LULL_CURVE_BN254, 28, all, 4096, true);
	expect_many(LULL_CURVE_BN254, 28, all, 139, false);
	expect_many(LULL_CURVE_BLS12_381, 28, all, 4096, true);
	expect_many(LULL_CURVE_BLS12_381, 27, 180 * 1000 * 1000, 139, false);
}

static void expect_refused(unsigned int log2_domain, size_t nr_vars,
			   const char *why)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BLS12_381);
	struct lull_error error = {};
	struct layout l;

	EXPECT_EQ(LULL_UNSUPPORTED, make_wires(&ops, log2_domain, nr_vars,
					       (uint64_t)1 << 20, &l, &error));
	if (!strstr(error.msg, why))
		TEST_FAIL_("no '%s' in %s", why, error.msg);
}

/* Whatever memory there is, and before any of it is taken. */
TEST(larger_than_any_device_has)
{
	expect_refused(28, (size_t)1 << 31, "2147483648 points in 1 copies");
	expect_refused(29, (size_t)1 << 20,
		       "expected a domain of 2^28 at most, found 2^29");
}

/* What users have: these must not stream, and the first has all its copies. */
TEST(common_cards)
{
	static const struct {
		enum lull_curve id;
		unsigned int log2_domain;
		uint64_t gib;
		unsigned int copies_min;
	} cases[] = {
		{ LULL_CURVE_BN254, 20, 15, 8 },
		{ LULL_CURVE_BN254, 22, 139, 8 },
		{ LULL_CURVE_BLS12_381, 24, 139, 2 },
		{ LULL_CURVE_BN254, 22, 15, 1 },
	};
	struct lull_error error;
	struct curve_ops ops;
	struct layout l;
	char text[240];

	for (const auto &c : cases) {
		ops = curve_of(c.id);
		ASSERT_EQ(LULL_OK,
			  make(&ops, c.log2_domain, c.gib * GIB, &l, &error));
		layout_describe(&l, text, sizeof(text));
		printf("# %s\n", text);
		for (const struct section &s : l.sections)
			EXPECT_TRUE(!s.streamed &&
				    s.plan.nr_copies >= c.copies_min);
		EXPECT_TRUE(!l.matrices_streamed);
		check(&l);
	}
}

/* A partition of the largest of Filecoin's circuits, of whose wires a third has
 * no point in A and three quarters none in B: nothing of it is streamed. */
TEST(common_cards_assigned)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BLS12_381);
	const unsigned int log2_domain = 27;
	struct lull_error error;
	struct layout l;
	char text[240];

	ASSERT_EQ(LULL_OK, make_assigned(&ops, log2_domain, (size_t)1 << 25,
					 139 * GIB, &l, &error));
	layout_describe(&l, text, sizeof(text));
	printf("# %s\n", text);
	for (const struct section &s : l.sections)
		EXPECT_TRUE(!s.streamed);
	check(&l);
}

/* The same partition with its circuit: with B's points at infinity it would have
 * room for fewer copies of H. */
TEST(common_cards_porep)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BLS12_381);
	struct layout l;
	unsigned int nr_copies;
	char text[240];

	ASSERT_EQ(LULL_OK, make(&ops, 27, 139 * GIB, &l, NULL));
	nr_copies = l.sections[SECTION_H].plan.nr_copies;
	ASSERT_EQ(LULL_OK,
		  make_dense(&ops, 27, QUARTER_OF_B, 139 * GIB, &l, NULL));
	layout_describe(&l, text, sizeof(text));
	printf("# %s\n", text);
	EXPECT_TRUE(strstr(text, " of 24 %, L ") &&
		    strstr(text, " 2 proofs at a time"));
	for (const struct section &s : l.sections)
		EXPECT_TRUE(!s.streamed);
	EXPECT_TRUE(l.sections[SECTION_H].plan.nr_copies > nr_copies);
	check(&l);
}

/* What a section's sum was planned as when its table had so many copies. */
static void plan_before(const struct layout *l, struct section *s,
			unsigned int nr_copies)
{
	struct msm_shape shape = s->plan.shape;

	shape.table_bytes_max =
		nr_copies * (s->nr * s->sum->point_bytes + part_align);
	ASSERT_EQ(LULL_OK, msm_plan_make(&shape, &s->plan, NULL));
	EXPECT_EQ(nr_copies, s->plan.nr_copies);
	s->few_max = s != &l->sections[SECTION_H] && nr_copies == 1 ? s->nr / 32
								   : 0;
	shape.nr_scalars = s->few_max;
	ASSERT_EQ(LULL_OK, msm_plan_make(&shape, &s->few_plan, NULL));
}

/* The model's cost of plans from before copies went where they win most, when
 * the largest table had half of them until the plan fitted, and of plans now. */
TEST(copies_where_they_win_most)
{
	const enum lull_curve BLS = LULL_CURVE_BLS12_381, BN = LULL_CURVE_BN254;
	const enum density QUARTER = QUARTER_OF_B;
	/* 0 where the section is streamed. */
	const struct {
		enum lull_curve id;
		unsigned int log2_domain;
		enum density density;
		uint64_t gib;
		unsigned int before[NR_SECTIONS];
	} cases[] = {
		{ BLS, 24, QUARTER, 139, { 12, 13, 13, 12, 12 } },
		{ BLS, 25, QUARTER, 139, { 6, 13, 13, 12, 6 } },
		{ BLS, 26, QUARTER, 139, { 4, 12, 5, 4, 2 } },
		{ BLS, 27, QUARTER, 139, { 1, 3, 3, 1, 1 } },
		{ BLS, 24, QUARTER, 80, { 12, 13, 13, 12, 5 } },
		{ BLS, 25, QUARTER, 80, { 3, 13, 5, 6, 3 } },
		{ BLS, 26, QUARTER, 80, { 2, 5, 2, 2, 1 } },
		{ BLS, 27, QUARTER, 80, { 0, 1, 1, 0, 0 } },
		{ BLS, 24, QUARTER, 40, { 5, 13, 5, 5, 2 } },
		{ BLS, 25, QUARTER, 40, { 1, 5, 5, 1, 1 } },
		{ BLS, 26, QUARTER, 40, { 0, 1, 1, 0, 0 } },
		{ BN, 22, ALL, 40, { 13, 13, 13, 13, 13 } },
		{ BN, 22, ALL, 24, { 13, 13, 5, 13, 13 } },
		{ BN, 22, ALL, 15, { 5, 5, 5, 13, 5 } },
		{ BN, 22, ALL, 8, { 5, 5, 2, 5, 2 } },
	};
	struct layout l, now, before;
	struct curve_ops ops;
	char text[240];
	unsigned int i;

	for (const auto &c : cases) {
		ops = curve_of(c.id);
		ASSERT_EQ(LULL_OK, make_dense(&ops, c.log2_domain, c.density,
					      c.gib * GIB, &l, NULL));
		check(&l);
		EXPECT_TRUE(layout_bytes(&l) <= c.gib * GIB);
		/* Of sections that were there then. */
		now = l;
		before = l;
		for (i = 0; i < NR_SECTIONS; i++) {
			EXPECT_TRUE(!c.before[i] || !l.sections[i].streamed);
			if (c.before[i])
				plan_before(&before, &before.sections[i],
					    c.before[i]);
			else
				now.sections[i].streamed =
					before.sections[i].streamed = true;
		}
		layout_describe(&l, text, sizeof(text));
		printf("# %s\n# %.4g products, %.4g before\n", text,
		       layout_cost(&now), layout_cost(&before));
		EXPECT_TRUE(layout_cost(&now) <= layout_cost(&before));
	}
	/* H, whose scalars are full-size whatever the witness is, comes first. */
	ops = curve_of(LULL_CURVE_BLS12_381);
	ASSERT_EQ(LULL_OK, make_dense(&ops, 27, QUARTER_OF_B, 139 * GIB, &l,
				      NULL));
	EXPECT_TRUE(l.sections[SECTION_H].plan.nr_copies >
		    l.sections[SECTION_A].plan.nr_copies);
	EXPECT_EQ(2, l.nr_seats);
}

/* Just below seven eighths, and just there. */
TEST(few_points_at_infinity)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BN254);
	struct lull_key_arrays arrays = arrays_of(LULL_CURVE_BN254, 10);
	struct dense dense = { { 800, 700, 699 } };
	const struct matrices_bytes none = {};
	struct layout l;

	arrays.nr_vars = 800;
	arrays.nr_l = 790;
	ASSERT_EQ(LULL_OK, layout_make(&ops, &arrays, &dense, &none, NR_SMS,
				       GIB, &l, NULL));
	EXPECT_EQ(800, l.sections[SECTION_A].nr);
	EXPECT_EQ(699, l.sections[SECTION_B1].nr);
	EXPECT_EQ(699, l.sections[SECTION_B2].nr);
	EXPECT_EQ(800, l.sections[SECTION_L].nr);
	EXPECT_TRUE(!l.lists[LIST_A].used && l.lists[LIST_B].used);
	check(&l);
}

/* The text ends where it must. */
TEST(description_that_does_not_fit)
{
	const struct curve_ops ops = curve_of(LULL_CURVE_BN254);
	char text[64];
	struct layout l;
	size_t bytes;

	ASSERT_EQ(LULL_OK, make(&ops, 10, GIB, &l, NULL));
	for (bytes = 1; bytes < sizeof(text); bytes++) {
		memset(text, '~', sizeof(text));
		layout_describe(&l, text, bytes);
		EXPECT_TRUE(memchr(text, 0, bytes));
		EXPECT_EQ('~', text[bytes]);
	}
}

TEST_MAIN
