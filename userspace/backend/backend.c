// SPDX-License-Identifier: Apache-2.0
/*
 * backend.c - finds backends, opens their devices and shares them out
 *
 * cpu and null are part of liblull; cuda is a shared library, looked for in
 * the folder of the file that this code was loaded from (liblull.so or the
 * program), in ../lib from there, and then by the loader.  One of another
 * version or of another ABI is refused, with both named.
 */
#include "backend/set.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena/node.h"
#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"

#define PATH_BYTES 4096
#define LINE_BYTES 512

static int node_of_slot(const char *slot)
{
	return lull_arena_node_of_slot("", slot);
}

static const struct lull_backend_host host = {
	.workers_run = lull_workers_run,
	.workers_nr = lull_workers_nr,
	.workers_split = lull_workers_split,
	.arena_carve = lull_arena_carve,
	.arena_retire = lull_arena_retire,
	.arena_pinned_run = lull_arena_pinned_run,
	.node_of_slot = node_of_slot,
};

/* ---- messages ---------------------------------------------------------- */

void lull_set_warn(const struct lull_set *set, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list args;

	if (!set->opts.warn)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	set->opts.warn(set->opts.arg, line);
}

static void say(const struct lull_set *set, const char *line)
{
	if (set->opts.say)
		set->opts.say(set->opts.arg, line);
}

void lull_set_say(const struct lull_set *set, const char *fmt, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	say(set, line);
}

/* ---- liblull_cuda.so --------------------------------------------------- */

/* Writes "DIR/between/liblull_cuda.so", DIR the folder of this code. */
static bool path_beside(char *path, size_t bytes, const char *between)
{
	Dl_info info;
	const char *slash;
	int len;

	/* The address of any function of this file will do. */
	if (!dladdr((const void *)(uintptr_t)&lull_set_open, &info) ||
	    !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	len = snprintf(path, bytes, "%.*s%s" LULL_BACKEND_CUDA_LIBRARY,
		       (int)(slash - info.dli_fname) + 1, info.dli_fname,
		       between);
	return len > 0 && (size_t)len < bytes;
}

/* A program's own name may be relative to where it was started. */
static bool path_of_program(char *path, size_t bytes, const char *between)
{
	char program[PATH_BYTES];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *slash;
	int wrote;

	if (len <= 0)
		return false;
	program[len] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return false;
	wrote = snprintf(path, bytes, "%.*s%s" LULL_BACKEND_CUDA_LIBRARY,
			 (int)(slash - program) + 1, program, between);
	return wrote > 0 && (size_t)wrote < bytes;
}

static void *open_library(void)
{
	static bool (*const finders[])(char *, size_t,
				       const char *) = { path_beside,
							 path_of_program };
	static const char *const between[] = { "", "../lib/" };
	char path[PATH_BYTES];
	void *library;
	size_t i, j;

	for (i = 0; i < LULL_ARRAY_SIZE(finders); i++) {
		for (j = 0; j < LULL_ARRAY_SIZE(between); j++) {
			if (!finders[i](path, sizeof(path), between[j]) ||
			    access(path, F_OK))
				continue;
			/* What is there but does not load is the answer. */
			library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			return library;
		}
	}
	return dlopen(LULL_BACKEND_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static int check_plugin(const struct lull_backend *backend,
			struct lull_error *reterr)
{
	if (backend->abi != LULL_BACKEND_ABI)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 LULL_BACKEND_CUDA_LIBRARY
				 ": expected backend ABI %u, found %u: it is "
				 "of another version of lull",
				 LULL_BACKEND_ABI, backend->abi);
	if (backend->struct_bytes != sizeof(*backend) ||
	    strcmp(backend->name, "cuda") ||
	    strcmp(backend->version, lull_version()))
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 LULL_BACKEND_CUDA_LIBRARY
				 ": expected backend cuda of lull %s, found "
				 "%.20s of lull %.20s",
				 lull_version(), backend->name,
				 backend->version);
	return LULL_OK;
}

static int load_cuda(struct lull_set *set, const struct lull_backend **ret,
		     struct lull_error *reterr)
{
	const struct lull_backend *backend;
	int err;

	set->library = open_library();
	if (!set->library)
		return lull_fail(reterr, LULL_UNSUPPORTED, "%.200s", dlerror());
	backend = dlsym(set->library, LULL_BACKEND_CUDA_SYMBOL);
	if (!backend)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 LULL_BACKEND_CUDA_LIBRARY
				 ": has no symbol " LULL_BACKEND_CUDA_SYMBOL);
	err = check_plugin(backend, reterr);
	if (!err)
		*ret = backend;
	return err;
}

