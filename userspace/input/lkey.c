// SPDX-License-Identifier: Apache-2.0
/*
 * lkey.c - reads lull's own proving key file; lkey_head.c has the format
 *
 * Pieces are read straight to where they stay, and hashed and their points looked
 * at as they land, by the threads of whoever reads: both are done when the disk
 * is.  Then every row, column and coefficient is looked at: hashes tell damage,
 * not malice.
 */
#include "input/lkey.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "input/canonical.h"
#include "input/lkey_head.h"

#define ENTRIES_PER_TASK ((size_t)1 << 16)

/* ---- sections ----------------------------------------------------------- */

/* What was seen of points. */
struct seen {
	pthread_mutex_t lock;
	unsigned int section;		      /* lock: of the fault, or */
	size_t index;			      /* lock: NR_SECTIONS */
	size_t nr_inf[LULL_LKEY_NR_SECTIONS]; /* lock */
};

/* Sections under way: read, where there is a file to read, and hashed. */
struct loading {
	const struct lull_lkey *key;
	const struct lull_instream *in; /* NULL: already there */
	const struct lull_infile_memory *memory;
	const struct lull_file_extent *extents; /* a chunk each */
	uint8_t *to;
	size_t first[LULL_LKEY_NR_SECTIONS + 1]; /* chunk of each section */
	uint8_t *hashes;
	const struct lull_look *look;
	struct seen *seen;
};

/* Which section a chunk is of. */
static unsigned int section_of(const struct loading *loading, size_t task)
{
	unsigned int i = 0;

	while (task >= loading->first[i + 1])
		i++;
	return i;
}

/* Where a chunk lies in the file. */
static uint64_t chunk_at(const struct loading *loading, size_t task,
			 size_t *ret_bytes)
{
	const struct lull_lkey_section *section;
	unsigned int i = section_of(loading, task);
	uint64_t at;

	section = &loading->key->head.sections[i];
	at = (uint64_t)(task - loading->first[i]) * LULL_LKEY_CHUNK_BYTES;
	*ret_bytes =
		(size_t)lull_min(section->bytes - at, LULL_LKEY_CHUNK_BYTES);
	return section->offset + at;
}

static unsigned int group_of(const struct lull_lkey_section *section)
{
	return section->number == LULL_PART_B2 ? 2 : 1;
}

/* Bytes of one of its points; 0 where it has none, or few that others look at. */
static size_t point_bytes(const struct loading *loading, unsigned int i)
{
	const struct lull_lkey_head *head = &loading->key->head;
	const struct lull_lkey_section *section = &head->sections[i];

	if (section->number < LULL_PART_A || section->number > LULL_PART_H)
		return 0;
	return 2 * group_of(section) * (size_t)head->facts->fp_bytes;
}

/* Points [lo, hi) of a section. */
static void look_at(const struct loading *loading, unsigned int i, size_t lo,
		    size_t hi)
{
	const struct lull_lkey_head *head = &loading->key->head;
	const struct lull_lkey_section *section = &head->sections[i];
	struct seen *seen = loading->seen;
	size_t nr_inf = 0, at;

	at = loading->look->scan(head->facts->id, group_of(section),
				 loading->key->in.data + section->offset, lo,
				 hi, &nr_inf);
	pthread_mutex_lock(&seen->lock);
	seen->nr_inf[i] += nr_inf;
	if (at < hi &&
	    (i < seen->section || (i == seen->section && at < seen->index))) {
		seen->section = i;
		seen->index = at;
	}
	pthread_mutex_unlock(&seen->lock);
}

/* Those that lie in one chunk alone. */
static void look_at_chunk(const struct loading *loading, size_t task)
{
	const unsigned int i = section_of(loading, task);
	const size_t each = loading->look ? point_bytes(loading, i) : 0;
	const uint64_t section_at = loading->key->head.sections[i].offset;
	size_t bytes, at, lo, hi;

	if (!each)
		return;
	at = (size_t)(chunk_at(loading, task, &bytes) - section_at);
	lo = lull_div_up(at, each);
	hi = (at + bytes) / each;
	if (lo < hi)
		look_at(loading, i, lo, hi);
}

