// SPDX-License-Identifier: Apache-2.0
/*
 * bellman_assigned.c - proofs from evaluations and assignments
 *
 * The same key as a .zkey and as parameters gives the same proof; a key made
 * from bellman's definition gives proofs that verify; each refusal alone.
 */
#include "assignment.h"

#include "curve/group.h"
#include "input/bellman.h"
#include "prove/bellman.h"

#define POSEIDON "bls12381-poseidon2"
#define PROOF_BYTES LULL_BELLMAN_PROOF_BYTES

static struct lull_ctx *ctx;
static const char *ctx_backend;
static struct assignment poseidon; /* rows in the order of the parameters */
static struct lull_key *poseidon_key;

static struct lull_key *open_converted(const char *zkey_path)
{
	struct lull_key *zkey = NULL, *key = NULL;
	struct lull_error error = { 0 };
	char path[PATH_BYTES];

	scratch_path(path, "converted.params");
	if (lull_key_open(ctx, zkey_path, &zkey, &error) ||
	    lull_key_bellman_write(zkey, path, &error) ||
	    lull_key_open_bellman(ctx, path, &key, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	lull_key_close(zkey);
	return key;
}

static void tear_down(void)
{
	if (!ctx)
		return;
	free_assignment(&poseidon);
	lull_key_close(poseidon_key);
	lull_ctx_destroy(ctx);
	ctx = NULL;
}

/* False, and the test is skipped, where this host has no such backend. */
static bool set_up_on(const char *backend)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 3,
					    .backend = backend };
	static char reason[300];
	struct lull_error error;

	if (ctx && !strcmp(ctx_backend, backend))
		return true;
	tear_down();
	if (lull_ctx_create(&opts, &ctx, &error)) {
		/* With a GPU in the machine this must not be skipped over. */
		if (error.code != LULL_UNSUPPORTED)
			TEST_FAIL_("%s", error.msg);
		snprintf(reason, sizeof(reason), "%s", error.msg);
		test_skipped = reason;
		return false;
	}
	ctx_backend = backend;
	poseidon_key = open_converted(GOLDEN POSEIDON ".zkey");
	read_assignment(&poseidon, GOLDEN POSEIDON ".r1cs",
			GOLDEN POSEIDON ".wtns");
	order_as_converted(&poseidon);
	return true;
}

static void set_up(void)
{
	set_up_on("cpu");
}

/* ---- the same key twice ------------------------------------------------ */

/* snarkjs's proofs, from a key without its circuit. */
static void prove_as_snarkjs(void)
{
	struct lull_error error = { 0 };
	struct lull_proof *proof;
	char text[TEXT_BYTES];
	struct fr r, s;
	unsigned int i, nr_proofs = 0;

	for (i = 0; i < 3; i++) {
		struct golden g = golden_load(POSEIDON, i);
		struct lull_assignment in = poseidon.in;

		fr_load(&r, g.r);
		fr_load(&s, g.s);
		in.r = &r;
		in.s = &s;
		/* The golden pairs begin with two zeros, which hide nothing. */
		if (fr_is_zero(&r) && fr_is_zero(&s)) {
			EXPECT_EQ(LULL_USAGE,
				  lull_prove_assigned(ctx, poseidon_key, &in,
						      NULL, &proof, &error));
			golden_free(&g);
			continue;
		}
		proof = NULL;
		nr_proofs++;
		EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in,
						       NULL, &proof, &error));
		if (!proof)
			TEST_FAIL_("%s", error.msg);
		ASSERT_TRUE(proof != NULL);
		lull_proof_json(proof, text, sizeof(text));
		EXPECT_STREQ(g.proof, text);
		lull_public_json(proof, text, sizeof(text));
		EXPECT_STREQ(g.publics, text);
		lull_proof_free(proof);
		golden_free(&g);
	}
	EXPECT_EQ(2, nr_proofs);
}

TEST(proofs_as_snarkjs_makes_them)
{
	set_up();
	prove_as_snarkjs();
}

TEST(gpu_proofs_as_snarkjs_makes_them)
{
	if (set_up_on("cuda"))
		prove_as_snarkjs();
}

