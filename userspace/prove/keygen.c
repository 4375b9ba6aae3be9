// SPDX-License-Identifier: Apache-2.0
/*
 * keygen.c - makes a test key: the file's frame; see keygen.h
 *
 * Settles where each section lies, writes the container and the sections that
 * hold no field element, and leaves the rest to keygen_tmpl.c.  Sections stand
 * in the order of their numbers, and behind them LULL_ZKEY_TOXIC.
 *
 * Refuses an output that is the input, a device or a pipe, and circuits that
 * the format or the curve's domains cannot hold.
 */
#include "prove/keygen.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "arena/arena.h"
#include "backend/set.h"
#include "base/base.h"
#include "base/error.h"
#include "base/trace.h"
#include "prove/keygen_plan.h"

#define NR_SECTIONS LULL_KEYGEN_TOXIC_SLOT

/* Section 10 without contributions: a hash of the circuit, left zero, and the
 * number 0. */
#define CIRCUIT_HASH_BYTES 64
#define CONTRIBUTIONS_BYTES (CIRCUIT_HASH_BYTES + sizeof(uint32_t))

/* The format's domain size has 32 bits. */
#define LOG2_DOMAIN_MAX 31

struct lull_keygen_start lull_keygen_start(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct lull_keygen_start){
		lull_trace_now_ns(),
		(uint64_t)cpu.tv_sec * LULL_NS_PER_S + (uint64_t)cpu.tv_nsec
	};
}

/* On a host that others share, processors' time tells more than the clock. */
void lull_keygen_say(const struct lull_keygen_plan *plan, const char *what,
		     const struct lull_keygen_start *start)
{
	const struct lull_keygen_start now = lull_keygen_start();

	if (plan->set)
		lull_set_say(
			plan->set, "key: %s %.3f s, of processors %.3f s", what,
			(double)(now.wall_ns - start->wall_ns) / LULL_NS_PER_S,
			(double)(now.cpu_ns - start->cpu_ns) / LULL_NS_PER_S);
}

static int choose_domain(struct lull_keygen_plan *plan,
			 struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = plan->circuit;
	uint64_t rows = (uint64_t)c->nr_rows + c->nr_public;
	unsigned int most =
		(unsigned int)lull_min(c->facts->two_adicity, LOG2_DOMAIN_MAX);

	/* snarkjs's rule: strictly more than the rows, and 2 at least. */
	plan->log2_domain = 1;
	while (plan->log2_domain <= most && rows >> plan->log2_domain)
		plan->log2_domain++;
	if (plan->log2_domain > most)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: constraints and public signals: expected "
				 "less than 2^%u for %s, found %" PRIu64,
				 c->name, most, c->facts->name, rows);
	return LULL_OK;
}

static int count_coefs(struct lull_keygen_plan *plan, struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = plan->circuit;
	uint64_t nr = c->nr_terms[MATRIX_A] + c->nr_terms[MATRIX_B] +
		      c->nr_public + 1;

	if (nr > UINT32_MAX)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "%s: terms of A and B: expected at most "
				 "%" PRIu32 ", found %" PRIu64,
				 c->name, UINT32_MAX, nr);
	plan->nr_coefs = (uint32_t)nr;
	return LULL_OK;
}

/* A number a row and three a wire: a circuit without labels may claim any number
 * of wires that no row has. */
static int check_need(const struct lull_keygen_plan *plan,
		      struct lull_error *reterr)
{
	const struct lull_keygen_circuit *c = plan->circuit;
	const uint64_t fr = c->facts->fr_bytes;
	struct lull_set *set = plan->set;
	uint64_t bytes =
		(fr << plan->log2_domain) + NR_MATRICES * fr * c->nr_wires;

	return lull_arena_need(plan->arena, c->name, "making a key of it",
			       bytes, set ? set->opts.say : NULL,
			       set ? set->opts.arg : NULL, reterr);
}

int lull_keygen_settle(struct lull_keygen_plan *plan, struct lull_error *reterr)
{
	int err = choose_domain(plan, reterr);

	if (!err)
		err = count_coefs(plan, reterr);
	return err ? err : check_need(plan, reterr);
}

static void place_sections(struct lull_keygen_plan *plan)
{
	const struct lull_keygen_circuit *c = plan->circuit;
	uint64_t fp = c->facts->fp_bytes, fr = c->facts->fr_bytes;
	uint64_t g1 = 2 * fp, g2 = 4 * fp;
	uint64_t vars = c->nr_wires, ones = (uint64_t)c->nr_public + 1;
	uint64_t at = LULL_BINFILE_HEAD_BYTES;
	unsigned int i;

	plan->bytes[LULL_ZKEY_PROTOCOL] = sizeof(uint32_t);
	/* Two primes with their sizes, three counts, three points of each. */
	plan->bytes[LULL_ZKEY_HEADER] = 2 * sizeof(uint32_t) + fp + fr +
					3 * sizeof(uint32_t) + 3 * (g1 + g2);
	plan->bytes[LULL_ZKEY_IC] = ones * g1;
	plan->bytes[LULL_ZKEY_COEFS] =
		sizeof(uint32_t) +
		(uint64_t)plan->nr_coefs * LULL_ZKEY_COEF_BYTES;
	plan->bytes[LULL_ZKEY_A] = vars * g1;
	plan->bytes[LULL_ZKEY_B1] = vars * g1;
	plan->bytes[LULL_ZKEY_B2] = vars * g2;
	plan->bytes[LULL_ZKEY_C] = (vars - ones) * g1;
	plan->bytes[LULL_ZKEY_H] = g1 << plan->log2_domain;
	plan->bytes[LULL_ZKEY_CONTRIBUTIONS] = CONTRIBUTIONS_BYTES;
	plan->bytes[LULL_KEYGEN_TOXIC_SLOT] = strlen(LULL_ZKEY_TOXIC_TEXT);
	for (i = LULL_ZKEY_PROTOCOL; i < LULL_KEYGEN_SLOTS; i++) {
		at += LULL_BINFILE_SECTION_BYTES;
		plan->offset[i] = at;
		at += plan->bytes[i];
	}
}