/* Those that lie in two, when all is there. */
static void look_between_chunks(const struct loading *loading)
{
	unsigned int i;
	size_t each, at;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++) {
		each = point_bytes(loading, i);
		if (!each || LULL_LKEY_CHUNK_BYTES % each == 0)
			continue;
		for (at = LULL_LKEY_CHUNK_BYTES;
		     at < loading->key->head.sections[i].bytes;
		     at += LULL_LKEY_CHUNK_BYTES)
			if (at % each)
				look_at(loading, i, at / each, at / each + 1);
	}
}

/* What they showed, once the hashes have said that nothing is damaged. */
static int check_seen(const struct loading *loading, struct lull_error *reterr)
{
	static const enum lull_part counted[] = { LULL_PART_A, LULL_PART_B1,
						  LULL_PART_B2, LULL_PART_L };
	const struct lull_lkey *key = loading->key;
	const struct lull_lkey_section *section = key->head.sections;
	const struct seen *seen = loading->seen;
	unsigned int i, k = 0;

	if (!loading->look)
		return LULL_OK;
	look_between_chunks(loading);
	if (seen->section < LULL_LKEY_NR_SECTIONS)
		return loading->look->fail(&key->parts,
					   section[seen->section].number,
					   seen->index, reterr);
	for (i = 0; k < LULL_ARRAY_SIZE(counted); i++, section++) {
		if (section->number != counted[k])
			continue;
		if (seen->nr_inf[i] != key->head.nr_inf[k])
			return lull_lkey_fail(
				key, section->number, section->offset, reterr,
				LULL_RANGE,
				"expected %" PRIu32 " points at infinity, "
				"found %zu",
				key->head.nr_inf[k], seen->nr_inf[i]);
		k++;
	}
	return LULL_OK;
}

static int load_chunk(void *arg, size_t task, struct lull_error *reterr)
{
	const struct loading *loading = arg;
	size_t bytes;
	uint64_t at = chunk_at(loading, task, &bytes);
	int err = LULL_OK;

	if (loading->in)
		err = lull_instream_read(loading->in, at, loading->to + at,
					 bytes, reterr);
	if (!err)
		lull_hash(loading->key->in.data + at, bytes,
			  loading->hashes + task * LULL_HASH_BYTES);
	if (!err)
		look_at_chunk(loading, task);
	return err;
}

static void take_landed(void *arg, const struct lull_file_extent *extent)
{
	const struct loading *loading = arg;
	const size_t task = (size_t)(extent - loading->extents);

	lull_hash(extent->to, (size_t)extent->bytes,
		  loading->hashes + task * LULL_HASH_BYTES);
	look_at_chunk(loading, task);
}

/* Has a reader read all chunks, and its threads take each as it lands. */
static int read_chunks(struct loading *loading, size_t nr,
		       struct lull_error *reterr)
{
	const struct lull_infile_memory *memory = loading->memory;
	const struct lull_load_file file = { loading->in->fd,
					     loading->in->bytes,
					     loading->in->name };
	struct lull_load load = { .nr_extents = nr,
				  .done = take_landed,
				  .arg = loading,
				  .cancel = memory->cancel };
	struct lull_file_extent *extents;
	struct lull_vec vec;
	size_t i, bytes;
	int err;

	err = lull_arena_carve(memory->arena, nr * sizeof(*extents), 0,
			       file.name, &vec, reterr);
	if (err)
		return err;
	extents = vec.ptr;
	for (i = 0; i < nr; i++) {
		extents[i] = (struct lull_file_extent){ .source = &file };
		extents[i].offset = chunk_at(loading, i, &bytes);
		extents[i].bytes = bytes;
		extents[i].to = loading->to + extents[i].offset;
	}
	load.extents = loading->extents = extents;
	err = memory->reader->read(memory->reader->arg, &load, reterr);
	lull_arena_retire(&vec);
	return err;
}

static int check_hashes(const struct loading *loading,
			struct lull_error *reterr)
{
	char want[LULL_LKEY_HASH_TEXT], got[LULL_LKEY_HASH_TEXT];
	const struct lull_lkey_section *section;
	uint8_t hash[LULL_HASH_BYTES];
	unsigned int i;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++) {
		section = &loading->key->head.sections[i];
		lull_hash(loading->hashes + loading->first[i] * sizeof(hash),
			  (loading->first[i + 1] - loading->first[i]) *
				  sizeof(hash),
			  hash);
		if (!memcmp(hash, section->hash, sizeof(hash)))
			continue;
		lull_lkey_hash_text(want, section->hash);
		lull_lkey_hash_text(got, hash);
		return lull_lkey_fail(
			loading->key, section->number, section->offset, reterr,
			LULL_FORMAT,
			"hash: expected %s..., found %s...: the file is "
			"damaged",
			want, got);
	}
	return LULL_OK;
}

