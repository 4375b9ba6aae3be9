// SPDX-License-Identifier: Apache-2.0
/*
 * convert.c - makes a .lkey of another key file; see convert.h
 *
 * Counts the rows, which settles every place; writes rows and points, checked,
 * at their places, in portions that threads take; folds C where that is wanted;
 * then reads the sections back to hash them, and writes the head last, so that
 * a file that is not whole has none.
 */
#include "prove/convert.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "prove/convert_plan.h"
#include "prove/groth16.h"
#include "prove/key.h"

/* Tasks between two words of progress, for each thread. */
#define TASKS_A_PORTION 32
/* Of points, for each thread. */
#define TASKS_A_THREAD 8

static void tell(const struct lull_converting *c, const char *what, size_t done,
		 size_t all)
{
	if (c->how->progress)
		c->how->progress(c->how->progress_arg, what,
				 (unsigned int)lull_min(done, UINT32_MAX),
				 (unsigned int)lull_min(all, UINT32_MAX));
}

/* A run of tasks whose first one is not 0. */
struct portion {
	int (*fn)(void *arg, size_t task, unsigned int slot,
		  struct lull_error *reterr);
	void *arg;
	size_t first;
};

static int run_shifted(void *arg, size_t task, unsigned int slot,
		       struct lull_error *reterr)
{
	const struct portion *portion = arg;

	return portion->fn(portion->arg, portion->first + task, slot, reterr);
}

int lull_convert_run(const struct lull_converting *c, const char *what,
		     size_t nr_tasks,
		     int (*fn)(void *arg, size_t task, unsigned int slot,
			       struct lull_error *reterr),
		     void *arg, struct lull_error *reterr)
{
	size_t most = (size_t)TASKS_A_PORTION * lull_workers_nr(c->workers);
	struct portion portion = { .fn = fn, .arg = arg };
	size_t nr;
	int err = LULL_OK;

	for (; portion.first < nr_tasks && !err; portion.first += nr) {
		tell(c, what, portion.first, nr_tasks);
		nr = lull_min(nr_tasks - portion.first, most);
		err = lull_workers_try_slots(c->workers, nr, run_shifted,
					     &portion, reterr);
	}
	return err;
}

/* Three weights of 32 bytes and three counts a wire; two values of a row, 17 bytes
 * for its place in an order, and 35 that their transform takes. */
#define COMPARED_WIRE_BYTES 108
#define COMPARED_ROW_BYTES 116
/* Of folding: buffers and tables of multiples. */
#define FOLD_THREAD_BYTES ((uint64_t)12 << 20)
/* What is small, and ends of slots. */
#define NEED_OF_ALL ((uint64_t)4 << 20)

/* Buffers of arrays on their way, which move_array() and hashes have: of a short
 * array as many tasks as it has, and one slot more than tasks. */
static uint64_t moving_bytes(const struct lull_converting *c,
			     const struct lull_source *source)
{
	const uint64_t g2_bytes = 4 * (uint64_t)source->facts->fp_bytes;
	const uint64_t n = (uint64_t)1 << source->log2_domain;
	const uint64_t each = LULL_CONVERT_POINTS * g2_bytes;
	uint64_t largest = lull_max(source->nr_vars * g2_bytes,
				    n * g2_bytes / 2);

	largest = lull_max(largest,
			   source->nr_records * (uint64_t)LULL_FR_BYTES);
	return lull_min(each * lull_workers_nr(c->workers), largest + 2 * each);
}

static uint64_t circuit_bytes(const struct lull_converting *c,
			      const struct lull_source *source)
{
	const uint64_t n = (uint64_t)1 << source->log2_domain;
	const uint64_t g1_bytes = 2 * (uint64_t)source->facts->fp_bytes;
	const unsigned int nr_threads = lull_workers_nr(c->workers);
	uint64_t bytes = 0;

	if (c->how->r1cs_path)
		bytes = COMPARED_WIRE_BYTES * (uint64_t)source->nr_vars +
			COMPARED_ROW_BYTES * n +
			(source->facts->id == LULL_CURVE_BN254
				 ? lull_bn254_circuit_bytes
				 : lull_bls12_381_circuit_bytes)(source,
								 nr_threads);
	if (c->how->fold_c)
		bytes = lull_max(bytes, 2 * g1_bytes * source->nr_vars +
						g1_bytes * n +
						FOLD_THREAD_BYTES * nr_threads);
	return bytes;
}

