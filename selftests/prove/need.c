// SPDX-License-Identifier: Apache-2.0
/*
 * need.c - what memory a key takes to be made or converted is said, and refused
 * where the machine has less, or cgroups leave less of it
 *
 * How much that is, is this test's to say: the program is linked with --wrap.  The
 * constants of the formulas stand here once more; that memory in use never
 * exceeds what was told is tried at the same time.
 */
#include "params.h"

#include <sys/sysinfo.h>

#include "arena/arena.h"
#include "arena/cgroup.h"
#include "arena/host.h"
#include "input/lkey_blob.h"
#include "input/zkey.h"
#include "prove/bellman.h"
#include "prove/convert_plan.h"

#define POSEIDON "bls12381-poseidon2"
#define ROWS 1024
#define GIB LULL_BYTES_PER_GIB

uint64_t __real_lull_arena_host_backing_bytes(void);
uint64_t __wrap_lull_arena_host_backing_bytes(void);

static uint64_t memory_bytes; /* 0: what the host has */

uint64_t __wrap_lull_arena_host_backing_bytes(void)
{
	return memory_bytes ? memory_bytes
			    : __real_lull_arena_host_backing_bytes();
}

void __wrap_lull_arena_cgroup_read(const char *root,
				   struct lull_arena_cgroup *ret_cgroup);

/* Left by a cgroup, and its limit where that is more. */
static uint64_t cgroup_bytes = UINT64_MAX, cgroup_limit;

void __wrap_lull_arena_cgroup_read(const char *root,
				   struct lull_arena_cgroup *ret_cgroup)
{
	const struct lull_arena_cgroup_bound bound = {
		.room_bytes = cgroup_bytes,
		.limit_bytes = lull_max(cgroup_bytes, cgroup_limit),
		.dir = "/sys/fs/cgroup/a",
		.file = "memory.max",
	};
	const struct lull_arena_cgroup_bound none = { UINT64_MAX, UINT64_MAX,
						      "", NULL };

	EXPECT_STREQ("", root);
	*ret_cgroup = (struct lull_arena_cgroup){ bound, none, none };
}

/* And swap, where that is asked for. */
int __real_sysinfo(struct sysinfo *info);
int __wrap_sysinfo(struct sysinfo *info);

static unsigned int swap_units;

int __wrap_sysinfo(struct sysinfo *info)
{
	int err = __real_sysinfo(info);

	info->mem_unit = 4096;
	info->totalswap = swap_units;
	return err;
}

static char said[4096];

static void hear(void *arg, const char *line)
{
	size_t len = strlen(said);

	(void)arg;
	snprintf(said + len, sizeof(said) - len, "%s\n", line);
}

#define NR_THREADS 2

static unsigned int nr_threads = NR_THREADS;

static struct lull_ctx *open_ctx(size_t arena_bytes)
{
	const struct lull_ctx_opts opts = { .size = sizeof(opts),
					    .nr_threads = nr_threads,
					    .arena = "thp",
					    .arena_bytes = arena_bytes,
					    .say = hear };
	struct lull_ctx *ctx = NULL;
	struct lull_error error;

	if (lull_ctx_create(&opts, &ctx, &error))
		TEST_FAIL_("%s", error.msg);
	return ctx;
}

static uint64_t used_max(struct lull_ctx *ctx)
{
	struct lull_ctx_stats stats = { .size = sizeof(stats) };

	EXPECT_EQ(LULL_OK, lull_ctx_stats(ctx, &stats, NULL));
	return stats.used_bytes_max;
}

/* ---- converting --------------------------------------------------------- */

/* Behind two primes with their sizes. */
#define ZKEY_WIRES_AT (2 * 4 + LULL_BELLMAN_FP_BYTES + LULL_FR_BYTES)

/* A conversion. */
struct mode {
	struct blob key;
	bool bellman, circuit, fold;
};

static char key_path[PATH_BYTES], out_path[PATH_BYTES];

static int convert(struct lull_ctx *ctx, const struct mode *mode,
		   struct lull_error *error)
{
	const struct lull_convert_opts opts = {
		.size = sizeof(opts),
		.r1cs_path = mode->circuit ? GOLDEN POSEIDON ".r1cs" : NULL,
		.fold_c = mode->fold
	};

	scratch_path(key_path, "in.key");
	scratch_path(out_path, "out.lkey");
	unlink(out_path);
	blob_write(&mode->key, key_path);
	said[0] = '\0';
	return (mode->bellman ? lull_key_convert_bellman : lull_key_convert)(
		ctx, key_path, out_path, &opts, error);
}

/* The need, which is refused with a byte less, and nothing is written then;
 * which is enough; and which is said. */