static int try_tasks(struct lull_workers *workers, size_t nr,
		     int (*fn)(void *arg, size_t task,
			       struct lull_error *reterr),
		     void *arg, struct lull_error *reterr)
{
	size_t i;
	int err = LULL_OK;

	if (workers)
		return lull_workers_try(workers, nr, fn, arg, reterr);
	for (i = 0; i < nr && !err; i++)
		err = fn(arg, i, reterr);
	return err;
}

static int load_sections(struct loading *loading, struct lull_workers *workers,
			 struct lull_error *reterr)
{
	size_t *first = loading->first;
	unsigned int i;
	int err;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++)
		first[i + 1] = first[i] +
			       lull_div_up(loading->key->head.sections[i].bytes,
					   LULL_LKEY_CHUNK_BYTES);
	loading->hashes = calloc(first[i], LULL_HASH_BYTES);
	if (!loading->hashes)
		return lull_fail(reterr, LULL_NOMEM,
				 "%s: no memory for the hashes of its pieces",
				 loading->key->in.name);
	if (loading->in && loading->memory->reader)
		err = read_chunks(loading, first[i], reterr);
	else
		err = try_tasks(workers, first[i], load_chunk, loading, reterr);
	if (!err)
		err = check_hashes(loading, reterr);
	free(loading->hashes);
	return err;
}

/* ---- parts -------------------------------------------------------------- */

static void find_parts(struct lull_lkey *key)
{
	struct lull_lkey_head *head = &key->head;
	struct lull_parts *parts = &key->parts;
	const uint8_t *at[LULL_NR_PARTS] = { 0 };
	unsigned int i, k;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++)
		at[head->sections[i].number] =
			key->in.data + head->sections[i].offset;
	*parts = (struct lull_parts){
		.base = key->in.data,
		.file_bytes = key->in.bytes,
		.curve = head->facts->id,
		.facts = head->facts,
		.nr_vars = head->nr_vars,
		.nr_public = head->nr_public,
		.domain_size = (uint32_t)1 << head->log2_domain,
		.log2_domain = head->log2_domain,
		.nr_coefs =
			(uint32_t)(head->nr_entries[0] + head->nr_entries[1]),
		.nr_contributions = head->nr_contributions,
		.native = true,
		.folded = head->flags & LULL_LKEY_FOLDED,
		.toxic = head->flags & LULL_LKEY_TOXIC,
		.ic = at[LULL_PART_IC],
		.a = at[LULL_PART_A],
		.b1 = at[LULL_PART_B1],
		.b2 = at[LULL_PART_B2],
		.l = at[LULL_PART_L],
		.h = at[LULL_PART_H],
		.nr_l = (size_t)lull_lkey_nr_l(head),
		.csr = { .id_bytes = head->id_bytes,
			 .nr_values = (size_t)head->nr_values,
			 .values = at[LULL_PART_COEFS] },
	};
	memcpy(parts->name, key->in.name, sizeof(parts->name));
	lull_parts_set_header(parts, at[LULL_PART_HEADER]);
	for (k = 0; k < LULL_CSR_MATRICES; k++) {
		const uint8_t **rows =
			&at[LULL_PART_ROWS_A + k * LULL_LKEY_ROWS_SECTIONS];

		parts->csr.matrix[k] =
			(struct lull_csr_matrix){ rows[0], rows[1], rows[2],
						  (size_t)head->nr_entries[k] };
	}
	parts->nr_inf[LULL_PART_A] = head->nr_inf[0];
	parts->nr_inf[LULL_PART_B1] = head->nr_inf[1];
	parts->nr_inf[LULL_PART_B2] = head->nr_inf[2];
	parts->nr_inf[LULL_PART_L] = head->nr_inf[3];
}

/* What a check of matrices looks at: one section, some entries a task. */
struct matrix_check {
	const struct lull_lkey *key;
	unsigned int matrix;
	uint32_t number;
	size_t nr;
};

static int fail_entry(const struct matrix_check *check, const uint8_t *p,
		      const char *what, uint64_t limit, uint64_t found,
		      struct lull_error *reterr)
{
	return lull_lkey_fail(
		check->key, check->number, (uint64_t)(p - check->key->in.data),
		reterr, LULL_RANGE, "expected %s %" PRIu64 ", found %" PRIu64,
		what, limit, found);
}

