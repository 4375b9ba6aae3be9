/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove.h - keys, witnesses and proofs for the tests of the prover
 *
 * Reads the golden files, makes circuits with scripts/mkcircuit.py, keeps a
 * directory for what a test writes, and compares whole proofs.
 */
#ifndef LULL_SELFTESTS_PROVE_PROVE_H
#define LULL_SELFTESTS_PROVE_PROVE_H

#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curve/facts.h"
#include "harness.h"
#include "input/decimal.h"
#include "input/files.h"
#include "prove/prover.h"

#define TEXT_BYTES 8192 /* a proof is some 1500 characters */
#define PATH_BYTES 256

/* ---- files ------------------------------------------------------------- */

static char scratch_dir[PATH_BYTES / 2];

/* A path in this program's own directory. */
static inline void scratch_path(char path[PATH_BYTES], const char *name)
{
	const char *base = getenv("TMPDIR");

	if (!scratch_dir[0]) {
		snprintf(scratch_dir, sizeof(scratch_dir),
			 "%.64s/lull-selftest-XXXXXX", base ? base : "/tmp");
		if (!mkdtemp(scratch_dir)) {
			printf("Bail out! no directory %s\n", scratch_dir);
			exit(1);
		}
	}
	snprintf(path, PATH_BYTES, "%s/%s", scratch_dir, name);
}

/* Files in the directory, temporary ones among them. */
static inline unsigned int scratch_count(void)
{
	unsigned int nr = 0;
	struct dirent *entry;
	char path[PATH_BYTES];
	DIR *dir;

	scratch_path(path, ".");
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return nr;
}

static inline void scratch_clear(void)
{
	char path[PATH_BYTES * 2];
	struct dirent *entry;
	DIR *dir = scratch_dir[0] ? opendir(scratch_dir) : NULL;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", scratch_dir,
			 entry->d_name);
		unlink(path);
	}
	closedir(dir);
}

__attribute__((destructor)) static void scratch_remove(void)
{
	scratch_clear();
	if (scratch_dir[0])
		rmdir(scratch_dir);
}

static inline void write_text(const char *path, const char *text)
{
	struct blob b = { (uint8_t *)(uintptr_t)text, strlen(text) };

	blob_write(&b, path);
}

/* Makes <shape>.r1cs and <shape>.wtns in the directory. */
static inline bool make_circuit(const char *shape, const char *curve,
				unsigned int log2, char r1cs[PATH_BYTES],
				char wtns[PATH_BYTES])
{
	char name[64], prefix[PATH_BYTES], command[3 * PATH_BYTES];

	snprintf(name, sizeof(name), "%s-%s-%u", curve, shape, log2);
	scratch_path(prefix, name);
	snprintf(command, sizeof(command),
		 "python3 scripts/mkcircuit.py --shape %s --curve %s "
		 "--log2 %u --out %s",
		 shape, curve, log2, prefix);
	snprintf(name, sizeof(name), "%s-%s-%u.r1cs", curve, shape, log2);
	scratch_path(r1cs, name);
	snprintf(name, sizeof(name), "%s-%s-%u.wtns", curve, shape, log2);
	scratch_path(wtns, name);
	return !system(command);
}

/* ---- golden files ------------------------------------------------------ */

/**
 * struct golden - a circuit with one of snarkjs's proofs
 * @key: bytes of the .zkey
 * @wtns: bytes of the .wtns
 * @r: the blinding scalars of the proof
 * @s: the other
 * @proof: proof.json
 * @publics: public.json
 */
struct golden {
	struct blob key, wtns;
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	char *proof, *publics;
};

static inline void golden_path(char path[PATH_BYTES], const char *name,
			       const char *ending)
{
	snprintf(path, PATH_BYTES, GOLDEN "%s.%s", name, ending);
}

static inline void golden_scalar(uint8_t *ret, const json_t *entry,
				 const char *name)
{
	const char *text = json_string_value(json_object_get(entry, name));

	if (!text || lull_decimal_read(text, strlen(text), ret, LULL_FR_BYTES))
		printf("Bail out! golden.json has no %s\n", name);
}

static inline struct golden golden_load(const char *name, unsigned int i)
{
	json_t *all = json_load_file(GOLDEN "golden.json", 0, NULL);
	const json_t *entry = json_array_get(json_object_get(all, name), i);
	struct golden g = { 0 };
	char path[PATH_BYTES];

	if (!entry) {
		printf("Bail out! golden.json has no %s\n", name);
		exit(1);
	}
	golden_path(path, name, "zkey");
	g.key = blob_read(path);
	golden_path(path, name, "wtns");
	g.wtns = blob_read(path);
	golden_scalar(g.r, entry, "r");
	golden_scalar(g.s, entry, "s");
	g.proof = json_dumps(json_object_get(entry, "proof"),
			     JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	g.publics = json_dumps(json_object_get(entry, "publicSignals"),
			       JSON_INDENT(1));
	json_decref(all);
	return g;
}

static inline void golden_free(struct golden *g)
{
	blob_free(&g->key);
	blob_free(&g->wtns);
	free(g->proof);
	free(g->publics);
}

/* ---- proofs ------------------------------------------------------------ */

static inline struct lull_ctx *make_ctx_on(const char *arena,
					   unsigned int nr_threads)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = nr_threads,
				      .arena = arena };
	struct lull_ctx *ctx = NULL;

	if (lull_ctx_create(&opts, &ctx, NULL)) {
		printf("Bail out! no context\n");
		exit(1);
	}
	return ctx;
}

