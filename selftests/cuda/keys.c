// SPDX-License-Identifier: Apache-2.0
/*
 * keys.c - keys from a trapdoor made on a GPU, byte for byte those of the CPU
 *
 * For the same trapdoor, on both curves, circuits of several shapes, with
 * plenty of device memory and with little; as .zkey and, against what is converted
 * of it, as .lkey at once.  Skips where there is no GPU.
 */
#include "../prove/prove.h"
#include "cuda/gpu.h"

#include "base/error.h"
#include "base/workers.h"
#include "prove/convert.h"
#include "prove/feed.h"
#include "prove/keygen.h"
#include "test_arena.h"

#define NR_THREADS 3
#define LITTLE_VRAM ((uint64_t)512 << 10)

static const uint8_t seed[LULL_KEYGEN_SEED_BYTES] =
	"a trapdoor that is no secret";
static const struct lull_keygen_opts opts = { .seed = seed };

static char said[1 << 16], warned[4096];

static void append(char *text, size_t bytes, const char *line)
{
	size_t used = strlen(text);

	snprintf(text + used, bytes - used, "%s\n", line);
}

static void hear(void *arg, const char *line)
{
	(void)arg;
	append(said, sizeof(said), line);
}

static void hear_warning(void *arg, const char *line)
{
	(void)arg;
	append(warned, sizeof(warned), line);
}

static struct lull_set *open_gpu(uint64_t vram_bytes, bool fallback)
{
	const struct lull_set_opts set_opts = { .fallback_cpu = fallback,
						.vram_bytes = vram_bytes,
						.say = hear,
						.warn = hear_warning };

	said[0] = warned[0] = '\0';
	return gpu_open(&set_opts);
}

static bool same_files(const char *path, const char *other)
{
	char command[2 * PATH_BYTES + 16];

	snprintf(command, sizeof(command), "cmp %s %s", path, other);
	return system(command) == 0;
}

struct paths {
	char r1cs[PATH_BYTES], wtns[PATH_BYTES];
	char cpu[PATH_BYTES], gpu[PATH_BYTES];
	char native[PATH_BYTES]; /* of the CPU's */
};

static struct lull_workers *pool;

/* A circuit and its key from the CPU. */
static bool make_cpu_key(struct paths *paths, const char *shape,
			 const char *curve, unsigned int log2)
{
	const struct lull_convert_how how = { .r1cs_path = NULL };
	struct lull_error error = { 0 };

	scratch_path(paths->native, "cpu.lkey");
	scratch_path(paths->cpu, "cpu.zkey");
	scratch_path(paths->gpu, "gpu.zkey");
	if ((!pool && lull_workers_create(NR_THREADS, &pool, &error)) ||
	    !make_circuit(shape, curve, log2, paths->r1cs, paths->wtns) ||
	    lull_keygen_toxic(paths->r1cs, paths->cpu, &opts, pool,
			      test_arena(), NULL, &error) ||
	    lull_convert_zkey(paths->cpu, paths->native, &how, pool,
			      test_arena(), &error)) {
		TEST_FAIL_("%s: %s", shape, error.msg);
		return false;
	}
	return true;
}

/* On the set, in one format or the other. */
static int make_key(const struct paths *paths, bool native,
		    struct lull_set *set, struct lull_error *reterr)
{
	const struct lull_toxic_opts toxic = { .size = sizeof(toxic),
					       .seed = seed };
	struct lull_toxic_circuit source;
	int err;

	if (!native)
		return lull_keygen_toxic(paths->r1cs, paths->gpu, &opts, pool,
					 test_arena(), set, reterr);
	err = feed_open(paths->r1cs, reterr);
	if (err)
		return err;
	source = feed_source();
	err = lull_keygen_native(&source, paths->gpu, &toxic, pool,
				 test_arena(), set, reterr);
	feed_close();
	return err;
}

static void compare(const struct paths *paths, bool native,
		    struct lull_set *set)
{
	struct lull_error error = { 0 };

	if (make_key(paths, native, set, &error))
		TEST_FAIL_("%s", error.msg);
	else
		EXPECT_TRUE(same_files(native ? paths->native : paths->cpu,
				       paths->gpu));
	unlink(paths->gpu);
}

static void compare_both(const struct paths *paths, struct lull_set *set)
{
	compare(paths, false, set);
	compare(paths, true, set);
}

static void compare_shapes(const char *curve)
{
	static const struct made_shape shapes[] = { EDGE_SHAPES,
						    { "dense", 12 },
						    { "sha", 11 } };
	struct lull_set *set = open_gpu(0, false);
	struct paths paths;
	size_t i;

	for (i = 0; set && i < LULL_ARRAY_SIZE(shapes); i++) {
		if (make_cpu_key(&paths, shapes[i].shape, curve,
				 shapes[i].log2))
			compare_both(&paths, set);
		scratch_clear();
	}
	if (!set)
		return;
	EXPECT_TRUE(strstr(said, "key: points on cuda: GPU 0, "));
	EXPECT_TRUE(strstr(said, "multiples in G2: "));
	EXPECT_TRUE(strstr(said, "multiples in G1: "));
	EXPECT_TRUE(strstr(said, " made, kernels "));
	EXPECT_STREQ("", warned);
	lull_set_close(set);
}