static void plain_scalar(uint8_t out[LULL_FR_BYTES], uint64_t seed)
{
	unsigned int i;

	for (i = 0; i < LULL_FR_BYTES; i++)
		out[i] = (uint8_t)(seed * 0x9d + i * 0x35 + 1);
	out[LULL_FR_BYTES - 1] &= 0x3f;
}

/* One toxic key both ways: equal r and s give equal bytes. */
static void both_ways(const char *shape, unsigned int log2_n)
{
	char r1cs[PATH_BYTES], wtns_path[PATH_BYTES], zkey_path[PATH_BYTES];
	uint8_t r[LULL_FR_BYTES], s[LULL_FR_BYTES];
	uint8_t want[PROOF_BYTES], got[PROOF_BYTES];
	struct lull_key *key, *zkey = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_proof *proof = NULL;
	struct assignment t;
	struct fr rm, sm;

	ASSERT_TRUE(make_circuit(shape, "bls12381", log2_n, r1cs, wtns_path));
	scratch_path(zkey_path, "toxic.zkey");
	ASSERT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, zkey_path, NULL));
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, zkey_path, &zkey, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, wtns_path, &wtns, NULL));
	key = open_converted(zkey_path);
	read_assignment(&t, r1cs, wtns_path);
	order_as_converted(&t);
	plain_scalar(r, log2_n);
	plain_scalar(s, log2_n + 100);
	ASSERT_EQ(LULL_OK, lull_prove_blinded(ctx, zkey, wtns, NULL, r, s,
					      &proof, NULL));
	ASSERT_EQ(LULL_OK, lull_proof_bellman(proof, want, NULL));
	lull_proof_free(proof);
	fr_load(&rm, r);
	fr_load(&sm, s);
	t.in.r = &rm;
	t.in.s = &sm;
	ASSERT_EQ(LULL_OK,
		  lull_prove_assigned(ctx, key, &t.in, NULL, &proof, NULL));
	ASSERT_EQ(LULL_OK, lull_proof_bellman(proof, got, NULL));
	EXPECT_MEMEQ(want, got, sizeof(want));
	EXPECT_EQ(t.nr_inputs - 1, proof->nr_public);
	lull_proof_free(proof);
	free_assignment(&t);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_key_close(zkey);
}

static void all_both_ways(void)
{
	unsigned int log2_n;

	for (log2_n = 2; log2_n <= 8; log2_n++)
		both_ways("dense", log2_n);
	both_ways("sha", 7);
	both_ways("sha", 10);
	both_ways("edge-nopub", 4);
	both_ways("edge-linear", 6);
}

TEST(toxic_keys_both_ways)
{
	set_up();
	all_both_ways();
}

TEST(gpu_toxic_keys_both_ways)
{
	if (set_up_on("cuda"))
		all_both_ways();
}

/* ---- by bellman's definition ------------------------------------------- */

/* 7^t, bellman's root of order 2^32 (t = (r - 1) / 2^32): plain. */
static void bellman_root(struct fr *r, unsigned int log2_n)
{
	static const limb_t minus_one[FR_LIMBS] = CURVE_CONST(FR_P);
	limb_t t[FR_LIMBS];
	struct fr seven;
	unsigned int i;

	for (i = 0; i < FR_LIMBS; i++)
		t[i] = minus_one[i] >> 32 |
		       (i + 1 < FR_LIMBS ? minus_one[i + 1] << 32 : 0);
	fr_from_u64(&seven, 7);
	fr_pow_var(r, &seven, t, FR_LIMBS);
	for (; log2_n < 32; log2_n++)
		fr_sqr(r, r);
}

/* A key under construction. */
struct made {
	struct fr tau, alpha, beta, gamma, delta;
	struct fr *wires[3];
	size_t nr_wires, nr_inputs, n;
	unsigned int log2_n;
	struct blob file;
};

static void put_plain(struct blob *b, const struct fp *x)
{
	limb_t plain[FP_LIMBS];
	uint8_t bytes[sizeof(plain)];
	unsigned int i;

	fp_to_plain(plain, x);
	for (i = 0; i < sizeof(plain); i++)
		bytes[i] = ((uint8_t *)plain)[sizeof(plain) - 1 - i];
	blob_append(b, bytes, sizeof(bytes));
}