/* ---- opening ----------------------------------------------------------- */

static int open_device(struct lull_set *set, struct lull_device *device,
		       struct lull_error *reterr)
{
	const struct lull_device_opts opts = {
		.gpu = device->gpu,
		.vram_bytes = set->opts.vram_bytes,
		.vram_key_bytes = set->opts.vram_key_bytes,
		.host = &host,
		.say = set->opts.say,
		.say_arg = set->opts.arg,
	};
	int err = device->backend->open(&opts, &device->handle, reterr);

	if (!err)
		snprintf(device->text, sizeof(device->text), "%s: %s",
			 device->backend->name,
			 device->backend->describe(device->handle));
	return err;
}

/* Opens the devices asked for; those that fail are left out with a warning,
 * and only when none is left is that an error. */
static int open_devices(struct lull_set *set,
			const struct lull_backend *backend,
			struct lull_error *reterr)
{
	unsigned int nr = lull_max(set->opts.nr_gpus, 1), i, there;
	struct lull_device *device;
	struct lull_error why;
	char text[LULL_BACKEND_TEXT_BYTES];
	int err = LULL_OK;

	there = backend->probe(text);
	if (!there)
		return lull_fail(reterr, LULL_UNSUPPORTED, "%s: %s",
				 backend->name, text);
	for (i = 0; i < nr; i++) {
		device = &set->devices[set->nr_devices];
		device->backend = backend;
		device->gpu = set->opts.nr_gpus ? set->opts.gpus[i] : 0;
		if (device->gpu >= there)
			return lull_fail(reterr, LULL_USAGE,
					 "%s: there is no GPU %u; GPUs are "
					 "numbered 0 to %u",
					 backend->name, device->gpu, there - 1);
		err = open_device(set, device, &why);
		if (!err)
			set->nr_all = ++set->nr_devices;
		else if (nr > 1)
			lull_set_warn(set, "%s: GPU %u is left out: %s",
				      backend->name, device->gpu, why.msg);
	}
	if (set->nr_devices)
		return LULL_OK;
	if (reterr)
		*reterr = why;
	return err;
}

static void close_devices(struct lull_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_all; i++)
		set->devices[i].backend->close(set->devices[i].handle);
	set->nr_devices = set->nr_all = 0;
}

static int open_cpu(struct lull_set *set, struct lull_error *reterr)
{
	struct lull_device *device = &set->devices[set->nr_all];
	int err;

	device->backend = &lull_backend_cpu;
	device->gpu = 0;
	err = open_device(set, device, reterr);
	if (!err)
		set->nr_all++;
	return err;
}

static int open_cuda(struct lull_set *set, struct lull_error *reterr)
{
	const struct lull_backend *backend = NULL;
	int err = load_cuda(set, &backend, reterr);

	return err ? err : open_devices(set, backend, reterr);
}

/* The CPU instead, which the caller of this has a reason for. */
static int open_cpu_instead(struct lull_set *set, const char *how,
			    const struct lull_error *why,
			    struct lull_error *reterr)
{
	int err;

	close_devices(set);
	err = open_cpu(set, reterr);
	if (err)
		return err;
	set->nr_devices = 1;
	snprintf(set->text, sizeof(set->text), "cpu (%s: %.120s)", how,
		 why->msg);
	return LULL_OK;
}

