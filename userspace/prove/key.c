// SPDX-License-Identifier: Apache-2.0
/*
 * key.c - checks a key in parallel and attaches it to a backend
 */
#include "prove/key.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"
#include "curve/gen/bls12_381.h"
#include "input/outfile.h"
#include "prove/bellman.h"

#define COEFS_PER_TASK ((size_t)1 << 16)
#define POINTS_PER_TASK ((size_t)1 << 12)

/* ---- coefficients ------------------------------------------------------ */

struct coefs_check {
	const struct lull_zkey *zkey;
	pthread_mutex_t lock;
	bool sorted;	   /* lock */
	size_t fault_task; /* lock: the first task that failed, or SIZE_MAX */
	struct lull_error error; /* lock: of that task */
};

static void check_coefs_task(void *arg, size_t task, unsigned int slot)
{
	struct coefs_check *check = arg;
	size_t first = task * COEFS_PER_TASK;
	size_t last = lull_min(first + COEFS_PER_TASK, check->zkey->nr_coefs);
	struct lull_error error;
	bool sorted = true;
	int err;

	(void)slot;
	err = lull_zkey_check_coefs(
		check->zkey, check->zkey->coefs + first * LULL_ZKEY_COEF_BYTES,
		(uint32_t)first, (uint32_t)last, &sorted, &error);
	pthread_mutex_lock(&check->lock);
	if (err && task < check->fault_task) {
		check->fault_task = task;
		check->error = error;
	}
	check->sorted = check->sorted && (err || sorted);
	pthread_mutex_unlock(&check->lock);
}

static int check_coefs(struct lull_zkey *zkey, struct lull_workers *workers,
		       struct lull_error *reterr)
{
	struct coefs_check check = { .zkey = zkey,
				     .sorted = true,
				     .fault_task = SIZE_MAX };

	pthread_mutex_init(&check.lock, NULL);
	lull_workers_run(workers, lull_div_up(zkey->nr_coefs, COEFS_PER_TASK),
			 check_coefs_task, &check);
	pthread_mutex_destroy(&check.lock);
	if (check.fault_task != SIZE_MAX) {
		if (reterr)
			*reterr = check.error;
		return check.error.code;
	}
	zkey->coefs_sorted = check.sorted;
	return LULL_OK;
}

/* ---- points ------------------------------------------------------------ */

struct points_check {
	void (*check)(const uint8_t *points, size_t lo, size_t hi,
		      bool subgroup, struct lull_points_report *ret_report);
	const uint8_t *points;
	size_t nr;
	bool subgroup;
	pthread_mutex_t lock;
	size_t nr_inf;			 /* lock */
	struct lull_points_report first; /* lock: the lowest fault so far */
};

static void check_points_task(void *arg, size_t task, unsigned int slot)
{
	struct points_check *check = arg;
	size_t lo = task * POINTS_PER_TASK;
	struct lull_points_report report;

	(void)slot;
	check->check(check->points, lo,
		     lull_min(lo + POINTS_PER_TASK, check->nr), check->subgroup,
		     &report);
	pthread_mutex_lock(&check->lock);
	check->nr_inf += report.nr_inf;
	if (report.fault != LULL_POINTS_OK &&
	    (check->first.fault == LULL_POINTS_OK ||
	     report.index < check->first.index))
		check->first = report;
	pthread_mutex_unlock(&check->lock);
}

static const char *fault_text(enum lull_points_fault fault)
{
	switch (fault) {
	case LULL_POINTS_COORDINATE:
		return "a coordinate is not below q";
	case LULL_POINTS_CURVE:
		return "the point is not on the curve";
	case LULL_POINTS_SUBGROUP:
		return "the point is not in the subgroup of order r";
	case LULL_POINTS_OK:
		break;
	}
	return "no fault";
}

int lull_prove_fail_point(const char *name, unsigned int section,
			  const char *what,
			  const struct lull_points_report *report,
			  uint64_t offset, const struct lull_curve_facts *facts,
			  struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_RANGE,
			 "%s: section %u (%s), point %zu, offset 0x%" PRIx64
			 ": %s of %s",
			 name, section, what, report->index, offset,
			 fault_text(report->fault), facts->name);
}

/* One array of points of the key. */
struct points {
	unsigned int section;
	const char *what;
	const uint8_t *data;
	size_t nr;
	unsigned int group;
};

