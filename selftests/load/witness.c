// SPDX-License-Identifier: Apache-2.0
/*
 * witness.c - a witness is checked while it is read, its values' classes are found,
 * and what is refused is what is refused of one in memory
 */
#include "base/workers.h"
#include "input/files.h"
#include "input/wtns.h"
#include "load/variants.h"
#include "prove/witness.h"

#define CHAIN GOLDEN "bn128-chain1000.wtns"
#define NR_VALUES 1002
#define NR_SECTIONS 8
#define VALUES 76

static char path[PATH_BYTES];
static struct lull_workers *workers;

/* The class of each value as its bytes say it, and how many there are. */
static void expect_classes(const struct lull_wtnsfile *wtns)
{
	const uint8_t zero[LULL_WTNS_VALUE_BYTES] = { 0 }, one[32] = { 1 };
	const struct lull_classes *found = &wtns->classes;
	size_t nr[3] = { 0 }, i;
	enum lull_class c;

	ASSERT_TRUE(found->map != NULL);
	for (i = 0; i < wtns->nr_values; i++) {
		const uint8_t *v = wtns->values + i * sizeof(zero);

		c = LULL_CLASS_OTHER;
		if (!memcmp(v, zero, sizeof(zero)))
			c = LULL_CLASS_ZERO;
		else if (!memcmp(v, one, sizeof(one)))
			c = LULL_CLASS_ONE;
		nr[c]++;
		ASSERT_EQ(c, found->map[i / LULL_CLASSES_PER_WORD] >>
					     i % LULL_CLASSES_PER_WORD *
						     LULL_CLASS_BITS &
				     3);
	}
	EXPECT_EQ(nr[LULL_CLASS_ONE], found->nr_ones);
	EXPECT_EQ(nr[LULL_CLASS_OTHER], found->nr_others);
}

/* By every loader: the code, whether it was checked early, and the message. */
static int open_by(struct lull_loader *loader, bool *ret_checked,
		   struct lull_error *error)
{
	const struct lull_infile_memory memory = {
		.arena = test_arena(),
		.reader = lull_loader_reader(loader),
	};
	struct lull_wtnsfile wtns;
	int err;

	memset(error, 0, sizeof(*error));
	err = lull_wtnsfile_open(path, NULL, 0, &memory, &wtns, error);
	if (err)
		return err;
	*ret_checked = wtns.checked;
	EXPECT_EQ(LULL_OK,
		  lull_wtnsfile_check_values(&wtns, 0, wtns.nr_values, NULL));
	/* Found while it was read, or now. */
	EXPECT_EQ(wtns.checked, wtns.classes.map != NULL);
	EXPECT_EQ(LULL_OK,
		  lull_witness_check(&wtns, workers, test_arena(), NULL));
	EXPECT_TRUE(wtns.checked);
	expect_classes(&wtns);
	lull_wtnsfile_close(&wtns);
	return LULL_OK;
}

static void write_file(const struct blob *b)
{
	const char *folder = getenv("TMPDIR");

	if (!path[0]) {
		snprintf(path, sizeof(path), "%.200s/lull-selftest-XXXXXX",
			 folder ? folder : "/tmp");
		close(mkstemp(path));
	}
	blob_write(b, path);
}

static void try_blob(const struct blob *b, bool early, const char *what)
{
	struct lull_error want = { 0 }, error;
	uint64_t used = arena_used();
	struct lull_loader *loader;
	struct lull_wtnsfile wtns;
	bool checked = !early;
	size_t v;
	int err;

	write_file(b);
	if (!workers)
		ASSERT_EQ(LULL_OK, lull_workers_create(2, &workers, NULL));
	err = lull_wtnsfile_open(path, NULL, 0, NULL, &wtns, &want);
	if (!err)
		lull_wtnsfile_close(&wtns);
	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		EXPECT_EQ(err, open_by(loader, &checked, &error));
		EXPECT_STREQ(want.msg, error.msg);
		if (!err && checked != early)
			TEST_FAIL_("%s: checked early: expected %d, found %d",
				   what, early, checked);
		lull_loader_close(loader);
		EXPECT_EQ(used, arena_used());
	}
	unlink(path);
	path[0] = '\0';
}

TEST(good)
{
	struct blob b = blob_read(CHAIN);
	struct blob turned = blob_reorder(&b, (const uint32_t[]){ 2, 1, 0 });

	try_blob(&b, true, "as circom writes it");
	try_blob(&turned, false, "values first");
	blob_append(&b, "abc", 3);
	try_blob(&b, true, "trailing bytes");
	blob_free(&turned);
	blob_free(&b);
}

/* Beside the values of a golden witness. */
static void expect_refused(const struct lull_wtns_want *want,
			   const struct blob *b, uint64_t bytes, int code,
			   const char *part)
{
	const struct lull_infile_memory memory = { .arena = test_arena() };
	struct lull_arena_stats was, is;
	struct lull_wtnsfile wtns;
	struct lull_error error = { 0 };

	write_file(b);
	EXPECT_EQ(0, truncate(path, (off_t)bytes));
	lull_arena_stats(test_arena(), &was);
	EXPECT_EQ(code,
		  lull_wtnsfile_open(path, want, 0, &memory, &wtns, &error));
	if (!strstr(error.msg, part))
		TEST_FAIL_("expected \"%s\" in \"%s\"", part, error.msg);
	/* Nor was memory taken for it. */
	lull_arena_stats(test_arena(), &is);
	EXPECT_EQ(was.nr_carves, is.nr_carves);
}