static int open_auto(struct lull_set *set, struct lull_error *reterr)
{
	struct lull_error why;
	int err = open_cuda(set, &why);

	if (!err)
		return LULL_OK;
	/* A GPU that was asked for by number, and is not there, is. */
	if (set->opts.nr_gpus) {
		if (reterr)
			*reterr = why;
		return err;
	}
	return open_cpu_instead(set, "auto", &why, reterr);
}

static int open_named(struct lull_set *set, struct lull_error *reterr)
{
	const char *name = set->opts.backend;
	struct lull_error why;
	int err;

	if (!strcmp(name, "auto"))
		return open_auto(set, reterr);
	if (!strcmp(name, "cpu")) {
		err = open_cpu(set, reterr);
		set->nr_devices = set->nr_all;
		return err;
	}
	if (!strcmp(name, "null"))
		return open_devices(set, &lull_backend_null, reterr);
	if (strcmp(name, "cuda"))
		return lull_fail(reterr, LULL_USAGE,
				 "backend: expected auto, cpu, cuda or null, "
				 "found '%.40s'",
				 name);
	err = open_cuda(set, &why);
	if (!err)
		return LULL_OK;
	if (set->opts.fallback_cpu && err != LULL_USAGE) {
		lull_set_warn(set, "the CPU proves instead: %s", why.msg);
		return open_cpu_instead(set, "fallback", &why, reterr);
	}
	if (reterr)
		*reterr = why;
	return err;
}

static int check_opts(const struct lull_set_opts *opts,
		      struct lull_error *reterr)
{
	unsigned int i, j;

	if (opts->nr_gpus > LULL_GPUS_MAX)
		return lull_fail(reterr, LULL_USAGE,
				 "GPUs: at most %u, found %u", LULL_GPUS_MAX,
				 opts->nr_gpus);
	for (i = 0; i < opts->nr_gpus; i++)
		for (j = 0; j < i; j++)
			if (opts->gpus[i] == opts->gpus[j])
				return lull_fail(reterr, LULL_USAGE,
						 "GPUs: %u is there twice",
						 opts->gpus[i]);
	if (opts->nr_gpus && !strcmp(opts->backend, "cpu"))
		return lull_fail(reterr, LULL_USAGE,
				 "GPUs: the cpu backend has none");
	return LULL_OK;
}

static int create(const struct lull_set_opts *opts, struct lull_set **ret_set,
		  struct lull_error *reterr)
{
	struct lull_set *set = calloc(1, sizeof(*set));

	if (!set)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a backend");
	set->opts = *opts;
	pthread_mutex_init(&set->lock, NULL);
	*ret_set = set;
	return LULL_OK;
}

/* What must be there once the devices are: the CPU behind them, a text. */
static int finish(struct lull_set *set, struct lull_error *reterr)
{
	int err = LULL_OK;

	if (set->opts.fallback_cpu &&
	    set->devices[0].backend != &lull_backend_cpu)
		err = open_cpu(set, reterr);
	if (!err && !set->text[0])
		snprintf(set->text, sizeof(set->text), "%.140s%s",
			 set->devices[0].text,
			 set->nr_devices > 1 ? " and others" : "");
	if (!err) {
		set->opts.gpus = NULL;
		say(set, set->text);
	}
	return err;
}

/* A set whose devices were opened, or failed to with @err: whole, or gone. */
static int hand_over(struct lull_set *set, int err, struct lull_set **ret_set,
		     struct lull_error *reterr)
{
	if (!err)
		err = finish(set, reterr);
	if (err) {
		lull_set_close(set);
		return err;
	}
	*ret_set = set;
	return LULL_OK;
}

int lull_set_open(const struct lull_set_opts *opts, struct lull_set **ret_set,
		  struct lull_error *reterr)
{
	struct lull_set *set = NULL;
	int err = check_opts(opts, reterr);

	if (!err)
		err = create(opts, &set, reterr);
	if (err)
		return err;
	err = open_named(set, reterr);
	return hand_over(set, err, ret_set, reterr);
}

int lull_set_open_given(const struct lull_set_opts *opts,
			const struct lull_backend *const *backends,
			unsigned int nr_backends, struct lull_set **ret_set,
			struct lull_error *reterr)
{
	struct lull_set *set = NULL;
	unsigned int i;
	int err;

