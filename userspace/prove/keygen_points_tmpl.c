// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_points_tmpl.c - the points of a key, from their scalars; see
 * keygen_fill.h
 *
 * On the CPU every task is a batch: scalars, points, a write.  On a device
 * (backend/backend.h, multiples_open()) three batches are under way: while it
 * computes one, the pool fills the next one's scalars and writes the points of
 * the one before.  Points are the same, for they are canonical.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "backend/set.h"
#include "base/error.h"
#include "base/mem.h"
#include "prove/keygen_fill.h"

/* Sections of points, the costliest first so that threads end together.  A
 * device makes those of one group after those of the other. */
static const unsigned int point_sections[] = {
	LULL_ZKEY_B2, LULL_ZKEY_H, LULL_ZKEY_A,
	LULL_ZKEY_B1, LULL_ZKEY_C, LULL_ZKEY_IC,
};

#define G2_SECTIONS 1u /* the first: B2 */
#define BYTES_PER_WRITE ((size_t)1 << 20)

/* Some points of a section. */
struct portion {
	unsigned int section;
	uint64_t first;
	size_t nr;
};

/* Sections to be made, in portions of @batch points. */
struct portions {
	const struct keygen *kg;
	const unsigned int *sections;
	size_t nr_sections;
	size_t batch;
};

static size_t point_bytes(unsigned int section)
{
	return section == LULL_ZKEY_B2 ? sizeof(struct g2_affine)
				       : sizeof(struct g1_affine);
}

static uint64_t points_of(const struct keygen *kg, unsigned int section)
{
	return kg->plan->bytes[section] / point_bytes(section);
}

static struct portions all_of(const struct keygen *kg, size_t batch)
{
	return (struct portions){ kg, point_sections,
				  LULL_ARRAY_SIZE(point_sections), batch };
}

static struct portions group_of(const struct keygen *kg, int group,
				size_t batch)
{
	struct portions p = all_of(kg, batch);

	p.nr_sections = G2_SECTIONS;
	if (group == 1) {
		p.sections += G2_SECTIONS;
		p.nr_sections = LULL_ARRAY_SIZE(point_sections) - G2_SECTIONS;
	}
	return p;
}

static uint64_t nr_points(const struct portions *p)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < p->nr_sections; i++)
		nr += points_of(p->kg, p->sections[i]);
	return nr;
}

static uint64_t nr_portions(const struct portions *p)
{
	uint64_t nr = 0;
	size_t i;

	for (i = 0; i < p->nr_sections; i++)
		nr += lull_div_up(points_of(p->kg, p->sections[i]), p->batch);
	return nr;
}

static struct portion portion_of(const struct portions *p, uint64_t at)
{
	struct portion portion;
	uint64_t nr = 0, here;
	size_t i;

	for (i = 0; i < p->nr_sections; i++) {
		nr = points_of(p->kg, p->sections[i]);
		here = lull_div_up(nr, p->batch);
		if (at < here)
			break;
		at -= here;
	}
	LULL_ASSERT(i < p->nr_sections);
	portion.section = p->sections[i];
	portion.first = at * p->batch;
	portion.nr = (size_t)lull_min(nr - portion.first, p->batch);
	return portion;
}

static int write_at(const struct keygen *kg, const struct portion *portion,
		    size_t skip, const void *data, size_t bytes,
		    struct lull_error *reterr)
{
	const struct lull_keygen_plan *plan = kg->plan;
	uint64_t offset = plan->offset[portion->section] +
			  portion->first * point_bytes(portion->section);

	return lull_outfile_write_at(plan->out, offset + skip, data, bytes,
				     reterr);
}

/* The scalars of some points of a section; a .lkey counts those that are 0. */
static void set_scalars(const struct keygen *kg, unsigned int section,
			uint64_t first, struct fr *scalars, size_t nr)
{
	size_t i, nr_inf = 0;

	keygen_set_scalars(kg, section, first, scalars, nr);
	if (!kg->plan->native)
		return;
	for (i = 0; i < nr; i++)
		nr_inf += fr_is_zero(&scalars[i]);
	lull_keygen_add_inf(kg->plan->native, section, nr_inf);
}

/* ---- on the CPU --------------------------------------------------------- */

/* Memory of one thread; the scratch of the larger group stands behind it. */
struct slot {
	struct fr scalars[KEYGEN_BATCH];
	union {
		struct g1_affine g1[KEYGEN_BATCH];
		struct g2_affine g2[KEYGEN_BATCH];
	} out;
	_Alignas(64) unsigned char scratch[];
};

