// SPDX-License-Identifier: Apache-2.0
/*
 * spmv_plan.cu - from a key's records to rows of columns and coefficient ids
 *
 * For the backend; host code only.  The records are read twice, both times by
 * all workers: once to count the entries of every row and to collect the
 * distinct coefficients, once to put each entry into its row.  Entries of a row
 * come in no certain order, which the exact sum of a row does not show.
 */
#include "spmv.cuh"

#include <algorithm>
#include <new>
#include <vector>

extern "C" {
#include "base/base.h"
#include "base/workers.h"
}

namespace lull
{

/* Of a record: u32 matrix, u32 constraint, u32 signal, value[32]. */
static constexpr size_t record_bytes = 44;
static constexpr size_t matrix_offset = 0, row_offset = 4, column_offset = 8, value_offset = 12;
static constexpr size_t value_bytes = 32;
/* Coefficients that two bytes can name; more, and each entry has its own. */
static constexpr size_t dictionary_max = 65536;
static constexpr size_t one_byte_max = 256;
static constexpr size_t part_align = 256;
/* Tasks a thread, so that they even out. */
static constexpr size_t tasks_each = 4;

struct value {
	uint64_t l[4];

	bool operator==(const value &o) const
	{
		return l[0] == o.l[0] && l[1] == o.l[1] && l[2] == o.l[2] && l[3] == o.l[3];
	}
	bool operator<(const value &o) const
	{
		return std::lexicographical_compare(l, l + 4, o.l, o.l + 4);
	}
};

static_assert(sizeof(value) == value_bytes, "a coefficient");

static value value_of(const uint8_t *record)
{
	value v;

	memcpy(&v, record + value_offset, sizeof(v));
	return v;
}

/*
 * A set of at most dictionary_max values, open addressing.  A file may be
 * written so that its values collide: where a search goes on for too long, the
 * set counts as full, and the key goes without a dictionary.
 */
struct value_set {
	static constexpr size_t nr_slots = 2 * dictionary_max;
	static constexpr size_t probes_max = 1024;
	std::vector<value> slots;
	std::vector<bool> used;
	size_t nr = 0;
	bool full = false;
	value last = {};

	value_set() : slots(nr_slots), used(nr_slots)
	{
	}
	void insert(const value &v)
	{
		/* The odd number next to 2^64 / phi spreads what the sum has. */
		uint64_t h = (v.l[0] + v.l[1] + v.l[2] + v.l[3]) * 0x9e3779b97f4a7c15u;
		size_t i = h >> 47; /* 17 bits: nr_slots */

		if (full || (nr && v == last))
			return;
		last = v;
		for (size_t probes = 0; used[i]; i = (i + 1) % nr_slots) {
			if (slots[i] == v)
				return;
			if (++probes == probes_max)
				break;
		}
		if (used[i] || nr == dictionary_max) {
			full = true;
			return;
		}
		used[i] = true;
		slots[i] = v;
		nr++;
	}
};

static_assert(value_set::nr_slots == (size_t)1 << 17, "the hash has so many bits");

struct reading {
	const uint8_t *coefs;
	size_t nr_coefs, nr_tasks, n;
	struct spmv_plan *plan;
	uint32_t *counts; /* by matrix and row; while filling, the next place */
	std::vector<value_set> *sets;
	bool no_memory;
	uint8_t *block;
};

template <class F>
static void each_record(const struct reading *r, size_t task, F body)
{
	size_t lo, hi;

	lull_workers_split(r->nr_coefs, r->nr_tasks, task, 1, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		const uint8_t *record = r->coefs + i * record_bytes;

		body(record, lull_load_u32(record + matrix_offset) & 1,
		     lull_load_u32(record + row_offset));
	}
}

static void count_task(void *arg, size_t task, unsigned int slot)
{
	const struct reading *r = (const struct reading *)arg;
	value_set &set = (*r->sets)[slot];

	each_record(r, task, [&](const uint8_t *record, size_t matrix, size_t row) {
		__atomic_fetch_add(&r->counts[matrix * r->n + row], 1, __ATOMIC_RELAXED);
		set.insert(value_of(record));
	});
}

static size_t nr_tasks_of(struct lull_workers *workers, size_t nr_coefs)
{
	constexpr size_t records_min = 4096;
	size_t nr = tasks_each * lull_workers_nr(workers);

	return lull_max(1, lull_min(nr, nr_coefs / records_min));
}

/* The union of the sets, sorted; nothing when it is too large. */
static std::vector<value> distinct(const std::vector<value_set> &sets)
{
	std::vector<value> all;

	for (const value_set &set : sets) {
		if (set.full)
			return {};
		for (size_t i = 0; i < value_set::nr_slots; i++)
			if (set.used[i])
				all.push_back(set.slots[i]);
	}
	std::sort(all.begin(), all.end());
	all.erase(std::unique(all.begin(), all.end()), all.end());
	if (all.size() > dictionary_max)
		all.clear();
	return all;
}

static size_t take(struct spmv_plan *plan, size_t bytes)
{
	size_t at = plan->bytes;

	plan->bytes = lull_align_up(plan->bytes + bytes, part_align);
	return at;
}

/* How many segments the rows of a matrix have, and where its parts lie. */
static void lay_out(struct spmv_plan *plan, unsigned int matrix)
{
	struct spmv_part *part = &plan->part[matrix];
	size_t n = (size_t)1 << plan->log_n;
	const uint32_t *counts = plan->counts + matrix * n;

	for (size_t i = 0; i < n; i++) {
		size_t nr = lull_div_up(counts[i], spmv_segment_max);

		part->nr_entries += counts[i];
		if (counts[i] <= spmv_row_max)
			continue;
		part->nr_segments += nr;
		part->nr_long_rows += nr > 1;
		part->nr_partials += nr > 1 ? nr : 0;
	}
	part->starts = take(plan, (n + 1) * sizeof(uint32_t));
	part->columns = take(plan, part->nr_entries * sizeof(uint32_t));
	part->ids = take(plan, part->nr_entries * plan->id_bytes);
	part->segments = take(plan, part->nr_segments * sizeof(struct spmv_segment));
	part->long_rows = take(plan, part->nr_long_rows * sizeof(struct spmv_long_row));
}

static size_t scratch_bytes(const struct spmv_plan *plan)
{
	/* As classify_map_bytes() of classify.cuh, then the partial sums. */
	size_t bytes = lull_align_up(lull_div_up(plan->nr_vars, 32) * 8, part_align);

	return bytes + (plan->part[0].nr_partials + plan->part[1].nr_partials) * value_bytes;
}

/* Everything that is known once the records are counted. */
static int finish_plan(struct spmv_plan *plan, const std::vector<value> &all, size_t nr_coefs,
		       struct lull_error *reterr)
{
	bool shared = !all.empty() || !nr_coefs;

