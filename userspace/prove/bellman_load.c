// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_load.c - bellman's points into memory, and a key of them
 *
 * Points are read to where they are to lie, by a reader or by tasks of the pool,
 * and converted there: both forms have the same size, so a file of any size takes
 * its own size of memory and no more.
 */
#include "prove/bellman.h"

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"

#define POINTS_PER_TASK ((size_t)1 << 12)

static const char not_on_curve[] =
	"expected a point of the curve, found one that is not on it";
static const char not_in_subgroup[] =
	"expected a point of order r, found one of another order";

/* One pass over arrays: reading and converting, or checking alone. */
struct pass {
	const struct lull_bellman *file;
	uint8_t *const *at;
	unsigned int nr_arrays;
	unsigned int nr_subgroup; /* arrays whose subgroup is checked */
	bool read;
	const struct lull_file_extent *extents; /* where a reader reads */
};

static int fail_point(const struct lull_bellman *file, unsigned int array,
		      size_t i, const char *text, struct lull_error *reterr)
{
	uint64_t offset = file->offset[array] +
			  i * (uint64_t)lull_bellman_point_bytes(array);

	return lull_bellman_fail(file, array, offset, reterr, LULL_RANGE,
				 "point %zu: %s", i, text);
}

int lull_bellman_fail_point(const struct lull_bellman *file,
			    enum lull_bellman_array array, size_t i,
			    enum lull_points_fault fault,
			    struct lull_error *reterr)
{
	return fail_point(file, array, i,
			  fault == LULL_POINTS_SUBGROUP ? not_in_subgroup
							: not_on_curve,
			  reterr);
}

/* Decodes points [first, first + nr) in place.  (0, 0) is refused here: in
 * memory it would be taken for infinity. */
static int decode(const struct lull_bellman *file,
		  enum lull_bellman_array array, size_t first, size_t nr,
		  uint8_t *points, struct lull_error *reterr)
{
	const unsigned int nr_coords = lull_bellman_coords(array);
	const size_t each = lull_bellman_point_bytes(array);
	uint8_t from[LULL_BELLMAN_POINT_BYTES_MAX];
	enum lull_bellman_fault fault;
	uint8_t *p = points;
	size_t i;

	for (i = first; i < first + nr; i++, p += each) {
		memcpy(from, p, each);
		fault = lull_bellman_take_point(from, nr_coords, p);
		if (fault != LULL_BELLMAN_POINT_OK)
			return fail_point(file, array, i,
					  lull_bellman_fault_text(fault),
					  reterr);
		if (lull_is_zero(p, each))
			return fail_point(file, array, i, not_on_curve, reterr);
	}
	lull_bellman_to_mont(points, nr * nr_coords);
	return LULL_OK;
}

int lull_bellman_take_points(const struct lull_bellman *file,
			     enum lull_bellman_array array, size_t first,
			     size_t nr, uint8_t *to, struct lull_error *reterr)
{
	const size_t each = lull_bellman_point_bytes(array);
	int err;

	err = lull_instream_read(&file->in, file->offset[array] + first * each,
				 to, nr * each, reterr);
	return err ? err : decode(file, array, first, nr, to, reterr);
}

static int check(const struct lull_bellman *file, enum lull_bellman_array array,
		 size_t first, size_t nr, const uint8_t *points, bool subgroup,
		 struct lull_error *reterr)
{
	const struct lull_groth16_ops *ops = lull_groth16(LULL_CURVE_BLS12_381);
	struct lull_points_report report;

	(lull_bellman_coords(array) == 2 ? ops->check_g1 : ops->check_g2)(
		points, 0, nr, subgroup, &report);
	LULL_ASSERT(!report.nr_inf && report.fault != LULL_POINTS_COORDINATE);
	if (report.fault == LULL_POINTS_OK)
		return LULL_OK;
	return lull_bellman_fail_point(file, array, first + report.index,
				       report.fault, reterr);
}

int lull_bellman_check_points(const struct lull_bellman *file,
			      enum lull_bellman_array array, size_t first,
			      size_t nr, const uint8_t *points,
			      struct lull_error *reterr)
{
	return check(file, array, first, nr, points, true, reterr);
}

static size_t nr_tasks(const struct pass *pass, unsigned int array)
{
	return lull_div_up(pass->file->nr[array], POINTS_PER_TASK);
}

