/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntt.cuh - transforms over Fr on the device
 *
 * For the backend, quotient.cu and the benches.  The domain of n = 2^log_n, its
 * root and its coset are those of userspace/ntt/ntt.h; n is from 2 to 2^28.
 * Forward takes natural order to bit-reversed order and the inverse takes it
 * back.  In place; nothing is allocated, every launch goes to the caller's
 * stream and nobody waits.
 */
#ifndef LULL_CUDA_NTT_CUH
#define LULL_CUDA_NTT_CUH

#include <cuda_runtime_api.h>

#include "check.cuh"
#include "ntt_block.cuh"

extern "C" {
#include "base/base.h"
}

namespace lull
{

constexpr unsigned int ntt_log_max = 28;
/* Factors between passes are a table up to this many, 16 MiB. */
constexpr unsigned int ntt_direct_log_max = 19;

/* How 2^log_n is cut into passes, the first in frequency first. */
struct ntt_shape {
	unsigned int log_n;
	unsigned int nr_passes;
	unsigned int log_rows[ntt_passes_max];
	unsigned int log_stride[ntt_passes_max];
};

/* Pure arithmetic. */
struct ntt_shape ntt_shape_of(unsigned int log_n);

/* Which tables a domain has. */
enum ntt_set {
	NTT_SET_FORWARD, /* ntt_forward() */
	NTT_SET_INVERSE, /* ntt_inverse() and the way back of a quotient */
	NTT_SET_COSET,	 /* the way forth of a quotient */
	NTT_NR_SETS,
};

/* In elements: where the tables of a set lie in it. */
struct ntt_set_layout {
	size_t rounds[ntt_passes_max];
	size_t boundary[ntt_passes_max]; /* the table, or the low powers */
	size_t high, powers;		 /* of pass 0, if it has no table */
	size_t first;			 /* coset: 8 giving plain, 8 Montgomery */
	size_t nr;
	unsigned int log_low;
};

struct ntt_set_layout ntt_set_layout_of(const struct ntt_shape *shape, enum ntt_set set);

/* Whether pass p has a table of factors behind it. */
static inline bool ntt_has_direct(const struct ntt_shape *shape, unsigned int p)
{
	return shape->log_rows[p] + shape->log_stride[p] <= ntt_direct_log_max;
}

/* A domain: tables in device memory that the caller owns. */
template <class F>
struct ntt_domain {
	struct ntt_shape shape;
	struct ntt_set_layout layout[NTT_NR_SETS];
	const fe<F> *set[NTT_NR_SETS]; /* NULL: not made */
	ntt_roots<F> roots[NTT_NR_SETS];
	fe<F> inv_n;
};

/* Bytes of device memory for the sets whose bits (1 << NTT_SET_...) are set. */
size_t ntt_domain_bytes(unsigned int log_n, unsigned int sets);

/**
 * ntt_domain_make - fill the tables of a domain
 * @log_n: 1 .. ntt_log_max, at most the field's 2-adicity
 * @sets: bits of enum ntt_set
 * @memory: ntt_domain_bytes() bytes on the device, aligned to 256
 * @stream: the tables are ready when it comes to them
 * @ret_domain: what the transforms take; nothing to destroy
 *
 * Also raises the shared memory that the kernels may have on the current
 * device.  LULL_OK, LULL_RANGE or a device's error.
 */
template <class F>
int ntt_domain_make(unsigned int log_n, unsigned int sets, void *memory, cudaStream_t stream,
		    struct ntt_domain<F> *ret_domain, struct lull_error *reterr);

/* values, n Montgomery elements of device memory in natural order, become their
 * transform in bit-reversed order: place rev(i) has sum_j values[j] w_n^(i j). */
template <class F>
int ntt_forward(const struct ntt_domain<F> &domain, fe<F> *values, cudaStream_t stream,
		struct lull_error *reterr);
/* The inverse of that, 1/n included. */
template <class F>
int ntt_inverse(const struct ntt_domain<F> &domain, fe<F> *values, cudaStream_t stream,
		struct lull_error *reterr);

/* ---- for quotient.cu and the tests ---- */

/* One table to fill: what entry i is, ntt_table_entry() says. */
enum ntt_table {
	NTT_ROUNDS,
	NTT_FIRST,
	NTT_DIRECT,
	NTT_LOW,
	NTT_HIGH,
	NTT_POWERS,
};

template <class F>
struct ntt_table_spec {
	enum ntt_table what;
	unsigned int log_n, log_rows, log_stride, log_low;
	size_t nr;
	fe<F> w, h, scale; /* root of order n, coset's shift, constant of NTT_FIRST */
};

template <class F>
LULL_HD fe<F> ntt_round_entry(const ntt_table_spec<F> &t, size_t i)
{
	unsigned int s = first_round_log(t.log_rows);
	uint64_t step;
	fe<F> base;
	size_t q;

	/* The eight entries of the first round are NTT_FIRST's. */
	if (i < round_size)
		return fe<F>::one();
	i -= round_size;
	for (s += round_log; i >= (size_t)1 << s; s += round_log)
		i -= (size_t)1 << s;
	q = i >> (s - round_log);
	i &= ((size_t)1 << (s - round_log)) - 1;
	step = (uint64_t)1 << (t.log_n - s);
	base = mul(fr_pow(t.h, step), fr_pow(t.w, step * i));
	return fr_pow(base, reverse3((unsigned int)q));
}

template <class F>
LULL_HD fe<F> ntt_direct_entry(const ntt_table_spec<F> &t, size_t i)
{
	unsigned int log_b = t.log_rows + t.log_stride;
	uint32_t r = reverse_bits((uint32_t)(i >> t.log_stride), t.log_rows);
	uint64_t c = i & (((size_t)1 << t.log_stride) - 1);
	uint64_t step = (uint64_t)1 << (t.log_n - log_b);
	uint64_t e = c * r & (((uint64_t)1 << log_b) - 1);

	return mul(fr_pow(t.h, step * r), fr_pow(t.w, step * e));
}

template <class F>
LULL_HD fe<F> ntt_first_entry(const ntt_table_spec<F> &t, size_t i)
{
	unsigned int f = first_round_log(t.log_rows);
	uint32_t m = reverse_bits((uint32_t)i & ((1u << f) - 1), f);

	return mul(t.scale, fr_pow(t.h, ((uint64_t)m) << (t.log_n - f)));
}

template <class F>
LULL_HD fe<F> ntt_table_entry(const ntt_table_spec<F> &t, size_t i)
{
	switch (t.what) {
	case NTT_ROUNDS:
		return ntt_round_entry(t, i);
	case NTT_FIRST:
		return ntt_first_entry(t, i);
	case NTT_DIRECT:
		return ntt_direct_entry(t, i);
	case NTT_LOW:
		return fr_pow(t.w, i);
	case NTT_HIGH:
		return fr_pow(t.w, (uint64_t)i << t.log_low);
	case NTT_POWERS:
	default:
		return fr_pow(t.h, i);
	}
}

/* The tables of a set, at most so many; each is nr elements at offset. */
constexpr unsigned int ntt_tables_max = 3 * ntt_passes_max + 2;

template <class F>
struct ntt_table_list {
	unsigned int nr;
	ntt_table_spec<F> table[ntt_tables_max];
	size_t offset[ntt_tables_max];
};

/* The shift of the coset: w_2n, or g^2 where there is none. */
template <class F>
fe<F> ntt_shift(unsigned int log_n);
/* What a set consists of, and its constants. */
template <class F>
void ntt_list_tables(const struct ntt_shape *shape, enum ntt_set set, ntt_table_list<F> *ret_list,
		     ntt_roots<F> *ret_roots);
/* Pass p of a set as the kernels take it. */
template <class F>
ntt_pass<F> ntt_pass_of(const struct ntt_domain<F> &domain, enum ntt_set set, unsigned int p);

/* A domain with its sets placed in memory, their tables not yet filled. */
template <class F>
void ntt_domain_place(unsigned int log_n, unsigned int sets, void *memory,
		      struct ntt_domain<F> *ret_domain);

/* Blocks that a pass over one array has. */
static inline unsigned int ntt_nr_blocks(unsigned int log_n)
{
	return log_n > tile_log ? 1u << (log_n - tile_log) : 1;
}

/* Up to three arrays that go through the same pass side by side. */
template <class F>
struct ntt_arrays {
	unsigned int nr;
	fe<F> *v[3];
	const fe<F> *first[3]; /* rows only: for rounds_dit() */
};

/* Launches; product_of gives {a, b} with v[0] = a b first, or is NULL. */
template <class F>
int ntt_launch_dif(const ntt_pass<F> &pass, const ntt_arrays<F> &arrays, const fe<F> *const *of,
		   cudaStream_t stream, struct lull_error *reterr);
template <class F>
int ntt_launch_dit(const ntt_pass<F> &pass, const ntt_arrays<F> &arrays, const epilogue<F> &end,
		   cudaStream_t stream, struct lull_error *reterr);
template <class F>
int ntt_launch_rows(const ntt_pass<F> *dif, const ntt_pass<F> *dit, const ntt_arrays<F> &arrays,
		    const epilogue<F> &end, cudaStream_t stream, struct lull_error *reterr);

} /* namespace lull */

#endif
