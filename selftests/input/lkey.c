// SPDX-License-Identifier: Apache-2.0
/*
 * lkey.c - native keys: good ones, and each refusal alone with its message
 */
#include "harness.h"

#include <pthread.h>

#include "base/error.h"
#include "base/workers.h"
#include "input/files.h"
#include "input/lkey.h"
#include "load/loader.h"
#include "input/lkey_blob.h"
#include "denied.h"
#include "test_arena.h"

/* mul2 over BN254: 4 wires, 1 public, a domain of 4. */
#define MUL2 GOLDEN "bn128-mul2.zkey"
#define G1 64
#define G2 128

static struct blob mul2(void)
{
	static struct blob once;

	if (!once.data) {
		struct blob zkey = blob_read(MUL2);

		once = lkey_of(&zkey, NULL, 1);
		blob_free(&zkey);
	}
	return blob_copy(once.data, once.bytes);
}

/* Opens and closes; the outputs must be as the contract says either way. */
static int try_open(const struct blob *b, struct lull_error *err)
{
	struct lull_lkey key;
	int rc;

	memset(&key, POISON, sizeof(key));
	memset(err, POISON, sizeof(*err));
	rc = lull_lkey_open_mem(b->data, b->bytes, "key", NULL, NULL, &key,
				err);
	if (rc) {
		EXPECT_TRUE(untouched(&key, sizeof(key)));
		EXPECT_EQ(rc, err->code);
		EXPECT_EQ(rc, lull_lkey_open_mem(b->data, b->bytes, "key", NULL,
						 NULL, &key, NULL));
	} else {
		EXPECT_TRUE(untouched(err, sizeof(*err)));
		lull_lkey_close(&key);
		EXPECT_TRUE(!key.in.data);
	}
	return rc;
}

#define GOOD_FILE() mul2()
#define SEAL(b) lkey_seal_head(b) /* of the head, whose numbers are changed */
#include "refused.h"

/* ---- good keys ---------------------------------------------------------- */

static const char *const good[] = {
	"bn128-mul2",	     "bn128-mul2-contributed", "bn128-edge-nopub",
	"bn128-edge-linear", "bn128-poseidon2",	       "bn128-chain1000",
	"bls12381-mul2",     "bls12381-poseidon2",     "bls12381-chain1000",
};

/* The points are the .zkey's, byte for byte. */
static void expect_points(const struct lull_parts *k, const struct blob *zkey)
{
	const size_t g1 = lull_parts_g1_bytes(k), g2 = lull_parts_g2_bytes(k);
	size_t header =
		blob_payload(zkey, 2) + 8 + k->facts->fp_bytes + 32 + 12;
	const struct {
		const uint8_t *p;
		size_t at, bytes;
	} arrays[] = {
		{ k->alpha1, header, lull_parts_header_bytes(k) },
		{ k->ic, blob_payload(zkey, 3), (k->nr_public + 1) * g1 },
		{ k->a, blob_payload(zkey, 5), k->nr_vars * g1 },
		{ k->b1, blob_payload(zkey, 6), k->nr_vars * g1 },
		{ k->b2, blob_payload(zkey, 7), k->nr_vars * g2 },
		{ k->l, blob_payload(zkey, 8), k->nr_l * g1 },
		{ k->h, blob_payload(zkey, 9), k->domain_size * g1 },
	};
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(arrays); i++)
		EXPECT_MEMEQ(zkey->data + arrays[i].at, arrays[i].p,
			     arrays[i].bytes);
}

/* Every record of the .zkey, in its order, is the next entry of its row. */
static void expect_rows(const struct lull_csr *csr, const struct blob *zkey)
{
	const uint8_t *record = zkey->data + blob_payload(zkey, 4) + 4;
	uint32_t nr = lull_load_u32(record - 4), at[2] = { 0, 0 }, id, row, k;
	const struct lull_csr_matrix *m;

	EXPECT_EQ(nr, csr->matrix[0].nr_entries + csr->matrix[1].nr_entries);
	for (; nr--; record += 44) {
		k = lull_load_u32(record);
		m = &csr->matrix[k];
		row = lull_load_u32(record + 4);
		id = 0;
		memcpy(&id, m->ids + at[k] * csr->id_bytes, csr->id_bytes);
		EXPECT_TRUE(lull_load_u32(m->starts + row * 4) <= at[k]);
		EXPECT_TRUE(lull_load_u32(m->starts + row * 4 + 4) > at[k]);
		EXPECT_EQ(lull_load_u32(record + 8),
			  lull_load_u32(m->columns + at[k] * 4));
		ASSERT_TRUE(id < csr->nr_values);
		EXPECT_MEMEQ(record + 12, csr->values + (size_t)id * 32, 32);
		at[k]++;
	}
}