/**
 * struct cpu_job - what the tasks share
 * @portions: all that is to be made
 * @g1: multiples of the generators
 * @g2: multiples of the generators
 * @slots: memory for each thread
 */
struct cpu_job {
	struct portions portions;
	struct g1_multiples g1;
	struct g2_multiples g2;
	struct lull_vec slots;
};

static size_t slot_bytes(void)
{
	return lull_align_up(sizeof(struct slot), 64) +
	       lull_max(g1_multiply_bytes(), g2_multiply_bytes());
}

static int make_portion(void *arg, size_t task, unsigned int thread,
			struct lull_error *reterr)
{
	const struct cpu_job *job = arg;
	struct portion p = portion_of(&job->portions, task);
	struct slot *slot =
		(void *)((uint8_t *)job->slots.ptr + thread * slot_bytes());
	void *scratch = slot->scratch;

	set_scalars(job->portions.kg, p.section, p.first, slot->scalars, p.nr);
	if (p.section == LULL_ZKEY_B2) {
		g2_multiply_init(scratch);
		g2_multiply_var(slot->out.g2, &job->g2, slot->scalars, p.nr,
				scratch);
	} else {
		g1_multiply_init(scratch);
		g1_multiply_var(slot->out.g1, &job->g1, slot->scalars, p.nr,
				scratch);
	}
	return write_at(job->portions.kg, &p, 0, &slot->out,
			p.nr * point_bytes(p.section), reterr);
}

static int make_tables(struct cpu_job *job, struct lull_error *reterr)
{
	const struct keygen *kg = job->portions.kg;
	struct lull_workers *workers = kg->plan->workers;
	struct lull_arena *arena = kg->plan->arena;
	struct portions g1 = group_of(kg, 1, 1), g2 = group_of(kg, 2, 1);
	int err;

	err = g1_multiples_create(&job->g1, nr_points(&g1), workers, arena,
				  reterr);
	if (err)
		return err;
	err = g2_multiples_create(&job->g2, nr_points(&g2), workers, arena,
				  reterr);
	if (err)
		return err;
	return lull_arena_carve(arena, lull_workers_nr(workers) * slot_bytes(),
				LULL_CARVE_SECRET,
				"scratch of the key generator", &job->slots,
				reterr);
}

static int make_on_cpu(struct keygen *kg, struct lull_error *reterr)
{
	struct cpu_job job = { .portions = all_of(kg, KEYGEN_BATCH) };
	int err = make_tables(&job, reterr);

	if (!err)
		err = lull_workers_try_slots(kg->plan->workers,
					     nr_portions(&job.portions),
					     make_portion, &job, reterr);
	lull_arena_retire(&job.slots);
	g2_multiples_done(&job.g2);
	g1_multiples_done(&job.g1);
	return err;
}

/* ---- on a device -------------------------------------------------------- */

/**
 * struct step - what the pool does while the device computes
 * @kg: the key
 * @scalars: of @fill, to be set; NULL: nothing to fill
 * @points: of @write, to be written; NULL: nothing to write
 * @fill: the portion that comes next
 * @write: the one that has come
 * @nr_fills: tasks that fill; the others write
 */
struct step {
	const struct keygen *kg;
	uint8_t *scalars, *points;
	struct portion fill, write;
	size_t nr_fills, nr_writes;
};

static int do_step(void *arg, size_t task, struct lull_error *reterr)
{
	const struct step *s = arg;
	size_t lo, bytes;

	if (task < s->nr_fills) {
		lo = task * KEYGEN_BATCH;
		set_scalars(s->kg, s->fill.section, s->fill.first + lo,
			    (struct fr *)s->scalars + lo,
			    lull_min(s->fill.nr - lo, KEYGEN_BATCH));
		return LULL_OK;
	}
	lo = (task - s->nr_fills) * BYTES_PER_WRITE;
	bytes = s->write.nr * point_bytes(s->write.section);
	return write_at(s->kg, &s->write, lo, s->points + lo,
			lull_min(bytes - lo, BYTES_PER_WRITE), reterr);
}