static void put_g1(struct made *m, const struct fr *k)
{
	limb_t plain[FR_LIMBS];
	struct g1_affine p;
	struct g1_xyzz acc;

	fr_to_plain(plain, k);
	g1_mul_var(&acc, &g1_generator, plain, FR_LIMBS);
	g1_xyzz_to_affine(&p, &acc);
	put_plain(&m->file, &p.x);
	put_plain(&m->file, &p.y);
}

static void put_g2(struct made *m, const struct fr *k)
{
	limb_t plain[FR_LIMBS];
	struct g2_affine p;
	struct g2_xyzz acc;

	fr_to_plain(plain, k);
	g2_mul_var(&acc, &g2_generator, plain, FR_LIMBS);
	g2_xyzz_to_affine(&p, &acc);
	put_plain(&m->file, &p.x.c1);
	put_plain(&m->file, &p.x.c0);
	put_plain(&m->file, &p.y.c1);
	put_plain(&m->file, &p.y.c0);
}

static void put_count(struct made *m, size_t nr)
{
	const uint8_t bytes[] = { (uint8_t)(nr >> 24), (uint8_t)(nr >> 16),
				  (uint8_t)(nr >> 8), (uint8_t)nr };

	blob_append(&m->file, bytes, sizeof(bytes));
}

/* The Lagrange basis at tau over bellman's roots. */
static struct fr *lagrange(const struct made *m)
{
	struct fr *l = zeroed(m->n, sizeof(*l)), w, x = fr_one, z, t, n;
	size_t i;

	bellman_root(&w, m->log2_n);
	z = m->tau;
	for (i = 0; i < m->log2_n; i++)
		fr_sqr(&z, &z);
	fr_sub(&z, &z, &fr_one);
	fr_from_u64(&n, m->n);
	for (i = 0; i < m->n; i++) {
		fr_sub(&t, &m->tau, &x);
		fr_mul(&t, &t, &n);
		fr_inv(&t, &t);
		fr_mul(&t, &t, &x);
		fr_mul(&l[i], &t, &z);
		fr_mul(&x, &x, &w);
	}
	return l;
}

static void add_terms(struct fr *wires, const struct lull_r1cs_lc *lc,
		      const struct fr *l)
{
	struct fr value;
	uint32_t i;

	for (i = 0; i < lc->nr_terms; i++) {
		fr_load(&value, lull_r1cs_term_value(lc, i));
		fr_mul(&value, &value, l);
		fr_add(&wires[lull_r1cs_term_wire(lc, i)],
		       &wires[lull_r1cs_term_wire(lc, i)], &value);
	}
}

static void make_wires(struct made *m, const struct lull_r1cs *r1cs)
{
	struct lull_r1cs_walk walk = lull_r1cs_walk(r1cs);
	struct lull_r1cs_row row;
	struct fr *l = lagrange(m);
	size_t i, j;

	for (i = 0; i < 3; i++)
		m->wires[i] = zeroed(m->nr_wires, sizeof(struct fr));
	for (i = 0; lull_r1cs_next(r1cs, &walk, &row); i++) {
		add_terms(m->wires[0], &row.a, &l[i]);
		add_terms(m->wires[1], &row.b, &l[i]);
		add_terms(m->wires[2], &row.c, &l[i]);
	}
	for (j = 0; j < m->nr_inputs; j++)
		fr_add(&m->wires[0][j], &m->wires[0][j], &l[i + j]);
	free(l);
}

/* (beta A + alpha B + C) / by of wires [lo, hi) */
static void put_mixed(struct made *m, size_t lo, size_t hi, const struct fr *by)
{
	struct fr inv, x, t;
	size_t i;

	fr_inv(&inv, by);
	put_count(m, hi - lo);
	for (i = lo; i < hi; i++) {
		fr_mul(&x, &m->beta, &m->wires[0][i]);
		fr_mul(&t, &m->alpha, &m->wires[1][i]);
		fr_add(&x, &x, &t);
		fr_add(&x, &x, &m->wires[2][i]);
		fr_mul(&x, &x, &inv);
		put_g1(m, &x);
	}
}

