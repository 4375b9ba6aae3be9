// SPDX-License-Identifier: Apache-2.0
/*
 * meanwhile.c - an input is cut short or written to at any moment
 *
 * Before the first call to the system that a function makes, before its second,
 * and so on, another process leaves only the beginning of its input, or writes to
 * it.  The function then refuses the file by name, or had not begun with it or was
 * done.  Who looks at what a mapping shows of a file that was cut is ended by a
 * signal, and this program with it: circuits, which are mapped, are only written to.
 */
#include <fcntl.h>

#include "lull_bellman.h"
#include "open_files.h"
#include "prove/prove.h"

#include "wrap.h"

#define CIRCUIT "bls12381-mul2"
#define NR_CALLS_MAX 2000

static struct lull_ctx *ctx;
static struct lull_wtns *wtns;
static char input[PATH_BYTES], other[PATH_BYTES], third[PATH_BYTES];
static char output[PATH_BYTES];
static off_t left;

/* Another process, and what is said of it. */
struct harm {
	void (*harm)(void);
	const char *text; /* NULL: many things */
};

static void cut(void)
{
	if (truncate(input, left))
		TEST_FAIL_("%s is not cut", input);
}

/* The same byte again: only the time tells. */
static void write_to(void)
{
	int fd = open(input, O_RDWR);
	char byte = 0;

	EXPECT_EQ(1, pread(fd, &byte, 1, left - 1));
	EXPECT_EQ(1, pwrite(fd, &byte, 1, left - 1));
	close(fd);
}

static const struct harm cutting = { cut, NULL };
static const struct harm writing = { write_to,
				     "the file changed while it was read" };

/* ---- who reads it -------------------------------------------------------- */

/* What was made may not be there before the next time. */
static int unmake(int err)
{
	if (!err)
		unlink(output);
	return err;
}

static int do_convert(struct lull_error *error)
{
	return unmake(lull_key_convert(ctx, input, output, NULL, error));
}

static int do_key_open(struct lull_error *error)
{
	struct lull_key *key = NULL;
	int err = lull_key_open(ctx, input, &key, error);

	lull_key_close(key);
	return err;
}

static int do_wtns_open(struct lull_error *error)
{
	int err = lull_wtns_open(ctx, input, &wtns, error);

	if (!err)
		lull_wtns_close(wtns);
	wtns = NULL;
	return err;
}

static int do_verify_vkey(struct lull_error *error)
{
	return lull_verify(input, other, third, error);
}

static int do_verify_public(struct lull_error *error)
{
	return lull_verify(third, input, other, error);
}

static int do_verify_proof(struct lull_error *error)
{
	return lull_verify(other, third, input, error);
}

static int do_generate(struct lull_error *error)
{
	return unmake(lull_key_generate_toxic(ctx, input, output, error));
}

static const struct lull_convert_opts with_circuit = {
	.size = sizeof(with_circuit), .r1cs_path = input
};

static int do_convert_with_circuit(struct lull_error *error)
{
	return unmake(lull_key_convert(ctx, GOLDEN CIRCUIT ".zkey", output,
				       &with_circuit, error));
}

static int do_convert_bellman(struct lull_error *error)
{
	return unmake(lull_key_convert_bellman(ctx, other, output,
					       &with_circuit, error));
}

static int do_circuit_info(struct lull_error *error)
{
	struct lull_circuit_info info = { .size = sizeof(info) };
	int err = lull_circuit_info(input, &info, error);

	if (err)
		EXPECT_EQ(0, info.nr_wires);
	return err;
}

static int do_wtns_check(struct lull_error *error)
{
	return lull_wtns_check(wtns, input, error);
}

/* ---- before each of its calls -------------------------------------------- */

/* Last written long ago: the next time is another, however coarse it is. */
static void write_input(const struct blob *whole)
{
	const struct timespec times[] = { { 1, 0 }, { 1, 0 } };

	blob_write(whole, input);
	EXPECT_EQ(0, utimensat(AT_FDCWD, input, times, 0));
}

/* Whether it was told of. */
static bool harm_before_call(int (*fn)(struct lull_error *),
			     const struct harm *harm, unsigned int nth,
			     const char **ret_met)
{
	const long blocks = atomic_load(&wrapped.blocks);
	const long mapped = atomic_load(&wrapped.mapped);
	const unsigned int nr_open = nr_open_files(), files = scratch_count();
	struct lull_error error;
	int err;

	memset(&error, POISON, sizeof(error));
	wrapped.hook = harm->harm;
	wrap_arm(FAULT_HOOK, nth, 0);
	err = fn(&error);
	*ret_met = wrap_disarm();
	EXPECT_EQ(blocks, atomic_load(&wrapped.blocks));
	EXPECT_EQ(mapped, atomic_load(&wrapped.mapped));
	EXPECT_TRUE(!more_files_stay_open(nr_open));
	EXPECT_EQ(files, scratch_count());
	if (!err)
		EXPECT_TRUE(untouched(&error, sizeof(error)));
	else if (!*ret_met || error.code != err ||
		 (err != LULL_IO && (harm->text || err != LULL_FORMAT)) ||
		 !strstr(error.msg, input) ||
		 (harm->text && !strstr(error.msg, harm->text)))
		TEST_FAIL_("%s, call %u, %ld bytes: %d %s",
			   *ret_met ? *ret_met : "none", nth, (long)left, err,
			   error.msg);
	return err;
}