/* Round @at: fills portion @at, writes the one two before it. */
static int run_step(const struct portions *p, const struct lull_multiples *m,
		    uint64_t at, struct lull_error *reterr)
{
	struct step s = { .kg = p->kg };
	uint64_t nr = nr_portions(p);

	if (at < nr) {
		s.fill = portion_of(p, at);
		s.scalars = m->slots[at % LULL_MULTIPLES_SLOTS].scalars;
		s.nr_fills = lull_div_up(s.fill.nr, KEYGEN_BATCH);
	}
	if (at >= 2) {
		s.write = portion_of(p, at - 2);
		s.points = m->slots[(at - 2) % LULL_MULTIPLES_SLOTS].points;
		s.nr_writes =
			lull_div_up(s.write.nr * point_bytes(s.write.section),
				    BYTES_PER_WRITE);
	}
	return lull_workers_try(p->kg->plan->workers, s.nr_fills + s.nr_writes,
				do_step, &s, reterr);
}

static int run_portions(const struct portions *p,
			const struct lull_backend_ops *ops,
			struct lull_multiples *m, struct lull_error *reterr)
{
	uint64_t nr = nr_portions(p), at;
	int err = LULL_OK;

	_Static_assert(LULL_MULTIPLES_SLOTS == 3,
		       "one is filled, one is computed, one is written");
	for (at = 0; at < nr + 2 && !err; at++) {
		err = run_step(p, m, at, reterr);
		if (!err && at < nr)
			err = ops->multiples_begin(m, at % LULL_MULTIPLES_SLOTS,
						   portion_of(p, at).nr,
						   reterr);
		if (!err && at >= 1 && at - 1 < nr)
			err = ops->multiples_wait(
				m, (at - 1) % LULL_MULTIPLES_SLOTS, reterr);
	}
	return err;
}

static int make_group(struct keygen *kg, const struct lull_device *device,
		      int group, struct lull_error *reterr)
{
	const struct lull_backend_ops *ops =
		device->backend->ops(kg->plan->circuit->facts->id);
	struct portions p = group_of(kg, group, 1);
	const struct lull_multiples_want want = {
		.group = group,
		.base = group == 1 ? (const uint8_t *)&g1_generator
				   : (const uint8_t *)&g2_generator,
		.nr = nr_points(&p),
		.arena = kg->plan->arena,
	};
	struct lull_multiples *m = NULL;
	int err;

	err = ops->multiples_open(device->handle, &want, &m, reterr);
	if (err)
		return err;
	p.batch = m->batch;
	err = run_portions(&p, ops, m, reterr);
	ops->multiples_close(m);
	return err;
}

/* On a device of the set, or on the CPU where it has no such thing. */
static int make_on(struct keygen *kg, const struct lull_device *device,
		   struct lull_error *reterr)
{
	int err;

	/* Whoever began before has counted some. */
	if (kg->plan->native)
		lull_keygen_clear_inf(kg->plan->native);
	if (!device->backend->ops(kg->plan->circuit->facts->id)
		     ->multiples_open) {
		lull_set_say(kg->plan->set, "key: points on the CPU");
		return make_on_cpu(kg, reterr);
	}
	lull_set_say(kg->plan->set, "key: points on %s", device->text);
	err = make_group(kg, device, 2, reterr);
	return err ? err : make_group(kg, device, 1, reterr);
}

int keygen_write_points(struct keygen *kg, struct lull_error *reterr)
{
	struct lull_set *set = kg->plan->set;
	bool usable[LULL_GPUS_MAX + 1];
	struct lull_error why, first = { 0 };
	int device, err;

	if (!set)
		return make_on_cpu(kg, reterr);
	memset(usable, true, sizeof(usable));
	lull_set_pin(set, kg->plan->arena);
	while ((device = lull_set_take(set, usable)) >= 0) {
		err = make_on(kg, &set->devices[device], &why);
		lull_set_put(set, (unsigned int)device);
		if (!err)
			return LULL_OK;
		if (!first.code)
			first = why;
		usable[device] = false;
		if (err == LULL_DEVICE)
			lull_set_fail(set, (unsigned int)device, &why);
		else if (err != LULL_NOMEM)
			break; /* the disk: no other device would help */
		else if (set->nr_all > 1)
			lull_set_warn(set, "%s is left out for the key: %s",
				      set->devices[device].text, why.msg);
	}
	if (!first.code)
		first.code = lull_fail(&first, LULL_DEVICE,
				       "every device has been left out");
	if (reterr)
		*reterr = first;
	return first.code;
}
