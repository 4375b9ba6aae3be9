// SPDX-License-Identifier: Apache-2.0
/*
 * keygen_tmpl.c - test keys: every point against its definition
 *
 * The seed gives the trapdoor away, so each point of a small key is computed
 * again by other means: Lagrange polynomials as products over the roots, and
 * double-and-add.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "test_arena.h"
#include "input/r1cs.h"
#include "input/zkey.h"
#include "prove/keygen.h"
#include "prove/keygen_curve.h"
#include "prove/multiple.h"

static const uint8_t seed[LULL_KEYGEN_SEED_BYTES] =
	"a seed of 32 bytes for tests";
static const limb_t order[FR_LIMBS] = CURVE_CONST(FR_P);
static const struct fr unit = { { 1 } }; /* a product with it is plain */

static struct lull_workers *workers;
static char dir[] = "/tmp/lull-keygen-XXXXXX";
static char r1cs_path[64], zkey_path[64];

/* A circuit under construction: bytes, and a hole for the rows' size. */
static uint8_t circuit[1 << 20];
static size_t used, rows_at;

static void put(const void *data, size_t bytes)
{
	memcpy(circuit + used, data, bytes);
	used += bytes;
}

static void put_u32(uint32_t x)
{
	put(&x, sizeof(x));
}

static void put_u64(uint64_t x)
{
	put(&x, sizeof(x));
}

static void begin_circuit(uint32_t nr_wires, uint32_t nr_out, uint32_t nr_in,
			  uint32_t nr_rows)
{
	used = 0;
	put("r1cs", 4);
	put_u32(LULL_R1CS_VERSION);
	put_u32(2);
	put_u32(LULL_R1CS_HEADER);
	put_u64(4 + LULL_FR_BYTES + 16 + 8 + 4);
	put_u32(LULL_FR_BYTES);
	put(order, sizeof(order));
	put_u32(nr_wires);
	put_u32(nr_out);
	put_u32(nr_in);
	put_u32(0);
	put_u64(nr_wires);
	put_u32(nr_rows);
	put_u32(LULL_R1CS_CONSTRAINTS);
	put_u64(0);
	rows_at = used;
}

static void put_term(uint32_t wire, uint64_t low)
{
	const limb_t v[FR_LIMBS] = { low };

	put_u32(wire);
	put(v, sizeof(v));
}

static bool write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");
	bool done;

	if (!f)
		return false;
	done = fwrite(data, 1, bytes, f) == bytes;
	return fclose(f) == 0 && done;
}

static bool end_circuit(void)
{
	uint64_t bytes = used - rows_at;

	memcpy(circuit + rows_at - sizeof(bytes), &bytes, sizeof(bytes));
	return write_file(r1cs_path, circuit, used);
}

static size_t read_file(const char *path, uint8_t *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t got;

	if (!f)
		return 0;
	got = fread(to, 1, room, f);
	fclose(f);
	return got;
}

static int generate(const uint8_t *from, struct lull_error *reterr)
{
	const struct lull_keygen_opts opts = { .seed = from };

	return lull_keygen_toxic(r1cs_path, zkey_path, &opts, workers,
				 test_arena(), NULL, reterr);
}

static void set_up(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (!mkdtemp(dir) || lull_workers_create(3, &workers, NULL))
		exit(2);
	snprintf(r1cs_path, sizeof(r1cs_path), "%s/c.r1cs", dir);
	snprintf(zkey_path, sizeof(zkey_path), "%s/c.zkey", dir);
}

/*
 * Wires: 0 one, 1 out, 2 in (public), 3 x, 4 unused, 5 y.
 *
 *	0	x x = y
 *	1	(y + 5) in = out
 *	2	0 0 = 2 x + (r - 2) x: a wire twice, and a coefficient above 2^64
 */
