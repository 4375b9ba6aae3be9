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
