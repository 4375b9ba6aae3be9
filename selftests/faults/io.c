// SPDX-License-Identifier: Apache-2.0
/*
 * io.c - full disks and bad random numbers, with the exact messages
 */
#include "prove/prove.h"

#include <signal.h>
#include <sys/resource.h>

#include "wrap.h"

#define CIRCUIT "bls12381-mul2"
#define R1CS GOLDEN CIRCUIT ".r1cs"
#define FILE_LIMIT 100 /* bytes: less than any output, more than nothing */

static struct lull_ctx *ctx;
static struct lull_key *key;
static struct lull_wtns *wtns;
static struct lull_proof *proof;

static bool set_up(void)
{
	ctx = make_ctx_on("thp", 2);
	return !lull_key_open(ctx, GOLDEN CIRCUIT ".zkey", &key, NULL) &&
	       !lull_wtns_open(ctx, GOLDEN CIRCUIT ".wtns", &wtns, NULL) &&
	       !lull_prove(ctx, key, wtns, NULL, &proof, NULL);
}

static void take_down(void)
{
	lull_proof_free(proof);
	lull_wtns_close(wtns);
	lull_key_close(key);
	lull_ctx_destroy(ctx);
	scratch_clear();
}

static void expect_io(int err, const struct lull_error *error, int sys_errno,
		      const char *path, const char *what)
{
	char msg[PATH_BYTES * 2];

	EXPECT_EQ(LULL_IO, err);
	EXPECT_EQ(LULL_IO, error->code);
	EXPECT_EQ(sys_errno, error->sys_errno);
	snprintf(msg, sizeof(msg), "%s%s", path, what);
	EXPECT_STREQ(msg, error->msg);
}

/* ---- full disks -------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
}

TEST(files_that_may_not_grow)
{
	char first[PATH_BYTES], second[PATH_BYTES];
	struct rlimit before;
	struct lull_error error;
	int err;

	ASSERT_TRUE(set_up());
	scratch_path(first, "first");
	scratch_path(second, "second");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	fflush(stdout);

	limit_files(FILE_LIMIT);
	err = lull_key_vkey_write(key, first, &error);
	limit_files(before.rlim_cur);
	expect_io(err, &error, EFBIG, first, ": writing: File too large");

	limit_files(FILE_LIMIT);
	err = lull_proof_write(proof, first, second, &error);
	limit_files(before.rlim_cur);
	expect_io(err, &error, EFBIG, first, ": writing: File too large");

	limit_files(FILE_LIMIT);
	err = lull_key_generate_toxic(ctx, R1CS, first, &error);
	limit_files(before.rlim_cur);
	EXPECT_EQ(LULL_IO, err);
	EXPECT_EQ(EFBIG, error.sys_errno);
	EXPECT_TRUE(strstr(error.msg, ": writing at offset 0x") != NULL);
	EXPECT_TRUE(strstr(error.msg, ": File too large") != NULL);

	EXPECT_EQ(0, scratch_count());
	EXPECT_EQ(LULL_OK, lull_proof_write(proof, first, second, NULL));
	EXPECT_EQ(2, scratch_count());
	take_down();
}

TEST(full_device)
{
	char path[PATH_BYTES];
	struct lull_error error;

	ASSERT_TRUE(set_up());
	scratch_path(path, "other");
	expect_io(lull_key_vkey_write(key, "/dev/full", &error), &error, ENOSPC,
		  "/dev/full", ": writing: No space left on device");
	expect_io(lull_proof_write(proof, "/dev/full", path, &error), &error,
		  ENOSPC, "/dev/full", ": writing: No space left on device");
	expect_io(lull_proof_write(proof, path, "/dev/full", &error), &error,
		  ENOSPC, "/dev/full", ": writing: No space left on device");
	EXPECT_EQ(LULL_USAGE,
		  lull_key_generate_toxic(ctx, R1CS, "/dev/full", &error));
	EXPECT_STREQ("/dev/full: it is written at many places at once: "
		     "expected a regular file, found a device or pipe",
		     error.msg);
	EXPECT_EQ(0, scratch_count());
	take_down();
}

/* A file system may tell of a full disk when a file is closed: once for each of
 * two, before either has its name.  What is closed later is told nothing new. */
TEST(full_on_close)
{
	char first[PATH_BYTES], second[PATH_BYTES];
	struct lull_error error;
	unsigned int nth, nr_told = 0;
	const char *met;
	int err;

	ASSERT_TRUE(set_up());
	scratch_path(first, "first");
	scratch_path(second, "second");
	for (nth = 1;; nth++) {
		wrap_arm(FAULT_FAIL, nth, ENOSPC);
		err = lull_proof_write(proof, first, second, &error);
		met = wrap_disarm();
		if (!met)
			break;
		EXPECT_EQ(err ? 0 : 2, scratch_count());
		if (!err)
			EXPECT_STREQ("close", met);
		else if (!strcmp(met, "close"))
			expect_io(err, &error, ENOSPC,
				  nr_told++ ? second : first,
				  ": writing: No space left on device");
		unlink(first);
		unlink(second);
	}
	EXPECT_EQ(LULL_OK, err);
	EXPECT_EQ(2, nr_told);
	EXPECT_EQ(2, scratch_count());
	take_down();
}

