// SPDX-License-Identifier: Apache-2.0
/*
 * ntt.cu - transforms and quotients against the C library
 *
 * A block's work is one source for device and host (cuda/ntt_block.cuh): small
 * transforms are run on the host too, thread after thread, so that all but the
 * launches is tested without a GPU.
 *
 * LULL_TEST_BRIEF: what a sanitizer has time for, every kernel once.
 */
#include <vector>

#include "cuda/device.h"
#include "cuda/ntt_ref.h"
#include "cuda/ref.h"
#include "harness.h"
#include "quotient.cuh"

using namespace lull;

/* Bits to reverse: a transform's order. */
template <class F>
static void reverse_order(std::vector<fe<F>> &v, unsigned int log_n)
{
	for (uint32_t i = 0; i < v.size(); i++) {
		uint32_t j = reverse_bits(i, log_n);

		if (i < j)
			std::swap(v[i], v[j]);
	}
}

enum filling { RANDOM, ZEROS, ONES, LARGEST, HOT, NR_FILLINGS };

/* Random with edges, or all alike: r - 1 as the bytes have it is the largest. */
template <class F>
static std::vector<fe<F>> make_vector(size_t n, enum filling filling,
				      const struct cuda_ref *ref)
{
	std::vector<fe<F>> v(n);

	for (size_t i = 0; i < n; i++) {
		v[i] = fe<F>::zero();
		if (filling == RANDOM)
			ref->fr.random(&v[i]);
		else if (filling == ONES)
			v[i] = fe<F>::one();
		else if (filling == LARGEST)
			ref->minus_one(&v[i]);
	}
	if (filling == HOT)
		ref->minus_one(&v[n / 2]);
	return v;
}

/* ---- the host's side: the kernels of ntt.cu as loops ---- */

template <class F> struct host_run {
	std::vector<fe<F>> memory;
	std::vector<uint4> tile;
	struct ntt_domain<F> domain;

	host_run(unsigned int log_n, unsigned int sets)
	    : memory(ntt_domain_bytes(log_n, sets) / sizeof(fe<F>)),
	      tile(block_bytes / sizeof(uint4))
	{
		ntt_table_list<F> list;
		ntt_roots<F> roots;

		ntt_domain_place(log_n, sets, memory.data(), &domain);
		for (unsigned int i = 0; i < NTT_NR_SETS; i++) {
			if (!domain.set[i])
				continue;
			ntt_list_tables(&domain.shape, (enum ntt_set)i, &list,
					&roots);
			for (unsigned int k = 0; k < list.nr; k++)
				for (size_t e = 0; e < list.table[k].nr; e++)
					((fe<F> *)domain
						 .set[i])[list.offset[k] + e] =
						ntt_table_entry(list.table[k],
								e);
		}
	}
	unsigned int last() const
	{
		return domain.shape.nr_passes - 1;
	}
	template <class BODY> void blocks(BODY body)
	{
		for (uint32_t i = 0; i < ntt_nr_blocks(domain.shape.log_n);
		     i++) {
			memset((void *)tile.data(), 0xcc, block_bytes);
			body(block{ tile.data(), i });
		}
	}
	void back(enum ntt_set set, fe<F> *v, const fe<F> *a, const fe<F> *by)
	{
		for (unsigned int p = 0; p < last(); p++) {
			ntt_pass<F> pass = ntt_pass_of(domain, set, p);

			blocks([&](const block &b) {
				dif_columns<F>(b, pass, v, p ? NULL : a, by);
			});
		}
	}
	void forth(enum ntt_set set, fe<F> *v, const epilogue<F> &end)
	{
		for (unsigned int p = last(); p--;) {
			ntt_pass<F> pass = ntt_pass_of(domain, set, p);
			const epilogue<F> plain = {};

			blocks([&](const block &b) {
				dit_columns(b, pass, v, p ? plain : end);
			});
		}
	}
};

/* From natural order to reversed order. */
template <class F>
static void host_dif(fe<F> *v, unsigned int log_n, enum ntt_set set)
{
	host_run<F> h(log_n, 1u << set);
	const epilogue<F> plain = {};
	ntt_pass<F> pass = ntt_pass_of(h.domain, set, h.last());

	h.back(set, v, NULL, NULL);
	h.blocks([&](const block &b) {
		rows<F>(b, &pass, (const ntt_pass<F> *)NULL, NULL, v, plain);
	});
}

template <class F> static void host_forward(fe<F> *v, unsigned int log_n)
{
	host_dif(v, log_n, NTT_SET_FORWARD);
}