TEST(every_shape_bn254)
{
	compare_shapes("bn128");
}

TEST(every_shape_bls12_381)
{
	compare_shapes("bls12381");
}

/* Batches that are smaller than sections, and end within them. */
TEST(little_memory)
{
	struct lull_set *set = open_gpu(LITTLE_VRAM, false);
	struct paths paths;

	if (!set)
		return;
	if (make_cpu_key(&paths, "sha", "bls12381", 12))
		compare_both(&paths, set);
	EXPECT_TRUE(lull_set_peak_bytes(set) <= LITTLE_VRAM);
	lull_set_close(set);
	scratch_clear();
}

/* Without room an error, or with leave the CPU, which is told. */
TEST(no_memory)
{
	struct lull_set *set = open_gpu(4096, false);
	struct lull_error error = { 0 };
	struct paths paths;

	if (!set)
		return;
	if (!make_cpu_key(&paths, "dense", "bn128", 4))
		return;
	EXPECT_EQ(LULL_NOMEM,
		  lull_keygen_toxic(paths.r1cs, paths.gpu, &opts, pool,
				    test_arena(), set, &error));
	EXPECT_TRUE(strstr(error.msg, "bytes of device memory"));
	EXPECT_EQ(-1, access(paths.gpu, F_OK));
	lull_set_close(set);
	set = open_gpu(4096, true);
	ASSERT_TRUE(set);
	compare_both(&paths, set);
	EXPECT_TRUE(strstr(warned, "is left out for the key: multiples: "));
	EXPECT_TRUE(strstr(said, "key: points on the CPU\n"));
	lull_set_close(set);
	scratch_clear();
}

/* ---- a device that fails in between ------------------------------------- */

static struct {
	const struct lull_backend *inner;
	struct lull_backend_ops ops;
	unsigned int nr_left; /* batches that come before it fails */
} faulty;

static int faulty_wait(struct lull_multiples *multiples, unsigned int slot,
		       struct lull_error *reterr)
{
	int err = faulty.inner->ops(LULL_CURVE_BLS12_381)
			  ->multiples_wait(multiples, slot, reterr);

	if (err || faulty.nr_left--)
		return err;
	return lull_fail(reterr, LULL_DEVICE, "x.cu:7: f(): broke");
}

static const struct lull_backend_ops *faulty_ops(enum lull_curve curve)
{
	faulty.ops = *faulty.inner->ops(curve);
	faulty.ops.multiples_wait = faulty_wait;
	return &faulty.ops;
}

/* Leaves no key, or with leave to fall back the CPU's. */
static void fail_after(const struct paths *paths, unsigned int nr_batches,
		       bool native, bool fallback)
{
	struct lull_backend backend = *faulty.inner;
	const struct lull_backend *const backends[] = { &backend };
	const struct lull_set_opts set_opts = { .backend = "given",
						.fallback_cpu = fallback,
						.vram_bytes = LITTLE_VRAM,
						.say = hear,
						.warn = hear_warning };
	struct lull_error error = { 0 };
	struct lull_set *set = NULL;

	backend.ops = faulty_ops;
	faulty.nr_left = nr_batches;
	said[0] = warned[0] = '\0';
	ASSERT_EQ(LULL_OK,
		  lull_set_open_given(&set_opts, backends, 1, &set, &error));
	if (fallback) {
		compare(paths, native, set);
	} else {
		EXPECT_EQ(LULL_DEVICE, make_key(paths, native, set, &error));
		EXPECT_STREQ("x.cu:7: f(): broke", error.msg);
		EXPECT_EQ(-1, access(paths->gpu, F_OK));
	}
	EXPECT_TRUE(strstr(warned, " is left out: x.cu:7: f(): broke\n"));
	lull_set_close(set);
}

TEST(a_device_that_fails)
{
	static const unsigned int nr_batches[] = { 0, 1, 2, 9 };
	struct lull_set *set = open_gpu(LITTLE_VRAM, false);
	struct paths paths;
	size_t i;

	if (!set)
		return;
	faulty.inner = set->devices[0].backend;
	ASSERT_TRUE(make_cpu_key(&paths, "sha", "bls12381", 11));
	for (i = 0; i < LULL_ARRAY_SIZE(nr_batches); i++) {
		fail_after(&paths, nr_batches[i], false, false);
		fail_after(&paths, nr_batches[i], false, true);
		fail_after(&paths, nr_batches[i], true, false);
		fail_after(&paths, nr_batches[i], true, true);
	}
	/* The library goes with the set that loaded it. */
	lull_set_close(set);
	scratch_clear();
}

TEST_MAIN