/* ---- older files ------------------------------------------------------- */

static void write_old(const char *path)
{
	struct blob old = blob_copy("old", 3);

	blob_write(&old, path);
	blob_free(&old);
	EXPECT_EQ(0, chmod(path, 0600));
}

/* All of the older one, or none of it; and who may read it. */
static void expect_file(const char *path, bool old)
{
	struct blob is = blob_read(path);
	struct stat st;

	EXPECT_EQ(old, is.bytes == 3 && !memcmp("old", is.data, 3));
	EXPECT_EQ(0, stat(path, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	blob_free(&is);
}

/* Two outputs that replace older ones: both do, or neither, whichever call
 * fails. */
static void replace_failing(const char *first, const char *second)
{
	struct lull_error error;
	const char *met;
	unsigned int nth, nr_refused = 0;
	int err;

	for (nth = 1;; nth++) {
		write_old(first);
		write_old(second);
		wrap_arm(FAULT_FAIL, nth, EIO);
		err = lull_proof_write(proof, first, second, &error);
		met = wrap_disarm();
		nr_refused += err != LULL_OK;
		expect_file(first, err);
		expect_file(second, err);
		EXPECT_EQ(2, scratch_count());
		if (!met)
			break;
	}
	EXPECT_EQ(LULL_OK, err);
	EXPECT_TRUE(nr_refused > 10);
}

TEST(older_outputs_stay_when_one_fails)
{
	char first[PATH_BYTES], second[PATH_BYTES];

	ASSERT_TRUE(set_up());
	scratch_path(first, "first");
	scratch_path(second, "second");
	replace_failing(first, second);
	wrapped.exchange_error = EINVAL;
	replace_failing(first, second);
	wrapped.exchange_error = 0;
	take_down();
}

/* A filter of system calls says EPERM, and a file system in user space ENOSYS:
 * then an older file cannot be kept, and is replaced all the same. */
TEST(older_outputs_that_cannot_be_kept)
{
	static const int errors[] = { EPERM, ENOSYS, EINVAL, EACCES, EIO };
	char first[PATH_BYTES], second[PATH_BYTES];
	const size_t nr = LULL_ARRAY_SIZE(errors);
	struct lull_error error;
	size_t i;

	ASSERT_TRUE(set_up());
	scratch_path(first, "first");
	scratch_path(second, "second");
	for (i = 0; i < nr * nr; i++) {
		write_old(first);
		write_old(second);
		wrapped.exchange_error = errors[i / nr];
		wrapped.link_error = errors[i % nr];
		if (lull_proof_write(proof, first, second, &error))
			TEST_FAIL_("%s", error.msg);
		expect_file(first, false);
		expect_file(second, false);
		EXPECT_EQ(2, scratch_count());
	}
	wrapped.exchange_error = 0;
	wrapped.link_error = 0;
	take_down();
}

/* ---- random numbers ---------------------------------------------------- */

static int prove_disturbed(enum fault fault, unsigned int nth, int sys_errno,
			   struct lull_error *error)
{
	struct lull_proof *made;
	int err;

	memset(&made, POISON, sizeof(made));
	memset(error, POISON, sizeof(*error));
	wrap_arm(fault, nth, sys_errno);
	err = lull_prove(ctx, key, wtns, NULL, &made, error);
	EXPECT_STREQ("getrandom", wrap_disarm());
	if (err)
		EXPECT_TRUE(untouched(&made, sizeof(made)));
	else
		lull_proof_free(made);
	return err;
}

/* r is drawn first, then s; each until one is below the order. */
TEST(random_numbers)
{
	struct lull_error error;
	unsigned int nth;

	ASSERT_TRUE(set_up());
	for (nth = 1; nth <= 2; nth++) {
		expect_io(prove_disturbed(FAULT_FAIL, nth, EIO, &error), &error,
			  EIO, "getrandom", ": Input/output error");
		expect_io(prove_disturbed(FAULT_SHORT, nth, 0, &error), &error,
			  0, "getrandom", ": expected 32 bytes, found 16");
		EXPECT_EQ(LULL_OK,
			  prove_disturbed(FAULT_EINTR, nth, 0, &error));
		EXPECT_TRUE(untouched(&error, sizeof(error)));
	}
	take_down();
}

TEST_MAIN