	assert(nr_backends && nr_backends <= LULL_GPUS_MAX);
	err = create(opts, &set, reterr);
	if (err)
		return err;
	for (i = 0; i < nr_backends && !err; i++) {
		set->devices[i].backend = backends[i];
		set->devices[i].gpu = i;
		err = open_device(set, &set->devices[i], reterr);
		if (!err)
			set->nr_all = ++set->nr_devices;
	}
	return hand_over(set, err, ret_set, reterr);
}

/* ---- the arena --------------------------------------------------------- */

static void say_pinned(const struct lull_set *set, int err,
		       const struct lull_error *why)
{
	const char *name = set->devices[0].backend->name;
	struct lull_arena_stats stats;
	char line[LINE_BYTES];

	if (err) {
		snprintf(line, sizeof(line), "%s: uploads are staged: %.200s",
			 name, why->msg);
	} else {
		lull_arena_stats(set->arena, &stats);
		snprintf(line, sizeof(line),
			 "%s: the arena is registered, %.3f GiB until now",
			 name, (double)stats.pinned_bytes / LULL_BYTES_PER_GIB);
	}
	say(set, line);
}

/* What there was to say of a registration, once the lock is free. */
struct pinning {
	bool done;
	int err;
	struct lull_error why;
};

/* lock */
static void pin(struct lull_set *set, struct pinning *ret_pinning)
{
	const struct lull_device *device = &set->devices[0];

	ret_pinning->done = true;
	ret_pinning->err = lull_arena_pin(set->arena, device->backend->pin,
					  device->handle, &ret_pinning->why);
	set->arena_pinned = !ret_pinning->err;
	set->idle = false;
}

void lull_set_pin(struct lull_set *set, struct lull_arena *arena)
{
	struct pinning pinning = { .done = false };
	bool before;

	if (!set->devices[0].backend->pin)
		return;
	pthread_mutex_lock(&set->lock);
	before = set->arena;
	set->arena = arena;
	if (!before || set->idle)
		pin(set, &pinning);
	pthread_mutex_unlock(&set->lock);
	if (pinning.done)
		say_pinned(set, pinning.err, &pinning.why);
}

void lull_set_hold(struct lull_set *set)
{
	struct pinning pinning = { .done = false };

	pthread_mutex_lock(&set->lock);
	set->nr_holds++;
	if (set->idle)
		pin(set, &pinning);
	pthread_mutex_unlock(&set->lock);
	if (pinning.done)
		say_pinned(set, pinning.err, &pinning.why);
}

void lull_set_let_go(struct lull_set *set)
{
	pthread_mutex_lock(&set->lock);
	assert(set->nr_holds);
	set->nr_holds--;
	pthread_mutex_unlock(&set->lock);
}

bool lull_set_idle(struct lull_set *set)
{
	unsigned int i, nr_users;
	bool idle;

	pthread_mutex_lock(&set->lock);
	nr_users = set->nr_holds;
	for (i = 0; i < set->nr_all; i++)
		nr_users += set->devices[i].nr_proofs;
	idle = set->arena_pinned && !nr_users;
	if (idle) {
		lull_arena_pin(set->arena, NULL, NULL, NULL);
		set->arena_pinned = false;
		set->idle = true;
	}
	pthread_mutex_unlock(&set->lock);
	return idle;
}

/* ---- closing ----------------------------------------------------------- */

void lull_set_close(struct lull_set *set)
{
	if (!set)
		return;
	if (set->arena_pinned)
		lull_arena_pin(set->arena, NULL, NULL, NULL);
	close_devices(set);
	if (set->library)
		dlclose(set->library);
	pthread_mutex_destroy(&set->lock);
	free(set);
}

/* ---- where they are ---------------------------------------------------- */

static int node_of(const struct lull_device *device)
{
	return device->backend->node ? device->backend->node(device->handle)
				     : LULL_ARENA_NODE_ANY;
}

