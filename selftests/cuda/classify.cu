// SPDX-License-Identifier: Apache-2.0
/*
 * classify.cu - lists and map of scalars against a plain loop
 */
#include <vector>

#include "classify.cuh"
#include "cuda/device.h"
#include "cuda/ref.h"
#include "harness.h"

using namespace lull;

struct scalar {
	uint64_t l[4];
};

enum filling { MIXED, ZEROS, ONES, OTHERS, NEAR, NR_FILLINGS };

/* NEAR: a single bit somewhere, which is 1 only at the lowest place. */
static scalar make_scalar(enum filling filling)
{
	scalar s = {};
	uint64_t dice = cuda_ref_random();

	if (filling == ONES)
		s.l[0] = 1;
	else if (filling == OTHERS)
		cuda_ref_bn254.random_scalar(&s);
	else if (filling == NEAR)
		s.l[dice / 64 % 4] = (uint64_t)1 << dice % 64;
	else if (filling == MIXED && dice % 50 == 0)
		cuda_ref_bn254.minus_one(&s);
	else if (filling == MIXED)
		s.l[0] = dice / 64 % 2;
	/* A random scalar may be anything: this one is an other. */
	if (filling == OTHERS)
		s.l[3] |= 2;
	return s;
}

static enum scalar_class class_of(const scalar &s)
{
	if (s.l[0] > 1 || s.l[1] || s.l[2] || s.l[3])
		return SCALAR_OTHER;
	return s.l[0] ? SCALAR_ONE : SCALAR_ZERO;
}

static void must_run(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	printf("Bail out! %s\n", error->msg);
	exit(1);
}

static void check_map(const std::vector<scalar> &v, const void *values)
{
	size_t bytes = classify_map_bytes(v.size());
	std::vector<uint32_t> map(bytes / 4 + 1);
	void *device = device_alloc(bytes);
	struct lull_error error;

	must_run(classify_map(values, v.size(), (uint32_t *)device, 0, &error),
		 &error);
	device_done();
	device_get(map.data(), device, bytes);
	device_free(device);
	for (size_t i = 0; i < v.size(); i++)
		ASSERT_EQ(class_of(v[i]),
			  map[i / class_nr] >> class_bits * (i % class_nr) & 3);
}

static void check_lists(const std::vector<scalar> &v, const void *values,
			bool keep_some)
{
	std::vector<uint32_t> keep(v.size() / 32 + 1), got[2], want[2];
	uint32_t *counts, *lists[2], *device_keep;
	size_t nr = v.size();
	struct lull_error error;
	void *scratch = device_alloc(classify_scratch_bytes(nr));

	for (size_t i = 0; i < keep.size(); i++)
		keep[i] = keep_some ? (uint32_t)cuda_ref_random() : ~0u;
	for (uint32_t i = 0; i < nr; i++)
		if (keep[i / 32] >> i % 32 & 1 && class_of(v[i]) != SCALAR_ZERO)
			want[class_of(v[i]) == SCALAR_OTHER].push_back(i);
	device_keep = (uint32_t *)device_alloc(keep.size() * 4);
	device_put(device_keep, keep.data(), keep.size() * 4);
	device_must(cudaMallocHost(&counts, 8), "pinned memory");
	for (int k = 0; k < 2; k++) {
		lists[k] = (uint32_t *)device_alloc(nr * 4);
		got[k].resize(nr);
	}
	must_run(classify_kept(values, nr, keep_some ? device_keep : NULL,
			       lists[0], lists[1], counts, scratch, 0, &error),
		 &error);
	device_done();
	for (int k = 0; k < 2; k++) {
		device_get(got[k].data(), lists[k], nr * 4);
		EXPECT_EQ(want[k].size(), counts[k]);
		for (size_t i = 0; i < want[k].size() && i < counts[k]; i++)
			if (got[k][i] != want[k][i]) {
				EXPECT_EQ(want[k][i], got[k][i]);
				break;
			}
		device_free(lists[k]);
	}
	device_must(cudaFreeHost(counts), "pinned memory");
	device_free(device_keep);
	device_free(scratch);
}

static void check(size_t nr, enum filling filling)
{
	std::vector<scalar> v(nr);
	void *values = device_alloc(nr * sizeof(scalar));

	for (scalar &s : v)
		s = make_scalar(filling);
	device_put(values, v.data(), nr * sizeof(scalar));
	check_map(v, values);
	check_lists(v, values, false);
	check_lists(v, values, true);
	device_free(values);
}

TEST(scratch_grows)
{
	for (size_t nr = 0; nr < 100000; nr += 999)
		EXPECT_TRUE(classify_scratch_bytes(nr + 999) >=
				    classify_scratch_bytes(nr) &&
			    classify_scratch_bytes(nr) >= (nr + 31) / 32 * 8);
}

TEST(sizes)
{
	static const size_t sizes[] = { 0,    1,    2,	  3,	  31,	  32,
					33,   255,  256,  257,	  511,	  512,
					4095, 4096, 4097, 100000, 1000003 };

	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	for (size_t nr : sizes)
		for (int f = 0; f < NR_FILLINGS; f++)
			check(nr, (enum filling)f);
}

TEST_MAIN
