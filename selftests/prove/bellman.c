// SPDX-License-Identifier: Apache-2.0
/*
 * bellman.c - keys of bellman: points in, points out
 *
 * h against its definition for a known tau, files written and read back, and
 * every fault of a point with where it stands.
 */
#include "prove.h"

/* The format is this curve's alone. */
#define LULL_CURVE bls12_381

#include "base/workers.h"
#include "curve/pairing.h"
#include "prove/bellman.h"
#include "test_arena.h"
#include "denied.h"

#define KEY GOLDEN "bls12381-poseidon2.zkey"
#define G1_BYTES sizeof(struct g1_affine)

static struct lull_workers *workers;
static struct lull_ctx *ctx;
static char params_path[PATH_BYTES];
static struct blob params;

/* The golden key's parameters, in a file and in memory. */
static void set_up(void)
{
	struct lull_key *key = NULL;

	if (ctx)
		return;
	ctx = make_ctx(3);
	scratch_path(params_path, "k.params");
	if (lull_workers_create(3, &workers, NULL) ||
	    lull_key_open(ctx, KEY, &key, NULL) ||
	    lull_key_bellman_write(key, params_path, NULL)) {
		printf("Bail out! no parameters\n");
		exit(1);
	}
	lull_key_close(key);
	params = blob_read(params_path);
}

/* ---- h ----------------------------------------------------------------- */

static void root_of(struct fr *r, unsigned int log2_n)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };

	*r = root;
	for (; log2_n < CURVE_CONST(FR_TWO_ADICITY); log2_n++)
		fr_sqr(r, r);
}

static void power(struct fr *r, const struct fr *x, uint64_t e)
{
	fr_pow_var(r, x, &e, 1);
}

/* L_j(tau) of the 2^log2_n-th roots, as (tau^n - 1) w / (n (tau - w)). */
static void lagrange(struct fr *r, const struct fr *tau, unsigned int log2_n,
		     uint64_t j)
{
	struct fr w, t, n;

	root_of(&w, log2_n);
	power(&w, &w, j);
	power(r, tau, (uint64_t)1 << log2_n);
	fr_sub(r, r, &fr_one);
	fr_mul(r, r, &w);
	fr_sub(&t, tau, &w);
	fr_from_u64(&n, (uint64_t)1 << log2_n);
	fr_mul(&t, &t, &n);
	fr_inv(&t, &t);
	fr_mul(r, r, &t);
}

static void check_monomial(unsigned int log2_n)
{
	size_t n = (size_t)1 << log2_n, i;
	struct lull_vec vec = test_vec(n * G1_BYTES), out;
	struct g1_affine *h = vec.ptr, want;
	struct fr tau, delta, z, x;

	fr_from_u64(&tau, 1234567891011u + log2_n);
	power(&tau, &tau, 123456789);
	fr_from_u64(&delta, 987654321);
	fr_inv(&delta, &delta);
	for (i = 0; i < n; i++) {
		lagrange(&x, &tau, log2_n + 1, 2 * i + 1);
		fr_mul(&x, &x, &delta);
		g1_generated_var(&h[i], &x);
	}
	ASSERT_EQ(LULL_OK,
		  lull_bellman_monomial((const uint8_t *)h, log2_n, workers,
					test_arena(), &out, NULL));
	ASSERT_EQ(n * G1_BYTES, out.bytes);
	power(&z, &tau, n);
	fr_sub(&z, &z, &fr_one);
	fr_mul(&z, &z, &delta);
	for (i = 0; i < n - 1; i++) {
		power(&x, &tau, i);
		fr_mul(&x, &x, &z);
		g1_generated_var(&want, &x);
		EXPECT_MEMEQ(&want, (uint8_t *)out.ptr + i * G1_BYTES,
			     G1_BYTES);
	}
	lull_arena_retire(&out);
	lull_arena_retire(&vec);
}

TEST(powers_of_tau)
{
	unsigned int log2_n;

	set_up();
	for (log2_n = 1; log2_n <= 8; log2_n++)
		check_monomial(log2_n);
}

