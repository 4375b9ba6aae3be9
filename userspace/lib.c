// SPDX-License-Identifier: Apache-2.0
/*
 * lib.c - the public functions: check arguments, call in, fill the error
 *
 * Contracts stand in include/lull.h.
 */
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena/arena.h"
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/workers.h"
#include "input/r1cs.h"
#include "input/wtns.h"
#include "load/loader.h"
#include "prove/convert.h"
#include "prove/key.h"
#include "prove/keygen.h"
#include "prove/prover.h"
#include "prove/random.h"
#include "prove/witness.h"
#include "sched/pipeline.h"

#define ARENA_TEXT_BYTES sizeof(((struct lull_ctx_stats *)0)->arena)

const char *lull_version(void)
{
	return LULL_VERSION;
}

const char *lull_status_str(int status)
{
	switch (status) {
	case LULL_OK:
		return "ok";
	case LULL_NOMEM:
		return "out of memory";
	case LULL_IO:
		return "input or output failed";
	case LULL_FORMAT:
		return "malformed file";
	case LULL_RANGE:
		return "value out of range";
	case LULL_MISMATCH:
		return "inputs do not belong together";
	case LULL_UNSATISFIED:
		return "witness does not satisfy the circuit";
	case LULL_INVALID:
		return "invalid proof";
	case LULL_UNSUPPORTED:
		return "unsupported";
	case LULL_USAGE:
		return "wrong use";
	case LULL_INTERNAL:
		return "internal error";
	case LULL_DEVICE:
		return "device failed";
	case LULL_CANCELED:
		return "canceled";
	}
	return "unknown status";
}

/* ---- contexts ---------------------------------------------------------- */

static void warn_line(void *arg, const char *line)
{
	const struct lull_ctx *ctx = arg;

	if (ctx->opts.warn)
		ctx->opts.warn(ctx->opts.warn_arg, line);
}

static void say_line(void *arg, const char *line)
{
	const struct lull_ctx *ctx = arg;

	if (ctx->opts.say)
		ctx->opts.say(ctx->opts.say_arg, line);
}

static int open_set(struct lull_ctx *ctx, struct lull_error *reterr)
{
	const struct lull_set_opts opts = {
		.backend = ctx->opts.backend ? ctx->opts.backend : "cpu",
		.fallback_cpu = ctx->opts.fallback_cpu,
		.gpus = ctx->opts.gpus,
		.nr_gpus = ctx->opts.nr_gpus,
		.vram_bytes = ctx->opts.vram_bytes,
		.vram_key_bytes = ctx->opts.vram_key_bytes,
		.warn = warn_line,
		.say = say_line,
		.arg = ctx,
	};

	return lull_set_open(&opts, &ctx->set, reterr);
}

/* What the first version of struct lull_ctx_opts had. */
#define CTX_OPTS_BYTES_MIN offsetof(struct lull_ctx_opts, say)

/* Of a caller who is older, what is new is zero; one who is newer may ask for
 * nothing that is not known here. */
static int take_opts(const struct lull_ctx_opts *opts,
		     struct lull_ctx_opts *ret_opts, struct lull_error *reterr)
{
	const uint8_t *tail = (const uint8_t *)opts + sizeof(*opts);
	size_t i;

	if (opts->size < CTX_OPTS_BYTES_MIN)
		return lull_fail(reterr, LULL_USAGE,
				 "struct lull_ctx_opts: expected size %zu or "
				 "more, found %zu",
				 CTX_OPTS_BYTES_MIN, opts->size);
	for (i = sizeof(*opts); i < opts->size; i++)
		if (*tail++)
			return lull_fail(reterr, LULL_USAGE,
					 "struct lull_ctx_opts: expected size "
					 "%zu, found %zu with more in it",
					 sizeof(*opts), opts->size);
	memcpy(ret_opts, opts, lull_min(opts->size, sizeof(*opts)));
	return LULL_OK;
}

/* What there is to say about arena and loader and was not said yet. */
static void say_notes(struct lull_ctx *ctx)
{
	size_t nr = atomic_load(&ctx->nr_notes);
	const char *note;

	/* Whoever counts a line says it. */
	while ((note = lull_arena_note(ctx->arena, nr)))
		if (atomic_compare_exchange_strong(&ctx->nr_notes, &nr, nr + 1))
			say_line(ctx, note);
	nr = atomic_load(&ctx->nr_loader_notes);
	while ((note = lull_loader_note(ctx->loader, nr)))
		if (atomic_compare_exchange_strong(&ctx->nr_loader_notes, &nr,
						   nr + 1))
			say_line(ctx, note);
}

