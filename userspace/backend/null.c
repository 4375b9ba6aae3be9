// SPDX-License-Identifier: Apache-2.0
/*
 * null.c - a backend that computes nothing, at once
 *
 * For measuring what is not computing (loading, sharing out, assembling) and
 * for trying several devices where there is none.  Its sums are all infinity,
 * so its proofs never verify: the commands take it with --no-verify only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/base.h"
#include "base/error.h"

#define NR_DEVICES 8u

struct null_device {
	char text[32];
	int node;
};

/* Written by tests alone, before there is a device. */
static int nodes[NR_DEVICES];
static unsigned int nr_nodes;

void lull_backend_null_nodes(const int *given, unsigned int nr)
{
	nr_nodes = lull_min(nr, NR_DEVICES);
	memcpy(nodes, given, nr_nodes * sizeof(*given));
}

static unsigned int null_probe(char *text)
{
	text[0] = '\0';
	return NR_DEVICES;
}

static int null_open(const struct lull_device_opts *opts, void **ret_device,
		     struct lull_error *reterr)
{
	struct null_device *device = calloc(1, sizeof(*device));

	if (!device)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a device");
	snprintf(device->text, sizeof(device->text), "device %u", opts->gpu);
	device->node =
		opts->gpu < nr_nodes ? nodes[opts->gpu] : LULL_ARENA_NODE_ANY;
	*ret_device = device;
	return LULL_OK;
}

static const char *null_describe(const void *opaque)
{
	const struct null_device *device = opaque;

	return device->text;
}

static int null_node(const void *opaque)
{
	const struct null_device *device = opaque;

	return device->node;
}

static void null_stats(void *device, struct lull_backend_stats *ret_stats)
{
	(void)device;
	*ret_stats = (struct lull_backend_stats){ 0 };
}

static void null_close(void *opaque)
{
	free(opaque);
}

static int null_key_attach(void *device, const struct lull_key_arrays *arrays,
			   struct lull_workers *workers, void **ret_key,
			   struct lull_error *reterr)
{
	(void)arrays, (void)workers, (void)reterr;
	*ret_key = device;
	return LULL_OK;
}

static void null_key_detach(void *key)
{
	(void)key;
}

static size_t null_scratch_bytes(const void *key, unsigned int nr_threads)
{
	(void)key, (void)nr_threads;
	return 0;
}

static int null_run(void *key, enum lull_stage stage,
		    const struct lull_stage_args *args,
		    struct lull_error *reterr)
{
	(void)key, (void)stage, (void)reterr;
	if (args->ret_point)
		memset(args->ret_point, 0, LULL_POINT_BYTES_MAX);
	return LULL_OK;
}

static const struct lull_backend_ops null_ops = {
	.key_attach = null_key_attach,
	.key_detach = null_key_detach,
	.scratch_bytes = null_scratch_bytes,
	.run = null_run,
};

static const struct lull_backend_ops *ops_of(enum lull_curve curve)
{
	(void)curve;
	return &null_ops;
}

const struct lull_backend lull_backend_null = {
	.abi = LULL_BACKEND_ABI,
	.struct_bytes = sizeof(struct lull_backend),
	.name = "null",
	.version = "",
	.probe = null_probe,
	.open = null_open,
	.describe = null_describe,
	.node = null_node,
	.stats = null_stats,
	.close = null_close,
	.ops = ops_of,
};
