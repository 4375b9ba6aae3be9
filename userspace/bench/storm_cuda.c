// SPDX-License-Identifier: Apache-2.0
/*
 * storm_cuda.c - registering memory with a GPU, every time or once
 *
 * For `lull bench storm --cuda-register`.  By the driver's own interface out
 * of libcuda.so.1, opened at run time, so that nothing of CUDA is needed to
 * build it.  For each kind of memory two rows: registered for each partition
 * and unregistered after it, as memory that is freed must be; and registered
 * once, then used again.  A copy to the device shows that a registration still
 * holds.  Says so loudly where there is no driver or no GPU.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "bench/storm.h"

#define LIBRARY "libcuda.so.1"
/* Copied after each registration, through one buffer of this size. */
#define COPY_BYTES ((size_t)64 << 20)
#define REGISTER_PORTABLE 1u

/**
 * struct driver - what is used of libcuda.so.1
 * @library: handle of dlopen()
 * @context: of the first GPU
 * @buffer: COPY_BYTES on it
 * @mem_register: cuMemHostRegister, and so on
 */
struct driver {
	void *library;
	void *context;
	unsigned long long buffer;
	int (*init)(unsigned int flags);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int len, int device);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*mem_alloc)(unsigned long long *ptr, size_t bytes);
	int (*mem_register)(void *ptr, size_t bytes, unsigned int flags);
	int (*mem_unregister)(void *ptr);
	int (*copy)(unsigned long long to, const void *from, size_t bytes);
	char name[STORM_TEXT_BYTES];
};

enum memory { MEMORY_4K, MEMORY_THP, MEMORY_HUGETLB, NR_MEMORIES };

static const char *const memory_names[] = {
	[MEMORY_4K] = "4k",
	[MEMORY_THP] = "thp",
	[MEMORY_HUGETLB] = "hugetlb",
};

/**
 * struct times - of one way, one of each a round
 * @fill: mapping and touching
 * @registering: cuMemHostRegister()
 * @copying: COPY_BYTES at a time, all of it, to the device
 * @unregistering: cuMemHostUnregister()
 * @unmapping: munmap()
 * @whole: their sum
 */
struct times {
	struct lull_bench_samples fill;
	struct lull_bench_samples registering;
	struct lull_bench_samples copying;
	struct lull_bench_samples unregistering;
	struct lull_bench_samples unmapping;
	struct lull_bench_samples whole;
};

#define NR_TIMES (sizeof(struct times) / sizeof(struct lull_bench_samples))