static void say_memory(struct lull_ctx *ctx)
{
	char text[ARENA_TEXT_BYTES], line[ARENA_TEXT_BYTES + sizeof("loader ")];

	lull_arena_describe(ctx->arena, text, sizeof(text));
	snprintf(line, sizeof(line), "arena %s", text);
	say_line(ctx, line);
	lull_loader_describe(ctx->loader, text, sizeof(text));
	snprintf(line, sizeof(line), "loader %s", text);
	say_line(ctx, line);
	say_notes(ctx);
}

static int open_arena(struct lull_ctx *ctx, struct lull_error *reterr)
{
	struct lull_arena_opts opts = {
		.carrier = LULL_ARENA_AUTO,
		.bytes_max = ctx->opts.arena_bytes,
		.node = ctx->node,
		.secret = true, /* witnesses lie in it */
	};
	const char *name = ctx->opts.arena;

	if (name && !lull_arena_carrier_find(name, &opts.carrier))
		return lull_fail(reterr, LULL_USAGE,
				 "arena: expected auto, module, hugetlb, thp, "
				 "malloc or malloc-serial, found '%.40s'",
				 name);
	return lull_arena_open(&opts, &ctx->arena, reterr);
}

static int open_loader(struct lull_ctx *ctx, struct lull_error *reterr)
{
	int err;

	err = lull_loader_open_named(ctx->opts.loader, ctx->arena,
				     lull_workers_nr(ctx->workers), ctx->node,
				     &ctx->loader, reterr);
	if (!err)
		say_memory(ctx);
	return err;
}

int lull_ctx_create(const struct lull_ctx_opts *opts, struct lull_ctx **ret_ctx,
		    struct lull_error *reterr)
{
	struct lull_ctx *ctx = calloc(1, sizeof(*ctx));
	int err = LULL_OK;

	if (!ctx)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a context");
	if (opts)
		err = take_opts(opts, &ctx->opts, reterr);
	if (err)
		goto free_ctx;
	/* A device says which node the memory is to be of. */
	err = open_set(ctx, reterr);
	if (err)
		goto free_ctx;
	ctx->node = lull_set_node(ctx->set);
	err = open_arena(ctx, reterr);
	if (err)
		goto close_set;
	err = lull_workers_create(ctx->opts.nr_threads, &ctx->workers, reterr);
	if (err)
		goto close_arena;
	err = open_loader(ctx, reterr);
	if (err)
		goto destroy_workers;
	/* They were the caller's to keep only until now. */
	ctx->opts.backend = NULL;
	ctx->opts.gpus = NULL;
	ctx->opts.arena = NULL;
	ctx->opts.loader = NULL;
	*ret_ctx = ctx;
	return LULL_OK;

destroy_workers:
	lull_workers_destroy(ctx->workers);
close_arena:
	lull_arena_close(ctx->arena);
close_set:
	lull_set_close(ctx->set);
free_ctx:
	free(ctx);
	return err;
}

void lull_ctx_destroy(struct lull_ctx *ctx)
{
	if (!ctx)
		return;
	lull_set_close(ctx->set);
	lull_loader_close(ctx->loader);
	lull_workers_destroy(ctx->workers);
	lull_arena_close(ctx->arena);
	free(ctx);
}

const char *lull_ctx_backend(const struct lull_ctx *ctx)
{
	return ctx->set->text;
}

/* Where a context's files are read to. */
static struct lull_infile_memory memory_of(struct lull_ctx *ctx)
{
	return (struct lull_infile_memory){ .arena = ctx->arena,
					    .workers = ctx->workers,
					    .reader = lull_loader_reader(
						    ctx->loader) };
}

static void tell(const struct lull_ctx *ctx, const char *name, const char *text)
{
	char msg[256];

	if (!ctx->opts.warn)
		return;
	snprintf(msg, sizeof(msg), "%s: %s", name, text);
	ctx->opts.warn(ctx->opts.warn_arg, msg);
}

static void warn_trailing(const struct lull_ctx *ctx, const char *name,
			  uint64_t bytes)
{
	char text[96];

	if (!bytes)
		return;
	snprintf(text, sizeof(text),
		 "%llu bytes behind the last section are ignored",
		 (unsigned long long)bytes);
	tell(ctx, name, text);
}

/* ---- keys -------------------------------------------------------------- */