static int pass_task(void *arg, size_t task, struct lull_error *reterr)
{
	const struct pass *pass = arg;
	const struct lull_bellman *file = pass->file;
	unsigned int array = 0;
	size_t lo, nr;
	uint8_t *points;
	int err = LULL_OK;

	while (task >= nr_tasks(pass, array))
		task -= nr_tasks(pass, array++);
	lo = task * POINTS_PER_TASK;
	nr = lull_min(file->nr[array] - lo, POINTS_PER_TASK);
	points = pass->at[array] + lo * lull_bellman_point_bytes(array);
	if (pass->read)
		err = lull_bellman_take_points(file, array, lo, nr, points,
					       reterr);
	return err ? err
		   : check(file, array, lo, nr, points,
			   array < pass->nr_subgroup, reterr);
}

static int run_pass(struct pass *pass, struct lull_workers *workers,
		    struct lull_error *reterr)
{
	unsigned int array;
	size_t nr = 0;

	for (array = 0; array < pass->nr_arrays; array++)
		nr += nr_tasks(pass, array);
	return lull_workers_try(workers, nr, pass_task, pass, reterr);
}

/* Has a reader read the arrays; its threads convert points as they land. */
static int land(void *arg, const struct lull_file_extent *extent,
		uint64_t first, size_t nr, uint8_t *units,
		struct lull_error *reterr)
{
	const struct pass *pass = arg;
	const enum lull_bellman_array array =
		(enum lull_bellman_array)(extent - pass->extents);
	int err;

	err = decode(pass->file, array, (size_t)first, nr, units, reterr);
	return err ? err
		   : check(pass->file, array, (size_t)first, nr, units,
			   array < pass->nr_subgroup, reterr);
}

static int read_arrays(struct pass *pass, const struct lull_reader *reader,
		       struct lull_error *reterr)
{
	const struct lull_bellman *file = pass->file;
	const struct lull_load_file source = { file->in.fd, file->in.bytes,
					       file->in.name };
	struct lull_file_extent extents[LULL_BELLMAN_NR_ARRAYS];
	const struct lull_load load = { .extents = extents,
					.nr_extents = pass->nr_arrays,
					.land = land,
					.arg = pass };
	unsigned int array;

	for (array = 0; array < pass->nr_arrays; array++) {
		size_t each = lull_bellman_point_bytes(array);

		extents[array] = (struct lull_file_extent){
			.source = &source,
			.offset = file->offset[array],
			.bytes = file->nr[array] * (uint64_t)each,
			.to = pass->at[array],
			.kind = LULL_EXTENT_POINTS,
			.unit_bytes = each,
		};
	}
	pass->extents = extents;
	return reader->read(reader->arg, &load, reterr);
}

/* Where each array lies; *ret_bytes is all of them. */
static void place(const struct lull_bellman *file, unsigned int nr_arrays,
		  uint8_t *base, uint8_t **at, size_t *ret_bytes)
{
	size_t bytes = 0;
	unsigned int array;

	for (array = 0; array < nr_arrays; array++) {
		at[array] = base ? base + bytes : NULL;
		bytes += file->nr[array] * lull_bellman_point_bytes(array);
	}
	*ret_bytes = bytes;
}

int lull_bellman_load(const struct lull_bellman *file, unsigned int nr_arrays,
		      const struct lull_reader *reader,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_bellman_points *ret_points,
		      struct lull_error *reterr)
{
	struct lull_bellman_points points = { 0 };
	struct pass pass = {
		.file = file,
		.at = points.at,
		.nr_arrays = nr_arrays,
		.nr_subgroup = LULL_BELLMAN_NR_VKEY,
		.read = true,
	};
	size_t bytes;
	int err;

	place(file, nr_arrays, NULL, points.at, &bytes);
	err = lull_arena_carve(arena, bytes, 0, file->in.name, &points.vec,
			       reterr);
	if (err)
		return err;
	place(file, nr_arrays, points.vec.ptr, points.at, &bytes);
	err = reader && !file->in.data ? read_arrays(&pass, reader, reterr)
				       : run_pass(&pass, workers, reterr);
	if (!err)
		err = lull_instream_same(&file->in, reterr);
	if (err) {
		lull_arena_retire(&points.vec);
		return err;
	}
	*ret_points = points;
	return LULL_OK;
}

/* ---- a key ------------------------------------------------------------- */