	plan->id_bytes = !shared ? 4 : all.size() <= one_byte_max ? 1 : 2;
	plan->nr_coefs = shared ? all.size() : nr_coefs;
	if (!all.empty()) {
		plan->coefs = (uint64_t(*)[4])malloc(all.size() * value_bytes);
		if (!plan->coefs)
			return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for %zu coefficients",
					 all.size());
		memcpy(plan->coefs, all.data(), all.size() * value_bytes);
	}
	plan->dictionary = take(plan, 2 * plan->nr_coefs * value_bytes);
	for (unsigned int k = 0; k < spmv_nr_matrices; k++)
		lay_out(plan, k);
	plan->scratch_bytes = scratch_bytes(plan);
	return LULL_OK;
}

static int read_records(struct spmv_plan *plan, const uint8_t *coefs, size_t nr_coefs,
			struct lull_workers *workers, struct lull_error *reterr)
{
	size_t n = (size_t)1 << plan->log_n;
	struct reading r = {};

	plan->counts = (uint32_t *)calloc(spmv_nr_matrices * n, sizeof(*plan->counts));
	if (!plan->counts)
		return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for the counts of %zu rows",
				 n);
	/* What the standard library throws stays here. */
	try {
		std::vector<value_set> sets(lull_workers_nr(workers));

		r.coefs = coefs;
		r.nr_coefs = nr_coefs;
		r.nr_tasks = nr_tasks_of(workers, nr_coefs);
		r.n = n;
		r.counts = plan->counts;
		r.sets = &sets;
		lull_workers_run(workers, r.nr_tasks, count_task, &r);
		return finish_plan(plan, distinct(sets), nr_coefs, reterr);
	} catch (const std::bad_alloc &) {
		return lull_fail(reterr, LULL_NOMEM, "spmv: no memory to read a key's matrices");
	}
}

int spmv_plan_make(const uint8_t *coefs, size_t nr_coefs, unsigned int log_n, size_t nr_vars,
		   struct lull_workers *workers, struct spmv_plan *ret_plan,
		   struct lull_error *reterr)
{
	/* Rows and a mark share 32 bits; a warp may step past the last entry. */
	constexpr unsigned int log_n_max = 28;
	constexpr size_t nr_coefs_max = UINT32_MAX - spmv_segment_max;
	struct spmv_plan plan = {};
	int err;

