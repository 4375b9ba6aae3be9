// SPDX-License-Identifier: Apache-2.0
/*
 * supraseal.c - supraseal-c2's interface over liblull; see supraseal.h
 *
 * All parameters share one context, which lives as long as any of them.  The
 * environment says how it works, since the interface has no place for it:
 * LULL_BACKEND (default auto), LULL_ARENA and LULL_THREADS.
 *
 * Threads: one lock guards references, the cache and the context.  It is held
 * while a file is read, so that two callers of one path read it once; never
 * while proofs are made.
 */
#include "supraseal/supraseal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lull.h"
#include "prove/bellman.h"
#include "prove/prover.h"

#define EXPORT __attribute__((visibility("default")))

/* As many parameters as supraseal-c2 keeps. */
#define CACHED_MAX 4
#define THREADS_MAX 4096
#define WORDS(nr_bytes) ((nr_bytes) / sizeof(uint64_t))

_Static_assert(sizeof(struct lull_supraseal_assignment) == 17 * sizeof(size_t),
	       "the layout of supraseal-c2's Assignment");
_Static_assert(sizeof(struct lull_supraseal_proof) == 2 * 96 + 192,
	       "three affine points without gaps");
_Static_assert(sizeof(struct lull_supraseal_error) == 2 * sizeof(void *),
	       "returned in two registers");

/* Parameters, counted. */
struct srs {
	struct lull_ctx *ctx;
	struct lull_key *key;
	char *path;
	unsigned long nr_refs; /* lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lull_ctx *context;       /* lock; while nr_srs is not 0 */
static unsigned long nr_srs;	       /* lock */
static struct srs *cached[CACHED_MAX]; /* lock; the latest used first */

/* ---- errors ------------------------------------------------------------ */

static int errno_of(const struct lull_error *error)
{
	if (error->sys_errno)
		return error->sys_errno;
	switch (error->code) {
	case LULL_NOMEM:
		return ENOMEM;
	case LULL_IO:
		return EIO;
	case LULL_UNSUPPORTED:
		return ENOTSUP;
	case LULL_DEVICE:
		return ENODEV;
	default:
		return EINVAL;
	}
}

static struct lull_supraseal_error fail(const struct lull_error *error)
{
	return (struct lull_supraseal_error){
		.code = errno_of(error),
		.message = strdup(error->msg),
	};
}

static struct lull_supraseal_error refuse(const char *msg)
{
	return (struct lull_supraseal_error){
		.code = EINVAL,
		.message = strdup(msg),
	};
}

/* ---- parameters -------------------------------------------------------- */

/* The number in a variable, or 0 for none, which leaves the choice to lull. */
static unsigned int threads_wanted(void)
{
	const char *text = getenv("LULL_THREADS");
	unsigned long nr = text ? strtoul(text, NULL, 10) : 0;

	return nr <= THREADS_MAX ? (unsigned int)nr : 0;
}

/* Bytes in a variable, or 0 for none. */
static uint64_t vram_key_wanted(void)
{
	const char *text = getenv("LULL_VRAM_KEY");

	return text ? strtoull(text, NULL, 10) : 0;
}

/* lock */
static int need_context(struct lull_error *reterr)
{
	const char *backend = getenv("LULL_BACKEND");
	struct lull_ctx_opts opts = {
		.size = sizeof(opts),
		.nr_threads = threads_wanted(),
		.backend = backend ? backend : "auto",
		.arena = getenv("LULL_ARENA"),
		.vram_key_bytes = vram_key_wanted(),
	};

	return context ? LULL_OK : lull_ctx_create(&opts, &context, reterr);
}

/* lock */
static void drop_context(void)
{
	if (nr_srs)
		return;
	lull_ctx_destroy(context);
	context = NULL;
}

/* lock */
static int read_srs(const char *path, struct srs **ret_srs,
		    struct lull_error *reterr)
{
	struct srs *srs = calloc(1, sizeof(*srs));
	int err;

