// SPDX-License-Identifier: Apache-2.0
/*
 * backend_cuda.cu - the table of liblull_cuda.so; the only extern "C"
 *
 * key.cuh has what the table's functions do.
 */
#include "curve.cuh"
#include "device.cuh"
#include "key.cuh"

namespace lull
{

static int attach_bn254(void *device, const struct lull_key_arrays *arrays,
			struct lull_workers *workers, void **ret_key, struct lull_error *reterr)
{
	return key_attach(&curve_bn254, device, arrays, workers, ret_key, reterr);
}

static int attach_bls12_381(void *device, const struct lull_key_arrays *arrays,
			    struct lull_workers *workers, void **ret_key, struct lull_error *reterr)
{
	return key_attach(&curve_bls12_381, device, arrays, workers, ret_key, reterr);
}

static int multiples_bn254(void *device, const struct lull_multiples_want *want,
			   struct lull_multiples **ret_multiples, struct lull_error *reterr)
{
	return multiples_open(&curve_bn254, device, want, ret_multiples, reterr);
}

static int multiples_bls12_381(void *device, const struct lull_multiples_want *want,
			       struct lull_multiples **ret_multiples, struct lull_error *reterr)
{
	return multiples_open(&curve_bls12_381, device, want, ret_multiples, reterr);
}

static const struct lull_backend_host *pool_host;

static int open_device(const struct lull_device_opts *opts, void **ret_device,
		       struct lull_error *reterr)
{
	struct device *device;
	int err;

	pool_host = opts->host;
	err = device_open(opts, &device, reterr);

	if (!err)
		*ret_device = device;
	return err;
}

static const char *describe(const void *device)
{
	return ((const struct device *)device)->text;
}

static int node(const void *device)
{
	return device_node((const struct device *)device);
}

static void stats(void *device, struct lull_backend_stats *ret_stats)
{
	device_stats((struct device *)device, ret_stats);
}

static void close_device(void *device)
{
	device_close((struct device *)device);
}

static const struct lull_backend_ops *ops_of(enum lull_curve curve)
{
	static const struct lull_backend_ops bn254 = {
		attach_bn254,	 key_detach,	      stages_scratch_bytes, stages_run,
		stages_wait,	 curve_bn254_kernels, nr_curve_kernels,	    multiples_bn254,
		multiples_begin, multiples_wait,      multiples_close,
	};
	static const struct lull_backend_ops bls12_381 = {
		attach_bls12_381, key_detach,	       stages_scratch_bytes,
		stages_run,	  stages_wait,	       curve_bls12_381_kernels,
		nr_curve_kernels, multiples_bls12_381, multiples_begin,
		multiples_wait,	  multiples_close,
	};

	return curve == LULL_CURVE_BN254 ? &bn254 : &bls12_381;
}

} /* namespace lull */

/*
 * Code that is shared with tests calls the pool by its functions' names.  Here
 * these are the host's own: a pool is never touched by another build's code.
 */
extern "C" void lull_workers_run(struct lull_workers *workers, size_t nr_tasks,
				 void (*fn)(void *arg, size_t task, unsigned int slot), void *arg)
{
	lull::pool_host->workers_run(workers, nr_tasks, fn, arg);
}

extern "C" unsigned int lull_workers_nr(const struct lull_workers *workers)
{
	return lull::pool_host->workers_nr(workers);
}

extern "C" void lull_workers_split(size_t n, size_t nr_tasks, size_t task, size_t grain,
				   size_t *ret_lo, size_t *ret_hi)
{
	lull::pool_host->workers_split(n, nr_tasks, task, grain, ret_lo, ret_hi);
}

extern "C" __attribute__((visibility("default"))) const struct lull_backend lull_backend_cuda = {
	LULL_BACKEND_ABI,
	sizeof(struct lull_backend),
	"cuda",
	LULL_VERSION,
	lull::device_probe,
	lull::open_device,
	lull::describe,
	lull::node,
	lull::stats,
	lull::close_device,
	lull::ops_of,
	&lull::device_pin_ops,
};
