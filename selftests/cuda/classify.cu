// SPDX-License-Identifier: Apache-2.0
/*
 * classify.cu - lists and map of scalars, those that bits name, packed ones, and
 * rows put in another order, against plain loops
 */
#include <vector>

#include "classify.cuh"
#include "cuda/device.h"
#include "cuda/ref.h"
#include "harness.h"
#include "pack.cuh"
#include "place.cuh"

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
	size_t bytes = lull_classes_bytes(v.size());
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

/* Some, all or none; in the last word bits that are nobody's. */
static std::vector<uint32_t> make_bits(size_t nr, unsigned int kind,
				       size_t *ret_nr)
{
	std::vector<uint32_t> keep(nr / 32 + 1);

	for (uint32_t &word : keep)
		word = kind == 0   ? (uint32_t)cuda_ref_random()
		       : kind == 1 ? ~0u
				   : 0;
	*ret_nr = 0;
	for (size_t i = 0; i < nr; i++)
		*ret_nr += keep[i / 32] >> i % 32 & 1;
	return keep;
}

static std::vector<scalar> pick(const std::vector<scalar> &v,
				const std::vector<uint32_t> &keep)
{
	std::vector<scalar> picked;

	for (size_t i = 0; i < v.size(); i++)
		if (keep[i / 32] >> i % 32 & 1)
			picked.push_back(v[i]);
	return picked;
}

/* The kernel's work as a loop, and the scan that comes before it. */
static void gather_on_host(const std::vector<scalar> &v,
			   const std::vector<uint32_t> &keep,
			   std::vector<scalar> *ret)
{
	std::vector<uint64_t> places(v.size() / 32 + 2);
	uint64_t sum = 0;

	for (size_t i = 0; i < places.size(); i++) {
		places[i] = sum;
		sum += count_bits(i < keep.size()
					  ? kept_word(keep.data(), i, v.size())
					  : 0);
	}
	EXPECT_EQ(ret->size(), sum);
	for (size_t i = 0; i < v.size(); i++)
		gather_value((const uint4 *)v.data(), i, v.size(), keep.data(),
			     places.data(), (uint4 *)ret->data(), ret->size());
}

static void gather_on_device(const std::vector<scalar> &v,
			     const std::vector<uint32_t> &keep,
			     std::vector<scalar> *ret)
{
	size_t bytes = v.size() * sizeof(scalar);
	size_t bytes_to = ret->size() * sizeof(scalar);
	void *values = device_alloc(bytes), *to = device_alloc(bytes_to);
	void *bits = device_alloc(keep.size() * sizeof(keep[0]));
	void *scratch = device_alloc(classify_scratch_bytes(v.size()));
	struct lull_error error;

	device_put(values, v.data(), bytes);
	device_put(bits, keep.data(), keep.size() * sizeof(keep[0]));
	must_run(gather_kept(values, v.size(), (const uint32_t *)bits, to,
			     ret->size(), scratch, 0, &error),
		 &error);
	device_done();
	device_get(ret->data(), to, bytes_to);
	device_free(values);
	device_free(to);
	device_free(bits);
	device_free(scratch);
}

