// SPDX-License-Identifier: Apache-2.0
/*
 * device.c - times of a device's kernels, by its own clock
 *
 * Under the names of the CPU's kernels (kernels.c), so that rows compare.
 * Operands are on the device before the clock starts.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/set.h"
#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"
#include "curve/facts.h"

static const enum lull_curve curves[] = { LULL_CURVE_BN254,
					  LULL_CURVE_BLS12_381 };

/**
 * struct subject - what is measured
 * @opts: what was asked for
 * @device: on which device
 * @curve: of which curve
 * @kernel: which kernel
 * @log2_n: of which size
 */
struct subject {
	const struct lull_bench_opts *opts;
	const struct lull_device *device;
	enum lull_curve curve;
	const struct lull_backend_kernel *kernel;
	unsigned int log2_n;
};

static int report(const struct subject *s, struct lull_bench_samples *samples,
		  size_t nr_items, struct lull_error *reterr)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "bench",
				"kernels", "name", s->kernel->name, "curve",
				lull_curve_facts(s->curve)->name, "backend",
				s->device->backend->name, "device",
				s->device->text, "threads", 1);
	int failed = !row, err;

	if (row && s->kernel->sized)
		failed = json_object_set_new(row, "log2_n",
					     json_integer(s->log2_n));
	if (!failed) {
		err = lull_bench_describe(row, samples, reterr);
		if (err)
			goto free_row;
		failed = json_object_set_new(
			row, "ns_per_item",
			json_real((double)lull_bench_median(samples) /
				  (double)nr_items));
	}
	if (!failed)
		return s->opts->row(s->opts->row_arg, row, reterr);
	err = lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
free_row:
	json_decref(row);
	return err;
}

static int measure(const struct subject *s, struct lull_bench_samples *samples,
		   struct lull_error *reterr)
{
	size_t nr_items = 0;
	void *state = NULL;
	uint64_t ns;
	int err;

	err = s->kernel->prepare(s->device->handle, s->log2_n, &state,
				 &nr_items, reterr);
	if (err)
		return err;
	samples->nr = 0;
	/* The first run is not counted. */
	err = s->kernel->run(state, &ns, reterr);
	while (!err && samples->nr < s->opts->nr_runs) {
		err = s->kernel->run(state, &ns, reterr);
		if (!err)
			samples->ns[samples->nr++] = ns;
	}
	s->kernel->done(state);
	return err ? err : report(s, samples, nr_items, reterr);
}

static int measure_sizes(struct subject *s, struct lull_bench_samples *samples,
			 struct lull_error *reterr)
{
	int err;

	s->log2_n = s->opts->min_log2;
	do {
		err = measure(s, samples, reterr);
	} while (!err && s->kernel->sized && ++s->log2_n <= s->opts->max_log2);
	return err;
}

static int measure_all(struct subject *s, struct lull_bench_samples *samples,
		       struct lull_error *reterr)
{
	const char *only = s->opts->only;
	const struct lull_backend_ops *ops;
	bool found = false;
	size_t i, j;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(curves) && !err; i++) {
		s->curve = curves[i];
		if (s->opts->curve && s->opts->curve != (int)s->curve)
			continue;
		ops = s->device->backend->ops(s->curve);
		for (j = 0; j < ops->nr_kernels && !err; j++) {
			s->kernel = &ops->kernels[j];
			if (only && strcmp(only, s->kernel->name))
				continue;
			found = true;
			err = measure_sizes(s, samples, reterr);
		}
	}
	if (!err && !found)
		err = lull_fail(reterr, LULL_USAGE,
				"the %s backend has no kernel '%.40s'",
				s->device->backend->name, only ? only : "");
	return err;
}

int lull_bench_device(const struct lull_bench_opts *opts, bool *ret_done,
		      struct lull_error *reterr)
{
	const struct lull_set_opts set_opts = {
		.backend = opts->backend ? opts->backend : "cpu",
		.gpus = opts->gpus,
		.nr_gpus = opts->nr_gpus,
		.vram_bytes = opts->vram_bytes,
	};
	struct lull_bench_samples samples = { 0 };
	struct subject s = { .opts = opts };
	struct lull_set *set;
	int err;

	err = lull_set_open(&set_opts, &set, reterr);
	if (err)
		return err;
	s.device = &set->devices[0];
	*ret_done = s.device->backend != &lull_backend_cpu;
	if (*ret_done) {
		samples.ns = calloc(opts->nr_runs, sizeof(*samples.ns));
		err = samples.ns ? measure_all(&s, &samples, reterr)
				 : lull_fail(reterr, LULL_NOMEM,
					     "out of memory for %u runs",
					     opts->nr_runs);
		free(samples.ns);
	}
	lull_set_close(set);
	return err;
}
