// SPDX-License-Identifier: Apache-2.0
/*
 * layout.cu - what of a key fits on the device, and where it lies
 *
 * See layout.cuh.  Plans are tried from the most generous on.  A second block to
 * compute in is given up first, which one proof alone does not miss, and with it
 * the second seat; that comes back at last where the budget holds it, for it is
 * small and fills the device's pauses.  Then go the lanes beside lane 0, for all
 * they do is to fill gaps; then lists of their own for A and B; then the sums'
 * scratch is bounded, which costs them some more steps; then go shifted copies;
 * then sections and the matrices are streamed, the largest first; and last chunks
 * and the scratch are halved until the plan fits.
 *
 * What is left of the budget then has copies again, of one table after the other:
 * those that save most of the sums' time, by the model of msm_plan.cu, for their
 * bytes.  A copy more halves the sets of buckets at best, so first ones save most,
 * and those of H, whose scalars are always full-size.
 */
#include "layout.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "classify.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

static const char *const section_names[NR_SECTIONS] = { "A", "B1", "B2", "L", "H" };

/* Chunks of a streamed section begin with so many points and are halved down to
 * the fewest; there are never more of them than nr_chunks_max. */
constexpr size_t chunk_max = (size_t)1 << 22;
constexpr size_t chunk_min = (size_t)1 << 10;
constexpr size_t nr_chunks_max = 256;
/* More than any window has use for. */
constexpr unsigned int copies_most = 64;
/* A sum's scratch at first when it must be bounded, as a share of the budget,
 * and at last. */
constexpr uint64_t scratch_share = 4;
constexpr uint64_t scratch_min = (uint64_t)1 << 20;
/* A block of streamed matrices is an eighth of them or so much at least: smaller
 * ones would be as many copies, launches and plans for little memory. */
constexpr uint64_t blocks_few = 8;
constexpr uint64_t block_min = (uint64_t)8 << 20;
/* Tables without points at infinity pay when fewer than so many are left. */
constexpr size_t dense_num = 7, dense_den = 8;
/* So much of a witness that is neither 0 nor 1 is few: a thirty-second. */
constexpr size_t few_den = 32;
/* A witness with so much of that, an eighth, comes packed: what is full-size takes
 * the room of its places then, four bytes a wire. */
constexpr size_t packed_den = scalar_bytes / sizeof(uint32_t);
/* Of so much of all proofs a witness is full-size: large circuits are hashes, most
 * of whose values are bits. */
constexpr double full_share = 1.0 / 8;
/* A product of Fp2 in products of Fp (cuda.rst). */
constexpr double fp2_cost = 2.5;
constexpr double bytes_per_gib = 1u << 30;

/* Takes the next bytes of a block. */
static struct part carve(enum block_id block, uint64_t *end, uint64_t bytes)
{
	struct part part = { *end, (bytes + part_align - 1) / part_align * part_align, block };

	*end += part.bytes;
	return part;
}

/* The same at the end of what it has so far. */
static struct part append_part(struct layout *l, enum block_id block, uint64_t bytes)
{
	return carve(block, &l->bytes[block], bytes);
}

static void set_section(struct layout *l, enum section_id id, const uint8_t *points,
			size_t nr_missing, size_t nr, unsigned int group, unsigned int lane)
{
	struct section *s = &l->sections[id];

	s->points = points;
	s->nr_missing = nr_missing;
	s->nr = nr;
	s->sum = &l->curve->sums[group - 1];
	s->list = LIST_ALL;
	s->lane = lane;
	s->copies_max = copies_most;
	s->chunk = nr;
}

/* A section's points are those of some wires alone. */
static void compact(struct layout *l, enum section_id id, enum list_id list)
{
	struct section *s = &l->sections[id];

	s->list = list;
	s->nr = s->chunk = l->lists[list].nr;
}