static uint64_t need_of(const struct mode *mode)
{
	struct lull_ctx *ctx = open_ctx(0);
	struct lull_error error = { 0 };
	unsigned long long need = 0;
	const char *at;
	char want[64];

	/* In steps: some of it is known later. */
	for (memory_bytes = 1;; memory_bytes = need) {
		if (!convert(ctx, mode, &error))
			break;
		EXPECT_EQ(LULL_NOMEM, error.code);
		EXPECT_TRUE(access(out_path, F_OK));
		at = strstr(error.msg,
			    "which the machine has, found a need of ");
		if (!at ||
		    sscanf(strrchr(error.msg, ' '), "%llu", &need) != 1 ||
		    need <= memory_bytes) {
			TEST_FAIL_("%s", error.msg);
			break;
		}
		memory_bytes = need - 1;
		EXPECT_EQ(LULL_NOMEM, convert(ctx, mode, &error));
	}
	memory_bytes = 0;
	EXPECT_TRUE(!access(out_path, F_OK));
	snprintf(want, sizeof(want), "needs %.3f GiB of memory at most\n",
		 (double)need / (double)GIB);
	EXPECT_TRUE(strstr(said, want) != NULL);
	EXPECT_TRUE(used_max(ctx) <= need);
	lull_ctx_destroy(ctx);
	return need;
}

/* With a circuit, and to fold C in. */
static uint64_t compared(uint64_t wires)
{
	const struct lull_source source = {
		.facts = lull_curve_facts(LULL_CURVE_BLS12_381),
		.nr_vars = (uint32_t)wires,
		.log2_domain = __builtin_ctz(ROWS)
	};

	return 108 * wires + 116 * ROWS +
	       lull_bls12_381_circuit_bytes(&source, NR_THREADS);
}

static uint64_t folded(uint64_t wires)
{
	return lull_max(compared(wires),
			192 * wires + 96 * ROWS +
				NR_THREADS * ((uint64_t)12 << 20));
}

TEST(of_a_zkey)
{
	struct mode mode = { .key = blob_read(GOLDEN POSEIDON ".zkey") };
	uint64_t plain = need_of(&mode), wires, coefs = coefs_nr(&mode.key);

	wires = lull_load_u32(mode.key.data +
			      blob_payload(&mode.key, LULL_ZKEY_HEADER) +
			      ZKEY_WIRES_AT);
	mode.circuit = true;
	EXPECT_EQ(plain + compared(wires), need_of(&mode));
	mode.fold = true;
	EXPECT_EQ(plain + folded(wires), need_of(&mode));
	mode.circuit = mode.fold = false;
	reverse_coefs(&mode.key);
	EXPECT_EQ(plain + 48 * coefs + 4 * ROWS, need_of(&mode));
	blob_free(&mode.key);
}

TEST(of_bellmans_parameters)
{
	struct mode zkey = { .key = blob_read(GOLDEN POSEIDON ".zkey") };
	struct mode mode = { .bellman = true, .circuit = true };
	uint64_t plain = need_of(&zkey), wires;
	struct made made;

	make_key(&made, GOLDEN POSEIDON ".r1cs");
	mode.key = made.file;
	wires = made.nr_wires;
	EXPECT_EQ(plain + 108 * ROWS + 24 * lull_div_up(wires, 64) +
			  compared(wires),
		  need_of(&mode));
	mode.fold = true;
	EXPECT_EQ(plain + 108 * ROWS + 24 * lull_div_up(wires, 64) +
			  folded(wires),
		  need_of(&mode));
	blob_free(&zkey.key);
	blob_free(&made.file);
}

/* In a container. */
TEST(of_a_cgroup)
{
	struct mode mode = { .key = blob_read(GOLDEN POSEIDON ".zkey") };
	uint64_t need = need_of(&mode);
	struct lull_ctx *ctx = open_ctx(0);
	struct lull_error error = { 0 };
	char want[160];

	memory_bytes = need;
	cgroup_bytes = need - 1;
	snprintf(want, sizeof(want),
		 "expected at most %llu bytes, which a cgroup leaves, found a "
		 "need of %llu: limited to %llu by memory.max of "
		 "/sys/fs/cgroup/a",
		 (unsigned long long)need - 1, (unsigned long long)need,
		 (unsigned long long)need - 1);
	EXPECT_EQ(LULL_NOMEM, convert(ctx, &mode, &error));
	if (!strstr(error.msg, want))
		TEST_FAIL_("expected '%s', found '%s'", want, error.msg);
	EXPECT_TRUE(access(out_path, F_OK));
	cgroup_bytes = need;
	EXPECT_EQ(LULL_OK, convert(ctx, &mode, &error));
	cgroup_bytes = UINT64_MAX;
	memory_bytes = 0;
	lull_ctx_destroy(ctx);
	blob_free(&mode.key);
}