/* Also with room for all but one: what is behind the room is left alone. */
static void check_gather(size_t nr, bool on_device)
{
	std::vector<scalar> v(nr), want, got;
	std::vector<uint32_t> keep;
	size_t nr_kept;

	for (scalar &s : v)
		s = make_scalar(MIXED);
	for (unsigned int kind = 0; kind < 3; kind++) {
		keep = make_bits(nr, kind, &nr_kept);
		want = pick(v, keep);
		got.assign(nr_kept, scalar{ { 7, 7, 7, 7 } });
		if (on_device)
			gather_on_device(v, keep, &got);
		else
			gather_on_host(v, keep, &got);
		ASSERT_EQ(want.size(), got.size());
		if (want.size())
			EXPECT_MEMEQ(want.data(), got.data(),
				     want.size() * sizeof(want[0]));
		if (!on_device || want.empty())
			continue;
		want.pop_back();
		got.assign(want.size(), scalar{ { 7, 7, 7, 7 } });
		gather_on_device(v, keep, &got);
		if (want.size())
			EXPECT_MEMEQ(want.data(), got.data(),
				     want.size() * sizeof(want[0]));
	}
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

/* ---- values of a map and of those that are others ---- */

/* What the host's check finds (input/classes.h). */
static std::vector<uint32_t> make_map(const std::vector<scalar> &v)
{
	std::vector<uint32_t> map(lull_classes_bytes(v.size()) / 4);

	for (size_t i = 0; i < v.size(); i++)
		map[i / class_nr] |= class_of(v[i])
				     << class_bits * (i % class_nr);
	return map;
}

/* Packed by runs of any length, with its places. */
struct packed_form {
	std::vector<uint32_t> map, places;
	std::vector<scalar> others;

	explicit packed_form(const std::vector<scalar> &v)
	{
		size_t nr_groups = expand_nr_groups(v.size()), first, nr;
		struct packing p;

		map = make_map(v);
		/* Behind the last value is nobody's. */
		if (v.size() % class_nr)
			map[v.size() / class_nr] |=
				~0u << class_bits * (v.size() % class_nr);
		places.resize(nr_groups);
		p = { map.data(), (const uint8_t *)v.data(), v.size(),
		      places.data() };
		for (first = 0; first < nr_groups; first += nr) {
			nr = 1 + cuda_ref_random() % (nr_groups - first);
			pack_count(&p, first, first + nr);
		}
		others.assign(pack_sum(&p), scalar{ { 7, 7, 7, 7 } });
		for (first = 0; first < others.size(); first += nr) {
			nr = 1 + cuda_ref_random() % (others.size() - first);
			pack_values(&p, first, nr, (uint8_t *)&others[first]);
		}
	}
};

static void expand_on_host(const packed_form &f, size_t nr_others,
			   std::vector<scalar> *to)
{
	for (size_t i = 0; i < to->size(); i++)
		expand_value(f.map.data(), f.places.data(),
			     (const uint4 *)f.others.data(), nr_others, i,
			     (uint4 *)to->data());
}

static void expand_on_device(const packed_form &f, size_t nr_others,
			     std::vector<scalar> *to)
{
	size_t bytes[] = { f.map.size() * 4, f.places.size() * 4,
			   nr_others * sizeof(scalar),
			   to->size() * sizeof(scalar) };
	const void *from[] = { f.map.data(), f.places.data(), f.others.data() };
	struct lull_error error;
	void *parts[4];

	for (int i = 0; i < 4; i++)
		parts[i] = device_alloc(bytes[i]);
	for (int i = 0; i < 3; i++)
		device_put(parts[i], from[i], bytes[i]);
	must_run(expand_values((const uint32_t *)parts[0],
			       (const uint32_t *)parts[1], parts[2], nr_others,
			       parts[3], to->size(), 0, &error),
		 &error);
	device_done();
	device_get(to->data(), parts[3], bytes[3]);
	for (void *part : parts)
		device_free(part);
}

/* Also with fewer others than the map has, which come out as zeros: nothing is
 * read behind them. */
static void check_expand(const std::vector<scalar> &v, bool on_device)
{
	const packed_form f(v);
	std::vector<scalar> got(v.size(), scalar{ { 7, 7, 7, 7 } }), want = v;
	size_t nr_others = f.others.size(), seen = 0;

	for (size_t short_of : { (size_t)0, nr_others / 2, nr_others }) {
		size_t there = nr_others - short_of;

		seen = 0;
		for (size_t i = 0; i < v.size(); i++)
			if (class_of(v[i]) == SCALAR_OTHER && seen++ >= there)
				want[i] = scalar{};
		if (on_device)
			expand_on_device(f, there, &got);
		else
			expand_on_host(f, there, &got);
		if (!v.empty())
			EXPECT_MEMEQ(want.data(), got.data(),
				     v.size() * sizeof(v[0]));
	}
	EXPECT_EQ(seen, nr_others);
}

static void check_expands(size_t nr, bool on_device)
{
	std::vector<scalar> v(nr);

	for (int f = 0; f < NR_FILLINGS; f++) {
		for (scalar &s : v)
			s = make_scalar((enum filling)f);
		check_expand(v, on_device);
	}
}

/* ---- rows in the order of the domain ---- */

static void place_on_device(std::vector<scalar> *to, unsigned int log_n,
			    const std::vector<scalar> &rows, uint64_t step)
{
	size_t bytes = to->size() * sizeof(scalar);
	void *from = device_alloc(bytes), *device_to = device_alloc(bytes);
	struct lull_error error;

	device_put(from, rows.data(), rows.size() * sizeof(scalar));
	must_run(place_rows(device_to, log_n, from, rows.size(), step, 0,
			    &error),
		 &error);
	device_done();
	device_get(to->data(), device_to, bytes);
	device_free(from);
	device_free(device_to);
}

static void check_place(unsigned int log_n, bool on_device)
{
	static const uint64_t steps[] = { 1, 3, 192310269, ~(uint64_t)0 };
	size_t n = (size_t)1 << log_n, nr;
	std::vector<scalar> rows, want, got(n);

	for (uint64_t step : steps) {
		EXPECT_EQ(1, step * inverse_odd(step));
		nr = cuda_ref_random() % (n + 1);
		rows.resize(nr);
		want.assign(n, scalar{});
		for (size_t i = 0; i < nr; i++) {
			rows[i] = make_scalar(NEAR);
			want[i * step & (n - 1)] = rows[i];
		}
		if (on_device)
			place_on_device(&got, log_n, rows, step);
		else
			for (size_t j = 0; j < n; j++)
				place_row((uint4 *)got.data(), j,
					  (const uint4 *)rows.data(), nr,
					  inverse_odd(step), n - 1);
		EXPECT_MEMEQ(want.data(), got.data(), n * sizeof(scalar));
	}
}

TEST(scratch_grows)
{
	for (size_t nr = 0; nr < 100000; nr += 999)
		EXPECT_TRUE(classify_scratch_bytes(nr + 999) >=
				    classify_scratch_bytes(nr) &&
			    classify_scratch_bytes(nr) >= (nr + 31) / 32 * 8);
}

static const size_t sizes[] = { 0,    1,    2,	  3,	  31,	  32,
				33,   255,  256,  257,	  511,	  512,
				4095, 4096, 4097, 100000, 1000003 };

TEST(gather_as_a_loop)
{
	for (size_t nr : sizes)
		check_gather(nr, false);
}

TEST(gather)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	for (size_t nr : sizes)
		check_gather(nr, true);
}