static void expect_same(const struct lull_parts *k, const struct blob *zkey)
{
	const uint8_t *sizes = zkey->data + blob_payload(zkey, 2) + 8 +
			       k->facts->fp_bytes + 32;

	EXPECT_EQ(lull_load_u32(sizes), k->nr_vars);
	EXPECT_EQ(lull_load_u32(sizes + 4), k->nr_public);
	EXPECT_EQ(lull_load_u32(sizes + 8), k->domain_size);
	EXPECT_EQ((int64_t)1 << k->log2_domain, k->domain_size);
	EXPECT_EQ(k->nr_vars - k->nr_public - 1, k->nr_l);
	EXPECT_TRUE(k->native && !k->folded && !k->toxic && !k->coefs);
	expect_points(k, zkey);
	expect_rows(&k->csr, zkey);
}

TEST(good_keys_at_any_alignment)
{
	struct lull_error err;
	struct lull_lkey key;
	struct blob zkey, b;
	char path[128];
	uint8_t *moved;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(good); i++) {
		snprintf(path, sizeof(path), GOLDEN "%s.zkey", good[i]);
		zkey = blob_read(path);
		b = lkey_of(&zkey, NULL, 2);
		ASSERT_TRUE(b.data);
		moved = must_alloc(b.bytes + 1);
		memcpy(moved + 1, b.data, b.bytes);
		if (lull_lkey_open_mem(moved + 1, b.bytes, "key", NULL, NULL,
				       &key, &err))
			TEST_FAIL_("%s: %s", path, err.msg);
		else
			expect_same(&key.parts, &zkey);
		lull_lkey_close(&key);
		free(moved);
		blob_free(&b);
		blob_free(&zkey);
	}
}

/* From a file into an arena, by @memory's threads or its reader. */
static void try_file(const struct lull_infile_memory *memory,
		     const struct blob *zkey)
{
	struct blob b = lkey_of(zkey, NULL, 2);
	char path[] = "/tmp/lull-lkey-XXXXXX";
	int fd = mkstemp(path);
	struct lull_error err;
	struct lull_lkey key;

	ASSERT_TRUE(fd >= 0);
	close(fd);
	blob_write(&b, path);
	EXPECT_EQ(LULL_OK, lull_lkey_open(path, memory, &key, &err));
	expect_same(&key.parts, zkey);
	EXPECT_EQ(b.bytes, key.parts.file_bytes);
	lull_lkey_close(&key);
	/* One byte of a piece that only its own hash covers. */
	b.data[lkey_at(&b, 9) + 77] ^= 1;
	blob_write(&b, path);
	EXPECT_EQ(LULL_FORMAT, lull_lkey_open(path, memory, &key, &err));
	EXPECT_TRUE(strstr(err.msg, "section 9 (points of H)") != NULL);
	b.bytes -= 1;
	blob_write(&b, path);
	EXPECT_EQ(LULL_FORMAT, lull_lkey_open(path, memory, &key, &err));
	b.bytes = 100;
	blob_write(&b, path);
	EXPECT_EQ(LULL_FORMAT, lull_lkey_open(path, memory, &key, &err));
	unlink(path);
	EXPECT_EQ(LULL_IO, lull_lkey_open(path, memory, &key, &err));
	blob_free(&b);
}

TEST(read_from_a_file)
{
	struct lull_infile_memory memory = { .arena = test_arena() };
	struct blob zkey = blob_read(GOLDEN "bls12381-chain1000.zkey");

	ASSERT_EQ(0, lull_workers_create(3, &memory.workers, NULL));
	try_file(&memory, &zkey);
	lull_workers_destroy(memory.workers);
	blob_free(&zkey);
}

TEST(read_by_every_loader)
{
	static const char *const names[] = { "auto", "uring", "pread", "mmap" };
	struct lull_infile_memory memory = { .arena = test_arena() };
	struct blob zkey = blob_read(GOLDEN "bls12381-chain1000.zkey");
	struct lull_loader *loader;
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		if (left_out(names[i]))
			continue;
		ASSERT_EQ(LULL_OK, lull_loader_open_named(
					   names[i], memory.arena, 3,
					   LULL_ARENA_NODE_ANY, &loader, NULL));
		memory.reader = lull_loader_reader(loader);
		try_file(&memory, &zkey);
		lull_loader_close(loader);
	}
	blob_free(&zkey);
}