static int fail_points(const struct lull_parts *key,
		       const struct points *points,
		       const struct lull_points_report *report,
		       struct lull_error *reterr)
{
	const size_t bytes = 2 * points->group * (size_t)key->facts->fp_bytes;

	return lull_prove_fail_point(
		key->name, points->section, points->what, report,
		(uint64_t)(points->data - key->base) + report->index * bytes,
		key->facts, reterr);
}

/* Checks one array; *ret_nr_inf is optional. */
static int check_points(const struct lull_parts *key,
			const struct points *points, bool subgroup,
			struct lull_workers *workers, size_t *ret_nr_inf,
			struct lull_error *reterr)
{
	const struct lull_groth16_ops *ops = lull_groth16(key->curve);
	struct points_check check = {
		.check = points->group == 1 ? ops->check_g1 : ops->check_g2,
		.points = points->data,
		.nr = points->nr,
		.subgroup = subgroup,
	};

	pthread_mutex_init(&check.lock, NULL);
	lull_workers_run(workers, lull_div_up(points->nr, POINTS_PER_TASK),
			 check_points_task, &check);
	pthread_mutex_destroy(&check.lock);
	if (check.first.fault != LULL_POINTS_OK)
		return fail_points(key, points, &check.first, reterr);
	if (ret_nr_inf)
		*ret_nr_inf = check.nr_inf;
	return LULL_OK;
}

static int check_list(const struct lull_key *key, const struct points *list,
		      size_t nr, bool subgroup, size_t *nr_inf,
		      struct lull_error *reterr)
{
	size_t i;
	int err = LULL_OK;

	for (i = 0; !err && i < nr; i++)
		err = check_points(
			&key->file.parts, &list[i], subgroup, key->workers,
			nr_inf ? &nr_inf[list[i].section] : NULL, reterr);
	return err;
}

/* What every proof and its check read: few, and not hidden in a sum. */
static int check_constants(const struct lull_key *key, bool subgroup,
			   struct lull_error *reterr)
{
	const struct lull_parts *k = &key->file.parts;
	const struct points list[] = {
		{ LULL_PART_HEADER, "alpha1", k->alpha1, 1, 1 },
		{ LULL_PART_HEADER, "beta1", k->beta1, 1, 1 },
		{ LULL_PART_HEADER, "beta2", k->beta2, 1, 2 },
		{ LULL_PART_HEADER, "gamma2", k->gamma2, 1, 2 },
		{ LULL_PART_HEADER, "delta1", k->delta1, 1, 1 },
		{ LULL_PART_HEADER, "delta2", k->delta2, 1, 2 },
		{ LULL_PART_IC, "IC", k->ic, k->nr_public + (size_t)1, 1 },
	};

	return check_list(key, list, LULL_ARRAY_SIZE(list), subgroup, NULL,
			  reterr);
}

enum { NR_ARRAYS = 5 };

static void list_arrays(const struct lull_parts *k,
			struct points ret_list[NR_ARRAYS])
{
	const struct points list[] = {
		{ LULL_PART_A, "A", k->a, k->nr_vars, 1 },
		{ LULL_PART_B1, "B1", k->b1, k->nr_vars, 1 },
		{ LULL_PART_B2, "B2", k->b2, k->nr_vars, 2 },
		{ LULL_PART_L, k->native ? "L" : "C", k->l, k->nr_l, 1 },
		{ LULL_PART_H, "H", k->h, k->domain_size, 1 },
	};

	_Static_assert(LULL_ARRAY_SIZE(list) == NR_ARRAYS, "all of them");
	memcpy(ret_list, list, sizeof(list));
}

static int check_arrays(const struct lull_key *key, bool subgroup,
			size_t *nr_inf, struct lull_error *reterr)
{
	struct points list[NR_ARRAYS];

	list_arrays(&key->file.parts, list);
	return check_list(key, list, NR_ARRAYS, subgroup, nr_inf, reterr);
}

/* ---- points of a native key, while it is read --------------------------- */

static size_t scan(enum lull_curve curve, unsigned int group,
		   const uint8_t *points, size_t lo, size_t hi, size_t *nr_inf)
{
	const struct lull_groth16_ops *ops = lull_groth16(curve);
	struct lull_points_report report;

	(group == 1 ? ops->check_g1 : ops->check_g2)(points, lo, hi, false,
						     &report);
	*nr_inf += report.nr_inf;
	return report.fault == LULL_POINTS_OK ? hi : report.index;
}