static void set_sections(struct layout *l, const struct dense *dense)
{
	const struct lull_key_arrays *k = &l->arrays;
	size_t nr_h = ((size_t)1 << k->log2_domain) - (k->assigned ? 1 : 0);

	set_section(l, SECTION_A, k->a, 0, k->nr_vars, 1, 1);
	set_section(l, SECTION_B1, k->b1, 0, k->nr_vars, 1, 1);
	set_section(l, SECTION_B2, k->b2, 0, k->nr_vars, 2, 2);
	set_section(l, SECTION_L, k->l, k->nr_vars - k->nr_l, k->nr_vars, 1, 1);
	set_section(l, SECTION_H, k->h, 0, nr_h, 1, 0);
	for (unsigned int id = 0; id < NR_LISTS; id++) {
		l->lists[id].nr = dense->nr[id];
		l->lists[id].of_key =
			!k->assigned && dense->nr[id] * dense_den < k->nr_vars * dense_num;
	}
	if (k->assigned || l->lists[LIST_A].of_key)
		compact(l, SECTION_A, LIST_A);
	if (!k->assigned && !l->lists[LIST_B].of_key)
		return;
	compact(l, SECTION_B1, LIST_B);
	compact(l, SECTION_B2, LIST_B);
}

static int plan_sum(const struct layout *l, const struct section *s, size_t nr, size_t nr_scalars,
		    bool units, struct msm_plan *ret_plan, struct lull_error *reterr)
{
	struct msm_shape shape = {};

	shape.curve = l->arrays.curve;
	shape.group = s->sum->group;
	shape.nr_points = nr;
	shape.nr_scalars = nr_scalars;
	shape.nr_units = units ? nr : 0;
	/* The plan counts a few bytes beside a table's points. */
	shape.table_bytes_max = s->copies_max * (nr * s->sum->point_bytes + part_align);
	shape.scratch_bytes_max = l->scratch_max;
	shape.nr_sms = l->nr_sms;
	shape.method = MSM_AFFINE;
	shape.nr_levels = -1;
	LULL_TRY(msm_plan_make(&shape, ret_plan, reterr));
	if (!l->scratch_max || ret_plan->scratch.bytes <= l->scratch_max)
		return LULL_OK;
	/* The least that it can do with is thousands of small steps: a quarter
	 * more lets these be large. */
	shape.scratch_bytes_max = ret_plan->scratch.bytes / 4 * 5;
	return msm_plan_make(&shape, ret_plan, reterr);
}

/* Wide windows are mostly empty buckets for a few scalars: these have windows of
 * their own where that takes less. */
static int plan_few(struct section *s, struct lull_error *reterr)
{
	size_t nr = s->nr / few_den;

	if (!nr)
		return LULL_OK;
	LULL_TRY(msm_plan_few(&s->plan, nr, &s->few_plan, reterr));
	if (msm_plan_cost(&s->few_plan, nr) < msm_plan_cost(&s->plan, nr))
		s->few_max = nr;
	return LULL_OK;
}

static int plan_section(const struct layout *l, struct section *s, struct lull_error *reterr)
{
	bool has_lists;
	size_t last;

	/* An empty sum takes nothing: it is never run. */
	if (!s->nr)
		return LULL_OK;
	last = s->nr % s->chunk ? s->nr % s->chunk : s->chunk;
	s->nr_chunks = (unsigned int)((s->nr + s->chunk - 1) / s->chunk);
	/* H's scalars are no witness: they have no lists of ones. */
	has_lists = !s->streamed && s != &l->sections[SECTION_H];
	LULL_TRY(plan_sum(l, s, s->chunk, s->chunk, has_lists, &s->plan, reterr));
	s->last_plan = s->plan;
	s->few_max = 0;
	if (has_lists)
		return plan_few(s, reterr);
	if (!s->streamed)
		return LULL_OK;
	return plan_sum(l, s, last, last, false, &s->last_plan, reterr);
}

static uint64_t section_scratch(const struct section *s)
{
	uint64_t bytes = lull_max(s->plan.scratch.bytes, s->last_plan.scratch.bytes);

	return s->few_max ? lull_max(bytes, s->few_plan.scratch.bytes) : bytes;
}

static void carve_key(struct layout *l)
{
	struct section *s;

	l->bytes[BLOCK_KEY] = 0;
	for (s = l->sections; s < l->sections + NR_SECTIONS; s++)
		s->table = append_part(l, BLOCK_KEY, s->streamed ? 0 : s->plan.table_bytes);
	l->matrices = append_part(l, BLOCK_KEY,
				  l->spmv.dictionary + (l->matrices_streamed ? 0 : l->spmv.rows));
	l->tables = append_part(l, BLOCK_KEY, l->curve->tables_bytes(l->arrays.log2_domain));
	if (l->arrays.assigned)
		l->coefs = append_part(l, BLOCK_KEY, l->curve->coefs_bytes(l->arrays.log2_domain));
	for (struct list &list : l->lists)
		if (list.used && list.of_key)
			list.bits = append_part(l, BLOCK_KEY, layout_bits_bytes(l));
}