/* Large sections begin at 2 MiB, small ones at a page. */
TEST(places)
{
	struct lull_lkey_head head = {
		.facts = lull_curve_facts(LULL_CURVE_BLS12_381),
		.nr_vars = 40000,
		.nr_public = 3,
		.log2_domain = 16,
		.id_bytes = 2,
		.nr_values = 300,
		.nr_entries = { 100000, 600000 },
	};
	struct lull_lkey_section *s = head.sections;
	uint64_t end = LKEY_HEAD;
	unsigned int i, nr_large = 0;

	lull_lkey_place(&head);
	for (i = 0; i < LULL_LKEY_NR_SECTIONS; i++, s++) {
		uint64_t align = s->bytes < LKEY_CHUNK ? 4096 : LKEY_CHUNK;

		nr_large += s->bytes >= LKEY_CHUNK;
		EXPECT_EQ(0, s->offset % align);
		EXPECT_TRUE(s->offset >= end && s->offset - end < align);
		end = s->offset + s->bytes;
	}
	EXPECT_EQ(end, head.file_bytes);
	EXPECT_EQ(6, nr_large); /* A, B1, B2, L, H, the columns of B */
	EXPECT_EQ(39996 * 96, lull_lkey_section(&head, 8)->bytes);
	head.flags = LULL_LKEY_FOLDED;
	lull_lkey_place(&head);
	EXPECT_EQ(40000 * 96, lull_lkey_section(&head, 8)->bytes);
}

/* ---- the head ----------------------------------------------------------- */

TEST(frame_refused)
{
	struct blob b = mul2();

	b.data[0] = 'z';
	expect_refused_done(
		b, LULL_FORMAT,
		"key: offset 0x0: expected the magic \"lkey\", found "
		"bytes 7a 6b 65 79");
	expect_u32_refused(4, 2, LULL_UNSUPPORTED,
			   "key: offset 0x4: expected version 1 of .lkey, "
			   "found 2");
	b = mul2();
	expect_refused_done(
		blob_copy(b.data, 4095), LULL_FORMAT,
		"key: expected a head of 4096 bytes, found a file of "
		"4095");
	expect_refused_done((struct blob){ must_alloc(0), 0 }, LULL_FORMAT,
			    "key: empty file");
	blob_free(&b);
}

/* Every byte of the head is covered: by the magic, the version or the hash. */
TEST(every_byte_of_the_head_counts)
{
	struct blob b = mul2();
	struct lull_error err;
	size_t i;

	for (i = 0; i < LKEY_HEAD; i++) {
		b.data[i] ^= 0x10;
		if (!try_open(&b, &err))
			TEST_FAIL_("byte %zu was changed unseen", i);
		else if (i >= 8)
			EXPECT_TRUE(strstr(err.msg, "the head's hash"));
		b.data[i] ^= 0x10;
	}
	EXPECT_EQ(LULL_OK, try_open(&b, &err));
	blob_free(&b);
}

TEST(kind_refused)
{
	expect_u32_refused(8, 4, LULL_UNSUPPORTED,
			   "key: offset 0x8: flags: expected none but 0x3, "
			   "found 0x4");
	expect_u32_refused(12, 3, LULL_UNSUPPORTED,
			   "key: offset 0xc: curve: expected 1 (BN254) or 2 "
			   "(BLS12-381), found 3");
	expect_u32_refused(44, 1, LULL_UNSUPPORTED,
			   "key: the head: expected zeros where version 1 has "
			   "nothing, found something");
	expect_u32_refused(80, 1, LULL_UNSUPPORTED,
			   "key: the head: expected zeros where version 1 has "
			   "nothing, found something");
	expect_u32_refused(4076, 1, LULL_UNSUPPORTED,
			   "key: the head: expected zeros where version 1 has "
			   "nothing, found something");
}