#define SMALL_WIRES 6
#define SMALL_PUBLIC 2
#define SMALL_ROWS 3
#define SMALL_LOG2 3
#define SMALL_COEFS (2 + 3 + SMALL_PUBLIC + 1)

static bool small_circuit(void)
{
	limb_t v[FR_LIMBS];

	begin_circuit(SMALL_WIRES, 1, 1, SMALL_ROWS);
	put_u32(1);
	put_term(3, 1);
	put_u32(1);
	put_term(3, 1);
	put_u32(1);
	put_term(5, 1);

	put_u32(2);
	put_term(5, 1);
	put_term(0, 5);
	put_u32(1);
	put_term(2, 1);
	put_u32(1);
	put_term(1, 1);

	put_u32(0);
	put_u32(0);
	put_u32(2);
	put_term(3, 2);
	put_u32(3);
	memcpy(v, order, sizeof(v));
	v[0] -= 2;
	put(v, sizeof(v));
	return end_circuit();
}

/* w, a primitive root of order 2^log2_n. */
static void root_of(struct fr *w, unsigned int log2_n)
{
	static const struct fr root = { CURVE_CONST(FR_ROOT) };
	unsigned int i;

	*w = root;
	for (i = log2_n; i < CURVE_CONST(FR_TWO_ADICITY); i++)
		fr_sqr(w, w);
}

static void power(struct fr *r, const struct fr *x, uint64_t e)
{
	const limb_t limbs[] = { e };

	fr_pow_var(r, x, limbs, 1);
}

/* L_j(tau) over the 2^log2_n-th roots: the product of (tau - w^k) / (w^j - w^k)
 * over all k but j. */
static void lagrange(struct fr *r, const struct fr *tau, unsigned int log2_n,
		     unsigned int j)
{
	struct fr num = fr_one, den = fr_one, w, at_j, at_k, t;
	unsigned int k;

	root_of(&w, log2_n);
	power(&at_j, &w, j);
	for (k = 0; k < 1u << log2_n; k++) {
		if (k == j)
			continue;
		power(&at_k, &w, k);
		fr_sub(&t, tau, &at_k);
		fr_mul(&num, &num, &t);
		fr_sub(&t, &at_j, &at_k);
		fr_mul(&den, &den, &t);
	}
	fr_inv(&den, &den);
	fr_mul(r, &num, &den);
}

/* A_i, B_i and C_i of the small circuit, by hand. */
static void small_wires(const struct fr *tau, struct fr *a, struct fr *b,
			struct fr *c)
{
	struct fr l[1 << SMALL_LOG2], five;
	unsigned int i;

	for (i = 0; i < 1 << SMALL_LOG2; i++)
		lagrange(&l[i], tau, SMALL_LOG2, i);
	memset(a, 0, SMALL_WIRES * sizeof(*a));
	memset(b, 0, SMALL_WIRES * sizeof(*b));
	memset(c, 0, SMALL_WIRES * sizeof(*c));
	fr_from_u64(&five, 5);
	fr_mul(&a[0], &five, &l[1]);
	fr_add(&a[0], &a[0], &l[3]);
	a[1] = l[4];
	a[2] = l[5];
	a[3] = l[0];
	a[5] = l[1];
	b[2] = l[1];
	b[3] = l[0];
	c[1] = l[1];
	c[5] = l[0];
}

TEST(small_key_has_its_structure)
{
	struct lull_error error = { 0 };
	struct lull_zkey key;

	set_up();
	ASSERT_TRUE(small_circuit());
	ASSERT_EQ(LULL_OK, generate(seed, &error));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, &error));
	EXPECT_EQ(LULL_CURVE_ID, key.curve);
	EXPECT_EQ(SMALL_WIRES, key.nr_vars);
	EXPECT_EQ(SMALL_PUBLIC, key.nr_public);
	EXPECT_EQ(1 << SMALL_LOG2, key.domain_size);
	EXPECT_EQ(SMALL_COEFS, key.nr_coefs);
	EXPECT_EQ(0, key.nr_contributions);
	EXPECT_EQ(0, key.file.trailing_bytes);
	EXPECT_TRUE(key.coefs_sorted);
	ASSERT_TRUE(key.toxic);
	EXPECT_STREQ("insecure, test only: generated from a known trapdoor",
		     key.toxic_text);
	lull_zkey_close(&key);
}