/* Returns how often it was told of. */
static unsigned int harm_before_each(int (*fn)(struct lull_error *),
				     const struct harm *harm,
				     const struct blob *whole, off_t at)
{
	unsigned int nth, nr_told = 0;
	const char *met = "";

	left = at;
	for (nth = 1; met && nth < NR_CALLS_MAX; nth++) {
		write_input(whole);
		nr_told += harm_before_call(fn, harm, nth, &met);
	}
	EXPECT_TRUE(!met);
	return nr_told;
}

static void cut_before_each(int (*fn)(struct lull_error *),
			    const struct blob *whole)
{
	const off_t lefts[] = { 0, 11, (off_t)whole->bytes / 2,
				(off_t)whole->bytes - 1 };
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(lefts); i++)
		EXPECT_TRUE(harm_before_each(fn, &cutting, whole, lefts[i]) >
			    1);
}

static void write_before_each(int (*fn)(struct lull_error *),
			      const struct blob *whole)
{
	EXPECT_TRUE(harm_before_each(fn, &writing, whole, (off_t)whole->bytes) >
		    1);
}

static void set_up(void)
{
	ctx = make_ctx_on("thp", 2);
	scratch_path(input, "input");
	scratch_path(other, "other");
	scratch_path(third, "third");
	scratch_path(output, "output");
}

static void take_down(void)
{
	lull_wtns_close(wtns);
	wtns = NULL;
	lull_ctx_destroy(ctx);
	scratch_clear();
}

static void try_file(int (*fn)(struct lull_error *), const char *path)
{
	struct blob whole = blob_read(path);

	set_up();
	/* What is had once and kept. */
	write_input(&whole);
	ASSERT_EQ(LULL_OK, fn(NULL));
	cut_before_each(fn, &whole);
	write_before_each(fn, &whole);
	take_down();
	blob_free(&whole);
}

static void try_circuit(int (*fn)(struct lull_error *))
{
	struct blob whole = blob_read(GOLDEN CIRCUIT ".r1cs");
	struct lull_key *key = NULL;

	set_up();
	ASSERT_EQ(LULL_OK,
		  lull_wtns_open(ctx, GOLDEN CIRCUIT ".wtns", &wtns, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_key_open(ctx, GOLDEN CIRCUIT ".zkey", &key, NULL));
	ASSERT_EQ(LULL_OK, lull_key_bellman_write(key, other, NULL));
	lull_key_close(key);
	write_input(&whole);
	ASSERT_EQ(LULL_OK, fn(NULL));
	write_before_each(fn, &whole);
	take_down();
	blob_free(&whole);
}

TEST(converting)
{
	try_file(do_convert, GOLDEN CIRCUIT ".zkey");
}

TEST(converting_with_contributions)
{
	try_file(do_convert, GOLDEN CIRCUIT "-contributed.zkey");
}

TEST(opening)
{
	try_file(do_key_open, GOLDEN CIRCUIT ".zkey");
}

TEST(opening_native)
{
	try_file(do_key_open, GOLDEN CIRCUIT "-folded.lkey");
}

TEST(witness)
{
	try_file(do_wtns_open, GOLDEN CIRCUIT ".wtns");
}

/* One of the three files of a verification; the other two stay. */
static void try_verify(int (*fn)(struct lull_error *), const char *vkey,
		       const char *public, const char *proof)
{
	struct lull_key *key = NULL;
	struct lull_proof *made = NULL;
	struct blob whole;

	ASSERT_TRUE(!lull_key_open(ctx, GOLDEN CIRCUIT ".zkey", &key, NULL) &&
		    !lull_wtns_open(ctx, GOLDEN CIRCUIT ".wtns", &wtns, NULL) &&
		    !lull_prove(ctx, key, wtns, NULL, &made, NULL));
	EXPECT_EQ(LULL_OK, lull_proof_write(made, proof, public, NULL));
	EXPECT_EQ(LULL_OK, lull_key_vkey_write(key, vkey, NULL));
	lull_proof_free(made);
	lull_wtns_close(wtns);
	wtns = NULL;
	lull_key_close(key);
	whole = blob_read(input);
	cut_before_each(fn, &whole);
	write_before_each(fn, &whole);
	blob_free(&whole);
}

TEST(verifying)
{
	wrap_jansson();
	set_up();
	try_verify(do_verify_vkey, input, other, third);
	try_verify(do_verify_public, third, input, other);
	try_verify(do_verify_proof, other, third, input);
	take_down();
}

TEST(generating)
{
	try_circuit(do_generate);
}

TEST(converting_with_a_circuit)
{
	try_circuit(do_convert_with_circuit);
}

TEST(converting_parameters)
{
	try_circuit(do_convert_bellman);
}

TEST(circuit)
{
	try_circuit(do_circuit_info);
}

TEST(witness_and_circuit)
{
	try_circuit(do_wtns_check);
}

TEST_MAIN
