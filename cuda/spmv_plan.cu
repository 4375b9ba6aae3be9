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
#include "base/classes.h"
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

static value value_at(const uint8_t *p)
{
	value v;

	memcpy(&v, p, sizeof(v));
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
	const struct lull_csr *csr; /* instead of them */
	size_t nr_coefs, nr_tasks, n;
	struct spmv_plan *plan;
	uint32_t *counts; /* by matrix and row; while filling, the next place */
	std::vector<value_set> *sets;
	uint8_t *host;
};

/* The rows of a native key: each entry's value is at its number. */
template <class F>
static void each_row(const struct reading *r, size_t task, F body)
{
	const unsigned int id_bytes = r->csr->id_bytes;
	size_t lo, hi;

	lull_workers_split(r->n, r->nr_tasks, task, 1, &lo, &hi);
	for (size_t k = 0; k < spmv_nr_matrices; k++) {
		const struct lull_csr_matrix *m = &r->csr->matrix[k];
		size_t i = lull_load_u32(m->starts + lo * sizeof(uint32_t));

		for (size_t row = lo; row < hi; row++) {
			size_t end = lull_load_u32(m->starts + (row + 1) * sizeof(uint32_t));

			for (; i < end; i++) {
				uint32_t id = 0;

				memcpy(&id, m->ids + i * id_bytes, id_bytes);
				body(k, row, lull_load_u32(m->columns + i * sizeof(uint32_t)),
				     value_at(r->csr->values + id * value_bytes));
			}
		}
	}
}

/* body(matrix, row, column, value) for each entry of a task's share. */
template <class F>
static void each_entry(const struct reading *r, size_t task, F body)
{
	size_t lo, hi;

	if (r->csr) {
		each_row(r, task, body);
		return;
	}
	lull_workers_split(r->nr_coefs, r->nr_tasks, task, 1, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		const uint8_t *record = r->coefs + i * record_bytes;

		body(lull_load_u32(record + matrix_offset) & 1,
		     lull_load_u32(record + row_offset), lull_load_u32(record + column_offset),
		     value_at(record + value_offset));
	}
}