/* Whose memory is not charged to the cgroup counts against no limit of it. */
TEST(of_a_cgroup_on_hugetlb)
{
	const struct lull_arena_opts opts = { .carrier = LULL_ARENA_HUGETLB,
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_arena *arena;
	static struct lull_error error;

	if (lull_arena_open(&opts, &arena, &error))
		SKIP(error.msg);
	cgroup_bytes = 1;
	EXPECT_EQ(LULL_OK,
		  lull_arena_need(arena, "x", "y", 2, NULL, NULL, &error));
	cgroup_bytes = UINT64_MAX;
	lull_arena_close(arena);
}

/* What the arena has is charged, and is there. */
TEST(of_a_cgroup_that_has_the_arena)
{
	const struct lull_arena_opts opts = { .carrier = LULL_ARENA_THP,
					      .node = LULL_ARENA_NODE_ANY };
	struct lull_error error = { 0 };
	struct lull_arena *arena;
	struct lull_vec vec;

	EXPECT_EQ(LULL_OK, lull_arena_open(&opts, &arena, &error));
	cgroup_limit = GIB;
	cgroup_bytes = 1;
	EXPECT_EQ(LULL_NOMEM,
		  lull_arena_need(arena, "x", "y", 2, NULL, NULL, &error));
	EXPECT_EQ(LULL_OK, lull_arena_carve(arena, LULL_ARENA_SLOT_BYTES, 0,
					    "vec", &vec, &error));
	EXPECT_EQ(LULL_OK,
		  lull_arena_need(arena, "x", "y", LULL_ARENA_SLOT_BYTES + 1,
				  NULL, NULL, &error));
	EXPECT_EQ(LULL_NOMEM,
		  lull_arena_need(arena, "x", "y", LULL_ARENA_SLOT_BYTES + 2,
				  NULL, NULL, &error));
	cgroup_limit = 0;
	cgroup_bytes = UINT64_MAX;
	lull_arena_release(&vec);
	lull_arena_close(arena);
}

/* A bound of the caller's own. */
TEST(of_the_arenas_bound)
{
	struct mode mode = { .key = blob_read(GOLDEN POSEIDON ".zkey") };
	struct lull_ctx *ctx = open_ctx((size_t)16 << 20);
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_NOMEM, convert(ctx, &mode, &error));
	EXPECT_TRUE(strstr(error.msg, "expected at most 16777216 bytes, which "
				      "the arena may hold, found a need of "));
	lull_ctx_destroy(ctx);
	blob_free(&mode.key);
}

/* Of a small key little is asked for, by however many threads. */
TEST(a_small_key_fits_a_small_arena)
{
	struct mode mode = { .key = blob_read(GOLDEN POSEIDON ".zkey") };
	struct lull_error error = { 0 };
	struct lull_ctx *ctx;

	for (nr_threads = NR_THREADS; nr_threads <= 32; nr_threads *= 4) {
		ctx = open_ctx((size_t)64 << 20);
		mode.circuit = false;
		if (convert(ctx, &mode, &error))
			TEST_FAIL_("%u threads: %s", nr_threads, error.msg);
		mode.circuit = nr_threads == NR_THREADS;
		if (convert(ctx, &mode, &error))
			TEST_FAIL_("%u threads, circuit: %s", nr_threads,
				   error.msg);
		lull_ctx_destroy(ctx);
	}
	nr_threads = NR_THREADS;
	blob_free(&mode.key);
}

TEST(swap_counts)
{
	uint64_t without, with;

	swap_units = 0;
	without = __real_lull_arena_host_backing_bytes();
	swap_units = 1000;
	with = __real_lull_arena_host_backing_bytes();
	EXPECT_EQ(lull_arena_host_memory_bytes(), without);
	EXPECT_EQ(without + 4096 * 1000, with);
}

/* ---- making ------------------------------------------------------------- */

/* Where nWires stands in the header. */
#define WIRES_AT (4 + LULL_FR_BYTES)

/* A circuit of as many wires, without labels. */
static void write_circuit(const char *path, uint32_t wires)
{
	struct blob with = blob_read(GOLDEN POSEIDON ".r1cs");
	struct blob b = blob_without(&with, LULL_R1CS_LABELS);

	blob_put_u32(&b, blob_payload(&b, LULL_R1CS_HEADER) + WIRES_AT, wires);
	blob_write(&b, path);
	blob_free(&b);
	blob_free(&with);
}

TEST(wires_that_no_row_has)
{
	struct lull_ctx *ctx = open_ctx(0);
	struct lull_error error = { 0 };
	char r1cs[PATH_BYTES], zkey[PATH_BYTES];

	scratch_path(r1cs, "wires.r1cs");
	scratch_path(zkey, "wires.zkey");
	write_circuit(r1cs, 2147484650);
	memory_bytes = 64 * GIB;
	EXPECT_EQ(LULL_NOMEM, lull_key_generate_toxic(ctx, r1cs, zkey, &error));
	EXPECT_TRUE(
		strstr(error.msg,
		       "wires.r1cs: making a key of it: memory: expected at "
		       "most 68719476736 bytes, which the machine has, "
		       "found a need of 206158"));
	EXPECT_TRUE(access(zkey, F_OK));
	/* Some are no fault. */
	write_circuit(r1cs, 5000);
	EXPECT_EQ(LULL_OK, lull_key_generate_toxic(ctx, r1cs, zkey, &error));
	memory_bytes = 0;
	lull_ctx_destroy(ctx);
}

TEST_MAIN
