// SPDX-License-Identifier: Apache-2.0
/*
 * supraseal.c - supraseal-c2's interface over liblull; see supraseal.h
 *
 * All parameters share one context, which lives as long as any of them.  The
 * environment says how it works, since the interface has no place for it:
 * LULL_BACKEND (default cuda: like the original, this fails where there is no
 * GPU, unless the CPU is asked for), LULL_ARENA, LULL_THREADS and LULL_VRAM_KEY.
 *
 * Threads: references are counted without a lock.  A lock that is never held for
 * long guards the cache and the context; another is held while a file is read,
 * so that two callers of one path read it once, and by nobody who does not read.
 * Circuits are admitted in turn, so that memory has a bound however many callers
 * there are.
 */
#include "supraseal/supraseal.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "lull.h"
#include "prove/bellman.h"
#include "prove/prover.h"

#define EXPORT __attribute__((visibility("default")))

/* As many parameters as supraseal-c2 keeps. */
#define CACHED_MAX 4
#define THREADS_MAX 4096
/* Circuits that are proved at once, of one caller or of several: with a GPU one's
 * values are checked while the other's are computed with; the CPU does both. */
#define AT_ONCE_ON_GPU 2
#define AT_ONCE_ON_CPU 1

#define CPU "cpu"
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
	atomic_ulong nr_refs;
};

/* Held while a file is read, and before @lock. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
/* Held while a context is made or ended, so that there is never a second one that
 * wants the same memory; before @lock. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lull_ctx *context;       /* lock; while nr_srs is not 0 */
static unsigned long nr_srs;	       /* lock; those being read, too */
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

/* The number in a variable; 0 for none, which leaves the choice to lull. */
static int number_wanted(const char *name, uint64_t max, uint64_t *ret_number,
			 struct lull_error *reterr)
{
	const char *text = getenv(name);
	unsigned long long number = 0;
	char *end = NULL;

	if (text && *text) {
		errno = 0;
		number = strtoull(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || errno || number > max)
			return lull_fail(reterr, LULL_USAGE,
					 "%s: expected a number up to %" PRIu64
					 ", found '%.40s'",
					 name, max, text);
	}
	*ret_number = number;
	return LULL_OK;
}

/* The original's words, and why. */
static int no_gpu(struct lull_error *error)
{
	const struct lull_error why = *error;

	lull_fail(error, LULL_DEVICE,
		  "No CUDA devices available: %.150s (LULL_BACKEND=cpu proves "
		  "without)",
		  why.msg);
	error->sys_errno = ENODEV;
	return LULL_DEVICE;
}

/* Whether it was the GPU's fault: without one there is a context. */
static bool works_without_gpu(struct lull_ctx_opts opts)
{
	struct lull_ctx *ctx;

	opts.backend = CPU;
	if (lull_ctx_create(&opts, &ctx, NULL))
		return false;
	lull_ctx_destroy(ctx);
	return true;
}

static int create_context(struct lull_ctx **ret_ctx, struct lull_error *reterr)
{
	const char *backend = getenv("LULL_BACKEND");
	struct lull_ctx_opts opts = {
		.size = sizeof(opts),
		.backend = backend && *backend ? backend : "cuda",
		.arena = getenv("LULL_ARENA"),
	};
	uint64_t nr_threads;
	int err;

	err = number_wanted("LULL_THREADS", THREADS_MAX, &nr_threads, reterr);
	if (!err)
		err = number_wanted("LULL_VRAM_KEY", INT64_MAX,
				    &opts.vram_key_bytes, reterr);
	if (err)
		return err;
	opts.nr_threads = (unsigned int)nr_threads;
	err = lull_ctx_create(&opts, ret_ctx, reterr);
	if ((err == LULL_UNSUPPORTED || err == LULL_DEVICE) &&
	    !strcmp(opts.backend, "cuda") && works_without_gpu(opts))
		return no_gpu(reterr);
	return err;
}

/* reading: for parameters that nr_srs counts, so that it stays. */
static int need_context(struct lull_ctx **ret_ctx, struct lull_error *reterr)
{
	struct lull_ctx *ctx;
	int err;

	pthread_mutex_lock(&lock);
	ctx = context;
	pthread_mutex_unlock(&lock);
	if (!ctx) {
		pthread_mutex_lock(&making);
		err = create_context(&ctx, reterr);
		pthread_mutex_unlock(&making);
		if (err)
			return err;
		pthread_mutex_lock(&lock);
		context = ctx;
		pthread_mutex_unlock(&lock);
	}
	*ret_ctx = ctx;
	return LULL_OK;
}