/* The witness, its lists and, where they have any, those of A and B. */
static void carve_seat(struct layout *l)
{
	const struct list *all = &l->lists[LIST_ALL];
	struct list *list;

	l->bytes[BLOCK_SEAT] = 0;
	for (list = l->lists; list < l->lists + NR_LISTS; list++) {
		if (!list->used)
			continue;
		if (list != all && !list->of_key)
			list->bits = append_part(l, BLOCK_SEAT, layout_bits_bytes(l));
		if (list != all && l->lists_shared) {
			list->ones = all->ones;
			list->others = all->others;
			continue;
		}
		list->values = append_part(l, BLOCK_SEAT, list->nr * scalar_bytes);
		list->ones = append_part(l, BLOCK_SEAT, list->nr * sizeof(uint32_t));
		list->others = append_part(l, BLOCK_SEAT, list->nr * sizeof(uint32_t));
	}
	if (!l->arrays.assigned)
		l->map = append_part(l, BLOCK_SEAT, lull_classes_bytes(l->arrays.nr_vars));
	if (!l->lists_shared)
		l->list_scratch = append_part(l, BLOCK_SEAT,
					      l->curve->classify_scratch(l->arrays.nr_vars));
}

/* Behind SpMV's scratch two blocks of matrices, in what the other stages need
 * anyhow or, where that is too little, as a folded key's is, in some bytes more. */
static void carve_blocks(struct layout *l, uint64_t stages)
{
	uint64_t end = l->scratch0.at, room;
	unsigned int i;

	carve(BLOCK_WORK, &end, l->spmv.scratch);
	room = l->scratch0.at + stages > end ? l->scratch0.at + stages - end : 0;
	l->block_bytes = room / 2 / part_align * part_align;
	l->block_bytes = lull_max(l->block_bytes, lull_min(l->spmv.rows / blocks_few, block_min));
	l->block_bytes = lull_max(l->block_bytes, l->spmv.row_max);
	for (i = 0; i < 2; i++)
		l->matrix_buffers[i] = carve(BLOCK_WORK, &end, l->block_bytes);
	if (end > l->scratch0.at + l->scratch0.bytes)
		l->scratch0.bytes = end - l->scratch0.at;
}

/* Room for the values of A or of B. */
static void carve_shared(struct layout *l, uint64_t *end)
{
	uint64_t first = *end, list_end;

	for (struct list *list = &l->lists[LIST_A]; list < l->lists + NR_LISTS; list++) {
		if (!list->used)
			continue;
		list_end = first;
		list->values = carve(BLOCK_WORK, &list_end, list->nr * scalar_bytes);
		*end = lull_max(*end, list_end);
	}
}

/* Lane 0: b and its stages' scratch, and over them, for sums come later, the
 * scratch of a sum.  Buffers of points lie behind. */
static void carve_lane0(struct layout *l, uint64_t sum_bytes, uint64_t buffer_bytes)
{
	uint64_t n = (uint64_t)1 << l->arrays.log2_domain;
	uint64_t stages = lull_max(
		l->spmv.scratch,
		l->curve->quotient_scratch(l->arrays.log2_domain, l->arrays.folded));
	uint64_t start = l->bytes[BLOCK_WORK], end = start, sum_end = start;
	unsigned int i;

	if (l->arrays.assigned)
		stages = lull_max(stages, n * scalar_bytes);
	l->b = carve(BLOCK_WORK, &end, n * scalar_bytes);
	l->scratch0 = carve(BLOCK_WORK, &end, stages);
	if (l->matrices_streamed)
		carve_blocks(l, stages);
	end = l->scratch0.at + l->scratch0.bytes;
	if (l->lists_shared) {
		carve_shared(l, &sum_end);
		sum_bytes = lull_max(sum_bytes, l->curve->classify_scratch(l->arrays.nr_vars));
	}
	l->sum_scratch[0] = carve(BLOCK_WORK, &sum_end, sum_bytes);
	if (l->lists_shared)
		l->list_scratch = l->sum_scratch[0];
	end = lull_max(end, sum_end);
	for (i = 0; i < 2; i++)
		l->buffers[i] = carve(BLOCK_WORK, &end, buffer_bytes);
	l->bytes[BLOCK_WORK] = end;
}