int lull_convert_need(const struct lull_converting *c,
		      const struct lull_source *source, uint64_t own_bytes,
		      struct lull_error *reterr)
{
	unsigned int nr_slots = lull_convert_slots(
		c, lull_div_up(source->nr_records, LULL_CONVERT_RECORDS));
	/* A slot counts records and then writes them. */
	uint64_t bytes = own_bytes + circuit_bytes(c, source) +
			 moving_bytes(c, source) +
			 2 * (uint64_t)nr_slots * LULL_CONVERT_SLOT_BYTES +
			 NEED_OF_ALL;

	return lull_arena_need(c->arena, source->name, "converting it", bytes,
			       c->how->say, c->how->say_arg, reterr);
}

static struct lull_lkey_section *section_of(struct lull_converting *c,
					    uint32_t number)
{
	return lull_lkey_section(&c->head, number);
}

/* ---- points ------------------------------------------------------------- */

/* One array of points on its way; @write is false for what is checked only. */
struct moving {
	struct lull_converting *c;
	enum lull_part part;
	const char *what;
	unsigned int group;
	size_t nr;
	bool write;
	uint64_t to;
	size_t nr_a_task;
	uint8_t *buffers; /* of a task's points, one a slot */
	size_t nr_inf;	  /* added to atomically */
};

static size_t point_bytes(const struct moving *m)
{
	return 2 * m->group * (size_t)m->c->head.facts->fp_bytes;
}

static int fail_point(const struct moving *m, size_t first,
		      struct lull_points_report *report,
		      struct lull_error *reterr)
{
	const struct lull_source *source = m->c->source;

	report->index += first;
	return source->ops->fail_point(source, m->part, m->what, report,
				       reterr);
}

static int move_points(void *arg, size_t task, unsigned int slot,
		       struct lull_error *reterr)
{
	struct moving *m = arg;
	const struct lull_source *source = m->c->source;
	const struct lull_groth16_ops *ops = lull_groth16(source->facts->id);
	size_t bytes = point_bytes(m), first = task * m->nr_a_task;
	size_t nr = lull_min(m->nr - first, m->nr_a_task);
	uint8_t *buf = m->buffers + slot * m->nr_a_task * bytes;
	struct lull_points_report report;
	int err;

	err = source->ops->points(source, m->part, first, nr, buf, reterr);
	if (err)
		return err;
	(m->group == 1 ? ops->check_g1 : ops->check_g2)(buf, 0, nr, true,
							&report);
	if (report.fault != LULL_POINTS_OK)
		return fail_point(m, first, &report, reterr);
	__atomic_fetch_add(&m->nr_inf, report.nr_inf, __ATOMIC_RELAXED);
	if (!m->write)
		return LULL_OK;
	return lull_outfile_write_at(&m->c->out, m->to + first * bytes, buf,
				     nr * bytes, reterr);
}

static int move_array(struct moving *m, struct lull_error *reterr)
{
	struct lull_converting *c = m->c;
	size_t nr_threads = lull_workers_nr(c->workers), nr_tasks;
	struct lull_vec buffers;
	char what[32];
	int err;

	snprintf(what, sizeof(what), "points of %s", m->what);
	m->to = section_of(c, m->part)->offset;
	m->nr_a_task = lull_min(lull_max(m->nr / (TASKS_A_THREAD * nr_threads),
					 LULL_CONVERT_POINTS_MIN),
				LULL_CONVERT_POINTS);
	nr_tasks = lull_div_up(m->nr, m->nr_a_task);
	err = lull_arena_carve(c->arena,
			       lull_convert_slots(c, nr_tasks) * m->nr_a_task *
				       point_bytes(m),
			       0, "points on their way", &buffers, reterr);
	if (err)
		return err;
	m->buffers = buffers.ptr;
	err = lull_convert_run(c, what, nr_tasks, move_points, m, reterr);
	lull_arena_retire(&buffers);
	return err;
}