static void put_dense(struct made *m, unsigned int matrix,
		      void (*put)(struct made *, const struct fr *))
{
	size_t i, nr = 0;

	for (i = 0; i < m->nr_wires; i++)
		nr += !fr_is_zero(&m->wires[matrix][i]);
	put_count(m, nr);
	for (i = 0; i < m->nr_wires; i++)
		if (!fr_is_zero(&m->wires[matrix][i]))
			put(m, &m->wires[matrix][i]);
}

static void put_h(struct made *m)
{
	struct fr x, inv;
	size_t i;

	x = m->tau;
	for (i = 0; i < m->log2_n; i++)
		fr_sqr(&x, &x);
	fr_sub(&x, &x, &fr_one);
	fr_inv(&inv, &m->delta);
	fr_mul(&x, &x, &inv);
	put_count(m, m->n - 1);
	for (i = 0; i < m->n - 1; i++) {
		put_g1(m, &x);
		fr_mul(&x, &x, &m->tau);
	}
}

/* What bellman's generator would write for the circuit. */
static void make_key(struct made *m, const char *r1cs_path)
{
	struct fr *parts[] = { &m->tau, &m->alpha, &m->beta, &m->gamma,
			       &m->delta };
	struct lull_r1cs r1cs;
	uint8_t plain[LULL_FR_BYTES];
	size_t i;

	ASSERT_EQ(LULL_OK, lull_r1cs_open(r1cs_path, &r1cs, NULL));
	*m = (struct made){ .nr_wires = r1cs.nr_wires, .n = 1 };
	m->nr_inputs = (size_t)r1cs.nr_pub_out + r1cs.nr_pub_in + 1;
	for (; m->n < r1cs.nr_constraints + m->nr_inputs; m->n *= 2)
		m->log2_n++;
	for (i = 0; i < LULL_ARRAY_SIZE(parts); i++) {
		plain_scalar(plain, 17 + i);
		fr_load(parts[i], plain);
	}
	make_wires(m, &r1cs);
	m->file.data = must_alloc(1);
	put_g1(m, &m->alpha);
	put_g1(m, &m->beta);
	put_g2(m, &m->beta);
	put_g2(m, &m->gamma);
	put_g1(m, &m->delta);
	put_g2(m, &m->delta);
	put_mixed(m, 0, m->nr_inputs, &m->gamma);
	put_h(m);
	put_mixed(m, m->nr_inputs, m->nr_wires, &m->delta);
	put_dense(m, 0, put_g1);
	put_dense(m, 1, put_g1);
	put_dense(m, 1, put_g2);
	for (i = 0; i < 3; i++)
		free(m->wires[i]);
	lull_r1cs_close(&r1cs);
}