static void carve_work(struct layout *l)
{
	uint64_t n = (uint64_t)1 << l->arrays.log2_domain, sums[nr_lanes_max] = { 0 };
	uint64_t buffer_bytes = 0;
	const struct section *s;
	unsigned int lane;

	for (s = l->sections; s < l->sections + NR_SECTIONS; s++) {
		lane = l->nr_lanes == 1 ? 0 : s->lane;
		sums[lane] = lull_max(sums[lane], section_scratch(s));
		if (s->streamed)
			buffer_bytes = lull_max(buffer_bytes, s->plan.table_bytes);
	}
	memset(l->sum_scratch, 0, sizeof(l->sum_scratch));
	l->bytes[BLOCK_WORK] = 0;
	l->a = append_part(l, BLOCK_WORK, n * scalar_bytes);
	carve_lane0(l, sums[0], buffer_bytes);
	for (lane = 1; lane < l->nr_lanes; lane++)
		l->sum_scratch[lane] = append_part(l, BLOCK_WORK, sums[lane]);
}

static void carve_all(struct layout *l)
{
	carve_key(l);
	carve_seat(l);
	carve_work(l);
}

/* Are there others than that of all wires? */
static bool has_more_lists(const struct layout *l)
{
	return l->lists[LIST_A].used || l->lists[LIST_B].used;
}

/* Chunks are lane 0's, of one proof after the other. */
static void stream_section(struct layout *l, struct section *s)
{
	l->nr_seats = l->nr_works = l->nr_lanes = 1;
	s->streamed = true;
	s->copies_max = 1;
	/* Chunks come as the key has them, points at infinity and all. */
	if (l->lists[s->list].of_key) {
		s->list = LIST_ALL;
		s->nr = l->arrays.nr_vars;
	}
	s->chunk = lull_min(s->nr / 2 + 1, chunk_max);
}

static int plan_all(struct layout *l, struct lull_error *reterr)
{
	struct section *s;

	for (unsigned int id = 0; id < NR_LISTS; id++)
		l->lists[id] = { l->lists[id].nr, id == LIST_ALL, l->lists[id].of_key };
	for (s = l->sections; s < l->sections + NR_SECTIONS; s++) {
		LULL_TRY(plan_section(l, s, reterr));
		l->lists[s->list].used = true;
	}
	l->lists_shared = l->lists_shared && has_more_lists(l);
	carve_all(l);
	return LULL_OK;
}

/* The resident section that takes most, or NULL. */
static struct section *largest(struct layout *l)
{
	struct section *s, *best = NULL;

	for (s = l->sections; s < l->sections + NR_SECTIONS; s++)
		if (!s->streamed && (!best || s->table.bytes > best->table.bytes))
			best = s;
	return best;
}

/* Takes all copies of tables; false when there are none. */
static bool take_copies(struct layout *l)
{
	bool taken = false;

	for (struct section &s : l->sections) {
		taken = taken || (!s.streamed && s.plan.nr_copies > 1);
		s.copies_max = 1;
	}
	return taken;
}

/* Halves the chunks of streamed sections; false when they are smallest. */
static bool halve_chunks(struct layout *l)
{
	bool halved = false;
	struct section *s;

	for (s = l->sections; s < l->sections + NR_SECTIONS; s++) {
		if (!s->streamed || s->chunk / 2 < chunk_min ||
		    s->nr / (s->chunk / 2) >= nr_chunks_max)
			continue;
		s->chunk = (s->chunk + 1) / 2;
		halved = true;
	}
	return halved;
}

/* The largest of what is still on the device and can be streamed: false when
 * there is nothing any more. */
static bool stream_largest(struct layout *l)
{
	struct section *s = largest(l);

	if (!l->matrices_streamed && l->spmv.rows && (!s || l->spmv.rows > s->table.bytes)) {
		l->matrices_streamed = true;
		return true;
	}
	if (!s)
		return false;
	stream_section(l, s);
	return true;
}