TEST(coefficients_are_in_order_and_montgomery_twice)
{
	static const uint32_t want[SMALL_COEFS][4] = {
		{ 0, 0, 3, 1 }, { 1, 0, 3, 1 }, { 0, 1, 5, 1 }, { 0, 1, 0, 5 },
		{ 1, 1, 2, 1 }, { 0, 3, 0, 1 }, { 0, 4, 1, 1 }, { 0, 5, 2, 1 },
	};
	struct lull_zkey key;
	const uint8_t *at;
	struct fr v, plain;
	unsigned int i;

	set_up();
	ASSERT_TRUE(small_circuit());
	ASSERT_EQ(LULL_OK, generate(seed, NULL));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, NULL));
	ASSERT_EQ(SMALL_COEFS, key.nr_coefs);
	for (i = 0; i < SMALL_COEFS; i++) {
		at = key.coefs + (size_t)i * LULL_ZKEY_COEF_BYTES;
		EXPECT_EQ(want[i][0], lull_load_u32(at));
		EXPECT_EQ(want[i][1], lull_load_u32(at + 4));
		EXPECT_EQ(want[i][2], lull_load_u32(at + 8));
		memcpy(&v, at + LULL_ZKEY_COEF_VALUE, sizeof(v));
		fr_mul(&v, &v, &unit);
		fr_mul(&v, &v, &unit);
		plain = (struct fr){ { want[i][3] } };
		EXPECT_TRUE(fr_equal(&plain, &v));
	}
	lull_zkey_close(&key);
}

/* ic and c: (beta a + alpha b + c) / by */
static void mixed(struct fr *r, const struct keygen_trapdoor *t,
		  const struct fr *a, const struct fr *b, const struct fr *c,
		  const struct fr *by)
{
	struct fr x;

	fr_mul(r, &t->beta, a);
	fr_mul(&x, &t->alpha, b);
	fr_add(r, r, &x);
	fr_add(r, r, c);
	fr_inv(&x, by);
	fr_mul(r, r, &x);
}

TEST(every_point_of_a_small_key_is_as_defined)
{
	struct fr a[SMALL_WIRES], b[SMALL_WIRES], c[SMALL_WIRES], x;
	const size_t g1 = sizeof(struct g1_affine), g2 = 2 * g1;
	struct keygen_trapdoor t;
	struct lull_zkey key;
	size_t i;

	set_up();
	ASSERT_TRUE(small_circuit());
	ASSERT_EQ(LULL_OK, generate(seed, NULL));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, NULL));
	ASSERT_EQ(LULL_OK, keygen_draw(&t, seed, SMALL_LOG2, NULL));
	expect_g1("alpha1", 0, &t.alpha, key.alpha1);
	expect_g1("beta1", 0, &t.beta, key.beta1);
	expect_g1("delta1", 0, &t.delta, key.delta1);
	expect_g2("beta2", 0, &t.beta, key.beta2);
	expect_g2("gamma2", 0, &t.gamma, key.gamma2);
	expect_g2("delta2", 0, &t.delta, key.delta2);
	small_wires(&t.tau, a, b, c);
	for (i = 0; i < SMALL_WIRES; i++) {
		expect_g1("A", i, &a[i], key.a + i * g1);
		expect_g1("B1", i, &b[i], key.b1 + i * g1);
		expect_g2("B2", i, &b[i], key.b2 + i * g2);
	}
	for (i = 0; i <= SMALL_PUBLIC; i++) {
		mixed(&x, &t, &a[i], &b[i], &c[i], &t.gamma);
		expect_g1("IC", i, &x, key.ic + i * g1);
	}
	for (; i < SMALL_WIRES; i++) {
		mixed(&x, &t, &a[i], &b[i], &c[i], &t.delta);
		expect_g1("C", i, &x, key.c + (i - SMALL_PUBLIC - 1) * g1);
	}
	for (i = 0; i < 1 << SMALL_LOG2; i++) {
		lagrange(&x, &t.tau, SMALL_LOG2 + 1, 2 * (unsigned int)i + 1);
		fr_inv(&a[0], &t.delta);
		fr_mul(&x, &x, &a[0]);
		expect_g1("H", i, &x, key.h + i * g1);
	}
	lull_zkey_close(&key);
}