/* Looks at the one again, for what is wrong with it. */
static int fail_scanned(const struct lull_parts *key, enum lull_part part,
			size_t index, struct lull_error *reterr)
{
	const struct lull_groth16_ops *ops = lull_groth16(key->curve);
	struct points list[NR_ARRAYS], *points = list;
	struct lull_points_report report;

	list_arrays(key, list);
	while (points->section != part)
		points++;
	(points->group == 1 ? ops->check_g1 : ops->check_g2)(
		points->data, index, index + 1, false, &report);
	return fail_points(key, points, &report, reterr);
}

const struct lull_look lull_prove_look = { .scan = scan, .fail = fail_scanned };

int lull_prove_key_check(const struct lull_key *key, struct lull_error *reterr)
{
	int err;

	if (key->assigned)
		return lull_bellman_key_check(key, reterr);
	err = check_constants(key, true, reterr);
	return err ? err : check_arrays(key, true, NULL, reterr);
}

/* ---- the key ----------------------------------------------------------- */

static int attach_one(struct lull_key *key,
		      const struct lull_key_arrays *arrays, unsigned int i,
		      struct lull_error *reterr)
{
	const struct lull_device *device = &key->set->devices[i];
	struct lull_key_part *part = &key->parts[i];
	int err;

	part->ops = device->backend->ops(arrays->curve);
	err = part->ops->key_attach(device->handle, arrays, key->workers,
				    &part->attached, reterr);
	key->usable[i] = !err;
	if (err == LULL_DEVICE)
		lull_set_fail(key->set, i, reterr);
	else if (err && key->set->nr_all > 1)
		lull_set_warn(key->set, "%s is left out for %s: %s",
			      device->text, key->file.parts.name, reterr->msg);
	return err;
}

static void detach(struct lull_key *key)
{
	unsigned int i;

	for (i = 0; i < key->set->nr_all; i++)
		if (key->usable[i])
			key->parts[i].ops->key_detach(key->parts[i].attached);
}

/* Attaches the key to every device; one that has it is enough. */
static int attach(struct lull_key *key, struct lull_error *reterr)
{
	const struct lull_parts *k = &key->file.parts;
	const struct lull_key_arrays arrays = {
		.curve = k->curve,
		.log2_domain = k->log2_domain,
		.nr_vars = k->nr_vars,
		.nr_public = k->nr_public,
		.nr_coefs = k->nr_coefs,
		.coefs_sorted = key->file.zkey.coefs_sorted,
		.coefs = k->coefs,
		.csr = k->csr,
		.a = k->a,
		.b1 = k->b1,
		.b2 = k->b2,
		.l = k->l,
		.nr_l = k->nr_l,
		.h = k->h,
		.folded = k->folded,
		.assigned = key->assigned,
		.nr_a = key->nr_a,
		.nr_b = key->nr_b,
		.row_step = key->assigned ? BLS12_381_FR_BELLMAN_STEP : 1,
		.arena = key->arena,
	};
	struct lull_error why, first = { 0 };
	unsigned int i;

	/* Not before there is a key: to fault it in is work for all threads,
	 * to register what is there already takes a tenth of it. */
	lull_set_hold(key->set);
	lull_set_pin(key->set, key->arena);
	for (i = 0; i < key->set->nr_all; i++) {
		if (attach_one(key, &arrays, i, &why) && !first.code)
			first = why;
	}
	lull_set_let_go(key->set);
	for (i = 0; i < key->set->nr_all; i++)
		if (key->usable[i])
			return LULL_OK;
	if (reterr)
		*reterr = first;
	return first.code;
}

/* A key of nothing but its file, where it came from and whom it belongs to. */
static int new_key(const struct lull_keyfile *file, const char *path,
		   struct lull_workers *workers, struct lull_arena *arena,
		   struct lull_set *set, struct lull_key **ret_key,
		   struct lull_error *reterr)
{
	struct lull_key *key = calloc(1, sizeof(*key));

	if (key && path)
		key->path = strdup(path);
	if (!key || (path && !key->path)) {
		free(key);
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	}
	key->file = *file;
	key->workers = workers;
	key->set = set;
	key->arena = arena;
	key->groth16 = lull_groth16(file->parts.curve);
	*ret_key = key;
	return LULL_OK;
}

static void free_key(struct lull_key *key)
{
	free(key->path);
	free(key);
}