	if (srs)
		srs->path = strdup(path);
	if (!srs || !srs->path) {
		free(srs);
		*reterr = (struct lull_error){ .code = LULL_NOMEM,
					       .msg = "no memory" };
		return LULL_NOMEM;
	}
	err = need_context(reterr);
	if (!err)
		err = lull_key_open_bellman(context, path, &srs->key, reterr);
	if (err) {
		free(srs->path);
		free(srs);
		drop_context();
		return err;
	}
	srs->ctx = context;
	srs->nr_refs = 1;
	nr_srs++;
	*ret_srs = srs;
	return LULL_OK;
}

/* lock */
static void put(struct srs *srs)
{
	if (--srs->nr_refs)
		return;
	lull_key_close(srs->key);
	free(srs->path);
	free(srs);
	nr_srs--;
	drop_context();
}

/* lock: index of the entry of a path, or CACHED_MAX. */
static size_t find_cached(const char *path)
{
	size_t i = 0;

	while (i < CACHED_MAX && (!cached[i] || strcmp(cached[i]->path, path)))
		i++;
	return i;
}

/* lock: takes entry @i out; the others close up. */
static struct srs *take_cached(size_t i)
{
	struct srs *srs = cached[i];

	memmove(&cached[i], &cached[i + 1],
		(CACHED_MAX - 1 - i) * sizeof(cached[0]));
	cached[CACHED_MAX - 1] = NULL;
	return srs;
}

/* lock: takes over one reference; the entry used longest ago makes room. */
static void put_first(struct srs *srs)
{
	struct srs *last = cached[CACHED_MAX - 1];

	memmove(&cached[1], &cached[0], (CACHED_MAX - 1) * sizeof(cached[0]));
	cached[0] = srs;
	if (last)
		put(last);
}

/* lock */
static int get_cached(const char *path, struct srs **ret_srs,
		      struct lull_error *reterr)
{
	size_t i = find_cached(path);
	struct srs *srs;
	int err;

	if (i < CACHED_MAX) {
		srs = take_cached(i);
	} else {
		err = read_srs(path, &srs, reterr);
		if (err)
			return err;
	}
	put_first(srs);
	srs->nr_refs++;
	*ret_srs = srs;
	return LULL_OK;
}

/* tidy: allow single-use the interface's name */
EXPORT struct lull_supraseal_error create_SRS(struct lull_supraseal_srs *ret,
					      const char *path, bool cache)
{
	struct lull_error error = { 0 };
	struct srs *srs = NULL;
	int err;

	pthread_mutex_lock(&lock);
	err = cache ? get_cached(path, &srs, &error)
		    : read_srs(path, &srs, &error);
	pthread_mutex_unlock(&lock);
	if (err)
		return fail(&error);
	ret->ptr = srs;
	return (struct lull_supraseal_error){ 0 };
}

/* tidy: allow single-use the interface's name */
EXPORT void evict_SRS(const struct lull_supraseal_srs *ref)
{
	const struct srs *srs = ref->ptr;
	size_t i;

	pthread_mutex_lock(&lock);
	i = find_cached(srs->path);
	if (i < CACHED_MAX)
		put(take_cached(i));
	pthread_mutex_unlock(&lock);
}

/* tidy: allow single-use the interface's name */
EXPORT void drop_SRS(struct lull_supraseal_srs *ref)
{
	if (!ref->ptr)
		return;
	pthread_mutex_lock(&lock);
	put(ref->ptr);
	pthread_mutex_unlock(&lock);
}

/* tidy: allow single-use the interface's name */
EXPORT struct lull_supraseal_srs clone_SRS(const struct lull_supraseal_srs *ref)
{
	struct srs *srs = ref->ptr;

	pthread_mutex_lock(&lock);
	srs->nr_refs++;
	pthread_mutex_unlock(&lock);
	return *ref;
}

/* ---- proofs ------------------------------------------------------------ */

/* The lengths that the interface repeats. */
static const char *check_lengths(const struct lull_supraseal_assignment *p)
{
	if (p->a_aux_bit_len != p->aux_assignment_size)
		return "a_aux_bit_len is not aux_assignment_size";
	if (p->b_aux_bit_len != p->aux_assignment_size)
		return "b_aux_bit_len is not aux_assignment_size";
	if (p->b_inp_bit_len != p->inp_assignment_size)
		return "b_inp_bit_len is not inp_assignment_size";
	return NULL;
}

static void put_point(uint64_t *to, const uint8_t *plain, size_t nr_words)
{
	memcpy(to, plain, nr_words * sizeof(*to));
	lull_bellman_to_mont((uint8_t *)to, nr_words / LULL_SUPRASEAL_FP_WORDS);
}

static int
prove(const struct srs *srs, const struct lull_supraseal_assignment *p,
      const struct lull_supraseal_fr *r, const struct lull_supraseal_fr *s,
      struct lull_supraseal_proof *ret_proof, struct lull_error *reterr)
{
	const struct lull_assignment in = {
		.size = sizeof(in),
		.a = p->a,
		.b = p->b,
		.c = p->c,
		.nr_rows = p->abc_size,
		.inputs = p->inp_assignment_data,
		.nr_inputs = p->inp_assignment_size,
		.aux = p->aux_assignment_data,
		.nr_aux = p->aux_assignment_size,
		.a_aux_density = p->a_aux_density,
		.b_input_density = p->b_inp_density,
		.b_aux_density = p->b_aux_density,
		.r = r,
		.s = s,
	};
	struct lull_proof *proof = NULL;
	int err;