/* x_(i+1) = x_i^2: wire i + 1 is x_i, no public one. */
static bool chain_circuit(uint32_t nr_rows)
{
	uint32_t i;

	begin_circuit(nr_rows + 2, 0, 0, nr_rows);
	for (i = 0; i < nr_rows; i++) {
		put_u32(1);
		put_term(i + 1, 1);
		put_u32(1);
		put_term(i + 1, 1);
		put_u32(1);
		put_term(i + 2, 1);
	}
	return end_circuit();
}

/* (tau^n - 1) w / (n (tau - w)) for w = w_n^j */
static void lagrange_closed(struct fr *r, const struct fr *tau,
			    unsigned int log2_n, uint64_t j)
{
	struct fr w, x, y;

	root_of(&w, log2_n);
	power(&w, &w, j);
	power(&x, tau, (uint64_t)1 << log2_n);
	fr_sub(&x, &x, &fr_one);
	fr_mul(&x, &x, &w);
	fr_from_u64(&y, (uint64_t)1 << log2_n);
	fr_sub(&w, tau, &w);
	fr_mul(&y, &y, &w);
	fr_inv(&y, &y);
	fr_mul(r, &x, &y);
}

/* Several batches of each section: points about the batches' ends. */
TEST(points_at_the_ends_of_batches)
{
	enum { ROWS = 2 * KEYGEN_BATCH + 5, LOG2 = 13 };
	static const uint32_t at[] = { 0,
				       1,
				       KEYGEN_BATCH - 1,
				       KEYGEN_BATCH,
				       2 * KEYGEN_BATCH - 1,
				       2 * KEYGEN_BATCH,
				       ROWS - 1 };
	const size_t g1 = sizeof(struct g1_affine);
	struct keygen_trapdoor t;
	struct fr x, y, before;
	struct lull_zkey key;
	unsigned int i;

	set_up();
	ASSERT_TRUE(chain_circuit(ROWS));
	ASSERT_EQ(LULL_OK, generate(seed, NULL));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, NULL));
	ASSERT_EQ(LOG2, key.log2_domain);
	ASSERT_EQ(LULL_OK, keygen_draw(&t, seed, LOG2, NULL));
	for (i = 0; i < LULL_ARRAY_SIZE(at); i++) {
		lagrange_closed(&x, &t.tau, LOG2, at[i]);
		expect_g1("A", at[i], &x, key.a + (at[i] + 1) * g1);
		expect_g2("B2", at[i], &x, key.b2 + (at[i] + 1) * 2 * g1);
		before = fr_zero;
		if (at[i])
			lagrange_closed(&before, &t.tau, LOG2, at[i] - 1);
		mixed(&y, &t, &x, &x, &before, &t.delta);
		expect_g1("C", at[i], &y, key.c + at[i] * g1);
		lagrange_closed(&x, &t.tau, LOG2 + 1, 2 * at[i] + 1);
		fr_inv(&y, &t.delta);
		fr_mul(&x, &x, &y);
		expect_g1("H", at[i], &x, key.h + at[i] * g1);
	}
	lull_zkey_close(&key);
}