static int check_starts(void *arg, size_t task, struct lull_error *reterr)
{
	const struct matrix_check *check = arg;
	const struct lull_csr_matrix *m =
		&check->key->parts.csr.matrix[check->matrix];
	size_t lo = task * ENTRIES_PER_TASK, i;
	size_t hi = lull_min(lo + ENTRIES_PER_TASK, check->nr);
	const uint8_t *p = m->starts + lo * sizeof(uint32_t);
	uint32_t before = lo ? lull_load_u32(p - sizeof(uint32_t)) : 0, here;

	for (i = lo; i < hi; i++, p += sizeof(here)) {
		here = lull_load_u32(p);
		if (lull_unlikely(here < before))
			return fail_entry(check, p, "at least", before, here,
					  reterr);
		if (lull_unlikely(!i && here))
			return fail_entry(check, p, "at most", 0, here, reterr);
		before = here;
	}
	if (hi == check->nr && before != m->nr_entries)
		return fail_entry(check, p - sizeof(here), "exactly",
				  m->nr_entries, before, reterr);
	return LULL_OK;
}

/*
 * The largest of some numbers of @bytes each, at any alignment.  Where the size
 * is known and there is no way out of the loop, compilers make vectors of it, and
 * nothing else is done to a key for longer between its last byte and its first
 * proof.
 */
static inline __attribute__((always_inline)) uint32_t
largest_of(const uint8_t *p, size_t nr, unsigned int bytes)
{
	uint32_t number, max = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		number = 0;
		memcpy(&number, p + i * bytes, bytes);
		max = lull_max(number, max);
	}
	return max;
}

static uint32_t largest(const uint8_t *p, size_t nr, unsigned int bytes)
{
	switch (bytes) {
	case sizeof(uint8_t):
		return largest_of(p, nr, sizeof(uint8_t));
	case sizeof(uint16_t):
		return largest_of(p, nr, sizeof(uint16_t));
	default:
		return largest_of(p, nr, sizeof(uint32_t));
	}
}

/* Numbers [lo, hi) of @bytes each are below @limit. */
static int check_below(const struct matrix_check *check, const uint8_t *numbers,
		       unsigned int bytes, size_t lo, size_t hi, uint64_t limit,
		       struct lull_error *reterr)
{
	const uint8_t *p = numbers + lo * bytes;
	uint32_t number;

	if (lull_likely(largest(p, hi - lo, bytes) < limit))
		return LULL_OK;
	for (;; p += bytes) {
		number = largest(p, 1, bytes);
		if (number >= limit)
			return fail_entry(check, p, "below", limit, number,
					  reterr);
	}
}

static int check_columns(void *arg, size_t task, struct lull_error *reterr)
{
	const struct matrix_check *check = arg;
	const uint32_t nr_vars = check->key->parts.nr_vars;
	size_t lo = task * ENTRIES_PER_TASK;
	size_t hi = lull_min(lo + ENTRIES_PER_TASK, check->nr);

	return check_below(check,
			   check->key->parts.csr.matrix[check->matrix].columns,
			   sizeof(uint32_t), lo, hi, nr_vars, reterr);
}

static int check_ids(void *arg, size_t task, struct lull_error *reterr)
{
	const struct matrix_check *check = arg;
	const struct lull_csr *csr = &check->key->parts.csr;
	size_t lo = task * ENTRIES_PER_TASK;
	size_t hi = lull_min(lo + ENTRIES_PER_TASK, check->nr);

	return check_below(check, csr->matrix[check->matrix].ids, csr->id_bytes,
			   lo, hi, csr->nr_values, reterr);
}

static int check_values(void *arg, size_t task, struct lull_error *reterr)
{
	const struct matrix_check *check = arg;
	const struct lull_lkey *key = check->key;
	size_t lo = task * ENTRIES_PER_TASK, i;
	size_t hi = lull_min(lo + ENTRIES_PER_TASK, check->nr);
	const uint8_t *p = key->parts.csr.values + lo * LULL_FR_BYTES;

	for (i = lo; i < hi; i++, p += LULL_FR_BYTES)
		if (lull_unlikely(!lull_input_below(
			    p, key->head.facts->fr_prime, LULL_FR_BYTES)))
			return lull_lkey_fail(
				key, check->number,
				(uint64_t)(p - key->in.data), reterr,
				LULL_RANGE, "value %zu: expected below r of %s",
				i, key->head.facts->name);
	return LULL_OK;
}