TEST(expand_as_a_loop)
{
	for (size_t nr : sizes)
		check_expands(nr, false);
}

TEST(expand)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	for (size_t nr : sizes)
		check_expands(nr, true);
}

/* More is asked for than there is: no more than that is written, nor anything
 * read behind the last value, whatever bits stand there, nor any place made but
 * the groups' own. */
TEST(packs_no_more_than_there_is)
{
	std::vector<scalar> v(300), others;
	std::vector<uint32_t> map(lull_classes_bytes(v.size()) / 4, ~0u),
		places(expand_nr_groups(v.size()) + 1, 7);
	struct packing p = { map.data(), (const uint8_t *)v.data(), v.size(),
			     places.data() };

	for (scalar &s : v)
		s = make_scalar(OTHERS);
	pack_count(&p, 0, expand_nr_groups(v.size()));
	EXPECT_EQ(v.size(), pack_sum(&p));
	EXPECT_EQ(7, places.back());
	others.assign(v.size() + 2, scalar{ { 7, 7, 7, 7 } });
	pack_values(&p, 290, 20, (uint8_t *)others.data());
	EXPECT_MEMEQ(&v[290], others.data(), 10 * sizeof(v[0]));
	EXPECT_EQ(7, others[10].l[0]);
	pack_values(&p, v.size(), 5, (uint8_t *)&others[10]);
	EXPECT_EQ(7, others[10].l[0]);
}

TEST(place_as_a_loop)
{
	for (unsigned int log_n = 0; log_n <= 12; log_n++)
		check_place(log_n, false);
}

TEST(place)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	for (unsigned int log_n = 0; log_n <= 20; log_n++)
		check_place(log_n, true);
}

TEST(sizes)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	for (size_t nr : sizes)
		for (int f = 0; f < NR_FILLINGS; f++)
			check(nr, (enum filling)f);
}

TEST_MAIN