TEST(a_seed_gives_the_same_bytes_on_any_number_of_threads)
{
	static uint8_t first[1 << 16], other[1 << 16];
	struct lull_workers *pool = workers;
	uint8_t seed_2[LULL_KEYGEN_SEED_BYTES];
	size_t bytes;

	set_up();
	pool = workers;
	ASSERT_TRUE(small_circuit());
	ASSERT_EQ(LULL_OK, generate(seed, NULL));
	bytes = read_file(zkey_path, first, sizeof(first));
	ASSERT_TRUE(bytes > 0 && bytes < sizeof(first));
	ASSERT_EQ(LULL_OK, lull_workers_create(1, &workers, NULL));
	EXPECT_EQ(LULL_OK, generate(seed, NULL));
	lull_workers_destroy(workers);
	workers = pool;
	EXPECT_EQ(bytes, read_file(zkey_path, other, sizeof(other)));
	EXPECT_MEMEQ(first, other, bytes);
	memcpy(seed_2, seed, sizeof(seed_2));
	seed_2[LULL_KEYGEN_SEED_BYTES - 1] ^= 1;
	EXPECT_EQ(LULL_OK, generate(seed_2, NULL));
	EXPECT_EQ(bytes, read_file(zkey_path, other, sizeof(other)));
	EXPECT_TRUE(memcmp(first, other, bytes) != 0);
}

TEST(without_a_seed_every_key_is_another)
{
	struct keygen_trapdoor t[2];

	ASSERT_EQ(LULL_OK, keygen_draw(&t[0], NULL, SMALL_LOG2, NULL));
	ASSERT_EQ(LULL_OK, keygen_draw(&t[1], NULL, SMALL_LOG2, NULL));
	EXPECT_TRUE(!fr_equal(&t[0].tau, &t[1].tau));
	EXPECT_TRUE(!fr_equal(&t[0].tau, &t[0].alpha));
	EXPECT_TRUE(!fr_equal(&t[0].gamma, &t[0].delta));
}

/* The coset's shift: w_2n, or g^2 where no 2n-th root exists. */
TEST(shift_of_the_largest_domain_is_g_squared)
{
	const unsigned int s = CURVE_CONST(FR_TWO_ADICITY);
	struct fr shift, want;

	keygen_shift(&shift, s);
	fr_from_u64(&want,
		    CURVE_CONST(FR_NON_RESIDUE) * CURVE_CONST(FR_NON_RESIDUE));
	EXPECT_TRUE(fr_equal(&want, &shift));
	keygen_shift(&shift, s - 1);
	root_of(&want, s);
	EXPECT_TRUE(fr_equal(&want, &shift));
}

TEST(no_constraints_and_a_domain_of_two)
{
	struct lull_error error = { 0 };
	struct lull_zkey key;

	set_up();
	begin_circuit(1, 0, 0, 0);
	ASSERT_TRUE(end_circuit());
	ASSERT_EQ(LULL_OK, generate(seed, &error));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, &error));
	EXPECT_EQ(2, key.domain_size);
	EXPECT_EQ(1, key.nr_vars);
	EXPECT_EQ(1, key.nr_coefs);
	lull_zkey_close(&key);

	ASSERT_TRUE(chain_circuit(1));
	ASSERT_EQ(LULL_OK, generate(seed, &error));
	ASSERT_EQ(LULL_OK, lull_zkey_open(zkey_path, 0, NULL, &key, &error));
	EXPECT_EQ(2, key.domain_size);
	EXPECT_EQ(0, key.nr_public);
	lull_zkey_close(&key);
}