TEST(counts_refused)
{
	expect_u32_refused(20, 4, LULL_RANGE,
			   "key: offset 0x14: nPublic: expected less than "
			   "nVars, found 4");
	expect_u32_refused(24, 0, LULL_RANGE,
			   "key: offset 0x18: log2 of the domain: expected 1 "
			   "to 28, the limit of BN254, found 0");
	expect_u32_refused(24, 29, LULL_RANGE,
			   "key: offset 0x18: log2 of the domain: expected 1 "
			   "to 28, the limit of BN254, found 29");
	expect_u32_refused(40, 3, LULL_RANGE,
			   "key: offset 0x28: bytes of a coefficient's number: "
			   "expected 1, 2 or 4, found 3");
}

/* nPublic 2 fits below 4 wires and not into a domain of 2. */
TEST(public_rows_need_room)
{
	struct blob b = mul2();

	blob_put_u32(&b, 20, 2);
	blob_put_u32(&b, 24, 1);
	lkey_seal_head(&b);
	expect_refused_done(b, LULL_RANGE,
			    "key: offset 0x14: nPublic: expected less than the "
			    "domain's size, found 2");
}

/* The table must say what the counts do. */
TEST(table_refused)
{
	const size_t ic = LKEY_TABLE + LKEY_ENTRY;

	expect_u32_refused(ic, 7, LULL_FORMAT,
			   "key: section 3 (IC), offset 0xa8: number: expected "
			   "3, found 7");
	expect_u32_refused(ic + 4, 1, LULL_FORMAT,
			   "key: section 3 (IC), offset 0xac: zero: expected "
			   "0, found 1");
	expect_u32_refused(ic + 16, 129, LULL_FORMAT,
			   "key: section 3 (IC), offset 0xb8: size: expected "
			   "128, found 129");
	expect_u32_refused(ic + 8, 0x3000, LULL_FORMAT,
			   "key: section 3 (IC), offset 0xb0: place: expected "
			   "8192, found 12288");
	expect_u32_refused(16, 5, LULL_FORMAT,
			   "key: section 5 (points of A), offset 0x108: size: "
			   "expected 320, found 256");
	expect_u32_refused(8, LULL_LKEY_FOLDED, LULL_FORMAT,
			   "key: section 8 (points of L), offset 0x180: size: "
			   "expected 256, found 128");
}

TEST(numbers_of_values_refused)
{
	struct blob b = mul2();
	size_t size = LKEY_TABLE + lkey_entry(&b, 4) * LKEY_ENTRY + 16;

	expect_u32_refused(size, 257 * 32, LULL_RANGE,
			   "key: section 4 (coefficients): expected at most "
			   "256 values for numbers of 1 bytes, found 257");
	blob_put_u32(&b, 40, 4);
	lkey_seal_head(&b);
	expect_refused_done(
		b, LULL_RANGE,
		"key: section 4 (coefficients): expected 4 values for "
		"numbers of 4 bytes, found 2");
	b = mul2();
	blob_put_u64(&b, LKEY_TABLE + lkey_entry(&b, 12) * LKEY_ENTRY + 16,
		     (uint64_t)4 << 32);
	lkey_seal_head(&b);
	expect_refused_done(
		b, LULL_RANGE,
		"key: offset 0x80: entries of both matrices: expected "
		"less than 2^32, found 4294967297");
}

TEST(sizes_of_the_file_refused)
{
	struct blob b = mul2();
	char msg[128];

	expect_u32_refused(32, 5, LULL_FORMAT,
			   "key: offset 0x20: size: expected 57345, found 5");
	snprintf(msg, sizeof(msg),
		 "key: expected %zu bytes, found a file of %zu", b.bytes,
		 b.bytes + 1);
	blob_append(&b, "x", 1);
	expect_refused_done(b, LULL_FORMAT, msg);
}

/* Every place behind the head where the file can end. */
TEST(truncated)
{
	struct blob b = mul2(), cut;
	struct lull_error err;
	size_t bytes;

	for (bytes = 0; bytes < b.bytes; bytes += bytes < LKEY_HEAD ? 1 : 61) {
		cut = blob_copy(b.data, bytes);
		if (!try_open(&cut, &err))
			TEST_FAIL_("cut to %zu bytes it was accepted", bytes);
		blob_free(&cut);
	}
	blob_free(&b);
}

/* ---- sections ----------------------------------------------------------- */

