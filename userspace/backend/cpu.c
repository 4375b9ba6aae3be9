// SPDX-License-Identifier: Apache-2.0
/*
 * cpu.c - the CPU as a backend of one device; cpu_tmpl.c has the stages
 */
#include "backend/backend.h"

#include <string.h>

extern const struct lull_backend_ops lull_bn254_backend_cpu;
extern const struct lull_backend_ops lull_bls12_381_backend_cpu;

static unsigned int cpu_probe(char *text)
{
	text[0] = '\0';
	return 1;
}

/* There is nothing to open: threads belong to the context. */
static int cpu_open(const struct lull_device_opts *opts, void **ret_device,
		    struct lull_error *reterr)
{
	(void)opts, (void)reterr;
	*ret_device = NULL;
	return LULL_OK;
}

static const char *cpu_describe(const void *device)
{
	(void)device;
	return "this host";
}

static void cpu_stats(void *device, struct lull_backend_stats *ret_stats)
{
	(void)device;
	*ret_stats = (struct lull_backend_stats){ 0 };
}

static void cpu_close(void *device)
{
	(void)device;
}

static const struct lull_backend_ops *ops_of(enum lull_curve curve)
{
	switch (curve) {
	case LULL_CURVE_BN254:
		return &lull_bn254_backend_cpu;
	case LULL_CURVE_BLS12_381:
		return &lull_bls12_381_backend_cpu;
	}
	return NULL;
}

const struct lull_backend lull_backend_cpu = {
	.abi = LULL_BACKEND_ABI,
	.struct_bytes = sizeof(struct lull_backend),
	.name = "cpu",
	.version = "",
	.probe = cpu_probe,
	.open = cpu_open,
	.describe = cpu_describe,
	.stats = cpu_stats,
	.close = cpu_close,
	.ops = ops_of,
};