/* ---- files ------------------------------------------------------------- */

/* A point of the key as the file has it: each coordinate out of Montgomery
 * form, its bytes from the highest. */
static void encode(uint8_t *out, const uint8_t *point, unsigned int nr)
{
	static const unsigned int g2_order[] = { 1, 0, 3, 2 };
	limb_t plain[FP_LIMBS];
	unsigned int i, j;
	struct fp x;

	for (i = 0; i < nr; i++) {
		memcpy(&x, point + (nr == 4 ? g2_order[i] : i) * sizeof(x),
		       sizeof(x));
		fp_to_plain(plain, &x);
		for (j = 0; j < sizeof(x); j++)
			out[i * sizeof(x) + j] =
				((uint8_t *)plain)[sizeof(x) - 1 - j];
	}
}

static size_t expect_points(size_t at, const uint8_t *points, size_t nr,
			    unsigned int nr_coords, bool counted)
{
	size_t each = nr_coords * sizeof(struct fp), i, nr_dense = 0;
	static const uint8_t inf[4 * sizeof(struct fp)];
	size_t count_at = at;
	uint8_t want[4 * sizeof(struct fp)];

	at += counted ? 4 : 0;
	for (i = 0; i < nr; i++, points += each) {
		if (!memcmp(points, inf, each))
			continue;
		encode(want, points, nr_coords);
		EXPECT_MEMEQ(want, params.data + at, each);
		at += each;
		nr_dense++;
	}
	if (counted)
		EXPECT_EQ(nr_dense, params.data[count_at] << 24 |
					    params.data[count_at + 1] << 16 |
					    params.data[count_at + 2] << 8 |
					    params.data[count_at + 3]);
	return at;
}

/* Byte for byte, by another encoder. */
TEST(a_zkey_as_parameters)
{
	struct lull_zkey z;
	size_t at = 0;

	set_up();
	ASSERT_EQ(LULL_OK, lull_zkey_open(KEY, 0, NULL, &z, NULL));
	at = expect_points(at, z.alpha1, 1, 2, false);
	at = expect_points(at, z.beta1, 1, 2, false);
	at = expect_points(at, z.beta2, 1, 4, false);
	at = expect_points(at, z.gamma2, 1, 4, false);
	at = expect_points(at, z.delta1, 1, 2, false);
	at = expect_points(at, z.delta2, 1, 4, false);
	at = expect_points(at, z.ic, z.nr_public + 1, 2, true);
	at += 4 + (z.domain_size - 1) * G1_BYTES; /* h: see above */
	at = expect_points(at, z.c, z.nr_vars - z.nr_public - 1, 2, true);
	at = expect_points(at, z.a, z.nr_vars, 2, true);
	at = expect_points(at, z.b1, z.nr_vars, 2, true);
	at = expect_points(at, z.b2, z.nr_vars, 4, true);
	EXPECT_EQ(params.bytes, at);
	lull_zkey_close(&z);
}

/* A key from parameters is described, checked, and written as it was. */
TEST(read_and_written_again)
{
	struct lull_key_info info = { .size = sizeof(info) };
	struct lull_key_info direct = { .size = sizeof(direct) };
	struct lull_key *key = NULL, *zkey = NULL;
	char path[PATH_BYTES];
	struct blob again;

	set_up();
	ASSERT_EQ(LULL_OK, lull_key_open(ctx, KEY, &zkey, NULL));
	ASSERT_EQ(LULL_OK, lull_key_open_bellman(ctx, params_path, &key, NULL));
	EXPECT_EQ(LULL_OK, lull_key_info(key, &info, NULL));
	EXPECT_EQ(LULL_CURVE_BLS12_381, info.curve);
	EXPECT_EQ(520, info.nr_vars);
	EXPECT_EQ(1, info.nr_public);
	EXPECT_EQ(1024, info.domain_size);
	EXPECT_EQ(0, info.nr_coefs);
	EXPECT_EQ(LULL_OK, lull_key_info(zkey, &direct, NULL));
	EXPECT_EQ(direct.nr_inf_a, info.nr_inf_a);
	EXPECT_EQ(direct.nr_inf_b1, info.nr_inf_b1);
	EXPECT_EQ(direct.nr_inf_b2, info.nr_inf_b2);
	EXPECT_EQ(0, info.nr_inf_l);
	EXPECT_EQ(params.bytes, info.file_bytes);
	EXPECT_EQ(LULL_OK, lull_key_check(key, NULL));
	scratch_path(path, "again.params");
	EXPECT_EQ(LULL_OK, lull_key_bellman_write(key, path, NULL));
	again = blob_read(path);
	EXPECT_EQ(params.bytes, again.bytes);
	EXPECT_MEMEQ(params.data, again.data, params.bytes);
	blob_free(&again);
	EXPECT_EQ(LULL_OK, lull_key_bellman_vkey_write(zkey, path, NULL));
	again = blob_read(path);
	EXPECT_EQ(864 + 4 + 2 * 96, again.bytes);
	EXPECT_MEMEQ(params.data, again.data, again.bytes);
	blob_free(&again);
	lull_key_close(key);
	lull_key_close(zkey);
}

