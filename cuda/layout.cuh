/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.cuh - every device buffer of a key and of its proofs, with overlays
 *
 * For backend_cuda.cu.  The plan is arithmetic on the host: it is made, checked
 * against the budget and printed before anything is allocated.  Each part of a
 * proof asks its own file what it needs:
 *
 *	msm.cuh       bases of a section in device layout, scratch of one sum
 *	spmv.cuh      the matrices in device layout
 *	ntt.cuh       twiddles
 *	quotient.cuh  scratch
 *	classify.cuh  lists of ones and of others
 *
 * Device memory of one key:
 *
 *	key    [ A ][ B1 ][ B2 ][ L ][ H ][ matrices ][ twiddles ]
 *	proof  [ witness ][ classes ][ a, then the scalars of H ][ b ... ]
 *	       [ overlay: quotient's scratch, then the sums'            ]
 *	stream [ two buffers, when a section does not fit ]
 *
 * What backend_cuda.cu calls of those files, C one of the curve traits and G
 * 1 or 2; all device pointers, aligned to part_align, nothing allocates or
 * synchronises, every function is instantiated in its own file:
 *
 *	struct msm_plan { size_t nr, bases_bytes, scratch_bytes; ... };
 *	template <class C, int G> msm_plan
 *	msm_make_plan(size_t nr, size_t bases_bytes_max);
 *	    As many shifted copies as fit into bases_bytes_max; with 0 the points
 *	    as a key has them (bases_bytes = nr * sizeof(affine)).
 *	template <class C, int G> int
 *	msm_prepare(const msm_plan &, const void *points, void *bases,
 *		    void *scratch, cudaStream_t, struct lull_error *);
 *	template <class C, int G> int
 *	msm_run(const msm_plan &, const void *bases, const void *scalars,
 *		void *scratch, void *ret_affine, cudaStream_t,
 *		struct lull_error *);
 *	    Scalars are plain integers of 32 bytes.  *ret_affine is an affine
 *	    point as a key has it, on the device.  Enqueues only: counts that
 *	    depend on the scalars stay on the device.
 *
 *	struct spmv_plan { size_t bytes, scratch_bytes; ... };
 *	template <class C> int
 *	spmv_make_plan(const struct lull_key_arrays *, spmv_plan *,
 *		       struct lull_error *);
 *	    May count distinct coefficients on the host (once a key).
 *	template <class C> int spmv_upload(const spmv_plan &, ..., void *matrices, ...);
 *	template <class C> int
 *	spmv_run(const spmv_plan &, const void *matrices, const void *witness,
 *		 void *a, void *b, void *scratch, cudaStream_t, struct lull_error *);
 *
 *	template <class C> size_t twiddles_bytes(unsigned int log2_n);
 *	template <class C> size_t quotient_scratch_bytes(unsigned int log2_n);
 *	template <class C> int
 *	quotient_run(unsigned int log2_n, const void *twiddles, void *a, void *b,
 *		     void *scratch, cudaStream_t, struct lull_error *);
 *	    As fr_quotient(): a becomes plain integers.
 */
#ifndef LULL_CUDA_LAYOUT_CUH
#define LULL_CUDA_LAYOUT_CUH

#include <cstddef>
#include <cstdint>

namespace lull
{

/* What cudaMalloc() aligns to, and so every part. */
constexpr size_t part_align = 256;

} /* namespace lull */

#endif