static int move_arrays(struct lull_converting *c, struct lull_error *reterr)
{
	const struct lull_source *s = c->source;
	const size_t ones = s->nr_public + (size_t)1;
	struct moving all[] = {
		{ c, LULL_PART_IC, "IC", 1, ones, true, 0, 0, NULL, 0 },
		{ c, LULL_PART_A, "A", 1, s->nr_vars, true, 0, 0, NULL, 0 },
		{ c, LULL_PART_B1, "B1", 1, s->nr_vars, true, 0, 0, NULL, 0 },
		{ c, LULL_PART_B2, "B2", 2, s->nr_vars, true, 0, 0, NULL, 0 },
		{ c, LULL_PART_L, "L", 1, s->nr_vars - ones, !c->how->fold_c, 0,
		  0, NULL, 0 },
		{ c, LULL_PART_H, "H", 1, (size_t)1 << s->log2_domain, true, 0,
		  0, NULL, 0 },
	};
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(all) && !err; i++)
		err = move_array(&all[i], reterr);
	/* A, B1, B2 and L; folding counts those of L anew. */
	for (i = 0; i < LULL_ARRAY_SIZE(c->head.nr_inf); i++)
		c->head.nr_inf[i] = (uint32_t)all[i + 1].nr_inf;
	return err;
}

static int move_header(struct lull_converting *c, struct lull_error *reterr)
{
	static const struct {
		const char *name;
		unsigned int group;
	} points[] = { { "alpha1", 1 }, { "beta1", 1 },	 { "beta2", 2 },
		       { "gamma2", 2 }, { "delta1", 1 }, { "delta2", 2 } };
	const struct lull_source *source = c->source;
	const struct lull_groth16_ops *ops = lull_groth16(source->facts->id);
	const struct lull_lkey_section *section =
		section_of(c, LULL_PART_HEADER);
	uint8_t header[LULL_PARTS_HEADER_BYTES_MAX], *p = header;
	struct lull_points_report report;
	size_t i;
	int err;

	err = source->ops->header(source, header, reterr);
	if (err)
		return err;
	for (i = 0; i < LULL_ARRAY_SIZE(points); i++) {
		(points[i].group == 1 ? ops->check_g1
				      : ops->check_g2)(p, 0, 1, true, &report);
		report.index = i;
		if (report.fault != LULL_POINTS_OK)
			return source->ops->fail_point(source, LULL_PART_HEADER,
						       points[i].name, &report,
						       reterr);
		p += 2 * points[i].group * source->facts->fp_bytes;
	}
	return lull_outfile_write_at(&c->out, section->offset, header,
				     (size_t)section->bytes, reterr);
}

/* ---- the circuit -------------------------------------------------------- */

static int fail_circuit(const struct lull_r1cs *r1cs,
			const struct lull_source *source, const char *what,
			uint64_t circuit, uint64_t key,
			struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_MISMATCH,
			 "%s: %s: the circuit has %llu, the key %s has %llu",
			 r1cs->file.in.name, what, (unsigned long long)circuit,
			 source->name, (unsigned long long)key);
}

static int check_sizes(const struct lull_converting *c,
		       const struct lull_r1cs *r1cs, struct lull_error *reterr)
{
	const struct lull_source *s = c->source;
	const uint64_t nr_public = (uint64_t)r1cs->nr_pub_out + r1cs->nr_pub_in;
	const uint64_t rows = r1cs->nr_constraints + nr_public + 1;

	if (r1cs->curve != s->facts->id)
		return lull_fail(reterr, LULL_MISMATCH,
				 "%s: the circuit is of %s, the key %s of %s",
				 r1cs->file.in.name, r1cs->facts->name, s->name,
				 s->facts->name);
	if (r1cs->nr_wires != s->nr_vars)
		return fail_circuit(r1cs, s, "wires", r1cs->nr_wires,
				    s->nr_vars, reterr);
	if (nr_public != s->nr_public)
		return fail_circuit(r1cs, s, "public wires", nr_public,
				    s->nr_public, reterr);
	if (rows > (uint64_t)1 << s->log2_domain)
		return fail_circuit(r1cs, s, "rows", rows,
				    (uint64_t)1 << s->log2_domain, reterr);
	return LULL_OK;
}