static int finish_key(struct lull_ctx *ctx, struct lull_keyfile *file,
		      const char *path, struct lull_key **ret_key,
		      struct lull_error *reterr)
{
	const struct lull_keyfile *opened;
	int err;

	say_notes(ctx);
	err = lull_prove_key_create(file, path, ctx->workers, ctx->arena,
				    ctx->set, ret_key, reterr);
	if (err) {
		lull_keyfile_close(file);
		return err;
	}
	say_notes(ctx);
	opened = &(*ret_key)->file;
	warn_trailing(ctx, opened->zkey.file.in.name,
		      opened->zkey.file.trailing_bytes);
	if (opened->parts.toxic)
		tell(ctx, opened->parts.name, LULL_ZKEY_TOXIC_TEXT);
	return LULL_OK;
}

int lull_key_open(struct lull_ctx *ctx, const char *path,
		  struct lull_key **ret_key, struct lull_error *reterr)
{
	struct lull_infile_memory memory = memory_of(ctx);
	struct lull_keyfile file;
	int err;

	memory.look = &lull_prove_look;
	lull_arena_enter(ctx->arena);
	err = lull_keyfile_open(path, &memory, &file, reterr);
	if (!err)
		err = finish_key(ctx, &file, path, ret_key, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

int lull_key_open_mem(struct lull_ctx *ctx, const void *data, size_t bytes,
		      struct lull_key **ret_key, struct lull_error *reterr)
{
	struct lull_keyfile file;
	int err;

	lull_arena_enter(ctx->arena);
	err = lull_keyfile_open_mem(data, bytes, "key", &lull_prove_look,
				    ctx->workers, &file, reterr);
	if (!err)
		err = finish_key(ctx, &file, NULL, ret_key, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

void lull_key_close(struct lull_key *key)
{
	lull_prove_key_destroy(key);
}

int lull_key_info(const struct lull_key *key, struct lull_key_info *info,
		  struct lull_error *reterr)
{
	const struct lull_parts *k = &key->file.parts;

	if (lull_check_size(reterr, "lull_key_info", sizeof(*info), info->size))
		return LULL_USAGE;
	*info = (struct lull_key_info){
		.size = info->size,
		.curve = k->curve,
		.nr_vars = k->nr_vars,
		.nr_public = k->nr_public,
		.domain_size = k->domain_size,
		.nr_coefs = k->nr_coefs,
		.nr_contributions = k->nr_contributions,
		.nr_inf_a = (uint32_t)k->nr_inf[LULL_PART_A],
		.nr_inf_b1 = (uint32_t)k->nr_inf[LULL_PART_B1],
		.nr_inf_b2 = (uint32_t)k->nr_inf[LULL_PART_B2],
		.nr_inf_l = (uint32_t)k->nr_inf[LULL_PART_L],
		.toxic = k->toxic,
		.native = k->native,
		.folded = k->folded,
		.file_bytes = k->file_bytes,
	};
	return LULL_OK;
}

int lull_key_check(const struct lull_key *key, struct lull_error *reterr)
{
	return lull_prove_key_check(key, reterr);
}

int lull_key_vkey_write(const struct lull_key *key, const char *path,
			struct lull_error *reterr)
{
	return lull_prove_key_vkey_write(key, path, reterr);
}

int lull_key_generate_toxic(struct lull_ctx *ctx, const char *r1cs_path,
			    const char *zkey_path, struct lull_error *reterr)
{
	int err;

	lull_arena_enter(ctx->arena);
	err = lull_keygen_toxic(r1cs_path, zkey_path, NULL, ctx->workers,
				ctx->arena, ctx->set, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

int lull_key_generate_toxic_native(struct lull_ctx *ctx,
				   const struct lull_toxic_circuit *circuit,
				   const char *lkey_path,
				   const struct lull_toxic_opts *opts,
				   struct lull_error *reterr)
{
	int err;

	if (lull_check_size(reterr, "lull_toxic_circuit", sizeof(*circuit),
			    circuit->size))
		return LULL_USAGE;
	if (opts && lull_check_size(reterr, "lull_toxic_opts", sizeof(*opts),
				    opts->size))
		return LULL_USAGE;
	lull_arena_enter(ctx->arena);
	err = lull_keygen_native(circuit, lkey_path, opts, ctx->workers,
				 ctx->arena, ctx->set, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

int lull_ctx_convert(struct lull_ctx *ctx, const char *path,
		     const char *lkey_path,
		     const struct lull_convert_opts *opts,
		     lull_convert_fn *convert, struct lull_error *reterr)
{
	struct lull_converted converted = { 0 };
	struct lull_convert_how how = { .reader =
						lull_loader_reader(ctx->loader),
					.ret_converted = &converted,
					.say = say_line,
					.say_arg = ctx };
	int err;

	if (opts && lull_check_size(reterr, "lull_convert_opts", sizeof(*opts),
				    opts->size))
		return LULL_USAGE;
	if (opts) {
		how.r1cs_path = opts->r1cs_path;
		how.fold_c = opts->fold_c;
		how.progress = opts->progress;
		how.progress_arg = opts->progress_arg;
	}
	lull_arena_enter(ctx->arena);
	err = convert(path, lkey_path, &how, ctx->workers, ctx->arena, reterr);
	lull_arena_leave(ctx->arena);
	warn_trailing(ctx, path, converted.trailing_bytes);
	if (converted.toxic)
		tell(ctx, path, LULL_ZKEY_TOXIC_TEXT);
	return err;
}

int lull_key_convert(struct lull_ctx *ctx, const char *zkey_path,
		     const char *lkey_path,
		     const struct lull_convert_opts *opts,
		     struct lull_error *reterr)
{
	return lull_ctx_convert(ctx, zkey_path, lkey_path, opts,
				lull_convert_zkey, reterr);
}

/* ---- circuits ---------------------------------------------------------- */

/* Constraints without a term in A or in B: linear ones. */
static uint32_t count_linear(const struct lull_r1cs *r1cs)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	uint32_t nr = 0;

	while (lull_r1cs_next(r1cs, &walk, &row))
		nr += !row.a.nr_terms || !row.b.nr_terms;
	return nr;
}

int lull_circuit_info(const char *path, struct lull_circuit_info *info,
		      struct lull_error *reterr)
{
	struct lull_circuit_info found;
	struct lull_r1cs r1cs;
	uint64_t rows, domain = 1;
	int err;

	if (lull_check_size(reterr, "lull_circuit_info", sizeof(*info),
			    info->size))
		return LULL_USAGE;
	err = lull_r1cs_open(path, &r1cs, reterr);
	if (err)
		return err;
	/* snarkjs's rule: the power of two above constraints and publics. */
	rows = (uint64_t)r1cs.nr_constraints + r1cs.nr_pub_out + r1cs.nr_pub_in;
	while (domain <= rows || domain < 2)
		domain *= 2;
	found = (struct lull_circuit_info){
		.size = info->size,
		.curve = r1cs.curve,
		.nr_wires = r1cs.nr_wires,
		.nr_outputs = r1cs.nr_pub_out,
		.nr_public_inputs = r1cs.nr_pub_in,
		.nr_private_inputs = r1cs.nr_prv_in,
		.nr_constraints = r1cs.nr_constraints,
		.nr_linear = count_linear(&r1cs),
		.nr_terms = r1cs.nr_terms_a + r1cs.nr_terms_b + r1cs.nr_terms_c,
		.nr_labels = r1cs.nr_labels,
		.domain_size = domain,
	};
	err = lull_infile_same(&r1cs.file.in, reterr);
	lull_r1cs_close(&r1cs);
	if (!err)
		*info = found;
	return err;
}

/* ---- witnesses --------------------------------------------------------- */

static void say_classes(struct lull_ctx *ctx, const struct lull_wtnsfile *file)
{
	const struct lull_classes *found = &file->classes;
	char line[128];

	snprintf(line, sizeof(line),
		 "witness: %u values, %zu of them 0, %zu of them 1, %zu others",
		 file->nr_values,
		 file->nr_values - found->nr_ones - found->nr_others,
		 found->nr_ones, found->nr_others);
	say_line(ctx, line);
}

static int finish_wtns(struct lull_ctx *ctx, struct lull_wtnsfile *file,
		       struct lull_wtns **ret_wtns, struct lull_error *reterr)
{
	struct lull_wtns *wtns;
	int err;

	err = lull_witness_check(file, ctx->workers, ctx->arena, reterr);
	if (err)
		goto close_file;
	wtns = calloc(1, sizeof(*wtns));
	if (!wtns) {
		err = lull_fail(reterr, LULL_NOMEM, "no memory for a witness");
		goto close_file;
	}
	wtns->file = *file;
	warn_trailing(ctx, file->file.in.name, file->file.trailing_bytes);
	say_classes(ctx, file);
	*ret_wtns = wtns;
	return LULL_OK;

close_file:
	lull_wtnsfile_close(file);
	return err;
}

int lull_wtns_open(struct lull_ctx *ctx, const char *path,
		   struct lull_wtns **ret_wtns, struct lull_error *reterr)
{
	const struct lull_infile_memory memory = memory_of(ctx);
	struct lull_wtnsfile file;
	int err;

	lull_arena_enter(ctx->arena);
	err = lull_wtnsfile_open(path, NULL, LULL_WTNS_DEFER_VALUES, &memory,
				 &file, reterr);
	if (!err)
		err = finish_wtns(ctx, &file, ret_wtns, reterr);
	lull_arena_leave(ctx->arena);
	return err;
}

int lull_wtns_open_mem(struct lull_ctx *ctx, const void *data, size_t bytes,
		       struct lull_wtns **ret_wtns, struct lull_error *reterr)
{
	struct lull_wtnsfile file;
	int err;

	err = lull_wtnsfile_open_mem(data, bytes, "witness",
				     LULL_WTNS_DEFER_VALUES, &file, reterr);
	return err ? err : finish_wtns(ctx, &file, ret_wtns, reterr);
}

void lull_wtns_close(struct lull_wtns *wtns)
{
	if (!wtns)
		return;
	lull_wtnsfile_close(&wtns->file);
	free(wtns);
}

int lull_wtns_check(const struct lull_wtns *wtns, const char *r1cs_path,
		    struct lull_error *reterr)
{
	const struct lull_wtnsfile *file = &wtns->file;
	struct lull_wtns_want want = { .what = "circuit" };
	struct lull_r1cs r1cs;
	int err, changed;

	err = lull_r1cs_open(r1cs_path, &r1cs, reterr);
	if (err)
		return err;
	want.name = r1cs.file.in.name;
	want.facts = r1cs.facts;
	want.nr_values = r1cs.nr_wires;
	err = lull_wtnsfile_match(file, &want, reterr);
	if (!err)
		err = lull_groth16(r1cs.curve)
			      ->satisfied(&r1cs, file->values, reterr);
	/* What was found of a circuit that changed meanwhile is not true of any. */
	changed = lull_infile_same(&r1cs.file.in, reterr);
	lull_r1cs_close(&r1cs);
	return changed ? changed : err;
}

/* ---- proofs ------------------------------------------------------------ */

int lull_prove_blinded(struct lull_ctx *ctx, const struct lull_key *key,
		       const struct lull_wtns *wtns,
		       const struct lull_prove_opts *opts,
		       const uint8_t r[LULL_FR_BYTES],
		       const uint8_t s[LULL_FR_BYTES],
		       struct lull_proof **ret_proof, struct lull_error *reterr)
{
	const struct lull_prove_opts defaults = { .size = sizeof(defaults) };
	const struct lull_wtns_want want = lull_witness_want(&key->file.parts);
	const struct lull_wtnsfile *file = &wtns->file;
	int err;

	if (opts && lull_check_size(reterr, "lull_prove_opts", sizeof(*opts),
				    opts->size))
		return LULL_USAGE;
	err = lull_wtnsfile_match(file, &want, reterr);
	if (err)
		return err;
	lull_arena_enter(ctx->arena);
	err = lull_prover_run(ctx->workers, ctx->arena, key, file,
			      opts ? opts : &defaults, r, s, ret_proof, reterr);
	lull_arena_leave(ctx->arena);
	say_notes(ctx);
	return err;
}

int lull_prove(struct lull_ctx *ctx, const struct lull_key *key,
	       const struct lull_wtns *wtns, const struct lull_prove_opts *opts,
	       struct lull_proof **ret_proof, struct lull_error *reterr)
{
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	int err;

	err = lull_prove_random(key->file.parts.facts, r, reterr);
	if (!err)
		err = lull_prove_random(key->file.parts.facts, s, reterr);
	if (!err)
		err = lull_prove_blinded(ctx, key, wtns, opts, r, s, ret_proof,
					 reterr);
	lull_wipe(r, sizeof(r));
	lull_wipe(s, sizeof(s));
	return err;
}

int lull_pipeline_create(struct lull_ctx *ctx,
			 const struct lull_pipeline_opts *opts,
			 struct lull_pipeline **ret_pipeline,
			 struct lull_error *reterr)
{
	const struct lull_sched_env env = { .workers = ctx->workers,
					    .arena = ctx->arena,
					    .loader = ctx->loader,
					    .set = ctx->set };

	return lull_sched_create(&env, opts, ret_pipeline, reterr);
}