static inline struct lull_ctx *make_ctx(unsigned int nr_threads)
{
	return make_ctx_on(NULL, nr_threads);
}

/* Proves with the golden scalars and expects the golden bytes. */
static inline void expect_golden(struct lull_ctx *ctx,
				 const struct lull_key *key,
				 const struct lull_wtns *wtns,
				 const struct golden *g)
{
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;
	char text[TEXT_BYTES];

	EXPECT_EQ(LULL_OK, lull_prove_blinded(ctx, key, wtns, NULL, g->r, g->s,
					      &proof, &error));
	if (!proof) {
		TEST_FAIL_("%s", error.msg);
		return;
	}
	EXPECT_TRUE(lull_proof_json(proof, text, sizeof(text)) < sizeof(text));
	EXPECT_STREQ(g->proof, text);
	EXPECT_TRUE(lull_public_json(proof, text, sizeof(text)) < sizeof(text));
	EXPECT_STREQ(g->publics, text);
	lull_proof_free(proof);
}

/* Opens both from memory and expects the golden bytes. */
static inline void expect_golden_mem(struct lull_ctx *ctx, const void *key_data,
				     size_t key_bytes, const void *wtns_data,
				     size_t wtns_bytes, const struct golden *g)
{
	struct lull_error error = { 0 };
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;

	EXPECT_EQ(LULL_OK,
		  lull_key_open_mem(ctx, key_data, key_bytes, &key, &error));
	EXPECT_EQ(LULL_OK, lull_wtns_open_mem(ctx, wtns_data, wtns_bytes, &wtns,
					      &error));
	if (key && wtns)
		expect_golden(ctx, key, wtns, g);
	else
		TEST_FAIL_("%s", error.msg);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

/* The same for a changed key and the witness as it is. */
static inline void expect_golden_key(struct lull_ctx *ctx,
				     const struct blob *key,
				     const struct golden *g)
{
	expect_golden_mem(ctx, key->data, key->bytes, g->wtns.data,
			  g->wtns.bytes, g);
}

/* Writes key, proof and public signals and verifies the files. */
static inline int verify_proof(const struct lull_key *key,
			       const struct lull_proof *proof)
{
	char vkey[PATH_BYTES], proof_path[PATH_BYTES], publics[PATH_BYTES];
	struct lull_error error = { 0 };
	int err;

	scratch_path(vkey, "vkey.json");
	scratch_path(proof_path, "proof.json");
	scratch_path(publics, "public.json");
	err = lull_key_vkey_write(key, vkey, &error);
	if (!err)
		err = lull_proof_write(proof, proof_path, publics, &error);
	if (!err)
		err = lull_verify(vkey, publics, proof_path, &error);
	if (err)
		printf("# %s\n", error.msg);
	return err;
}

/* Section 4's records: how many, and where. */
#define COEF_BYTES 44

static inline uint32_t coefs_nr(const struct blob *key)
{
	return lull_load_u32(key->data + blob_payload(key, 4));
}

static inline uint8_t *coef_at(const struct blob *key, size_t i)
{
	return key->data + blob_payload(key, 4) + 4 + i * COEF_BYTES;
}

/* Other rows first: the same circuit, unsorted. */
static inline void reverse_coefs(struct blob *key)
{
	uint32_t nr = coefs_nr(key), i;
	uint8_t swap[COEF_BYTES];

	for (i = 0; i < nr / 2; i++) {
		memcpy(swap, coef_at(key, i), COEF_BYTES);
		memcpy(coef_at(key, i), coef_at(key, nr - 1 - i), COEF_BYTES);
		memcpy(coef_at(key, nr - 1 - i), swap, COEF_BYTES);
	}
}

/* The key with coefficients of value 0 put before its own, @nr in all. */
static inline struct blob with_zero_coefs(const struct blob *key, uint32_t nr)
{
	uint32_t had = coefs_nr(key);
	size_t bytes = 4 + (size_t)nr * COEF_BYTES;
	uint8_t *payload = must_alloc(bytes);
	struct blob out = blob_without(key, 4);

	memset(payload, 0, bytes);
	memcpy(payload, &nr, sizeof(nr));
	memcpy(payload + bytes - (size_t)had * COEF_BYTES, coef_at(key, 0),
	       (size_t)had * COEF_BYTES);
	blob_add_section(&out, 4, payload, bytes);
	free(payload);
	return out;
}

#endif