/* One of nr_srs less; with the last the context goes. */
static void uncount(void)
{
	struct lull_ctx *ctx = NULL;

	pthread_mutex_lock(&making);
	pthread_mutex_lock(&lock);
	if (!--nr_srs) {
		ctx = context;
		context = NULL;
	}
	pthread_mutex_unlock(&lock);
	lull_ctx_destroy(ctx);
	pthread_mutex_unlock(&making);
}

static void end(struct srs *srs)
{
	lull_key_close(srs->key);
	free(srs->path);
	free(srs);
	uncount();
}

/* Takes NULL. */
static void put(struct srs *srs)
{
	if (srs && atomic_fetch_sub(&srs->nr_refs, 1) == 1)
		end(srs);
}

/* reading */
static int read_srs(const char *path, struct srs **ret_srs,
		    struct lull_error *reterr)
{
	struct srs *srs = calloc(1, sizeof(*srs));
	int err;

	if (srs)
		srs->path = strdup(path);
	if (!srs || !srs->path) {
		free(srs);
		return lull_fail(reterr, LULL_NOMEM, "no memory");
	}
	pthread_mutex_lock(&lock);
	nr_srs++;
	pthread_mutex_unlock(&lock);
	err = need_context(&srs->ctx, reterr);
	if (!err)
		err = lull_key_open_bellman(srs->ctx, path, &srs->key, reterr);
	if (err) {
		end(srs);
		return err;
	}
	atomic_init(&srs->nr_refs, 1);
	*ret_srs = srs;
	return LULL_OK;
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

/* lock: takes over one reference and hands out another.  Returns the entry used
 * longest ago where it makes room, or NULL. */
static struct srs *put_first(struct srs *srs)
{
	struct srs *last = cached[CACHED_MAX - 1];

	atomic_fetch_add(&srs->nr_refs, 1);
	memmove(&cached[1], &cached[0], (CACHED_MAX - 1) * sizeof(cached[0]));
	cached[0] = srs;
	return last;
}

/* A reference to what was read of a path, or NULL. */
static struct srs *get_cached(const char *path)
{
	struct srs *srs = NULL;
	size_t i;

	pthread_mutex_lock(&lock);
	i = find_cached(path);
	if (i < CACHED_MAX) {
		srs = take_cached(i);
		put_first(srs);
	}
	pthread_mutex_unlock(&lock);
	return srs;
}

/* reading: somebody may have read it while this caller waited. */
static int read_cached(const char *path, struct srs **ret_srs,
		       struct lull_error *reterr)
{
	struct srs *last;
	int err;

	*ret_srs = get_cached(path);
	if (*ret_srs)
		return LULL_OK;
	err = read_srs(path, ret_srs, reterr);
	if (err)
		return err;
	pthread_mutex_lock(&lock);
	last = put_first(*ret_srs);
	pthread_mutex_unlock(&lock);
	put(last);
	return LULL_OK;
}

/* tidy: allow single-use the interface's name */
EXPORT struct lull_supraseal_error create_SRS(struct lull_supraseal_srs *ret,
					      const char *path, bool cache)
{
	struct srs *srs = cache ? get_cached(path) : NULL;
	struct lull_error error = { 0 };
	int err = LULL_OK;

	if (!srs) {
		pthread_mutex_lock(&reading);
		err = (cache ? read_cached : read_srs)(path, &srs, &error);
		pthread_mutex_unlock(&reading);
	}
	if (err)
		return fail(&error);
	ret->ptr = srs;
	return (struct lull_supraseal_error){ 0 };
}

/* tidy: allow single-use the interface's name */
EXPORT void evict_SRS(const struct lull_supraseal_srs *ref)
{
	const struct srs *srs = ref->ptr;
	struct srs *found = NULL;
	size_t i;

	pthread_mutex_lock(&lock);
	i = find_cached(srs->path);
	if (i < CACHED_MAX)
		found = take_cached(i);
	pthread_mutex_unlock(&lock);
	put(found);
}

/* tidy: allow single-use the interface's name */
EXPORT void drop_SRS(struct lull_supraseal_srs *ref)
{
	put(ref->ptr);
}

/* tidy: allow single-use the interface's name */
EXPORT struct lull_supraseal_srs clone_SRS(const struct lull_supraseal_srs *ref)
{
	struct srs *srs = ref->ptr;

	atomic_fetch_add(&srs->nr_refs, 1);
	return *ref;
}

/* ---- circuits in turn -------------------------------------------------- */

/* First come, first served: a circuit enters once all but so many before it have
 * left. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t left;
	unsigned long nr_came, nr_left; /* lock */
} circuits = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static unsigned int at_once(const struct srs *srs)
{
	return strncmp(lull_ctx_backend(srs->ctx), CPU, sizeof(CPU) - 1)
		       ? AT_ONCE_ON_GPU
		       : AT_ONCE_ON_CPU;
}

