// SPDX-License-Identifier: Apache-2.0
/*
 * convert_loaders.c - keys are converted the same by whoever reads them
 *
 * Every loader gives the same bytes, and says in the same words what became of
 * a file that somebody changes under the conversion.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "prove.h"

#include "input/lkey_blob.h"
#include "lull_bellman.h"
#include "prove/source.h"
#include "denied.h"

static const char *const loaders[] = { NULL, "uring", "pread", "mmap" };

static char path_in[PATH_BYTES], path_out[PATH_BYTES];

/* One file that is a key. */
struct source {
	const char *name;
	int (*convert)(struct lull_ctx *ctx, const char *in, const char *out,
		       const struct lull_convert_opts *opts,
		       struct lull_error *reterr);
	const char *file, *r1cs;
	bool backwards; /* its coefficients' order */
};

static const struct source sources[] = {
	{ "BN254", lull_key_convert, GOLDEN "bn128-poseidon2.zkey",
	  GOLDEN "bn128-poseidon2.r1cs", false },
	{ "unsorted", lull_key_convert, GOLDEN "bn128-poseidon2.zkey", NULL,
	  true },
	{ "BLS12-381", lull_key_convert, GOLDEN "bls12381-chain1000.zkey", NULL,
	  false },
	{ "bellman", lull_key_convert_bellman,
	  GOLDEN "bls12381-poseidon2.params", GOLDEN "bls12381-poseidon2.r1cs",
	  false },
};

/* Gives NULL where the loader is left out. */
static struct lull_ctx *ctx_with(const char *loader)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = 3,
					    .loader = loader };
	struct lull_error error = { 0 };
	struct lull_ctx *ctx = NULL;

	if (!left_out(loader) && lull_ctx_create(&opts, &ctx, &error))
		TEST_FAIL_("%s", error.msg);
	return ctx;
}

/* A copy that may be changed, last written long ago. */
static void write_in(const struct source *source)
{
	const struct timespec times[] = { { 1, 0 }, { 1, 0 } };
	struct blob b = blob_read(source->file);

	scratch_clear();
	scratch_path(path_in, "in");
	scratch_path(path_out, "out.lkey");
	if (source->backwards)
		reverse_coefs(&b);
	blob_write(&b, path_in);
	blob_free(&b);
	ASSERT_EQ(0, utimensat(AT_FDCWD, path_in, times, 0));
}

TEST(bytes_do_not_depend_on_the_loader)
{
	struct blob want = { 0 }, got;
	struct lull_ctx *ctx;
	size_t i, k;

	for (i = 0; i < LULL_ARRAY_SIZE(sources); i++) {
		const struct lull_convert_opts opts = {
			.size = sizeof(opts), .r1cs_path = sources[i].r1cs
		};

		write_in(&sources[i]);
		for (k = 0; k < LULL_ARRAY_SIZE(loaders); k++) {
			ctx = ctx_with(loaders[k]);
			if (!ctx)
				continue;
			ASSERT_EQ(LULL_OK,
				  sources[i].convert(ctx, path_in, path_out,
						     &opts, NULL));
			got = blob_read(path_out);
			lull_ctx_destroy(ctx);
			if (!k) {
				want = got;
				continue;
			}
			ASSERT_EQ(want.bytes, got.bytes);
			EXPECT_MEMEQ(want.data, got.data, want.bytes);
			blob_free(&got);
		}
		blob_free(&want);
	}
}

/* ---- a file that changes ------------------------------------------------- */

/* What is done to the input, once, when a step begins. */
struct harm {
	const char *step;
	void (*harm)(void);
	bool done;
};

static void cut(void)
{
	/* Behind what tells the structure, before most of the points. */
	ASSERT_EQ(0, truncate(path_in, 1 << 14));
}

static void touch(void)
{
	ASSERT_EQ(0, utimensat(AT_FDCWD, path_in, NULL, 0));
}

/* Another row or column of a record half way, and nobody can tell by the time. */
static void overwrite(size_t field)
{
	const struct timespec times[] = { { 1, 0 }, { 1, 0 } };
	const uint32_t none = UINT32_MAX;
	struct blob b = blob_read(path_in);
	int fd = open(path_in, O_WRONLY);
	off_t at = coef_at(&b, coefs_nr(&b) / 2) + field - b.data;

	ASSERT_EQ(sizeof(none), pwrite(fd, &none, sizeof(none), at));
	close(fd);
	blob_free(&b);
	ASSERT_EQ(0, utimensat(AT_FDCWD, path_in, times, 0));
}

static void overwrite_row(void)
{
	overwrite(LULL_RECORD_ROW);
}

static void overwrite_column(void)
{
	overwrite(LULL_RECORD_COLUMN);
}

static void do_harm(void *arg, const char *what, unsigned int nr_done,
		    unsigned int nr_all)
{
	struct harm *harm = arg;

	(void)nr_done;
	(void)nr_all;
	if (harm->done || strcmp(what, harm->step))
		return;
	harm->done = true;
	harm->harm();
}

static void expect_told(const struct source *source, const char *loader,
			struct harm harm, const char *text)
{
	const struct lull_convert_opts opts = { .size = sizeof(opts),
						.r1cs_path = source->r1cs,
						.progress = do_harm,
						.progress_arg = &harm };
	struct lull_ctx *ctx = ctx_with(loader);
	struct lull_error error = { 0 };

	if (!ctx)
		return;
	write_in(source);
	EXPECT_EQ(LULL_IO,
		  source->convert(ctx, path_in, path_out, &opts, &error));
	EXPECT_TRUE(harm.done);
	if (!strstr(error.msg, path_in) || !strstr(error.msg, text))
		TEST_FAIL_("%s, %s: expected \"%s\", found \"%s\"",
			   source->name, loader ? loader : "auto", text,
			   error.msg);
	EXPECT_TRUE(access(path_out, F_OK));
	lull_ctx_destroy(ctx);
}

TEST(cut_short_while_it_is_read)
{
	size_t i, k;

	for (i = 0; i < LULL_ARRAY_SIZE(sources); i++)
		for (k = 0; k < LULL_ARRAY_SIZE(loaders); k++)
			expect_told(&sources[i], loaders[k],
				    (struct harm){ "points of B2", cut, false },
				    "the file was cut short while it was read");
}

TEST(written_to_while_it_is_read)
{
	size_t i, k;

	for (i = 0; i < LULL_ARRAY_SIZE(sources); i++)
		for (k = 0; k < LULL_ARRAY_SIZE(loaders); k++)
			expect_told(
				&sources[i], loaders[k],
				(struct harm){ "points of H", touch, false },
				"the file changed while it was read");
}

TEST(coefficients_change_after_they_were_checked)
{
	const struct harm harms[] = { { "rows", overwrite_column, false },
				      { "rows", overwrite_row, false } };
	size_t i, k;

	for (i = 0; i < LULL_ARRAY_SIZE(harms); i++)
		for (k = 0; k < LULL_ARRAY_SIZE(loaders); k++)
			expect_told(&sources[2], loaders[k], harms[i],
				    "the file changed while it was read");
}

TEST_MAIN
