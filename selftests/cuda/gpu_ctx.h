/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu_ctx.h - a context on a GPU, for tests of whole proofs
 *
 * LULL_TEST_BACKEND=cpu tries such a test itself.
 */
#ifndef LULL_SELFTESTS_CUDA_GPU_CTX_H
#define LULL_SELFTESTS_CUDA_GPU_CTX_H

#include "../prove/prove.h"

#include "cuda/gpu.h"

/* In a golden .wtns: a head of 12 bytes, the first section's 12 and 40, the
 * second's 12. */
#define VALUES_AT 76

static inline const char *backend_name(void)
{
	const char *name = getenv("LULL_TEST_BACKEND");

	return name ? name : "cuda";
}

static char plan_text[4096];

static inline void hear(void *arg, const char *line)
{
	size_t used = strlen(plan_text);

	(void)arg;
	snprintf(plan_text + used, sizeof(plan_text) - used, "%s\n", line);
}

/* A context on the GPU, or NULL and the test is skipped. */
static inline struct lull_ctx *open_gpu_by(struct lull_ctx_opts opts)
{
	struct lull_ctx *ctx = NULL;
	struct lull_error error;

	opts.size = sizeof(opts);
	opts.backend = backend_name();
	opts.say = hear;
	plan_text[0] = '\0';
	if (!lull_ctx_create(&opts, &ctx, &error))
		return ctx;
	gpu_missing(&error);
	return NULL;
}

static inline struct lull_ctx *open_gpu_in(uint64_t vram_bytes,
					   const char *arena)
{
	const struct lull_ctx_opts opts = { .arena = arena,
					    .vram_bytes = vram_bytes };

	return open_gpu_by(opts);
}

static inline struct lull_ctx *open_gpu(uint64_t vram_bytes)
{
	return open_gpu_in(vram_bytes, NULL);
}

static inline struct lull_device_stats device_stats(struct lull_ctx *ctx)
{
	struct lull_device_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_ctx_device_stats(ctx, &stats, NULL));
	return stats;
}

/* What the emulated devices saw; false on others. */
static inline bool emulation_saw(uint64_t *ret_up, uint64_t *ret_down)
{
	void (*copied)(uint64_t *, uint64_t *);

	if (!find_emulated("emulated_copied", &copied))
		return false;
	copied(ret_up, ret_down);
	return true;
}

/* The least device memory that a key can do with, by the refusal's own words. */
static inline uint64_t least_bytes_of(const struct blob *bytes)
{
	struct lull_ctx *ctx = open_gpu(4096);
	struct lull_error error = { 0 };
	struct lull_key *key = NULL;
	unsigned long long least = 0;
	const char *at;

	EXPECT_EQ(LULL_NOMEM, lull_key_open_mem(ctx, bytes->data, bytes->bytes,
						&key, &error));
	at = strstr(error.msg, "expected at least ");
	EXPECT_TRUE(at && sscanf(at, "expected at least %llu", &least) == 1);
	lull_ctx_destroy(ctx);
	return least;
}

static inline uint64_t least_bytes(const char *name)
{
	struct golden g = golden_load(name, 0);
	uint64_t least = least_bytes_of(&g.key);

	golden_free(&g);
	return least;
}

#endif