TEST(a_verifying_key_alone_is_loaded)
{
	struct lull_bellman_points points;
	struct lull_bellman file;

	set_up();
	ASSERT_EQ(LULL_OK,
		  lull_bellman_open_mem(params.data, 864 + 4 + 2 * 96, "vk",
					LULL_BELLMAN_VKEY_DOES, &file, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_bellman_load(&file, LULL_BELLMAN_NR_VKEY, NULL, workers,
				    test_arena(), &points, NULL));
	EXPECT_EQ(864 + 2 * 96, points.vec.bytes);
	EXPECT_TRUE(points.at[LULL_BELLMAN_IC] ==
		    (uint8_t *)points.vec.ptr + 864);
	lull_arena_retire(&points.vec);
	lull_bellman_close(&file);
}

TEST(a_key_without_circuit_does_not_prove_alone)
{
	struct lull_error error = { 0 };
	struct lull_proof *proof = NULL;
	struct lull_wtns *wtns = NULL;
	struct lull_key *key = NULL;

	set_up();
	ASSERT_EQ(LULL_OK, lull_key_open_bellman_mem(ctx, params.data,
						     params.bytes, &key, NULL));
	ASSERT_EQ(LULL_OK, lull_wtns_open(ctx, GOLDEN "bls12381-poseidon2.wtns",
					  &wtns, NULL));
	EXPECT_EQ(LULL_UNSUPPORTED,
		  lull_prove(ctx, key, wtns, NULL, &proof, &error));
	EXPECT_STREQ("parameters: parameters of bellman hold no circuit: they "
		     "cannot prove from a witness alone",
		     error.msg);
	lull_wtns_close(wtns);
	lull_key_close(key);
}

static void expect_not_written(const char *zkey, int code, const char *msg)
{
	struct lull_error error = { 0 };
	struct lull_key *key = NULL;
	unsigned int nr_files;
	char path[PATH_BYTES];

	ASSERT_EQ(LULL_OK, lull_key_open(ctx, zkey, &key, NULL));
	scratch_path(path, "refused.params");
	nr_files = scratch_count();
	EXPECT_EQ(code, lull_key_bellman_write(key, path, &error));
	EXPECT_TRUE(strstr(error.msg, msg) != NULL);
	EXPECT_EQ(nr_files, scratch_count());
	lull_key_close(key);
}

TEST(keys_that_the_format_cannot_hold)
{
	char r1cs[PATH_BYTES], wtns[PATH_BYTES], zkey[PATH_BYTES];

	set_up();
	expect_not_written(GOLDEN "bn128-mul2.zkey", LULL_UNSUPPORTED,
			   "expected a key of BLS12-381, found one of BN254");
	ASSERT_TRUE(make_circuit("edge-unused", "bls12381", 4, r1cs, wtns));
	scratch_path(zkey, "unused.zkey");
	ASSERT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, zkey, NULL));
	expect_not_written(zkey, LULL_RANGE,
			   "l: point 0 is infinity, which parameters of "
			   "bellman cannot hold: no constraint has its "
			   "variable");
}