	if (log_n > log_n_max || nr_coefs > nr_coefs_max)
		return lull_fail(reterr, LULL_RANGE,
				 "spmv: 2^%u rows of %zu entries, 2^%u of %zu are the most", log_n,
				 nr_coefs, log_n_max, nr_coefs_max);
	plan.log_n = log_n;
	plan.nr_vars = nr_vars;
	err = read_records(&plan, coefs, nr_coefs, workers, reterr);
	if (err) {
		spmv_plan_done(&plan);
		return err;
	}
	*ret_plan = plan;
	return LULL_OK;
}

void spmv_plan_done(struct spmv_plan *plan)
{
	free(plan->coefs);
	free(plan->counts);
	plan->coefs = NULL;
	plan->counts = NULL;
}

/* The counts become starts, in the block, and next places. */
static void fill_starts(const struct spmv_plan *plan, unsigned int matrix, uint8_t *block)
{
	const struct spmv_part *part = &plan->part[matrix];
	size_t n = (size_t)1 << plan->log_n;
	uint32_t *starts = (uint32_t *)(block + part->starts), *counts = plan->counts + matrix * n;
	struct spmv_segment *segment = (struct spmv_segment *)(block + part->segments);
	struct spmv_long_row *row = (struct spmv_long_row *)(block + part->long_rows);
	uint32_t sum = 0, partial = matrix ? (uint32_t)plan->part[0].nr_partials : 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t nr = counts[i], nr_segments = (nr - 1) / spmv_segment_max + 1;

		starts[i] = sum;
		counts[i] = sum;
		if (nr > spmv_row_max && nr_segments > 1)
			*row++ = { (uint32_t)i, partial, nr_segments };
		for (uint32_t at = 0; nr > spmv_row_max && at < nr; at += spmv_segment_max)
			*segment++ = { sum + at, (uint32_t)lull_min(nr - at, spmv_segment_max),
				       nr_segments > 1 ? partial++ | spmv_partial : (uint32_t)i };
		sum += nr;
	}
	starts[n] = sum;
}

static size_t find(const struct spmv_plan *plan, const value &v)
{
	const value *first = (const value *)plan->coefs;

	return (size_t)(std::lower_bound(first, first + plan->nr_coefs, v) - first);
}

static void put_id(const struct spmv_plan *plan, uint8_t *ids, size_t at, size_t id)
{
	if (plan->id_bytes == 1)
		ids[at] = (uint8_t)id;
	else if (plan->id_bytes == 2)
		((uint16_t *)ids)[at] = (uint16_t)id;
	else
		((uint32_t *)ids)[at] = (uint32_t)id;
}

static void fill_task(void *arg, size_t task, unsigned int slot)
{
	const struct reading *r = (const struct reading *)arg;
	const struct spmv_plan *plan = r->plan;
	value last = {};
	size_t id = 0;
	bool known = false;

	(void)slot;
	each_record(r, task, [&](const uint8_t *record, size_t matrix, size_t row) {
		const struct spmv_part *part = &plan->part[matrix];
		uint32_t at =
			__atomic_fetch_add(&r->counts[matrix * r->n + row], 1, __ATOMIC_RELAXED);
		value v = value_of(record);

		((uint32_t *)(r->block + part->columns))[at] =
			lull_load_u32(record + column_offset);
		if (plan->id_bytes == 4) {
			id = at + (matrix ? plan->part[0].nr_entries : 0);
			memcpy(r->block + plan->dictionary + id * value_bytes, &v, sizeof(v));
		} else if (!known || !(v == last)) {
			id = find(plan, v);
			last = v;
			known = true;
		}
		put_id(plan, r->block + part->ids, at, id);
	});
}

int spmv_fill(struct spmv_plan *plan, const uint8_t *coefs, size_t nr_coefs,
	      struct lull_workers *workers, uint8_t *block, struct lull_error *reterr)
{
	struct reading r = {};

	if (!plan->counts)
		return lull_fail(reterr, LULL_INTERNAL, "spmv: a plan is filled once");
	if (plan->coefs)
		memcpy(block + plan->dictionary, plan->coefs, plan->nr_coefs * value_bytes);
	for (unsigned int k = 0; k < spmv_nr_matrices; k++)
		fill_starts(plan, k, block);
	r.coefs = coefs;
	r.nr_coefs = nr_coefs;
	r.nr_tasks = nr_tasks_of(workers, nr_coefs);
	r.n = (size_t)1 << plan->log_n;
	r.plan = plan;
	r.counts = plan->counts;
	r.block = block;
	lull_workers_run(workers, r.nr_tasks, fill_task, &r);
	spmv_plan_done(plan);
	return LULL_OK;
}

} /* namespace lull */
