// SPDX-License-Identifier: Apache-2.0
/*
 * example.c - a whole program that uses liblull
 *
 *	example KEY.zkey WITNESS.wtns VKEY.json PROOF.json PUBLIC.json
 *
 * makes a proof, writes it and checks it.  It includes nothing of ours but the
 * public header.  Without words it does so on files of the tests and prints
 * its result as one, in TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lull.h>

struct files {
	const char *key, *witness, *vkey, *proof, *public_signals;
};

static int prove(struct lull_ctx *ctx, const struct lull_key *key,
		 const struct files *files, struct lull_error *err)
{
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	int status;

	status = lull_wtns_open(ctx, files->witness, &wtns, err);
	if (status)
		return status;
	status = lull_prove(ctx, key, wtns, NULL, &proof, err);
	if (!status)
		status = lull_proof_write(proof, files->proof,
					  files->public_signals, err);
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	return status;
}

static int prove_and_verify(const struct files *files, struct lull_error *err)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts), .nr_threads = 2 };
	struct lull_ctx *ctx = NULL;
	struct lull_key *key = NULL;
	int status;

	status = lull_ctx_create(&opts, &ctx, err);
	if (status)
		return status;
	/* Opened once, a key makes any number of proofs. */
	status = lull_key_open(ctx, files->key, &key, err);
	if (!status)
		status = prove(ctx, key, files, err);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	if (status)
		return status;
	return lull_verify(files->vkey, files->public_signals, files->proof,
			   err);
}

static int run_as_test(void)
{
	char directory[] = "/tmp/lull-example-XXXXXX", proof[64], publics[64];
	struct files files = {
		.key = "selftests/golden/bn128-poseidon2.zkey",
		.witness = "selftests/golden/bn128-poseidon2.wtns",
		.vkey = "selftests/golden/bn128-poseidon2.vkey.json",
		.proof = proof,
		.public_signals = publics,
	};
	struct lull_error err;
	int status;

	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(proof, sizeof(proof), "%s/proof.json", directory);
	snprintf(publics, sizeof(publics), "%s/public.json", directory);
	status = prove_and_verify(&files, &err);
	printf("TAP version 13\n1..1\n");
	if (status)
		printf("# %s: %s\n", lull_status_str(status), err.msg);
	printf("%sok 1 example\n", status ? "not " : "");
	unlink(proof);
	unlink(publics);
	rmdir(directory);
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct lull_error err;

	if (argc == 1)
		return run_as_test();
	if (argc != 6) {
		fprintf(stderr,
			"usage: %s KEY.zkey WITNESS.wtns VKEY.json "
			"PROOF.json PUBLIC.json\n",
			argv[0]);
		return EXIT_FAILURE;
	}
	if (prove_and_verify(&(struct files){ argv[1], argv[2], argv[3],
					      argv[4], argv[5] },
			     &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
