/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h - a test that needs a GPU is skipped, by name, where there is none
 */
#ifndef LULL_SELFTESTS_CUDA_GPU_H
#define LULL_SELFTESTS_CUDA_GPU_H

#include <dlfcn.h>
#include <string.h>

#include "backend/set.h"
#include "harness.h"

/* A circuit of make_circuit()'s. */
struct made_shape {
	const char *shape;
	unsigned int log2;
};

/* Those that have corners and no size. */
#define EDGE_SHAPES                                                     \
	{ "edge-domain2", 1 }, { "edge-empty", 1 }, { "edge-nopub", 3 }, \
		{ "edge-linear", 4 }, { "edge-unused", 5 }

/* What opening a GPU came to: a reason to skip.  With a GPU in the machine it
 * must not be skipped over. */
static inline void gpu_missing(const struct lull_error *error)
{
	static char reason[sizeof(error->msg)];

	if (error->code != LULL_UNSUPPORTED)
		TEST_FAIL_("%s", error->msg);
	snprintf(reason, sizeof(reason), "%s", error->msg);
	test_skipped = reason;
}

/* Devices of cuda as @opts says, or NULL and the test is skipped, also where
 * the CPU would take over. */
static inline struct lull_set *gpu_open(const struct lull_set_opts *opts)
{
	struct lull_set_opts alone = *opts;
	struct lull_set *set = NULL;
	struct lull_error error;

	alone.backend = "cuda";
	alone.fallback_cpu = false;
	if (lull_set_open(&alone, &set, &error)) {
		gpu_missing(&error);
		return NULL;
	}
	if (!opts->fallback_cpu)
		return set;
	lull_set_close(set);
	set = NULL;
	alone.fallback_cpu = true;
	EXPECT_EQ(LULL_OK, lull_set_open(&alone, &set, NULL));
	return set;
}

/* A function of the driver's, or of the emulated devices'; false where it is not
 * there. */
static inline bool find_in_driver(const char *name, void *ret_function)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, name) : NULL;

	memcpy(ret_function, &symbol, sizeof(symbol));
	if (library)
		dlclose(library);
	return symbol;
}

/* A function of the emulated devices'; false on others. */
static inline bool find_emulated(const char *name, void *ret_function)
{
	return find_in_driver(name, ret_function);
}

#endif