template <class F> static void host_inverse(fe<F> *v, unsigned int log_n)
{
	host_run<F> h(log_n, 1u << NTT_SET_INVERSE);
	const epilogue<F> plain = {},
			  scaled = { NTT_SCALE, h.domain.inv_n, NULL, NULL };
	ntt_pass<F> pass = ntt_pass_of(h.domain, NTT_SET_INVERSE, h.last());

	h.blocks([&](const block &b) {
		rows<F>(b, (const ntt_pass<F> *)NULL, &pass, NULL, v,
			h.last() ? plain : scaled);
	});
	h.forth(NTT_SET_INVERSE, v, scaled);
}

/* To coset values of one array; which: 0 plain, 1 Montgomery. */
template <class F>
static void host_coset(host_run<F> &h, fe<F> *v, const fe<F> *a,
		       const fe<F> *by, unsigned int which,
		       const epilogue<F> &end)
{
	const fe<F> *first = h.domain.set[NTT_SET_COSET] +
			     h.domain.layout[NTT_SET_COSET].first;
	ntt_pass<F> back = ntt_pass_of(h.domain, NTT_SET_INVERSE, h.last());
	ntt_pass<F> forth = ntt_pass_of(h.domain, NTT_SET_COSET, h.last());
	const epilogue<F> plain = {};

	h.back(NTT_SET_INVERSE, v, a, by);
	h.blocks([&](const block &b) {
		rows<F>(b, &back, &forth, first + which * round_size, v,
			h.last() ? plain : end);
	});
	h.forth(NTT_SET_COSET, v, end);
}

template <class F>
static void host_quotient(fe<F> *a, fe<F> *b, fe<F> *c, unsigned int log_n,
			  bool folded)
{
	host_run<F> h(log_n, quotient_sets);
	const epilogue<F> plain = {};
	const epilogue<F> end = { folded ? NTT_PRODUCT : NTT_QUOTIENT,
				  fe<F>::zero(), b, c };

	for (size_t i = 0; !h.last() && i < (size_t)1 << log_n; i++)
		c[i] = mul(a[i], b[i]);
	if (!folded)
		host_coset<F>(h, c, a, b, 0, plain);
	host_coset<F>(h, b, NULL, NULL, 1, plain);
	host_coset<F>(h, a, NULL, NULL, 0, end);
}

template <class F> static void host_coefs(fe<F> *h, unsigned int log_n)
{
	unsigned int log_low = quotient_coefs_log_low(log_n);
	std::vector<fe<F>> low((size_t)1 << log_low);
	std::vector<fe<F>> high((size_t)1 << (log_n - log_low));
	const quotient_coefs<F> coefs = { log_n, log_low, low.data(),
					  high.data() };
	quotient_powers<F> of_low, of_high;

	EXPECT_EQ(quotient_coefs_bytes(log_n),
		  (low.size() + high.size()) * sizeof(low[0]));
	quotient_coefs_powers(log_n, &of_low, &of_high);
	for (size_t i = 0; i < low.size(); i++)
		low[i] = of_low(i);
	for (size_t i = 0; i < high.size(); i++)
		high[i] = of_high(i);
	host_dif(h, log_n, NTT_SET_INVERSE);
	for (uint32_t i = 0; i < (uint32_t)1 << log_n; i++)
		quotient_coefs_swap(coefs, h, i);
}

/* ---- the device's side ---- */

static void must_run(int rc, const struct lull_error *error)
{
	if (!rc)
		return;
	printf("Bail out! %s\n", error->msg);
	exit(1);
}

template <class F> struct device_run {
	struct lull_error error;
	struct ntt_domain<F> domain;
	void *memory;

	device_run(unsigned int log_n, unsigned int sets)
	{
		memory = device_alloc(ntt_domain_bytes(log_n, sets));
		must_run(ntt_domain_make<F>(log_n, sets, memory, 0, &domain,
					    &error),
			 &error);
		device_done();
	}
	~device_run()
	{
		device_free(memory);
	}
};

template <class F>
static void device_transform(fe<F> *v, unsigned int log_n, bool inverse)
{
	device_run<F> d(log_n,
			1u << (inverse ? NTT_SET_INVERSE : NTT_SET_FORWARD));
	size_t bytes = sizeof(fe<F>) << log_n;
	fe<F> *values = (fe<F> *)device_alloc(bytes);

	device_put(values, v, bytes);
	must_run((inverse ? ntt_inverse<F> : ntt_forward<F>)(d.domain, values,
							     0, &d.error),
		 &d.error);
	device_done();
	device_get(v, values, bytes);
	device_free(values);
}