/* Gives one thing up; false when there is nothing left to. */
static bool shrink(struct layout *l, uint64_t budget_bytes)
{
	if (l->nr_works > 1) {
		l->nr_seats = l->nr_works = 1;
		return true;
	}
	if (l->nr_lanes > 1) {
		l->nr_lanes = 1;
		return true;
	}
	if (!l->lists_shared && has_more_lists(l)) {
		l->lists_shared = true;
		return true;
	}
	if (!l->scratch_max) {
		l->scratch_max = lull_max(budget_bytes / scratch_share, scratch_min);
		return true;
	}
	if (take_copies(l) || stream_largest(l))
		return true;
	if (l->scratch_max > scratch_min) {
		l->scratch_max /= 2;
		halve_chunks(l);
		return true;
	}
	return halve_chunks(l);
}

uint64_t layout_bits_bytes(const struct layout *l)
{
	return lull_div_up(l->arrays.nr_vars, 64) * sizeof(uint64_t);
}

uint64_t layout_bytes(const struct layout *l)
{
	return l->bytes[BLOCK_KEY] + l->nr_seats * l->bytes[BLOCK_SEAT] +
	       l->nr_works * l->bytes[BLOCK_WORK];
}

uint64_t layout_optional_bytes(const struct layout *l, unsigned int nr_seats,
			       unsigned int nr_works)
{
	uint64_t bytes = (nr_seats - 1) * l->bytes[BLOCK_SEAT] +
			 (nr_works - 1) * l->bytes[BLOCK_WORK];

	for (const struct section &s : l->sections)
		if (!s.streamed && s.nr)
			bytes += (s.plan.nr_copies - 1) * (uint64_t)s.nr * s.sum->point_bytes;
	return bytes;
}

uint64_t layout_proof_bytes(const struct layout *l)
{
	return l->bytes[BLOCK_SEAT] + l->bytes[BLOCK_WORK];
}

/* In products of the base field. */
static double section_cost(const struct layout *l, const struct section *s)
{
	const struct msm_plan *few = s->few_max ? &s->few_plan : &s->plan;
	double coord = s->sum->group == 2 ? fp2_cost : 1, all;

	if (s->streamed || !s->nr)
		return 0;
	all = msm_plan_cost(&s->plan, s->nr);
	if (s == &l->sections[SECTION_H])
		return all;
	return coord * (full_share * all +
			(1 - full_share) * msm_plan_cost(few, s->nr / few_den));
}

double layout_cost(const struct layout *l)
{
	double sum = 0;

	for (const struct section &s : l->sections)
		sum += section_cost(l, &s);
	return sum;
}

/* The plan with so many copies of one section's table. */
static int plan_copies(const struct layout *l, unsigned int id, unsigned int nr_copies,
		       struct layout *ret_layout, struct lull_error *reterr)
{
	*ret_layout = *l;
	ret_layout->sections[id].copies_max = nr_copies;
	LULL_TRY(plan_section(ret_layout, &ret_layout->sections[id], reterr));
	carve_all(ret_layout);
	return LULL_OK;
}

/* The best step from a plan: more copies of one table, as many as save most for
 * their bytes.  @ret_best is the plan after it; false when there is none. */
static bool find_copies(const struct layout *l, uint64_t budget_bytes, struct layout *ret_best)
{
	double rate, best = 0;
	struct layout t;
	uint64_t more;

	for (unsigned int id = 0; id < NR_SECTIONS; id++) {
		const struct section *s = &l->sections[id];

		if (s->streamed || !s->nr)
			continue;
		for (unsigned int nr = s->plan.nr_copies + 1; nr <= MSM_WINDOWS_MAX; nr++) {
			if (plan_copies(l, id, nr, &t, NULL) || layout_bytes(&t) > budget_bytes)
				break;
			/* Fewer buckets may take less scratch than copies add. */
			more = layout_bytes(&t) > layout_bytes(l)
				       ? layout_bytes(&t) - layout_bytes(l)
				       : 1;
			rate = (section_cost(l, s) - section_cost(&t, &t.sections[id])) /
			       (double)more;
			if (rate > best) {
				best = rate;
				*ret_best = t;
			}
		}
	}
	return best > 0;
}