static void enter(const struct srs *srs)
{
	unsigned long most = at_once(srs), number;

	pthread_mutex_lock(&circuits.lock);
	number = circuits.nr_came++;
	while (number >= circuits.nr_left + most)
		pthread_cond_wait(&circuits.left, &circuits.lock);
	pthread_mutex_unlock(&circuits.lock);
}

static void leave(void)
{
	pthread_mutex_lock(&circuits.lock);
	circuits.nr_left++;
	pthread_cond_broadcast(&circuits.left);
	pthread_mutex_unlock(&circuits.lock);
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

/* What one call asked for.  Its threads take the circuits in order, so that the
 * first that fails is the same whoever is faster: all before it were taken. */
struct call {
	const struct srs *srs;
	const struct lull_supraseal_assignment *provers;
	const struct lull_supraseal_fr *r_s, *s_s;
	struct lull_supraseal_proof *made;
	size_t nr;
	pthread_mutex_t lock;
	size_t next, wrong;    /* lock; @wrong: the first that failed, or @nr */
	struct lull_error why; /* lock; of @wrong */
};

/* The next circuit; after a failure, none, which is @nr. */
static size_t take_circuit(struct call *call)
{
	size_t i = call->nr;

	pthread_mutex_lock(&call->lock);
	if (call->wrong == call->nr && call->next < call->nr)
		i = call->next++;
	pthread_mutex_unlock(&call->lock);
	return i;
}

static void note_failure(struct call *call, size_t i,
			 const struct lull_error *why)
{
	pthread_mutex_lock(&call->lock);
	if (i < call->wrong) {
		call->wrong = i;
		call->why = *why;
		snprintf(call->why.msg, sizeof(call->why.msg),
			 "circuit %zu of %zu: %.200s", i, call->nr, why->msg);
	}
	pthread_mutex_unlock(&call->lock);
}

static void prove_circuit(struct call *call, size_t i)
{
	const char *wrong = check_lengths(&call->provers[i]);
	struct lull_error why = { 0 };

	if (wrong)
		lull_fail(&why, LULL_USAGE, "%s", wrong);
	else
		prove(call->srs, &call->provers[i],
		      call->r_s ? &call->r_s[i] : NULL,
		      call->s_s ? &call->s_s[i] : NULL, &call->made[i], &why);
	if (why.code)
		note_failure(call, i, &why);
}

static void *prove_circuits(void *arg)
{
	struct call *call = arg;
	size_t i;

	for (i = take_circuit(call); i < call->nr; i = take_circuit(call)) {
		enter(call->srs);
		prove_circuit(call, i);
		leave();
	}
	return NULL;
}

/* The caller is one of the threads; it goes on alone where there are no more. */
static void prove_all(struct call *call)
{
	pthread_t threads[AT_ONCE_ON_GPU - 1];
	unsigned int nr, most = at_once(call->srs) - 1;

	for (nr = 0; nr < most && nr + 1 < call->nr; nr++)
		if (pthread_create(&threads[nr], NULL, prove_circuits, call))
			break;
	prove_circuits(call);
	while (nr--)
		pthread_join(threads[nr], NULL);
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
	struct call call = {
		.srs = srs->ptr,
		.provers = provers,
		.r_s = r_s,
		.s_s = s_s,
		.nr = num_circuits,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.wrong = num_circuits,
	};

	if (!srs->ptr)
		return refuse("the parameters are empty");
	if (!num_circuits)
		return (struct lull_supraseal_error){ 0 };
	call.made = calloc(num_circuits, sizeof(*call.made));
	if (!call.made)
		return (struct lull_supraseal_error){ .code = ENOMEM };
	prove_all(&call);
	if (call.wrong == num_circuits)
		memcpy(proofs, call.made, num_circuits * sizeof(*proofs));
	free(call.made);
	return call.wrong < num_circuits ? fail(&call.why)
					 : (struct lull_supraseal_error){ 0 };
}