/* Fresh proofs, checked together under the key's own verifying key. */
static void prove_and_verify(const struct blob *file, const char *r1cs,
			     const char *wtns)
{
	enum { NR = 3 };
	uint8_t proofs[NR * PROOF_BYTES], publics[NR * LULL_FR_BYTES];
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;
	struct lull_vkey *vkey = NULL;
	struct lull_key *key = NULL;
	struct assignment t;
	size_t i;
	int err;

	read_assignment(&t, r1cs, wtns);
	ASSERT_EQ(LULL_OK, lull_key_open_bellman_mem(ctx, file->data,
						     file->bytes, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_key_check(key, NULL));
	ASSERT_EQ(LULL_OK, lull_vkey_open_bellman_mem(file->data, file->bytes,
						      &vkey, NULL));
	ASSERT_TRUE(lull_vkey_nr_public(vkey) <= 1);
	for (i = 0; i < NR; i++) {
		err = lull_prove_assigned(ctx, key, &t.in, NULL, &proof,
					  &error);
		if (err)
			TEST_FAIL_("%s", error.msg);
		ASSERT_EQ(LULL_OK, err);
		EXPECT_EQ(LULL_OK,
			  lull_proof_bellman(proof, proofs + i * PROOF_BYTES,
					     NULL));
		if (proof->nr_public)
			memcpy(publics + i * LULL_FR_BYTES, proof->publics.ptr,
			       proof->publics.bytes);
		lull_proof_free(proof);
	}
	EXPECT_TRUE(memcmp(proofs, proofs + PROOF_BYTES, 48));
	EXPECT_TRUE(memcmp(proofs + 48, proofs + PROOF_BYTES + 48, 96));
	EXPECT_EQ(LULL_OK, lull_vkey_verify(vkey, proofs, publics, NR, &error));
	lull_vkey_close(vkey);
	lull_key_close(key);
	free_assignment(&t);
}

static void prove_by_definition(void)
{
	static const char *const shapes[] = { "dense", "sha", "edge-nopub",
					      "edge-linear" };
	char r1cs[PATH_BYTES], wtns[PATH_BYTES];
	struct made m;
	unsigned int i, log2_n;

	for (i = 0; i < LULL_ARRAY_SIZE(shapes); i++) {
		for (log2_n = 4; log2_n <= 6; log2_n++) {
			ASSERT_TRUE(make_circuit(shapes[i], "bls12381", log2_n,
						 r1cs, wtns));
			make_key(&m, r1cs);
			prove_and_verify(&m.file, r1cs, wtns);
			blob_free(&m.file);
		}
	}
	make_key(&m, GOLDEN POSEIDON ".r1cs");
	prove_and_verify(&m.file, GOLDEN POSEIDON ".r1cs",
			 GOLDEN POSEIDON ".wtns");
	blob_free(&m.file);
}

TEST(keys_by_bellmans_definition)
{
	set_up();
	prove_by_definition();
}

TEST(gpu_keys_by_bellmans_definition)
{
	if (set_up_on("cuda"))
		prove_by_definition();
}

/* ---- refusals ---------------------------------------------------------- */

static void expect_refused(const struct lull_assignment *in, int code,
			   const char *msg)
{
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };

	EXPECT_EQ(code, lull_prove_assigned(ctx, poseidon_key, in, NULL, &proof,
					    &error));
	EXPECT_TRUE(!proof);
	if (!strstr(error.msg, msg))
		TEST_FAIL_("expected %s, found %s", msg, error.msg);
}

TEST(calls_that_are_wrong)
{
	struct lull_prove_opts opts = { .size = 1 };
	struct lull_proof *proof = NULL;
	struct lull_error error = { 0 };
	struct lull_key *zkey = NULL;
	struct lull_assignment in;
	struct fr zero = fr_zero;

	set_up();
	in = poseidon.in;
	in.size = 8;
	expect_refused(&in, LULL_USAGE,
		       "struct lull_assignment: expected size");
	in = poseidon.in;
	in.c = NULL;
	expect_refused(&in, LULL_USAGE, "an array is missing");
	in = poseidon.in;
	in.r = &zero;
	expect_refused(&in, LULL_USAGE,
		       "expected both of r and s, or neither, found one");
	in.s = &zero;
	expect_refused(&in, LULL_USAGE,
		       "r and s are both zero: the proof would not hide the "
		       "witness");
	EXPECT_EQ(LULL_USAGE,
		  lull_prove_assigned(ctx, poseidon_key, &poseidon.in, &opts,
				      &proof, &error));
	ASSERT_EQ(LULL_OK,
		  lull_key_open(ctx, GOLDEN POSEIDON ".zkey", &zkey, NULL));
	EXPECT_EQ(LULL_USAGE, lull_prove_assigned(ctx, zkey, &poseidon.in, NULL,
						  &proof, &error));
	lull_key_close(zkey);
}

/* One of the two may be zero: the other still hides. */
TEST(one_zero_is_no_fault)
{
	struct lull_assignment in;
	struct lull_proof *proof = NULL;
	struct fr zero = fr_zero, seven;

	set_up();
	fr_from_u64(&seven, 7);
	in = poseidon.in;
	in.r = &zero;
	in.s = &seven;
	EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in, NULL,
					       &proof, NULL));
	lull_proof_free(proof);
}