static void count_task(void *arg, size_t task, unsigned int slot)
{
	const struct reading *r = (const struct reading *)arg;
	value_set &set = (*r->sets)[slot];

	each_entry(r, task, [&](size_t matrix, size_t row, uint32_t, const value &v) {
		__atomic_fetch_add(&r->counts[matrix * r->n + row], 1, __ATOMIC_RELAXED);
		set.insert(v);
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

static size_t take(size_t *end, size_t bytes)
{
	size_t at = *end;

	*end = lull_align_up(*end + bytes, part_align);
	return at;
}

static size_t entries_of(const struct spmv_plan *plan, unsigned int matrix, size_t row)
{
	return plan->counts[((size_t)matrix << plan->log_n) + row];
}

static size_t segments_of(size_t nr_entries)
{
	return nr_entries > spmv_row_max ? lull_div_up(nr_entries, spmv_segment_max) : 0;
}

/* What a row adds to its block on the device. */
static size_t row_bytes(const struct spmv_plan *plan, size_t row)
{
	size_t own = plan->id_bytes == 4 ? 2 * value_bytes : 0, bytes = 0;

	for (unsigned int k = 0; k < spmv_nr_matrices; k++) {
		size_t nr = entries_of(plan, k, row), segments = segments_of(nr);

		bytes += sizeof(uint32_t) + nr * (sizeof(uint32_t) + plan->id_bytes + own) +
			 segments * sizeof(struct spmv_segment) +
			 (segments > 1 ? sizeof(struct spmv_long_row) : 0);
	}
	return bytes;
}

static void add_row(const struct spmv_plan *plan, struct spmv_block *block)
{
	for (unsigned int k = 0; k < spmv_nr_matrices; k++) {
		struct spmv_part *part = &block->part[k];
		size_t nr = entries_of(plan, k, block->first_row + block->nr_rows);
		size_t segments = segments_of(nr);

		part->nr_entries += nr;
		part->nr_segments += segments;
		part->nr_long_rows += segments > 1;
		part->nr_partials += segments > 1 ? segments : 0;
	}
	block->nr_rows++;
}

/* What a block has beside its rows: the ends of its starts, and for each part
 * and the dictionary what aligning them takes. */
static constexpr size_t block_bytes_min =
	spmv_nr_matrices * sizeof(uint32_t) + (5 * spmv_nr_matrices + 1) * part_align;

/* Where the parts of a block lie, once its rows are counted. */
static void lay_out(struct spmv_plan *plan, struct spmv_block *block)
{
	size_t end = 0;

	for (struct spmv_part &part : block->part) {
		part.starts = take(&end, (block->nr_rows + 1) * sizeof(uint32_t));
		part.columns = take(&end, part.nr_entries * sizeof(uint32_t));
		part.ids = take(&end, part.nr_entries * plan->id_bytes);
		part.segments = take(&end, part.nr_segments * sizeof(struct spmv_segment));
		part.long_rows = take(&end, part.nr_long_rows * sizeof(struct spmv_long_row));
		block->nr_coefs += plan->id_bytes == 4 ? part.nr_entries : 0;
	}
	block->dictionary = end;
	block->host_bytes = end + block->nr_coefs * value_bytes;
	block->bytes = lull_align_up(block->host_bytes + block->nr_coefs * value_bytes, part_align);
	block->at = take(&plan->host_bytes, block->host_bytes);
	plan->block_bytes_max = lull_max(plan->block_bytes_max, block->bytes);
}

/* The block from first_row on, of as many rows as bytes_max holds. */
static struct spmv_block next_block(struct spmv_plan *plan, size_t first_row, size_t bytes_max)
{
	size_t n = (size_t)1 << plan->log_n, bytes = block_bytes_min, more;
	struct spmv_block block = {};

	block.first_row = first_row;
	while (first_row + block.nr_rows < n) {
		more = row_bytes(plan, first_row + block.nr_rows);
		plan->row_bytes_max = lull_max(plan->row_bytes_max, block_bytes_min + more);
		bytes += more;
		if (bytes > bytes_max)
			break;
		add_row(plan, &block);
	}
	return block;
}

static void cut(struct spmv_plan *plan, size_t bytes_max, std::vector<spmv_block> *ret_blocks)
{
	size_t n = (size_t)1 << plan->log_n;

	plan->host_bytes = lull_align_up(plan->nr_coefs * value_bytes, part_align);
	plan->block_bytes_max = 0;
	for (size_t row = 0; row < n; row += ret_blocks->back().nr_rows) {
		ret_blocks->push_back(next_block(plan, row, bytes_max));
		lay_out(plan, &ret_blocks->back());
	}
}

int spmv_cut(struct spmv_plan *plan, size_t bytes_max, struct lull_error *reterr)
{
	size_t bytes = 0;

	if (!plan->counts || bytes_max < plan->row_bytes_max)
		return lull_fail(reterr, LULL_INTERNAL,
				 "spmv: blocks of %zu bytes, %zu are the fewest", bytes_max,
				 plan->row_bytes_max);
	try {
		std::vector<spmv_block> blocks;

		cut(plan, bytes_max, &blocks);
		free(plan->blocks);
		bytes = blocks.size() * sizeof(blocks[0]);
		plan->nr_blocks = blocks.size();
		plan->blocks = (struct spmv_block *)malloc(bytes);
		if (plan->blocks) {
			memcpy(plan->blocks, blocks.data(), bytes);
			return LULL_OK;
		}
	} catch (const std::bad_alloc &) {
	}
	return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for %zu bytes of blocks", bytes);
}

static size_t scratch_bytes(const struct spmv_plan *plan)
{
	/* The map of the witness, then the partial sums. */
	size_t bytes = lull_align_up(lull_classes_bytes(plan->nr_vars), part_align);
	const struct spmv_part *part = plan->blocks[0].part;

	return bytes + (part[0].nr_partials + part[1].nr_partials) * value_bytes;
}

/* Everything that is known once the records are counted. */
static int finish_plan(struct spmv_plan *plan, const std::vector<value> &all, size_t nr_coefs,
		       struct lull_error *reterr)
{
	bool shared = !all.empty() || !nr_coefs;

	plan->id_bytes = !shared ? 4 : all.size() <= one_byte_max ? 1 : 2;
	plan->nr_coefs = all.size();
	plan->dictionary_bytes = lull_align_up(2 * plan->nr_coefs * value_bytes, part_align);
	if (!all.empty()) {
		plan->coefs = (uint64_t(*)[4])malloc(all.size() * value_bytes);
		if (!plan->coefs)
			return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for %zu coefficients",
					 all.size());
		memcpy(plan->coefs, all.data(), all.size() * value_bytes);
	}
	/* All rows in one block, which has more partial sums than any other. */
	LULL_TRY(spmv_cut(plan, SIZE_MAX, reterr));
	plan->scratch_bytes = scratch_bytes(plan);
	return LULL_OK;
}

static struct reading reading_of(const struct spmv_plan *plan, const struct spmv_records *records,
				 struct lull_workers *workers)
{
	struct reading r = {};

	r.coefs = records->coefs;
	r.csr = records->coefs ? NULL : records->csr;
	r.nr_coefs = records->nr_coefs;
	r.nr_tasks = nr_tasks_of(workers, records->nr_coefs);
	r.n = (size_t)1 << plan->log_n;
	r.counts = plan->counts;
	return r;
}

static int read_records(struct spmv_plan *plan, const struct spmv_records *records,
			struct lull_workers *workers, struct lull_error *reterr)
{
	size_t n = (size_t)1 << plan->log_n;
	struct reading r;

	plan->counts = (uint32_t *)calloc(spmv_nr_matrices * n, sizeof(*plan->counts));
	if (!plan->counts)
		return lull_fail(reterr, LULL_NOMEM, "spmv: no memory for the counts of %zu rows",
				 n);
	/* What the standard library throws stays here. */
	try {
		std::vector<value_set> sets(lull_workers_nr(workers));

		r = reading_of(plan, records, workers);
		r.sets = &sets;
		lull_workers_run(workers, r.nr_tasks, count_task, &r);
		return finish_plan(plan, distinct(sets), records->nr_coefs, reterr);
	} catch (const std::bad_alloc &) {
		return lull_fail(reterr, LULL_NOMEM, "spmv: no memory to read a key's matrices");
	}
}

int spmv_plan_make(const struct spmv_records *records, unsigned int log_n, size_t nr_vars,
		   struct lull_workers *workers, struct spmv_plan *ret_plan,
		   struct lull_error *reterr)
{
	/* Rows and a mark share 32 bits; a warp may step past the last entry. */
	constexpr unsigned int log_n_max = 28;
	constexpr size_t nr_coefs_max = UINT32_MAX - spmv_segment_max;
	struct spmv_plan plan = {};
	int err;

	if (log_n > log_n_max || records->nr_coefs > nr_coefs_max)
		return lull_fail(reterr, LULL_RANGE,
				 "spmv: 2^%u rows of %zu entries, 2^%u of %zu are the most", log_n,
				 records->nr_coefs, log_n_max, nr_coefs_max);
	plan.log_n = log_n;
	plan.nr_vars = nr_vars;
	err = read_records(&plan, records, workers, reterr);
	if (err) {
		spmv_plan_done(&plan);
		return err;
	}
	*ret_plan = plan;
	return LULL_OK;
}

/* What is of no more use once the matrices are written. */
static void forget_records(struct spmv_plan *plan)
{
	free(plan->coefs);
	free(plan->counts);
	plan->coefs = NULL;
	plan->counts = NULL;
}

void spmv_plan_done(struct spmv_plan *plan)
{
	forget_records(plan);
	free(plan->blocks);
	plan->blocks = NULL;
}

/* The counts become starts, in the block, and next places. */
static void fill_starts(const struct spmv_plan *plan, const struct spmv_block *block,
			unsigned int matrix, uint8_t *host)
{
	const struct spmv_part *part = &block->part[matrix];
	uint32_t *counts = plan->counts + ((size_t)matrix << plan->log_n) + block->first_row;
	uint32_t *starts = (uint32_t *)(host + part->starts);
	struct spmv_segment *segment = (struct spmv_segment *)(host + part->segments);
	struct spmv_long_row *row = (struct spmv_long_row *)(host + part->long_rows);
	uint32_t sum = 0, partial = matrix ? (uint32_t)block->part[0].nr_partials : 0;

	for (size_t i = 0; i < block->nr_rows; i++) {
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
	starts[block->nr_rows] = sum;
}

static size_t find(const struct spmv_plan *plan, const value &v)
{
	const value *first = (const value *)plan->coefs;

	return (size_t)(std::lower_bound(first, first + plan->nr_coefs, v) - first);
}

/* The block that a row lies in: the last one that does not begin behind it. */
static const struct spmv_block *block_of(const struct spmv_plan *plan, size_t row)
{
	const struct spmv_block *first = plan->blocks, *end = first + plan->nr_blocks;

	auto behind = [](size_t r, const struct spmv_block &b) { return r < b.first_row; };

	return std::upper_bound(first, end, row, behind) - 1;
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
	each_entry(r, task, [&](size_t matrix, size_t row, uint32_t column, const value &v) {
		const struct spmv_block *block = block_of(plan, row);
		const struct spmv_part *part = &block->part[matrix];
		uint8_t *host = r->host + block->at;
		uint32_t at =
			__atomic_fetch_add(&r->counts[matrix * r->n + row], 1, __ATOMIC_RELAXED);

		((uint32_t *)(host + part->columns))[at] = column;
		if (plan->id_bytes == 4) {
			id = at + (matrix ? block->part[0].nr_entries : 0);
			memcpy(host + block->dictionary + id * value_bytes, &v, sizeof(v));
		} else if (!known || !(v == last)) {
			id = find(plan, v);
			last = v;
			known = true;
		}
		put_id(plan, host + part->ids, at, id);
	});
}

int spmv_fill(struct spmv_plan *plan, const struct spmv_records *records,
	      struct lull_workers *workers, uint8_t *host, struct lull_error *reterr)
{
	struct reading r = reading_of(plan, records, workers);

	if (!plan->counts)
		return lull_fail(reterr, LULL_INTERNAL, "spmv: a plan is filled once");
	if (plan->coefs)
		memcpy(host, plan->coefs, plan->nr_coefs * value_bytes);
	for (size_t i = 0; i < plan->nr_blocks; i++)
		for (unsigned int k = 0; k < spmv_nr_matrices; k++)
			fill_starts(plan, &plan->blocks[i], k, host + plan->blocks[i].at);
	r.plan = plan;
	r.host = host;
	lull_workers_run(workers, r.nr_tasks, fill_task, &r);
	forget_records(plan);
	return LULL_OK;
}

} /* namespace lull */