	err = lull_prove_assigned(srs->ctx, srs->key, &in, NULL, &proof,
				  reterr);
	if (err)
		return err;
	put_point(ret_proof->a, proof->points.a, WORDS(sizeof(ret_proof->a)));
	put_point(ret_proof->b, proof->points.b, WORDS(sizeof(ret_proof->b)));
	put_point(ret_proof->c, proof->points.c, WORDS(sizeof(ret_proof->c)));
	lull_proof_free(proof);
	return LULL_OK;
}

static int prove_all(const struct srs *srs,
		     const struct lull_supraseal_assignment *provers, size_t nr,
		     const struct lull_supraseal_fr *r_s,
		     const struct lull_supraseal_fr *s_s,
		     struct lull_supraseal_proof *proofs,
		     struct lull_error *reterr)
{
	struct lull_error why = { 0 };
	const char *wrong;
	size_t i;

	for (i = 0; i < nr; i++) {
		wrong = check_lengths(&provers[i]);
		if (wrong) {
			why.code = LULL_USAGE;
			snprintf(why.msg, sizeof(why.msg), "%s", wrong);
		} else {
			prove(srs, &provers[i], r_s ? &r_s[i] : NULL,
			      s_s ? &s_s[i] : NULL, &proofs[i], &why);
		}
		if (!why.code)
			continue;
		*reterr = why;
		snprintf(reterr->msg, sizeof(reterr->msg),
			 "circuit %zu of %zu: %.200s", i, nr, why.msg);
		return why.code;
	}
	return LULL_OK;
}

/* tidy: allow single-use the interface's name */
EXPORT struct lull_supraseal_error
generate_groth16_proofs_c(const struct lull_supraseal_assignment *provers,
			  size_t num_circuits,
			  const struct lull_supraseal_fr *r_s,
			  const struct lull_supraseal_fr *s_s,
			  struct lull_supraseal_proof *proofs,
			  const struct lull_supraseal_srs *srs)
{
	struct lull_supraseal_proof *made;
	struct lull_error error = { 0 };
	int err;

	if (!srs->ptr)
		return refuse("the parameters are empty");
	if (!num_circuits)
		return (struct lull_supraseal_error){ 0 };
	made = calloc(num_circuits, sizeof(*made));
	if (!made)
		return (struct lull_supraseal_error){ .code = ENOMEM };
	err = prove_all(srs->ptr, provers, num_circuits, r_s, s_s, made,
			&error);
	if (!err)
		memcpy(proofs, made, num_circuits * sizeof(*made));
	free(made);
	return err ? fail(&error) : (struct lull_supraseal_error){ 0 };
}