TEST(a_flipped_byte_in_each_section)
{
	struct blob b = mul2();
	struct lull_error err;
	char want[64];
	unsigned int i, k;

	for (i = 0; i < LKEY_SECTIONS; i++) {
		size_t bytes = lkey_bytes(&b, i);
		const size_t at[] = { 0, bytes / 2, bytes - 1 };

		ASSERT_TRUE(bytes > 0);
		snprintf(want, sizeof(want), "key: section %u (",
			 lull_load_u32(b.data + LKEY_TABLE + i * LKEY_ENTRY));
		for (k = 0; k < 3; k++) {
			b.data[lkey_offset(&b, i) + at[k]] ^= 0x40;
			EXPECT_EQ(LULL_FORMAT, try_open(&b, &err));
			EXPECT_TRUE(!strncmp(want, err.msg, strlen(want)));
			EXPECT_TRUE(strstr(err.msg, "the file is damaged"));
			b.data[lkey_offset(&b, i) + at[k]] ^= 0x40;
		}
	}
	blob_free(&b);
}

/* mul2 with one u32 of a section changed, and every hash made right. */
static void expect_content_refused(uint32_t section, size_t at, uint32_t value,
				   const char *what)
{
	struct blob b = mul2();
	size_t offset = lkey_at(&b, section) + at;
	char msg[160];
	const char *const names[] = {
		[4] = "coefficients",	    [11] = "rows of A",
		[12] = "columns of A",	    [13] = "coefficients of A",
		[14] = "rows of B",	    [15] = "columns of B",
		[16] = "coefficients of B",
	};

	snprintf(msg, sizeof(msg), "key: section %u (%s), offset 0x%zx: %s",
		 section, names[section], offset, what);
	if (section == 13 || section == 16)
		b.data[offset] = (uint8_t)value;
	else
		blob_put_u32(&b, offset, value);
	lkey_seal(&b);
	expect_refused_done(b, LULL_RANGE, msg);
}

TEST(matrices_refused)
{
	/* A has an entry in row 0 and one for each public wire behind it. */
	expect_content_refused(11, 0, 1, "expected at most 0, found 1");
	expect_content_refused(11, 8, 0, "expected at least 1, found 0");
	expect_content_refused(11, 16, 9, "expected exactly 3, found 9");
	expect_content_refused(12, 4, 4, "expected below 4, found 4");
	expect_content_refused(13, 2, 200, "expected below 2, found 200");
	expect_content_refused(14, 16, 3, "expected exactly 1, found 3");
	expect_content_refused(15, 0, UINT32_MAX,
			       "expected below 4, found 4294967295");
	expect_content_refused(16, 0, 2, "expected below 2, found 2");
}

TEST(coefficients_refused)
{
	struct blob b = mul2();
	size_t at = lkey_at(&b, 4) + 32;

	memcpy(b.data + at, lull_curve_facts(LULL_CURVE_BN254)->fr_prime, 32);
	lkey_seal(&b);
	expect_refused_done(
		b, LULL_RANGE,
		"key: section 4 (coefficients), offset 0x3020: value 1: "
		"expected below r of BN254");
}

/* ---- points that are looked at ------------------------------------------ */

/* Sections of several pieces, whose points pieces do not end with. */
#define LARGE_VARS 50000u
#define LARGE_LOG2 15u
#define LARGE_G1 96
#define LARGE_G2 192

/* What the looks of threads saw and found. */
static struct {
	pthread_mutex_t lock;
	const uint8_t *base;
	struct blob *b;
	uint8_t looks[LKEY_SECTIONS][LARGE_VARS];
	unsigned int faulty_section; /* by its place */
	size_t faulty[2];
	enum lull_part told_part;
	size_t told_index;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned int place_of(const uint8_t *points)
{
	unsigned int i = 0;

	while (watch.base + lkey_offset(watch.b, i) != points)
		i++;
	return i;
}

static size_t watch_scan(enum lull_curve curve, unsigned int group,
			 const uint8_t *points, size_t lo, size_t hi,
			 size_t *nr_inf)
{
	size_t i, k, at = hi;
	unsigned int place;

	pthread_mutex_lock(&watch.lock);
	place = place_of(points);
	EXPECT_EQ(LULL_CURVE_BLS12_381, curve);
	EXPECT_EQ(0, lkey_bytes(watch.b, place) %
			     (group == 2 ? LARGE_G2 : LARGE_G1));
	for (i = lo; i < hi; i++)
		watch.looks[place][i]++;
	for (k = 0; k < LULL_ARRAY_SIZE(watch.faulty); k++)
		if (place == watch.faulty_section && watch.faulty[k] >= lo &&
		    watch.faulty[k] < at)
			at = watch.faulty[k];
	*nr_inf += at - lo;
	pthread_mutex_unlock(&watch.lock);
	return at;
}

static int watch_fail(const struct lull_parts *key, enum lull_part part,
		      size_t index, struct lull_error *reterr)
{
	EXPECT_TRUE(watch.base == key->base);
	watch.told_part = part;
	watch.told_index = index;
	return lull_fail(reterr, LULL_RANGE, "told");
}

static const struct lull_look watcher = { watch_scan, watch_fail };

/* All zeros but its head: no entries, and points at infinity. */
static struct blob large_key(void)
{
	struct lull_lkey_head head = {
		.facts = lull_curve_facts(LULL_CURVE_BLS12_381),
		.nr_vars = LARGE_VARS,
		.nr_public = 1,
		.log2_domain = LARGE_LOG2,
		.id_bytes = 1,
		.nr_inf = { LARGE_VARS, LARGE_VARS, LARGE_VARS,
			    LARGE_VARS - 2 },
	};
	struct blob b = { 0 };

