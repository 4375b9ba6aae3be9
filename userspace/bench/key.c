// SPDX-License-Identifier: Apache-2.0
/*
 * key.c - the key that a bench proves with: read as anyone's, or where it lies
 *
 * A key that lies in memory already, such as one that was made there, need not be
 * there twice: of 2^27 rows it has 79 GB.
 */
#include "bench/bench.h"

int lull_bench_key_open(const struct lull_bench_opts *opts,
			struct lull_ctx *ctx, struct lull_bench_key *ret_key,
			struct lull_error *reterr)
{
	struct lull_bench_key key = { 0 };
	int err;

	if (!opts->key_in_place)
		return lull_key_open(ctx, opts->key_path, &ret_key->key,
				     reterr);
	err = lull_infile_map(opts->key_path, &key.file, reterr);
	if (!err)
		err = lull_key_open_mem(ctx, key.file.data,
					(size_t)key.file.bytes, &key.key,
					reterr);
	if (err)
		lull_bench_key_close(&key);
	else
		*ret_key = key;
	return err;
}

void lull_bench_key_close(struct lull_bench_key *key)
{
	lull_key_close(key->key);
	lull_infile_close(&key->file);
	*key = (struct lull_bench_key){ 0 };
}