template <class F>
static void device_quotient(fe<F> *a, fe<F> *b, unsigned int log_n, bool folded)
{
	device_run<F> d(log_n, quotient_sets);
	size_t bytes = sizeof(fe<F>) << log_n;
	fe<F> *da = (fe<F> *)device_alloc(bytes),
	      *db = (fe<F> *)device_alloc(bytes);
	fe<F> *dc =
		(fe<F> *)device_alloc(quotient_scratch_bytes(log_n, folded));

	device_put(da, a, bytes);
	device_put(db, b, bytes);
	must_run(quotient_run<F>(d.domain, da, db, dc, folded, 0, &d.error),
		 &d.error);
	device_done();
	device_get(a, da, bytes);
	device_free(da);
	device_free(db);
	device_free(dc);
}

template <class F> static void device_coefs(fe<F> *h, unsigned int log_n)
{
	device_run<F> d(log_n, quotient_sets);
	size_t bytes = sizeof(fe<F>) << log_n;
	fe<F> *values = (fe<F> *)device_alloc(bytes);
	void *tables = device_alloc(quotient_coefs_bytes(log_n));
	struct quotient_coefs<F> coefs;

	must_run(quotient_coefs_make<F>(log_n, tables, 0, &coefs, &d.error),
		 &d.error);
	device_put(values, h, bytes);
	must_run(quotient_coefs_run<F>(d.domain, coefs, values, 0, &d.error),
		 &d.error);
	device_done();
	device_get(h, values, bytes);
	device_free(values);
	device_free(tables);
}

/* ---- comparisons ---- */

template <class F>
static bool same(const std::vector<fe<F>> &want, const std::vector<fe<F>> &got,
		 const char *what, unsigned int log_n, unsigned int filling)
{
	for (size_t i = 0; i < want.size(); i++) {
		if (!memcmp((const void *)&want[i], (const void *)&got[i],
			    sizeof(want[i])))
			continue;
		printf("# %s of 2^%u, filling %u, element %zu\n", what, log_n,
		       filling, i);
		EXPECT_MEMEQ(&want[i], &got[i], sizeof(want[i]));
		return false;
	}
	return true;
}

template <class F>
static bool compare_transforms(bool on_device, unsigned int log_n,
			       enum filling filling, const struct cuda_ref *ref,
			       const struct ntt_ref *ntt)
{
	std::vector<fe<F>> want =
		make_vector<F>((size_t)1 << log_n, filling, ref);
	std::vector<fe<F>> values = want, got = want;

	if (on_device)
		device_transform(got.data(), log_n, false);
	else
		host_forward(got.data(), log_n);
	ntt->ntt(want.data(), log_n);
	reverse_order(want, log_n);
	if (!same(want, got, "forward", log_n, filling))
		return false;
	if (on_device)
		device_transform(got.data(), log_n, true);
	else
		host_inverse(got.data(), log_n);
	return same(values, got, "inverse", log_n, filling);
}

template <class F>
static bool compare_quotients(bool on_device, unsigned int log_n,
			      enum filling filling, const struct cuda_ref *ref,
			      const struct ntt_ref *ntt)
{
	size_t n = (size_t)1 << log_n;
	const std::vector<fe<F>> a = make_vector<F>(n, filling, ref);
	const std::vector<fe<F>> b =
		make_vector<F>(n, filling == HOT ? RANDOM : filling, ref);

	for (int folded = 0; folded < 2; folded++) {
		std::vector<fe<F>> want = a, other = b, got = a, got_b = b,
				   c(n);

		if (on_device)
			device_quotient(got.data(), got_b.data(), log_n,
					folded);
		else
			host_quotient(got.data(), got_b.data(), c.data(), log_n,
				      folded);
		(folded ? ntt->folded : ntt->quotient)(want.data(),
						       other.data(), log_n);
		if (!same(want, got, folded ? "folded" : "quotient", log_n,
			  filling))
			return false;
	}
	return true;
}

/* Any values on the coset have coefficients. */
template <class F>
static bool compare_coefs(bool on_device, unsigned int log_n,
			  enum filling filling, const struct cuda_ref *ref,
			  const struct ntt_ref *ntt)
{
	std::vector<fe<F>> want =
		make_vector<F>((size_t)1 << log_n, filling, ref);
	std::vector<fe<F>> got = want;

	if (on_device)
		device_coefs(got.data(), log_n);
	else
		host_coefs(got.data(), log_n);
	ntt->coefs(want.data(), log_n);
	return same(want, got, "coefficients", log_n, filling);
}

template <class F>
static void compare(bool on_device, unsigned int log_n,
		    const struct cuda_ref *ref, const struct ntt_ref *ntt,
		    unsigned int nr_fillings)
{
	for (unsigned int f = 0; f < nr_fillings; f++)
		if (!compare_transforms<F>(on_device, log_n, (enum filling)f,
					   ref, ntt) ||
		    !compare_quotients<F>(on_device, log_n, (enum filling)f,
					  ref, ntt) ||
		    !compare_coefs<F>(on_device, log_n, (enum filling)f, ref,
				      ntt))
			return;
}