/* A sparse file, of which the disk has 32 KiB. */
TEST(no_more_is_read_than_is_wanted)
{
	const struct lull_wtns_want want = { "k.zkey", "key",
					     lull_curve_facts(LULL_CURVE_BN254),
					     NR_VALUES };
	const uint64_t large = (uint64_t)1 << 40;
	struct blob b = blob_read(CHAIN), turned;
	struct lull_infile_memory memory = { .arena = test_arena() };
	struct lull_wtns_want other = want;
	struct lull_wtnsfile wtns;
	size_t v;

	turned = blob_reorder(&b, (const uint32_t[]){ 2, 1, 0 });
	write_file(&b);
	EXPECT_EQ(0, truncate(path, (off_t)large));
	for (v = next_variant(0); v < NR_VARIANTS; v = next_variant(v + 1)) {
		struct lull_loader *loader = open_variant(v);

		ASSERT_TRUE(loader != NULL);
		memory.reader = lull_loader_reader(loader);
		ASSERT_EQ(LULL_OK, lull_wtnsfile_open(path, &want, 0, &memory,
						      &wtns, NULL));
		EXPECT_EQ(b.bytes, wtns.file.in.bytes);
		EXPECT_EQ(large - b.bytes, wtns.file.trailing_bytes);
		lull_wtnsfile_close(&wtns);
		lull_loader_close(loader);
	}
	other.nr_values++;
	expect_refused(&other, &b, large, LULL_MISMATCH,
		       "k.zkey: the key expects 1003 witness values, found "
		       "1002 in ");
	other = want;
	other.facts = lull_curve_facts(LULL_CURVE_BLS12_381);
	expect_refused(&other, &b, b.bytes, LULL_MISMATCH,
		       "k.zkey is for BLS12-381, ");
	expect_refused(&want, &turned, large, LULL_FORMAT,
		       "expected at most 1048576 bytes beside 32064 of values");
	blob_put_u32(&b, NR_SECTIONS, 3);
	expect_refused(&want, &b, large, LULL_FORMAT, "expected at most");
	expect_refused(NULL, &b, large, LULL_FORMAT, "expected at most");
	unlink(path);
	path[0] = '\0';
	blob_free(&turned);
	blob_free(&b);
}

/* Of a mapped one, and of one in memory; of workers that are canceled nothing is
 * known. */
TEST(classes_without_a_reader)
{
	const atomic_bool canceled = true;
	struct lull_workers *none = NULL;
	uint64_t used = arena_used();
	struct lull_wtnsfile wtns;

	if (!workers)
		ASSERT_EQ(LULL_OK, lull_workers_create(2, &workers, NULL));
	ASSERT_EQ(LULL_OK, lull_workers_share(workers, &canceled, &none, NULL));
	ASSERT_EQ(LULL_OK,
		  lull_wtnsfile_open(CHAIN, NULL, LULL_WTNS_DEFER_VALUES, NULL,
				     &wtns, NULL));
	EXPECT_EQ(LULL_OK, lull_witness_check(&wtns, none, test_arena(), NULL));
	EXPECT_TRUE(!wtns.checked && !wtns.classes.map);
	EXPECT_EQ(used, arena_used());
	EXPECT_EQ(LULL_OK,
		  lull_witness_check(&wtns, workers, test_arena(), NULL));
	expect_classes(&wtns);
	lull_wtnsfile_close(&wtns);
	EXPECT_EQ(used, arena_used());
	lull_workers_destroy(none);
}

TEST(values_too_large)
{
	static const unsigned int at[] = { 1, 13, 14, 500, NR_VALUES - 1 };
	struct blob b = blob_read(CHAIN);
	size_t i;

	/* From the last to the first: each time another one is the first. */
	for (i = LULL_ARRAY_SIZE(at); i--;) {
		memset(b.data + VALUES + at[i] * 32, 0xff, 32);
		try_blob(&b, true, "too large");
	}
	memset(b.data + VALUES, 0, 32);
	blob_free(&b);
}

/* The head tells what the file does not hold. */
TEST(heads_that_lie)
{
	static const struct {
		const char *what;
		unsigned int at;
		uint32_t value;
	} lies[] = {
		{ "one value less", 60, NR_VALUES - 1 },
		{ "one value more", 60, NR_VALUES + 1 },
		{ "no values", 60, 0 },
		{ "more than any file", 60, UINT32_MAX },
		{ "values of 31 bytes", 24, 31 },
		{ "another prime", 28, 7 },
		{ "no header", 12, 9 },
		{ "longer header", 16, 41 },
		{ "no values section", 64, 3 },
		{ "twice the header", 64, 1 },
		{ "shorter section", 68, NR_VALUES * 32 - 1 },
		{ "longer section", 68, NR_VALUES * 32 + 1 },
		{ "huge section", 72, UINT32_MAX },
		{ "three sections", 8, 3 },
	};
	struct blob good = blob_read(CHAIN), b;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(lies); i++) {
		b = blob_copy(good.data, good.bytes);
		blob_put_u32(&b, lies[i].at, lies[i].value);
		try_blob(&b, true, lies[i].what);
		blob_free(&b);
	}
	for (i = 1; i < 200; i += 7) {
		b = blob_copy(good.data, i);
		try_blob(&b, true, "cut");
		blob_free(&b);
	}
	blob_free(&good);
}

TEST_MAIN