/* The circuit is the key's: it gives the same digest. */
static int check_circuit(const struct lull_converting *c,
			 const struct lull_r1cs *r1cs,
			 struct lull_error *reterr)
{
	struct lull_circuit_sum sum = { { 0 } };
	uint8_t digest[LULL_HASH_BYTES];
	int err;

	err = check_sizes(c, r1cs, reterr);
	if (err)
		return err;
	tell(c, "circuit", 0, 0);
	if (r1cs->curve == LULL_CURVE_BN254)
		lull_bn254_circuit_sum(c->source, r1cs, &sum);
	else
		lull_bls12_381_circuit_sum(c->source, r1cs, &sum);
	lull_circuit_digest(&sum, &c->head, digest);
	if (!memcmp(digest, c->head.circuit, sizeof(digest)))
		return LULL_OK;
	return lull_fail(reterr, LULL_MISMATCH,
			 "%s: its A and B are not those of the key %s: it is "
			 "another circuit",
			 r1cs->file.in.name, c->source->name);
}

static int open_circuit(const struct lull_converting *c, struct lull_r1cs *r1cs,
			struct lull_error *reterr)
{
	int err;

	if (!c->how->r1cs_path && c->how->fold_c)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: folding C needs the circuit: a key has "
				 "no C",
				 c->source->name);
	if (!c->how->r1cs_path)
		return LULL_OK;
	err = lull_r1cs_open(c->how->r1cs_path, r1cs, reterr);
	if (err)
		return err;
	err = check_circuit(c, r1cs, reterr);
	if (err)
		lull_r1cs_close(r1cs);
	return err;
}

/* The points that were written are the circuit's. */
static int compare(struct lull_converting *c, const struct lull_r1cs *r1cs,
		   struct lull_error *reterr)
{
	if (!c->how->r1cs_path)
		return LULL_OK;
	tell(c, "comparing", 0, 0);
	if (r1cs->curve == LULL_CURVE_BN254)
		return lull_bn254_circuit_compare(c, r1cs, reterr);
	return lull_bls12_381_circuit_compare(c, r1cs, reterr);
}

static int fold(struct lull_converting *c, const struct lull_r1cs *r1cs,
		struct lull_error *reterr)
{
	if (!c->how->fold_c)
		return LULL_OK;
	if (r1cs->curve == LULL_CURVE_BN254)
		return lull_bn254_fold(c, r1cs, reterr);
	return lull_bls12_381_fold(c, r1cs, reterr);
}

/* ---- hashes ------------------------------------------------------------- */

/* One section being read back. */
struct hashing {
	const struct lull_outfile *out;
	const struct lull_lkey_section *section;
	uint8_t *buffers, *hashes;
};

static int hash_chunk(void *arg, size_t task, unsigned int slot,
		      struct lull_error *reterr)
{
	const struct hashing *h = arg;
	uint64_t at = (uint64_t)task * LULL_LKEY_CHUNK_BYTES;
	size_t bytes =
		(size_t)lull_min(h->section->bytes - at, LULL_LKEY_CHUNK_BYTES);
	uint8_t *buf = h->buffers + slot * LULL_LKEY_CHUNK_BYTES;
	int err;

	err = lull_outfile_read_at(h->out, h->section->offset + at, buf, bytes,
				   reterr);
	if (!err)
		lull_hash(buf, bytes, h->hashes + task * LULL_HASH_BYTES);
	return err;
}

static int hash_section(struct lull_converting *c, struct hashing *h,
			struct lull_lkey_section *section,
			struct lull_error *reterr)
{
	size_t nr = lull_div_up(section->bytes, LULL_LKEY_CHUNK_BYTES);
	int err;

	h->section = section;
	h->hashes = calloc(nr, LULL_HASH_BYTES);
	if (!h->hashes && nr)
		return lull_fail(reterr, LULL_NOMEM, "no memory for hashes");
	err = lull_convert_run(c, "hashes", nr, hash_chunk, h, reterr);
	if (!err)
		lull_hash(h->hashes, nr * LULL_HASH_BYTES, section->hash);
	free(h->hashes);
	return err;
}