	lull_lkey_place(&head);
	b.bytes = (size_t)head.file_bytes;
	b.data = calloc(1, b.bytes);
	if (!b.data) {
		printf("Bail out! no memory for a test\n");
		exit(1);
	}
	lull_lkey_write_head(&head, b.data);
	lkey_seal(&b);
	return b;
}

static void expect_each_once(void)
{
	static const size_t nrs[] = { LARGE_VARS, LARGE_VARS, LARGE_VARS,
				      LARGE_VARS - 2, (size_t)1 << LARGE_LOG2 };
	static const uint32_t numbers[] = { LULL_PART_A, LULL_PART_B1,
					    LULL_PART_B2, LULL_PART_L,
					    LULL_PART_H };
	size_t i, k, at, seen = 0, all = 0;
	unsigned int place;

	for (i = 0; i < LULL_ARRAY_SIZE(nrs); i++) {
		at = lkey_at(watch.b, numbers[i]);
		place = place_of(watch.base + at);
		for (k = 0; k < nrs[i]; k++)
			EXPECT_EQ(1, watch.looks[place][k]);
		all += nrs[i];
	}
	for (i = 0; i < LKEY_SECTIONS; i++)
		for (k = 0; k < LARGE_VARS; k++)
			seen += watch.looks[i][k];
	EXPECT_EQ(all, seen);
}

static int look_at_large(struct blob *b, unsigned int place, size_t one,
			 size_t other, struct lull_workers *workers)
{
	struct lull_error err;
	struct lull_lkey key;
	int rc;

	memset(watch.looks, 0, sizeof(watch.looks));
	watch.base = b->data;
	watch.b = b;
	watch.faulty_section = place;
	watch.faulty[0] = one;
	watch.faulty[1] = other;
	rc = lull_lkey_open_mem(b->data, b->bytes, "key", &watcher, workers,
				&key, &err);
	if (!rc)
		lull_lkey_close(&key);
	return rc;
}

/* Each once, whichever pieces it lies in; the first fault is told. */
TEST(points_of_pieces)
{
	struct blob b = large_key();
	const size_t between = LKEY_CHUNK / LARGE_G1;
	struct lull_workers *workers;
	unsigned int i, nr;

	ASSERT_TRUE(LKEY_CHUNK % LARGE_G1 && LKEY_CHUNK % LARGE_G2);
	for (nr = 1; nr <= 3; nr += 2) {
		ASSERT_EQ(0, lull_workers_create(nr, &workers, NULL));
		EXPECT_EQ(LULL_OK,
			  look_at_large(&b, LKEY_SECTIONS, 0, 0, workers));
		expect_each_once();
		i = 0;
		while (lkey_offset(&b, i) != lkey_at(&b, LULL_PART_B1))
			i++;
		EXPECT_EQ(LULL_RANGE, look_at_large(&b, i, between,
						    LARGE_VARS - 1, workers));
		EXPECT_EQ(LULL_PART_B1, watch.told_part);
		EXPECT_EQ(between, watch.told_index);
		EXPECT_EQ(LULL_RANGE, look_at_large(&b, i, between + 1,
						    LARGE_VARS - 1, workers));
		EXPECT_EQ(between + 1, watch.told_index);
		EXPECT_EQ(LULL_RANGE,
			  look_at_large(&b, i, 7, between, workers));
		EXPECT_EQ(7, watch.told_index);
		lull_workers_destroy(workers);
	}
	blob_free(&b);
}

TEST_MAIN