/* The view of the points that the prover has of a .zkey; owns @points. */
static void view(const struct lull_bellman *file,
		 const struct lull_bellman_points *points,
		 struct lull_zkey *ret_zkey)
{
	uint8_t *const *at = points->at;
	uint32_t nr_ic = file->nr[LULL_BELLMAN_IC];
	struct lull_zkey z = {
		.curve = LULL_CURVE_BLS12_381,
		.facts = lull_curve_facts(LULL_CURVE_BLS12_381),
		.nr_vars = nr_ic + file->nr[LULL_BELLMAN_L],
		.nr_public = nr_ic - 1,
		.domain_size = file->nr[LULL_BELLMAN_H] + 1,
		.alpha1 = at[LULL_BELLMAN_ALPHA_G1],
		.beta1 = at[LULL_BELLMAN_BETA_G1],
		.beta2 = at[LULL_BELLMAN_BETA_G2],
		.gamma2 = at[LULL_BELLMAN_GAMMA_G2],
		.delta1 = at[LULL_BELLMAN_DELTA_G1],
		.delta2 = at[LULL_BELLMAN_DELTA_G2],
		.ic = at[LULL_BELLMAN_IC],
		.a = at[LULL_BELLMAN_A],
		.b1 = at[LULL_BELLMAN_B_G1],
		.b2 = at[LULL_BELLMAN_B_G2],
		.c = at[LULL_BELLMAN_L],
		.h = at[LULL_BELLMAN_H],
	};

	z.log2_domain = (unsigned int)__builtin_ctz(z.domain_size);
	z.file.in.data = points->vec.ptr;
	z.file.in.bytes = file->in.bytes;
	z.file.in.vec = points->vec;
	memcpy(z.file.in.name, file->in.name, sizeof(z.file.in.name));
	*ret_zkey = z;
}

int lull_bellman_key_create(const struct lull_bellman *file, const char *path,
			    const struct lull_reader *reader,
			    struct lull_workers *workers,
			    struct lull_arena *arena, struct lull_set *set,
			    struct lull_key **ret_key,
			    struct lull_error *reterr)
{
	struct lull_bellman_points points;
	struct lull_keyfile key = { 0 };
	int err;

	err = lull_bellman_load(file, LULL_BELLMAN_NR_ARRAYS, reader, workers,
				arena, &points, reterr);
	if (err)
		return err;
	view(file, &points, &key.zkey);
	lull_zkey_parts(&key.zkey, &key.parts);
	err = lull_prove_key_create_assigned(
		&key, file->nr[LULL_BELLMAN_A], file->nr[LULL_BELLMAN_B_G1],
		path, workers, arena, set, ret_key, reterr);
	if (err)
		lull_keyfile_close(&key);
	return err;
}

/* The file again, as far as messages need it, from a key made of it. */
static void describe(const struct lull_key *key, struct lull_bellman *file,
		     struct lull_bellman_points *points)
{
	const struct lull_parts *z = &key->file.parts;
	const uint32_t nr[LULL_BELLMAN_NR_ARRAYS] = {
		[LULL_BELLMAN_ALPHA_G1] = 1,
		[LULL_BELLMAN_BETA_G1] = 1,
		[LULL_BELLMAN_BETA_G2] = 1,
		[LULL_BELLMAN_GAMMA_G2] = 1,
		[LULL_BELLMAN_DELTA_G1] = 1,
		[LULL_BELLMAN_DELTA_G2] = 1,
		[LULL_BELLMAN_IC] = z->nr_public + 1,
		[LULL_BELLMAN_H] = z->domain_size - 1,
		[LULL_BELLMAN_L] = z->nr_vars - z->nr_public - 1,
		[LULL_BELLMAN_A] = (uint32_t)key->nr_a,
		[LULL_BELLMAN_B_G1] = (uint32_t)key->nr_b,
		[LULL_BELLMAN_B_G2] = (uint32_t)key->nr_b,
	};
	unsigned int array, counts = 0;
	size_t bytes;

	memcpy(file->nr, nr, sizeof(nr));
	memcpy(file->in.name, z->name, sizeof(file->in.name));
	place(file, LULL_BELLMAN_NR_ARRAYS, key->file.zkey.file.in.vec.ptr,
	      points->at, &bytes);
	/* The file has a number before each array behind the first points. */
	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		counts += array >= LULL_BELLMAN_IC;
		file->offset[array] = (uint64_t)(points->at[array] - z->base) +
				      counts * LULL_BELLMAN_COUNT_BYTES;
	}
}

int lull_bellman_key_check(const struct lull_key *key,
			   struct lull_error *reterr)
{
	struct lull_bellman file = { .in = { .fd = -1 } };
	struct lull_bellman_points points = { 0 };
	struct pass pass = {
		.file = &file,
		.at = points.at,
		.nr_arrays = LULL_BELLMAN_NR_ARRAYS,
		.nr_subgroup = LULL_BELLMAN_NR_ARRAYS,
	};

	describe(key, &file, &points);
	return run_pass(&pass, key->workers, reterr);
}