/* POSIX: a function's address fits an object pointer. */
static bool find(struct driver *d, const char *name, void *ret_function)
{
	void *symbol = dlsym(d->library, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool load(struct driver *d, char why[STORM_TEXT_BYTES])
{
	d->library = dlopen(LIBRARY, RTLD_NOW);
	if (!d->library) {
		snprintf(why, STORM_TEXT_BYTES, "no CUDA driver here: %s",
			 dlerror());
		return false;
	}
	if (find(d, "cuInit", &d->init) &&
	    find(d, "cuDeviceGet", &d->device_get) &&
	    find(d, "cuDeviceGetName", &d->device_name) &&
	    find(d, "cuDevicePrimaryCtxRetain", &d->retain) &&
	    find(d, "cuCtxSetCurrent", &d->set_current) &&
	    find(d, "cuMemAlloc_v2", &d->mem_alloc) &&
	    find(d, "cuMemHostRegister_v2", &d->mem_register) &&
	    find(d, "cuMemHostUnregister", &d->mem_unregister) &&
	    find(d, "cuMemcpyHtoD_v2", &d->copy))
		return true;
	snprintf(why, STORM_TEXT_BYTES, LIBRARY " lacks a function: %s",
		 dlerror());
	return false;
}

static bool start(struct driver *d, char why[STORM_TEXT_BYTES])
{
	const char *step = "cuInit";
	int device = 0, error;

	if (!load(d, why))
		return false;
	error = d->init(0);
	if (!error) {
		step = "cuDeviceGet";
		error = d->device_get(&device, 0);
	}
	if (!error) {
		step = "cuDevicePrimaryCtxRetain";
		error = d->retain(&d->context, device);
	}
	if (!error)
		error = d->set_current(d->context);
	if (!error) {
		step = "cuMemAlloc";
		error = d->mem_alloc(&d->buffer, COPY_BYTES);
	}
	if (!error)
		d->device_name(d->name, sizeof(d->name), device);
	else
		snprintf(why, STORM_TEXT_BYTES, "%s: CUDA error %d", step,
			 error);
	return !error;
}

static void *map(enum memory memory, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *all;

	if (memory == MEMORY_HUGETLB)
		flags |= MAP_HUGETLB;
	all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	if (memory != MEMORY_HUGETLB)
		madvise(all, bytes,
			memory == MEMORY_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return all;
}

static void touch(volatile char *mem, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += STORM_PAGE_BYTES)
		mem[at] = 1;
}

static int copy_all(struct driver *d, const char *mem, size_t bytes)
{
	size_t at;
	int error = 0;

	for (at = 0; at < bytes && !error; at += COPY_BYTES)
		error = d->copy(d->buffer, mem + at,
				lull_min(COPY_BYTES, bytes - at));
	return error;
}

static void note(struct lull_bench_samples *samples, uint64_t *mark)
{
	uint64_t now = lull_bench_now_ns();

	samples->ns[samples->nr++] = now - *mark;
	*mark = now;
}

/* One partition: what is not done takes no time.  0, or a CUDA error. */
static int run_round(struct driver *d, enum memory memory, size_t bytes,
		     bool once, char **mem, struct times *times)
{
	uint64_t begin = lull_bench_now_ns(), mark = begin;
	int error = 0;
	bool is_new = !*mem;

	if (is_new)
		*mem = map(memory, bytes);
	if (!*mem)
		return -errno;
	touch(*mem, bytes);
	note(&times->fill, &mark);
	if (is_new)
		error = d->mem_register(*mem, bytes, REGISTER_PORTABLE);
	note(&times->registering, &mark);
	if (!error)
		error = copy_all(d, *mem, bytes);
	note(&times->copying, &mark);
	if (!error && !once)
		error = d->mem_unregister(*mem);
	note(&times->unregistering, &mark);
	if (!once) {
		munmap(*mem, bytes);
		*mem = NULL;
	}
	note(&times->unmapping, &mark);
	times->whole.ns[times->whole.nr++] = mark - begin;
	return error;
}

static json_t *median(struct lull_bench_samples *samples)
{
	lull_bench_sort(samples);
	return json_integer((json_int_t)lull_bench_median(samples));
}

/* A name such as "cuda-thp-once". */
static json_t *begin_row(enum memory memory, bool once, size_t bytes)
{
	char name[STORM_TEXT_BYTES];

	snprintf(name, sizeof(name), "cuda-%s-%s", memory_names[memory],
		 once ? "once" : "each");
	return json_pack("{s:s, s:s, s:s, s:s, s:I}", "bench", "storm", "name",
			 name, "about",
			 once ? "registered with CUDA once, then used again"
			      : "mapped, registered with CUDA, unregistered "
				"and unmapped each time",
			 "scenario", "cuda", "bytes", (json_int_t)bytes);
}

static int add_times(json_t *row, const struct driver *d, struct times *times,
		     struct lull_error *reterr)
{
	json_t *more = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "gpu",
				 d->name, "fill_ns", median(&times->fill),
				 "register_ns", median(&times->registering),
				 "copy_ns", median(&times->copying),
				 "unregister_ns", median(&times->unregistering),
				 "unmap_ns", median(&times->unmapping));
	int failed = !more || json_object_update(row, more);

	json_decref(more);
	if (failed)
		return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	return lull_bench_describe(row, &times->whole, reterr);
}

/* The first round of "once" is where it pays; it goes unmeasured, and so does
 * the first of "each". */
static int measure(const struct lull_bench_storm_opts *opts, struct driver *d,
		   enum memory memory, bool once, struct lull_error *reterr)
{
	size_t bytes = lull_align_up((size_t)(opts->gib * LULL_BYTES_PER_GIB),
				     STORM_SLOT_BYTES);
	struct times times = { 0 };
	struct lull_bench_samples *each = (void *)&times;
	uint64_t *ns = calloc(NR_TIMES * opts->nr_rounds, sizeof(*ns));
	json_t *row = begin_row(memory, once, bytes);
	char *mem = NULL, why[STORM_TEXT_BYTES];
	unsigned int round;
	int error = 0, err = LULL_OK;
	size_t i;

	if (!ns || !row) {
		free(ns);
		json_decref(row);
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	}
	for (round = 0; round <= opts->nr_rounds && !error; round++) {
		/* Round 0 is overwritten. */
		for (i = 0; i < NR_TIMES && round <= 1; i++)
			each[i] = (struct lull_bench_samples){
				ns + i * opts->nr_rounds, 0
			};
		error = run_round(d, memory, bytes, once, &mem, &times);
	}
	if (error) {
		snprintf(why, sizeof(why), "%s %d",
			 error < 0 ? "mmap: errno" : "CUDA error", abs(error));
		json_object_set_new(row, "skipped", json_string(why));
	} else {
		err = add_times(row, d, &times, reterr);
	}
	if (mem) {
		d->mem_unregister(mem);
		munmap(mem, bytes);
	}
	free(ns);
	if (!err)
		return opts->row(opts->row_arg, row, reterr);
	json_decref(row);
	return err;
}

int lull_bench_storm_cuda(const struct lull_bench_storm_opts *opts,
			  struct lull_error *reterr)
{
	char why[STORM_TEXT_BYTES];
	struct driver d = { 0 };
	unsigned int memory;
	json_t *row;
	int err = LULL_OK;

	if (!start(&d, why)) {
		row = json_pack("{s:s, s:s, s:s, s:s}", "bench", "storm",
				"name", "cuda", "scenario", "cuda", "skipped",
				why);
		if (!row)
			return lull_fail(reterr, LULL_NOMEM, "out of memory");
		return opts->row(opts->row_arg, row, reterr);
	}
	for (memory = 0; memory < NR_MEMORIES && !err; memory++) {
		err = measure(opts, &d, memory, false, reterr);
		if (!err)
			err = measure(opts, &d, memory, true, reterr);
	}
	return err;
}