int lull_set_node(const struct lull_set *set)
{
	int memory = lull_arena_node_near(node_of(&set->devices[0])), node;
	char text[sizeof("on -2147483648")] = "on any";
	unsigned int i;

	if (memory != LULL_ARENA_NODE_ANY)
		snprintf(text, sizeof(text), "on %d", memory);
	for (i = 0; i < set->nr_all; i++) {
		node = node_of(&set->devices[i]);
		if (node != LULL_ARENA_NODE_ANY)
			lull_set_say(set, "%s: on NUMA node %d, memory %s",
				     set->devices[i].text, node,
				     node == memory ? "too" : text);
	}
	return memory;
}

/* ---- what they do ------------------------------------------------------ */

void lull_set_ran(struct lull_set *set, unsigned int device, uint64_t start_ns,
		  uint64_t end_ns)
{
	pthread_mutex_lock(&set->lock);
	lull_busy_add(&set->devices[device].busy, start_ns, end_ns);
	pthread_mutex_unlock(&set->lock);
}

void lull_set_stats(struct lull_set *set, struct lull_backend_stats *ret_stats,
		    uint64_t *ret_busy_ns)
{
	struct lull_backend_stats all = { 0 }, one;
	uint64_t busy_ns = 0;
	unsigned int i;

	for (i = 0; i < set->nr_all; i++) {
		set->devices[i].backend->stats(set->devices[i].handle, &one);
		all.used_bytes = lull_max(all.used_bytes, one.used_bytes);
		all.peak_bytes = lull_max(all.peak_bytes, one.peak_bytes);
		all.proof_bytes = lull_max(all.proof_bytes, one.proof_bytes);
		all.up_bytes += one.up_bytes;
		all.down_bytes += one.down_bytes;
	}
	pthread_mutex_lock(&set->lock);
	for (i = 0; i < set->nr_all; i++)
		busy_ns += set->devices[i].busy.ns;
	pthread_mutex_unlock(&set->lock);
	*ret_stats = all;
	*ret_busy_ns = busy_ns;
}

uint64_t lull_set_peak_bytes(struct lull_set *set)
{
	struct lull_backend_stats stats;
	uint64_t busy_ns;

	lull_set_stats(set, &stats, &busy_ns);
	return stats.peak_bytes;
}

/* ---- sharing out ------------------------------------------------------- */

int lull_set_take(struct lull_set *set, const bool *usable)
{
	const struct lull_device *device, *best = NULL;
	struct pinning pinning = { .done = false };
	unsigned int i;
	int found = -1;

	pthread_mutex_lock(&set->lock);
	if (set->idle)
		pin(set, &pinning);
	for (i = 0; i < set->nr_all; i++) {
		device = &set->devices[i];
		if (device->failed || !usable[i])
			continue;
		/* The CPU that may take over does so only when it must. */
		if (i >= set->nr_devices && best)
			continue;
		if (best && (device->nr_proofs > best->nr_proofs ||
			     (device->nr_proofs == best->nr_proofs &&
			      device->nr_taken >= best->nr_taken)))
			continue;
		best = device;
		found = (int)i;
	}
	if (found >= 0) {
		set->devices[found].nr_proofs++;
		set->devices[found].nr_taken++;
	}
	pthread_mutex_unlock(&set->lock);
	if (pinning.done)
		say_pinned(set, pinning.err, &pinning.why);
	return found;
}

void lull_set_put(struct lull_set *set, unsigned int device)
{
	pthread_mutex_lock(&set->lock);
	assert(set->devices[device].nr_proofs);
	set->devices[device].nr_proofs--;
	pthread_mutex_unlock(&set->lock);
}

void lull_set_fail(struct lull_set *set, unsigned int device,
		   const struct lull_error *why)
{
	bool before;

	pthread_mutex_lock(&set->lock);
	before = set->devices[device].failed;
	set->devices[device].failed = true;
	pthread_mutex_unlock(&set->lock);
	if (!before)
		lull_set_warn(set, "%s is left out: %s",
			      set->devices[device].text, why->msg);
}