static int check_matrices(const struct lull_lkey *key,
			  struct lull_workers *workers,
			  struct lull_error *reterr)
{
	const struct lull_csr *csr = &key->parts.csr;
	struct matrix_check check = { .key = key, .number = LULL_PART_COEFS };
	static int (*const checks[LULL_LKEY_ROWS_SECTIONS])(
		void *, size_t, struct lull_error *) = { check_starts,
							 check_columns,
							 check_ids };
	unsigned int k, i;
	int err;

	check.nr = csr->nr_values;
	err = try_tasks(workers, lull_div_up(check.nr, ENTRIES_PER_TASK),
			check_values, &check, reterr);
	for (k = 0; k < LULL_CSR_MATRICES && !err; k++) {
		check.matrix = k;
		for (i = 0; i < LULL_LKEY_ROWS_SECTIONS && !err; i++) {
			check.number = LULL_PART_ROWS_A +
				       k * LULL_LKEY_ROWS_SECTIONS + i;
			check.nr = i ? csr->matrix[k].nr_entries
				     : (size_t)key->parts.domain_size + 1;
			err = try_tasks(workers,
					lull_div_up(check.nr, ENTRIES_PER_TASK),
					checks[i], &check, reterr);
		}
	}
	return err;
}

/* ---- opening ------------------------------------------------------------ */

static int finish(struct lull_lkey *key, struct loading *loading,
		  struct lull_workers *workers, struct lull_error *reterr)
{
	struct seen seen = { .section = LULL_LKEY_NR_SECTIONS };
	int err;

	loading->seen = &seen;
	pthread_mutex_init(&seen.lock, NULL);
	err = load_sections(loading, workers, reterr);
	if (!err) {
		find_parts(key);
		err = check_seen(loading, reterr);
	}
	pthread_mutex_destroy(&seen.lock);
	return err ? err : check_matrices(key, workers, reterr);
}

/* Behind the head of an open file: takes memory and reads the rest. */
static int read_rest(struct lull_lkey *key, const struct lull_instream *in,
		     const struct lull_infile_memory *memory,
		     struct lull_error *reterr)
{
	struct loading loading = {
		.key = key, .in = in, .memory = memory, .look = memory->look
	};
	int err;

	err = lull_arena_carve(memory->arena, (size_t)key->in.bytes,
			       memory->flags, key->in.name, &key->in.vec,
			       reterr);
	if (err)
		return err;
	loading.to = key->in.vec.ptr;
	key->in.data = loading.to;
	err = finish(key, &loading, memory->workers, reterr);
	return err ? err : lull_instream_same(in, reterr);
}

int lull_lkey_open(const char *path, const struct lull_infile_memory *memory,
		   struct lull_lkey *ret_key, struct lull_error *reterr)
{
	struct lull_lkey key = { 0 };
	struct lull_instream in;
	uint8_t head[LULL_LKEY_HEAD_BYTES];
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	key.in = lull_infile_of(&in);
	err = lull_instream_read(
		&in, 0, head, (size_t)lull_min(in.bytes, sizeof(head)), reterr);
	if (!err)
		err = lull_lkey_read_head(&key, head, reterr);
	if (!err)
		err = read_rest(&key, &in, memory, reterr);
	lull_instream_close(&in);
	if (err) {
		lull_infile_close(&key.in);
		return err;
	}
	*ret_key = key;
	return LULL_OK;
}

int lull_lkey_open_mem(const void *data, size_t bytes, const char *name,
		       const struct lull_look *look,
		       struct lull_workers *workers, struct lull_lkey *ret_key,
		       struct lull_error *reterr)
{
	struct lull_lkey key = { 0 };
	struct loading loading = { .key = &key, .look = look };
	int err;

	err = lull_infile_open_mem(data, bytes, name, &key.in, reterr);
	if (!err)
		err = lull_lkey_read_head(&key, data, reterr);
	if (!err)
		err = finish(&key, &loading, workers, reterr);
	if (!err)
		*ret_key = key;
	return err;
}

void lull_lkey_close(struct lull_lkey *key)
{
	lull_infile_close(&key->in);
	*key = (struct lull_lkey){ 0 };
}