TEST(sizes_of_another_circuit)
{
	struct lull_assignment in;
	uint64_t *bits;

	set_up();
	in = poseidon.in;
	in.nr_inputs = 1;
	expect_refused(&in, LULL_MISMATCH,
		       "inputs, the constant one among them: the key expects "
		       "2, found 1");
	in = poseidon.in;
	in.nr_aux--;
	expect_refused(&in, LULL_MISMATCH,
		       "private variables: the key expects 518, found 517");
	in = poseidon.in;
	in.nr_rows = 512;
	expect_refused(&in, LULL_MISMATCH,
		       "rows: the key expects from 513 to 1024, found 512");
	in.nr_rows = 1025;
	expect_refused(&in, LULL_MISMATCH,
		       "rows: the key expects from 513 to 1024, found 1025");
	in = poseidon.in;
	bits = zeroed(16, sizeof(*bits));
	in.a_aux_density = bits;
	expect_refused(&in, LULL_MISMATCH,
		       "density of a: the key expects 245, found 2");
	in = poseidon.in;
	in.b_aux_density = bits;
	expect_refused(&in, LULL_MISMATCH,
		       "density of b: the key expects 162, found 0");
	free(bits);
}

/* As many bits as the key wants, but others: only the proof's check sees. */
TEST(densities_of_another_circuit)
{
	struct lull_assignment in;
	uint64_t bits[16];
	size_t i, set = 64;

	set_up();
	in = poseidon.in;
	memcpy(bits, poseidon.a_aux, poseidon.nr_aux / 8);
	for (i = 0; i < 512; i++) {
		if (poseidon.a_aux[i / 64] >> i % 64 & 1)
			set = i;
		else if (set < i)
			break;
	}
	ASSERT_TRUE(i < 512);
	bits[8] = poseidon.a_aux[8];
	bits[set / 64] ^= (uint64_t)1 << set % 64;
	bits[i / 64] ^= (uint64_t)1 << i % 64;
	in.a_aux_density = bits;
	expect_refused(&in, LULL_UNSATISFIED, "the proof does not verify");
}

/* What stands behind the last bit of a map is nobody's. */
TEST(bits_behind_the_last_are_ignored)
{
	struct lull_assignment in;
	struct lull_proof *proof = NULL;
	uint64_t bits[16];

	set_up();
	ASSERT_TRUE(poseidon.nr_aux % 64 != 0);
	memcpy(bits, poseidon.b_aux, (poseidon.nr_aux / 64 + 1) * 8);
	bits[poseidon.nr_aux / 64] |= ~(uint64_t)0 << poseidon.nr_aux % 64;
	in = poseidon.in;
	in.b_aux_density = bits;
	EXPECT_EQ(LULL_OK, lull_prove_assigned(ctx, poseidon_key, &in, NULL,
					       &proof, NULL));
	lull_proof_free(proof);
}

static void expect_value(struct fr *value, const struct fr *bad, int code,
			 const char *msg)
{
	struct fr was = *value;

	*value = *bad;
	expect_refused(&poseidon.in, code, msg);
	*value = was;
}

TEST(values_out_of_range)
{
	static const struct fr r = { CURVE_CONST(FR_P) };
	struct lull_assignment in;
	struct fr one = fr_one;

	set_up();
	expect_value(&poseidon.a[1000], &r, LULL_RANGE,
		     "a: value 1000: expected below r");
	expect_value(&poseidon.b[5], &r, LULL_RANGE,
		     "b: value 5: expected below r");
	expect_value(&poseidon.c[0], &r, LULL_RANGE,
		     "c: value 0: expected below r");
	expect_value(&poseidon.inputs[1], &r, LULL_RANGE,
		     "inputs: value 1: expected below r");
	expect_value(&poseidon.aux[517], &r, LULL_RANGE,
		     "aux: value 517: expected below r");
	expect_value(&poseidon.inputs[0], &fr_zero, LULL_RANGE,
		     "inputs: value 0: expected the constant one");
	in = poseidon.in;
	in.r = &one;
	in.s = &r;
	expect_refused(&in, LULL_RANGE, "s: value 0: expected below r");
	in.r = &r;
	in.s = &one;
	expect_refused(&in, LULL_RANGE, "r: value 0: expected below r");
}

TEST(rows_that_do_not_hold)
{
	struct fr other;

	set_up();
	fr_add(&other, &poseidon.c[77], &fr_one);
	expect_value(&poseidon.c[77], &other, LULL_UNSATISFIED,
		     "row 77 of 1024 does not hold: a b is not c");
	/* Rows hold, the assignment is another: the proof's check sees. */
	fr_add(&other, &poseidon.aux[3], &fr_one);
	expect_value(&poseidon.aux[3], &other, LULL_UNSATISFIED,
		     "the proof does not verify");
}

TEST_MAIN