static int write_section_header(const struct lull_keygen_plan *plan,
				unsigned int slot, struct lull_error *reterr)
{
	uint32_t type = slot == LULL_KEYGEN_TOXIC_SLOT ? LULL_ZKEY_TOXIC : slot;
	uint8_t header[LULL_BINFILE_SECTION_BYTES];

	lull_binfile_put_section(header, type, plan->bytes[slot]);
	return lull_outfile_write_at(plan->out,
				     plan->offset[slot] - sizeof(header),
				     header, sizeof(header), reterr);
}

static int write_frame(const struct lull_keygen_plan *plan,
		       struct lull_error *reterr)
{
	uint8_t start[LULL_BINFILE_HEAD_BYTES];
	const uint32_t protocol = LULL_ZKEY_GROTH16;
	const uint8_t contributions[CONTRIBUTIONS_BYTES] = { 0 };
	const struct {
		uint64_t offset;
		const void *data;
		size_t bytes;
	} parts[] = {
		{ 0, start, sizeof(start) },
		{ plan->offset[LULL_ZKEY_PROTOCOL], &protocol,
		  sizeof(protocol) },
		{ plan->offset[LULL_ZKEY_CONTRIBUTIONS], contributions,
		  sizeof(contributions) },
		{ plan->offset[LULL_KEYGEN_TOXIC_SLOT], LULL_ZKEY_TOXIC_TEXT,
		  strlen(LULL_ZKEY_TOXIC_TEXT) },
	};
	unsigned int i;
	int err;

	lull_binfile_put_head(start, "zkey", LULL_ZKEY_VERSION, NR_SECTIONS);
	for (i = LULL_ZKEY_PROTOCOL; i < LULL_KEYGEN_SLOTS; i++) {
		err = write_section_header(plan, i, reterr);
		if (err)
			return err;
	}
	for (i = 0; i < LULL_ARRAY_SIZE(parts); i++) {
		err = lull_outfile_write_at(plan->out, parts[i].offset,
					    parts[i].data, parts[i].bytes,
					    reterr);
		if (err)
			return err;
	}
	return LULL_OK;
}

int lull_keygen_fill(const struct lull_keygen_plan *plan,
		     struct lull_error *reterr)
{
	switch (plan->circuit->facts->id) {
	case LULL_CURVE_BN254:
		return lull_bn254_keygen_fill(plan, reterr);
	case LULL_CURVE_BLS12_381:
		return lull_bls12_381_keygen_fill(plan, reterr);
	}
	return lull_fail(reterr, LULL_INTERNAL, "%s: curve %d",
			 plan->circuit->name, (int)plan->circuit->facts->id);
}

static int write_key(struct lull_keygen_plan *plan, const char *zkey_path,
		     struct lull_error *reterr)
{
	struct lull_outfile out;
	int err;

	place_sections(plan);
	err = lull_outfile_open(zkey_path, LULL_OUTFILE_REGULAR, &out, reterr);
	if (err)
		return err;
	plan->out = &out;
	err = write_frame(plan, reterr);
	if (err)
		goto discard_out;
	err = lull_keygen_fill(plan, reterr);
	if (err)
		goto discard_out;
	err = lull_infile_same(&plan->circuit->r1cs->file.in, reterr);
	if (err)
		goto discard_out;
	return lull_outfile_commit(&out, 1, reterr);

discard_out:
	lull_outfile_discard(&out);
	return err;
}

int lull_keygen_toxic(const char *r1cs_path, const char *zkey_path,
		      const struct lull_keygen_opts *opts,
		      struct lull_workers *workers, struct lull_arena *arena,
		      struct lull_set *set, struct lull_error *reterr)
{
	struct lull_keygen_circuit circuit = { 0 };
	struct lull_keygen_plan plan = { .circuit = &circuit,
					 .workers = workers,
					 .arena = arena,
					 .set = set,
					 .seed = opts ? opts->seed : NULL };
	struct lull_r1cs r1cs;
	int err;

	if (lull_outfile_same(zkey_path, r1cs_path))
		return lull_fail(reterr, LULL_USAGE,
				 "the key would replace the circuit %s",
				 r1cs_path);
	err = lull_r1cs_open(r1cs_path, &r1cs, reterr);
	if (err)
		return err;
	err = lull_keygen_circuit_map(&r1cs, arena, &circuit, reterr);
	if (!err)
		err = lull_keygen_settle(&plan, reterr);
	if (!err)
		err = write_key(&plan, zkey_path, reterr);
	lull_keygen_circuit_end(&circuit);
	lull_r1cs_close(&r1cs);
	return err;
}