/* snarkjs's rule is strict: rows that fill a domain take the next. */
TEST(rows_that_fill_a_domain_take_the_next)
{
	static const uint32_t rows[][2] = {
		{ 3, 4 }, { 4, 8 }, { 7, 8 }, { 8, 16 }
	};
	struct lull_zkey key;
	unsigned int i;

	set_up();
	for (i = 0; i < LULL_ARRAY_SIZE(rows); i++) {
		ASSERT_TRUE(chain_circuit(rows[i][0]));
		ASSERT_EQ(LULL_OK, generate(seed, NULL));
		ASSERT_EQ(LULL_OK,
			  lull_zkey_open(zkey_path, 0, NULL, &key, NULL));
		EXPECT_EQ(rows[i][1], key.domain_size);
		lull_zkey_close(&key);
	}
}

/* Whether the directory holds nothing beside the circuit. */
static bool no_key_left(void)
{
	char command[128];

	snprintf(command, sizeof(command), "test \"$(ls -A %s)\" = c.r1cs",
		 dir);
	return system(command) == 0;
}

static void expect_refusal(const char *out, int want, const char *message)
{
	struct lull_error error = { 0 };

	EXPECT_EQ(want, lull_keygen_toxic(r1cs_path, out, NULL, workers,
					  test_arena(), NULL, &error));
	EXPECT_EQ(want, error.code);
	if (!strstr(error.msg, message))
		TEST_FAIL_("expected \"%s\" in \"%s\"", message, error.msg);
	EXPECT_TRUE(no_key_left());
}

TEST(refuses_outputs_it_cannot_or_must_not_write)
{
	static uint8_t after[sizeof(circuit)];
	char path[96];

	set_up();
	unlink(zkey_path);
	ASSERT_TRUE(small_circuit());
	expect_refusal(r1cs_path, LULL_USAGE, "would replace the circuit");
	EXPECT_EQ(used, read_file(r1cs_path, after, sizeof(after)));
	EXPECT_MEMEQ(circuit, after, used);
	expect_refusal("/dev/null", LULL_USAGE, "a device or pipe");
	snprintf(path, sizeof(path), "%s/none/c.zkey", dir);
	expect_refusal(path, LULL_IO, "none");
}

TEST(a_full_disk_leaves_no_key)
{
	const struct rlimit little = { 2000, RLIM_INFINITY };
	struct rlimit before;

	set_up();
	unlink(zkey_path);
	ASSERT_TRUE(small_circuit());
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &before));
	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &little));
	expect_refusal(zkey_path, LULL_IO, "c.zkey");
	setrlimit(RLIMIT_FSIZE, &before);
}

TEST(refuses_circuits_beyond_the_domains)
{
	const unsigned int most = LULL_CURVE_ID == LULL_CURVE_BN254 ? 28 : 31;
	char message[64];

	set_up();
	unlink(zkey_path);
	begin_circuit((1u << most) + 1, 1u << most, 0, 0);
	ASSERT_TRUE(end_circuit());
	snprintf(message, sizeof(message), "expected less than 2^%u", most);
	expect_refusal(zkey_path, LULL_UNSUPPORTED, message);
}

TEST(refuses_custom_gates_and_other_primes)
{
	set_up();
	unlink(zkey_path);
	ASSERT_TRUE(small_circuit());
	memcpy(circuit + 8, &(uint32_t){ 3 }, sizeof(uint32_t));
	put_u32(LULL_R1CS_GATES);
	put_u64(4);
	put_u32(1);
	ASSERT_TRUE(write_file(r1cs_path, circuit, used));
	expect_refusal(zkey_path, LULL_UNSUPPORTED, "custom gates");

	ASSERT_TRUE(small_circuit());
	circuit[12 + 12 + 4] ^= 2; /* the prime, behind three headers */
	ASSERT_TRUE(write_file(r1cs_path, circuit, used));
	expect_refusal(zkey_path, LULL_UNSUPPORTED,
		       "expected that of BN254 or BLS12-381");
}

TEST(clean_up)
{
	set_up();
	unlink(zkey_path);
	unlink(r1cs_path);
	EXPECT_EQ(0, rmdir(dir));
	lull_workers_destroy(workers);
}

TEST_MAIN