/* Everything that is checked of every key that is opened. */
static int check(struct lull_key *key, struct lull_error *reterr)
{
	struct lull_keyfile *file = &key->file;
	int err;

	if (!file->parts.native) {
		err = check_coefs(&file->zkey, key->workers, reterr);
		if (err)
			return err;
	}
	err = check_constants(key, false, reterr);
	if (err || file->parts.native)
		return err;
	return check_arrays(key, false, file->parts.nr_inf, reterr);
}

int lull_prove_key_create(struct lull_keyfile *file, const char *path,
			  struct lull_workers *workers,
			  struct lull_arena *arena, struct lull_set *set,
			  struct lull_key **ret_key, struct lull_error *reterr)
{
	struct lull_key *key = NULL;
	int err;

	err = new_key(file, path, workers, arena, set, &key, reterr);
	if (err)
		return err;
	err = check(key, reterr);
	if (err)
		goto free_key;
	err = attach(key, reterr);
	if (err)
		goto free_key;
	*file = (struct lull_keyfile){ 0 };
	*ret_key = key;
	return LULL_OK;

free_key:
	free_key(key);
	return err;
}

int lull_prove_key_create_assigned(struct lull_keyfile *file, size_t nr_a,
				   size_t nr_b, const char *path,
				   struct lull_workers *workers,
				   struct lull_arena *arena,
				   struct lull_set *set,
				   struct lull_key **ret_key,
				   struct lull_error *reterr)
{
	struct lull_key *key = NULL;
	struct lull_parts *parts;
	int err;

	err = new_key(file, path, workers, arena, set, &key, reterr);
	if (err)
		return err;
	key->assigned = true;
	key->nr_a = nr_a;
	key->nr_b = nr_b;
	parts = &key->file.parts;
	parts->nr_inf[LULL_PART_A] = parts->nr_vars - nr_a;
	parts->nr_inf[LULL_PART_B1] = parts->nr_vars - nr_b;
	parts->nr_inf[LULL_PART_B2] = parts->nr_vars - nr_b;
	err = attach(key, reterr);
	if (err) {
		free_key(key);
		return err;
	}
	*file = (struct lull_keyfile){ 0 };
	*ret_key = key;
	return LULL_OK;
}

void lull_prove_key_destroy(struct lull_key *key)
{
	if (!key)
		return;
	detach(key);
	lull_keyfile_close(&key->file);
	free_key(key);
}

int lull_prove_key_has_circuit(const struct lull_key *key,
			       struct lull_error *reterr)
{
	if (!key->assigned)
		return LULL_OK;
	return lull_fail(reterr, LULL_UNSUPPORTED,
			 "%s: parameters of bellman hold no circuit: they "
			 "cannot prove from a witness alone",
			 key->file.parts.name);
}

/* ---- the verification key ---------------------------------------------- */

static int vkey_text(const struct lull_key *key, struct lull_vec *ret_text,
		     struct lull_error *reterr)
{
	const struct lull_parts *k = &key->file.parts;
	uint8_t alphabeta[12 * LULL_FP_BYTES_MAX];
	struct lull_json_vkey vkey = { 0 };
	struct lull_vec ic;
	size_t bytes;
	int err;

	err = lull_arena_carve(
		key->arena, (k->nr_public + (size_t)1) * lull_parts_g1_bytes(k),
		0, "verification key", &ic, reterr);
	if (err)
		return err;
	vkey.ic = ic.ptr;
	key->groth16->vkey(k, &vkey, alphabeta);
	bytes = lull_json_write_vkey(&vkey, alphabeta, NULL, 0);
	err = lull_arena_carve(key->arena, bytes, 0, "verification key",
			       ret_text, reterr);
	if (!err)
		lull_json_write_vkey(&vkey, alphabeta, ret_text->ptr, bytes);
	lull_arena_retire(&ic);
	return err;
}

int lull_prove_key_vkey_write(const struct lull_key *key, const char *path,
			      struct lull_error *reterr)
{
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	struct lull_vec text;
	int err;

	if (key->path && lull_outfile_same(path, key->path))
		return lull_fail(reterr, LULL_USAGE,
				 "%s: the output is the key itself",
				 key->file.parts.name);
	err = vkey_text(key, &text, reterr);
	if (err)
		return err;
	err = lull_outfile_open(path, 0, &out, reterr);
	if (!err)
		err = lull_outfile_write(&out, text.ptr, text.bytes, reterr);
	if (!err)
		err = lull_outfile_commit(&out, 1, reterr);
	lull_outfile_discard(&out);
	lull_arena_retire(&text);
	return err;
}
