// SPDX-License-Identifier: Apache-2.0
/*
 * opened.c - what is found out about a GPU when it is opened
 *
 * Emulated devices refuse calls; skips on others.
 */
#include "gpu_ctx.h"

static bool (*refuse)(const char *name, unsigned int nth);

static struct lull_ctx *open_emulated(uint64_t vram_bytes)
{
	struct lull_ctx *ctx = open_gpu(vram_bytes);

	if (!ctx || find_emulated("emulated_refuse", &refuse))
		return ctx;
	lull_ctx_destroy(ctx);
	test_skipped = "real devices are what they are";
	return NULL;
}

/* ---- code for it --------------------------------------------------------- */

/* One more context, whose GPU the library has no code for. */
static int open_without_code(const char *backend, struct lull_ctx **ret_ctx,
			     struct lull_error *reterr)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .backend = backend };
	int err;

	refuse("cudaFuncGetAttributes", 1);
	err = lull_ctx_create(&opts, ret_ctx, reterr);
	EXPECT_TRUE(!refuse("cudaFuncGetAttributes", 0));
	return err;
}

TEST(no_code_for_the_gpu)
{
	static const char want[] = "GPU 0, emulated: compute capability 9.0, "
				   "liblull_cuda.so is for sm_";
	struct lull_ctx *first = open_emulated(0), *ctx = NULL;
	struct lull_error error = { 0 };
	const char *backend;

	if (!first)
		return;
	EXPECT_EQ(LULL_UNSUPPORTED, open_without_code("cuda", &ctx, &error));
	if (strncmp(error.msg, want, strlen(want)))
		TEST_FAIL_("no '%s' in '%s'", want, error.msg);
	ASSERT_EQ(LULL_OK, open_without_code("auto", &ctx, NULL));
	backend = lull_ctx_backend(ctx);
	if (strncmp(backend, "cpu (auto: ", 11) || !strstr(backend, want))
		TEST_FAIL_("found '%s'", backend);
	lull_ctx_destroy(ctx);
	lull_ctx_destroy(first);
}

TEST_MAIN