int lull_convert_hash(struct lull_converting *c, struct lull_error *reterr)
{
	struct hashing h = { .out = &c->out };
	struct lull_vec buffers;
	uint64_t most = 0;
	unsigned int i;
	int err;

	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++)
		most = lull_max(most, c->head.sections[i].bytes);
	most = lull_div_up(most, LULL_LKEY_CHUNK_BYTES);
	err = lull_arena_carve(c->arena,
			       lull_convert_slots(c, most) *
				       LULL_LKEY_CHUNK_BYTES,
			       0, "sections to be hashed", &buffers, reterr);
	if (err)
		return err;
	h.buffers = buffers.ptr;
	for (i = 0; i < LULL_LKEY_NR_SECTIONS && !err; i++)
		err = hash_section(c, &h, &c->head.sections[i], reterr);
	lull_arena_retire(&buffers);
	return err;
}

/* ---- the file ----------------------------------------------------------- */

int lull_convert_write_head(struct lull_converting *c,
			    struct lull_error *reterr)
{
	uint8_t head[LULL_LKEY_HEAD_BYTES];

	lull_lkey_write_head(&c->head, head);
	return lull_outfile_write_at(&c->out, 0, head, sizeof(head), reterr);
}

static int write_sections(struct lull_converting *c,
			  const struct lull_rows *rows,
			  const struct lull_r1cs *r1cs,
			  struct lull_error *reterr)
{
	int err;

	lull_lkey_place(&c->head);
	err = lull_outfile_resize(&c->out, c->head.file_bytes, reterr);
	if (!err)
		err = move_header(c, reterr);
	if (!err)
		err = lull_rows_write(c, rows, reterr);
	if (!err)
		err = move_arrays(c, reterr);
	if (!err)
		err = compare(c, r1cs, reterr);
	if (!err)
		err = fold(c, r1cs, reterr);
	if (!err)
		err = lull_convert_hash(c, reterr);
	if (!err)
		err = lull_convert_write_head(c, reterr);
	return err;
}

static int write_file(struct lull_converting *c, struct lull_error *reterr)
{
	struct lull_r1cs r1cs = { 0 };
	struct lull_rows *rows;
	int err;

	err = lull_rows_count(c, &rows, reterr);
	if (err)
		return err;
	err = open_circuit(c, &r1cs, reterr);
	if (!err)
		err = write_sections(c, rows, &r1cs, reterr);
	if (!err && c->source->ops->finish)
		err = c->source->ops->finish(c->source, reterr);
	if (!err)
		err = lull_infile_same(&r1cs.file.in, reterr);
	lull_r1cs_close(&r1cs);
	lull_rows_destroy(rows);
	return err;
}

int lull_convert_check_paths(const char *key_path, const char *path,
			     const struct lull_convert_how *how,
			     struct lull_error *reterr)
{
	if (!lull_outfile_same(path, key_path) &&
	    !(how->r1cs_path && lull_outfile_same(path, how->r1cs_path)))
		return LULL_OK;
	return lull_fail(reterr, LULL_USAGE,
			 "%.80s: the output would replace an input", path);
}

int lull_convert(const struct lull_source *source, const char *path,
		 const struct lull_convert_how *how,
		 struct lull_workers *workers, struct lull_arena *arena,
		 struct lull_error *reterr)
{
	struct lull_converting c = {
		.source = source,
		.how = how,
		.head = { .flags = (how->fold_c ? LULL_LKEY_FOLDED : 0) |
				   (source->toxic ? LULL_LKEY_TOXIC : 0),
			  .facts = source->facts,
			  .nr_vars = source->nr_vars,
			  .nr_public = source->nr_public,
			  .log2_domain = source->log2_domain,
			  .nr_contributions = source->nr_contributions },
		.out = LULL_OUTFILE_EMPTY,
		.workers = workers,
		.arena = arena,
	};
	int err;

	err = lull_outfile_open(path, LULL_OUTFILE_REGULAR, &c.out, reterr);
	if (err)
		return err;
	err = write_file(&c, reterr);
	if (!err)
		err = lull_outfile_commit(&c.out, 1, reterr);
	if (!err && how->ret_converted)
		*how->ret_converted = (struct lull_converted){
			.toxic = source->toxic,
			.trailing_bytes = source->trailing_bytes,
		};
	lull_outfile_discard(&c.out);
	return err;
}
