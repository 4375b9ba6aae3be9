// SPDX-License-Identifier: Apache-2.0
/*
 * lib_bellman.c - the public functions for bellman and bellperson
 *
 * Contracts stand in include/lull_bellman.h.
 */
#include "lib.h"

#include "prove/bellman.h"

/* Ends @file. */
static int open_key(struct lull_ctx *ctx, struct lull_bellman *file,
		    const char *path, struct lull_key **ret_key,
		    struct lull_error *reterr)
{
	int err;

	err = lull_bellman_key_create(file, path, ctx->workers, ctx->arena,
				      ctx->set, ret_key, reterr);
	lull_bellman_close(file);
	return err;
}

int lull_key_open_bellman(struct lull_ctx *ctx, const char *path,
			  struct lull_key **ret_key, struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open(path, 0, &file, reterr);
	return err ? err : open_key(ctx, &file, path, ret_key, reterr);
}

int lull_key_open_bellman_mem(struct lull_ctx *ctx, const void *data,
			      size_t bytes, struct lull_key **ret_key,
			      struct lull_error *reterr)
{
	struct lull_bellman file;
	int err;

	err = lull_bellman_open_mem(data, bytes, "parameters", 0, &file,
				    reterr);
	return err ? err : open_key(ctx, &file, NULL, ret_key, reterr);
}

int lull_key_bellman_write(const struct lull_key *key, const char *path,
			   struct lull_error *reterr)
{
	return lull_bellman_write(key, path, false, reterr);
}

int lull_key_bellman_vkey_write(const struct lull_key *key, const char *path,
				struct lull_error *reterr)
{
	return lull_bellman_write(key, path, true, reterr);
}