/* Every number of passes and of rounds, and both kinds of factors. */
template <class F>
static void compare_on_host(const struct cuda_ref *ref,
			    const struct ntt_ref *ntt)
{
	for (unsigned int log_n = 1; log_n <= 11; log_n++)
		compare<F>(false, log_n, ref, ntt, log_n < 7 ? NR_FILLINGS : 1);
	if (test_brief())
		return;
	compare<F>(false, 12, ref, ntt, 1);
	compare<F>(false, 14, ref, ntt, 1);
}

template <class F>
static void compare_on_device(const struct cuda_ref *ref,
			      const struct ntt_ref *ntt)
{
	/* Two passes with a table and with computed factors; three, of which the
	 * middle one ends with a round of radix 2, of 4 and of 8. */
	static const unsigned int large[] = { 17, 20, 22, 23, 24 };

	/* A tile, and two passes. */
	static const unsigned int brief[] = { 5, 12, 17 };

	if (test_brief()) {
		for (unsigned int log_n : brief)
			compare<F>(true, log_n, ref, ntt, 1);
		/* The least with two passes by columns: all that has them, a
		 * quotient too, takes racecheck 20 minutes of processors. */
		compare_transforms<F>(true, 21, RANDOM, ref, ntt);
		return;
	}
	for (unsigned int log_n = 1; log_n <= 15; log_n++)
		compare<F>(true, log_n, ref, ntt, NR_FILLINGS);
	for (unsigned int log_n : large)
		compare<F>(true, log_n, ref, ntt, 1);
}

TEST(host_bn254)
{
	compare_on_host<bn254_fr>(&cuda_ref_bn254, &ntt_ref_bn254);
}

TEST(host_bls12_381)
{
	compare_on_host<bls12_381_fr>(&cuda_ref_bls12_381, &ntt_ref_bls12_381);
}

/* Two passes with computed factors; three, with an odd round of each kind. */
TEST(host_large)
{
	if (!getenv("LULL_TEST_LARGE"))
		SKIP("LULL_TEST_LARGE is not set: transforms of 2^20 to 2^23 "
		     "take minutes here");
	compare<bls12_381_fr>(false, 20, &cuda_ref_bls12_381,
			      &ntt_ref_bls12_381, 1);
	compare<bn254_fr>(false, 22, &cuda_ref_bn254, &ntt_ref_bn254, 1);
	compare<bls12_381_fr>(false, 23, &cuda_ref_bls12_381,
			      &ntt_ref_bls12_381, 1);
}

TEST(shapes)
{
	for (unsigned int log_n = 1; log_n <= ntt_log_max; log_n++) {
		struct ntt_shape s = ntt_shape_of(log_n);
		unsigned int sum = 0;

		for (unsigned int p = 0; p < s.nr_passes; p++) {
			sum += s.log_rows[p];
			EXPECT_EQ(log_n - sum, s.log_stride[p]);
			EXPECT_TRUE(s.log_rows[p] <= tile_log);
			/* A tile's columns are neighbours. */
			if (p + 1 < s.nr_passes)
				EXPECT_TRUE(s.log_stride[p] + s.log_rows[p] >=
						    tile_log &&
					    s.log_stride[p] >=
						    tile_log - s.log_rows[p] &&
					    s.log_rows[p] >= round_log);
			if (p + 1 < s.nr_passes && !ntt_has_direct(&s, p))
				EXPECT_TRUE(!p &&
					    s.log_rows[p] == computed_rows_log);
		}
		EXPECT_EQ(log_n, sum);
	}
}

TEST(refuses)
{
	struct ntt_domain<bn254_fr> d;
	struct lull_error error;

	memset((void *)&d, 0xcc, sizeof(d));
	EXPECT_EQ(LULL_RANGE,
		  ntt_domain_make<bn254_fr>(0, 1, NULL, 0, &d, &error));
	EXPECT_EQ(LULL_RANGE, ntt_domain_make<bn254_fr>(ntt_log_max + 1, 1,
							NULL, 0, &d, &error));
	for (size_t i = 0; i < sizeof(d); i++)
		ASSERT_EQ(0xcc, ((const unsigned char *)&d)[i]);
}

TEST(device_bn254)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_on_device<bn254_fr>(&cuda_ref_bn254, &ntt_ref_bn254);
}

TEST(device_bls12_381)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_on_device<bls12_381_fr>(&cuda_ref_bls12_381,
					&ntt_ref_bls12_381);
}

TEST_MAIN