TEST(the_key_is_not_written_over)
{
	struct lull_error error = { 0 };
	struct lull_key *key = NULL;

	set_up();
	ASSERT_EQ(LULL_OK, lull_key_open_bellman(ctx, params_path, &key, NULL));
	EXPECT_EQ(LULL_USAGE, lull_key_bellman_write(key, params_path, &error));
	EXPECT_EQ(LULL_USAGE,
		  lull_key_bellman_vkey_write(key, params_path, &error));
	lull_key_close(key);
}

/* ---- points ------------------------------------------------------------ */

/* Opens parameters with one point replaced. */
static int try_point(size_t at, const void *bytes, size_t nr, bool check,
		     struct lull_error *error)
{
	struct blob b = blob_copy(params.data, params.bytes);
	struct lull_key *key = NULL;
	int err;

	memcpy(b.data + at, bytes, nr);
	err = lull_key_open_bellman_mem(ctx, b.data, b.bytes, &key, error);
	if (!err && check)
		err = lull_key_check(key, error);
	lull_key_close(key);
	blob_free(&b);
	return err;
}

static void expect_point(enum lull_bellman_array array, size_t i,
			 const void *bytes, bool check, const char *text)
{
	size_t each = lull_bellman_point_bytes(array), at;
	struct lull_error error = { 0 };
	struct lull_bellman file;
	char want[256];

	ASSERT_EQ(LULL_OK, lull_bellman_open_mem(params.data, params.bytes, "k",
						 0, &file, NULL));
	at = file.offset[array] + i * each;
	snprintf(want, sizeof(want),
		 "parameters: section %s, offset 0x%zx: point %zu: %s",
		 lull_bellman_name(array), at, i, text);
	lull_bellman_close(&file);
	EXPECT_EQ(LULL_RANGE, try_point(at, bytes, each, check, &error));
	EXPECT_STREQ(want, error.msg);
}

/* Each array's last point, from a file: the same words by every loader. */
static void expect_file_points(struct lull_ctx *with, const char *name)
{
	struct lull_error error = { 0 };
	struct lull_bellman file;
	struct lull_key *key = NULL;
	char path[PATH_BYTES], want[512];
	unsigned int array;
	struct blob b;
	size_t at;

	ASSERT_EQ(LULL_OK, lull_bellman_open_mem(params.data, params.bytes, "k",
						 0, &file, NULL));
	scratch_path(path, name);
	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		uint32_t last = file.nr[array] - 1;

		at = file.offset[array] +
		     last * lull_bellman_point_bytes(array);
		b = blob_copy(params.data, params.bytes);
		b.data[at] |= 0x40;
		blob_write(&b, path);
		blob_free(&b);
		snprintf(want, sizeof(want),
			 "%s: section %s, offset 0x%zx: point %u: expected a "
			 "point, found infinity",
			 path, lull_bellman_name(array), at, last);
		EXPECT_EQ(LULL_RANGE,
			  lull_key_open_bellman(with, path, &key, &error));
		EXPECT_STREQ(want, error.msg);
	}
	lull_bellman_close(&file);
	unlink(path);
}

/* io_uring and its twins bring the same points and find the same faults. */
TEST(every_loader)
{
	static const char *const loaders[] = { "uring", "pread", "mmap" };
	struct lull_ctx_opts opts = { .size = sizeof(opts), .nr_threads = 2 };
	struct lull_ctx *with;
	struct lull_key *key;
	char path[PATH_BYTES];
	struct blob again;
	unsigned int i;

	set_up();
	scratch_path(path, "again.params");
	for (i = 0; i < LULL_ARRAY_SIZE(loaders); i++) {
		if (left_out(loaders[i]))
			continue;
		opts.loader = loaders[i];
		ASSERT_EQ(LULL_OK, lull_ctx_create(&opts, &with, NULL));
		ASSERT_EQ(LULL_OK,
			  lull_key_open_bellman(with, params_path, &key, NULL));
		EXPECT_EQ(LULL_OK, lull_key_check(key, NULL));
		EXPECT_EQ(LULL_OK, lull_key_bellman_write(key, path, NULL));
		again = blob_read(path);
		ASSERT_EQ(params.bytes, again.bytes);
		EXPECT_MEMEQ(params.data, again.data, params.bytes);
		blob_free(&again);
		lull_key_close(key);
		expect_file_points(with, loaders[i]);
		lull_ctx_destroy(with);
	}
}

