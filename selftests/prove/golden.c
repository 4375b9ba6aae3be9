// SPDX-License-Identifier: Apache-2.0
/*
 * golden.c - byte for byte what snarkjs writes, for pinned r and s, by every
 * loader
 *
 * golden.json holds snarkjs's proofs of eight circuits, three pairs of
 * blinding scalars each.
 */
#include <jansson.h>

#include "base/base.h"
#include "harness.h"
#include "input/decimal.h"
#include "prove/prover.h"
#include "denied.h"

#define GOLDEN "selftests/golden/"

static json_t *golden;

static bool load_golden(void)
{
	json_error_t error;

	golden = json_load_file(GOLDEN "golden.json", 0, &error);
	if (!golden)
		printf("# %s: %s\n", error.source, error.text);
	return golden != NULL;
}

static void scalar(uint8_t ret[LULL_FR_BYTES], const json_t *entry,
		   const char *name)
{
	const char *text = json_string_value(json_object_get(entry, name));

	ASSERT_TRUE(text != NULL);
	EXPECT_EQ(LULL_OK,
		  lull_decimal_read(text, strlen(text), ret, LULL_FR_BYTES));
}

static void expect_text(const json_t *want, const char *got)
{
	char *text = json_dumps(want, JSON_INDENT(1) | JSON_PRESERVE_ORDER);

	EXPECT_STREQ(text, got);
	free(text);
}

static void prove_entry(struct lull_ctx *ctx, const struct lull_key *key,
			const struct lull_wtns *wtns, const json_t *entry)
{
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	struct lull_error error = { 0 };
	struct lull_proof *proof;
	char text[8192];
	int err;

	scalar(r, entry, "r");
	scalar(s, entry, "s");
	err = lull_prove_blinded(ctx, key, wtns, NULL, r, s, &proof, &error);
	if (err)
		printf("# %s\n", error.msg);
	ASSERT_EQ(LULL_OK, err);
	ASSERT_TRUE(lull_proof_json(proof, text, sizeof(text)) < sizeof(text));
	expect_text(json_object_get(entry, "proof"), text);
	ASSERT_TRUE(lull_public_json(proof, text, sizeof(text)) < sizeof(text));
	expect_text(json_object_get(entry, "publicSignals"), text);
	lull_proof_free(proof);
}

static void prove_circuit(struct lull_ctx *ctx, const char *name,
			  const json_t *entries)
{
	struct lull_error error = { 0 };
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;
	const json_t *entry;
	char path[128];
	size_t i;

	snprintf(path, sizeof(path), GOLDEN "%s.zkey", name);
	EXPECT_EQ(LULL_OK, lull_key_open(ctx, path, &key, &error));
	snprintf(path, sizeof(path), GOLDEN "%s.wtns", name);
	EXPECT_EQ(LULL_OK, lull_wtns_open(ctx, path, &wtns, &error));
	if (!key || !wtns)
		printf("# %s\n", error.msg);
	ASSERT_TRUE(key && wtns);
	EXPECT_TRUE(json_array_size(entries) > 0);
	json_array_foreach(entries, i, entry)
		prove_entry(ctx, key, wtns, entry);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

static void prove_all(unsigned int nr_threads, const char *loader)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = nr_threads,
				      .loader = loader };
	struct lull_ctx *ctx;
	const char *name;
	json_t *entries;

	ASSERT_TRUE(load_golden());
	ASSERT_EQ(LULL_OK, lull_ctx_create(&opts, &ctx, NULL));
	EXPECT_EQ(8, json_object_size(golden));
	json_object_foreach(golden, name, entries)
		prove_circuit(ctx, name, entries);
	lull_ctx_destroy(ctx);
	json_decref(golden);
}

TEST(one_thread)
{
	prove_all(1, NULL);
}

TEST(two_threads)
{
	prove_all(2, NULL);
}

TEST(more_threads_than_cores)
{
	prove_all(7, NULL);
}

/* However the files were read. */
TEST(every_loader)
{
	if (!left_out("uring"))
		prove_all(2, "uring");
	prove_all(2, "pread");
	prove_all(2, "mmap");
}

TEST(no_such_loader)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .loader = "aio" };
	struct lull_ctx *ctx = NULL;
	struct lull_error error;

	EXPECT_EQ(LULL_USAGE, lull_ctx_create(&opts, &ctx, &error));
	EXPECT_STREQ("loader: expected auto, uring, pread or mmap, found 'aio'",
		     error.msg);
	EXPECT_TRUE(!ctx);
}

TEST_MAIN