/* Copies come back in what is left of the budget, but for a seat: that fills
 * pauses which are longer than what a copy saves. */
static void add_copies(struct layout *l, uint64_t budget_bytes)
{
	uint64_t seats = (nr_seats_max - l->nr_seats) * l->bytes[BLOCK_SEAT];
	struct layout best;

	if (budget_bytes < seats)
		return;
	while (find_copies(l, budget_bytes - seats, &best))
		*l = best;
}

/* The second seat comes back, in what is left of the budget. */
static void add_seat(struct layout *l, uint64_t budget_bytes)
{
	if (l->nr_seats < nr_seats_max && budget_bytes - layout_bytes(l) >= l->bytes[BLOCK_SEAT])
		l->nr_seats++;
}

int layout_make(const struct curve_ops *curve, const struct lull_key_arrays *arrays,
		const struct dense *dense, const struct matrices_bytes *spmv, unsigned int nr_sms,
		uint64_t budget_bytes, struct layout *ret_layout, struct lull_error *reterr)
{
	struct layout *l = ret_layout, least = {};

	if (arrays->log2_domain > log2_domain_max)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "cuda: expected a domain of 2^%u at most, found 2^%u",
				 log2_domain_max, arrays->log2_domain);
	*l = {};
	l->arrays = *arrays;
	l->curve = curve;
	l->nr_sms = nr_sms;
	l->nr_seats = nr_seats_max;
	l->nr_works = nr_works_max;
	l->nr_lanes = nr_lanes_max;
	l->spmv = *spmv;
	l->packed_max = arrays->assigned ? 0 : arrays->nr_vars / packed_den;
	set_sections(l, dense);
	do {
		LULL_TRY(plan_all(l, reterr));
		if (layout_bytes(l) <= budget_bytes) {
			add_copies(l, budget_bytes);
			add_seat(l, budget_bytes);
			return LULL_OK;
		}
		/* As a rule the last one. */
		if (!layout_bytes(&least) || layout_bytes(l) < layout_bytes(&least))
			least = *l;
	} while (shrink(l, budget_bytes));
	*l = least;
	return lull_fail(reterr, LULL_NOMEM,
			 "device memory: expected at least %llu bytes for this key, found %llu",
			 (unsigned long long)layout_bytes(l), (unsigned long long)budget_bytes);
}

/* Adds to a text what of it fits. */
static void append(char *text, size_t bytes, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + used, bytes - used, fmt, args);
	va_end(args);
}

/* Map, places and values. */
static uint64_t packed_bytes_max(const struct layout *l)
{
	size_t nr = l->arrays.nr_vars;

	return lull_classes_bytes(nr) + expand_nr_groups(nr) * sizeof(uint32_t) +
	       l->packed_max * scalar_bytes;
}

void layout_describe(const struct layout *l, char *text, size_t bytes)
{
	const struct section *s;
	unsigned int i;

	snprintf(text, bytes,
		 "plan: %.3f GiB of key, %.3f GiB of proof, %u proof%s at a time%s, %u lane%s;",
		 (double)l->bytes[BLOCK_KEY] / bytes_per_gib,
		 (double)layout_proof_bytes(l) / bytes_per_gib, l->nr_seats,
		 l->nr_seats > 1 ? "s" : "", l->nr_works < l->nr_seats ? " in turn" : "",
		 l->nr_lanes, l->nr_lanes > 1 ? "s" : "");
	for (i = 0; i < NR_SECTIONS; i++) {
		s = &l->sections[i];
		append(text, bytes, "%s %s %s%u%s", i ? "," : "", section_names[i],
		       s->streamed ? "streamed in " : "x",
		       s->streamed ? s->nr_chunks : s->plan.nr_copies, s->few_max ? "/few" : "");
		if (l->lists[s->list].of_key)
			append(text, bytes, " of %zu %%", s->nr * 100 / l->arrays.nr_vars);
	}
	if (l->matrices_streamed)
		append(text, bytes, ", matrices streamed in %zu", l->nr_blocks);
	if (l->packed_max)
		append(text, bytes, ", witness packed in up to %llu bytes",
		       (unsigned long long)packed_bytes_max(l));
}

} /* namespace lull */