#define OFF_CURVE "expected a point of the curve, found one that is not on it"

TEST(points_that_are_none)
{
	static const uint8_t zero[192];
	uint8_t bad[192];
	unsigned int array;
	size_t i;

	set_up();
	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		i = array < LULL_BELLMAN_IC ? 0 : 1;
		expect_point(array, i, zero, false, OFF_CURVE);
		memset(bad, 1, sizeof(bad));
		expect_point(array, i, bad, false, OFF_CURVE);
		bad[0] = 0x40;
		expect_point(array, i, bad, false,
			     "expected a point, found infinity");
		bad[0] = 0x80;
		expect_point(array, i, bad, false,
			     "expected an uncompressed point, found the flag "
			     "of a compressed one");
		bad[0] = 0x21;
		expect_point(array, i, bad, false,
			     "expected no sign on an uncompressed point, "
			     "found one");
		bad[0] = 0x1f;
		expect_point(array, i, bad, false,
			     "expected coordinates below p, found one that is "
			     "not");
	}
}

/* Points on the curves, outside their subgroups. */
static void outside_g1(uint8_t *out)
{
	static const struct fp b = { CURVE_CONST(G1_B) };
	struct g1_affine p;
	struct fp t;
	uint64_t x;

	for (x = 1;; x++) {
		fp_from_u64(&p.x, x);
		fp_sqr(&t, &p.x);
		fp_mul(&t, &t, &p.x);
		fp_add(&t, &t, &b);
		if (fp_sqrt(&p.y, &t) && !g1_in_subgroup(&p))
			break;
	}
	encode(out, (const uint8_t *)&p, 2);
}

static void outside_g2(uint8_t *out)
{
	static const struct fp2 b = CURVE_CONST(G2_B);
	struct g2_affine p = { 0 };
	struct fp2 t;
	uint64_t x;

	for (x = 1;; x++) {
		fp_from_u64(&p.x.c0, x);
		fp2_sqr(&t, &p.x);
		fp2_mul(&t, &t, &p.x);
		fp2_add(&t, &t, &b);
		if (fp2_sqrt(&p.y, &t) && !g2_in_subgroup(&p))
			break;
	}
	encode(out, (const uint8_t *)&p, 4);
}

TEST(points_outside_their_subgroup)
{
	uint8_t g1[96], g2[192];
	const uint8_t *point;
	unsigned int array;

	set_up();
	outside_g1(g1);
	outside_g2(g2);
	for (array = 0; array < LULL_BELLMAN_NR_ARRAYS; array++) {
		point = lull_bellman_coords(array) == 2 ? g1 : g2;
		/* The verifying key's at once, the others' by a check. */
		expect_point(array, 0, point, array >= LULL_BELLMAN_NR_VKEY,
			     "expected a point of order r, found one of "
			     "another order");
	}
}

/* Of several faults the first one is named, however many threads there are. */
TEST(the_first_fault_is_named)
{
	struct lull_error error = { 0 };
	struct lull_key *key = NULL;
	struct blob b;

	set_up();
	b = blob_copy(params.data, params.bytes);
	b.data[b.bytes - 192] = 0x40;
	b.data[864 + 4] = 0x40;
	b.data[864 + 4 + 96] = 0x40;
	EXPECT_EQ(LULL_RANGE, lull_key_open_bellman_mem(ctx, b.data, b.bytes,
							&key, &error));
	EXPECT_STREQ("parameters: section ic, offset 0x364: point 0: expected "
		     "a point, found infinity",
		     error.msg);
	blob_free(&b);
}

TEST_MAIN
