// SPDX-License-Identifier: Apache-2.0
/*
 * classify.cu - classes by ballot, places by CUB's scan
 *
 * For the backend.  A warp looks at 32 values and leaves how many are ones and
 * others as the halves of one word of 64 bits; the scan of those words tells
 * each warp where its parts of the lists begin.  To gather, the words are how many
 * bits are set.
 */
#include "classify.cuh"

#include <cub/device/device_scan.cuh>

namespace lull
{

static constexpr unsigned int threads = 256;
static constexpr unsigned int warp_size = 32;

/* What the scan may take besides its input: a state of 16 bytes a tile, tiles
 * of at least 128 words, and some room to align. */
static size_t scan_bytes_max(size_t nr_words)
{
	return (nr_words / 128 + 64) * 16 + 4096;
}

static size_t nr_words_of(size_t nr)
{
	return (nr + warp_size - 1) / warp_size + 1;
}

size_t classify_scratch_bytes(size_t nr)
{
	constexpr size_t align = 256;
	size_t counts = (nr_words_of(nr) * sizeof(uint64_t) + align - 1) / align * align;

	return counts + (scan_bytes_max(nr_words_of(nr)) + align - 1) / align * align;
}

static __device__ enum scalar_class class_of(const uint4 *value)
{
	uint4 low = __ldg(value), high = __ldg(value + 1);
	uint32_t rest = low.y | low.z | low.w | high.x | high.y | high.z | high.w;

	if (rest || low.x > 1)
		return SCALAR_OTHER;
	return low.x ? SCALAR_ONE : SCALAR_ZERO;
}

/* The 16 bits of x to the even bits of the result. */
static __device__ uint32_t spread(uint32_t x)
{
	/* Halves, quarters, eighths and sixteenths move apart. */
	x = (x | x << 8) & 0x00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	/* and single bits. */
	return (x | x << 1) & 0x55555555;
}

/* The ones and the others of this warp's values, by lane. */
struct warp_classes {
	uint32_t ones, others;

	__device__ warp_classes(const uint4 *values, size_t i, size_t nr, const uint32_t *keep)
	{
		enum scalar_class c = i < nr ? class_of(values + 2 * i) : SCALAR_ZERO;

		ones = __ballot_sync(~0u, c == SCALAR_ONE);
		others = __ballot_sync(~0u, c == SCALAR_OTHER);
		if (keep && i / warp_size < (nr + warp_size - 1) / warp_size) {
			ones &= __ldg(keep + i / warp_size);
			others &= __ldg(keep + i / warp_size);
		}
	}
};

static __global__ void map_kernel(const uint4 *values, size_t nr, uint32_t *map)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
	const warp_classes c(values, i, nr, NULL);
	unsigned int lane = threadIdx.x % warp_size;

	if (lane < 2 && i - lane < nr)
		map[i / warp_size * 2 + lane] = spread(c.ones >> 16 * lane & 0xffff) |
						spread(c.others >> 16 * lane & 0xffff) << 1;
}

static __global__ void count_kernel(const uint4 *values, size_t nr, const uint32_t *keep,
				    uint64_t *counts, size_t nr_words)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
	const warp_classes c(values, i, nr, keep);

	if (threadIdx.x % warp_size == 0 && i / warp_size < nr_words)
		counts[i / warp_size] = (uint64_t)__popc(c.others) << 32 | __popc(c.ones);
}

static __global__ void list_kernel(const uint4 *values, size_t nr, const uint32_t *keep,
				   const uint64_t *places, uint32_t *ones, uint32_t *others)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;
	const warp_classes c(values, i, nr, keep);
	uint32_t below = (1u << threadIdx.x % warp_size) - 1;
	uint64_t place;

	if (i >= nr)
		return;
	place = places[i / warp_size];
	if (c.ones & (below + 1))
		ones[(uint32_t)place + __popc(c.ones & below)] = (uint32_t)i;
	if (c.others & (below + 1))
		others[(uint32_t)(place >> 32) + __popc(c.others & below)] = (uint32_t)i;
}

static __global__ void count_bits_kernel(const uint32_t *keep, size_t nr, uint64_t *counts,
					 size_t nr_words)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;

	if (i < nr_words)
		counts[i] = count_bits(kept_word(keep, i, nr));
}

static __global__ void gather_kernel(const uint4 *values, size_t nr, const uint32_t *keep,
				     const uint64_t *places, uint4 *to, size_t nr_to)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;

	if (i < nr)
		gather_value(values, i, nr, keep, places, to, nr_to);
}

/* A block has a group. */
static_assert(threads == expand_group, "one place for each block");

static __global__ void expand_kernel(const uint32_t *map, const uint32_t *places,
				     const uint4 *packed, size_t nr_packed, uint4 *to, size_t nr)
{
	size_t i = (size_t)blockIdx.x * threads + threadIdx.x;

	if (i < nr)
		expand_value(map, places, packed, nr_packed, i, to);
}

static unsigned int nr_blocks(size_t nr)
{
	return (unsigned int)((nr + threads - 1) / threads);
}

int classify_map(const void *values, size_t nr, uint32_t *map, cudaStream_t stream,
		 struct lull_error *reterr)
{
	if (!nr)
		return LULL_OK;
	map_kernel<<<nr_blocks(nr), threads, 0, stream>>>((const uint4 *)values, nr, map);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

/* An exclusive scan in place, with room of scan_bytes_max(). */
static int scan(uint64_t *words, size_t nr_words, void *room, cudaStream_t stream,
		struct lull_error *reterr)
{
	size_t bytes = 0;

	CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, bytes, words, words, nr_words, stream),
		 reterr);
	if (bytes > scan_bytes_max(nr_words))
		return lull_fail(reterr, LULL_INTERNAL,
				 "classify: the scan of %zu words wants %zu bytes, has %zu",
				 nr_words, bytes, scan_bytes_max(nr_words));
	CUDA_TRY(cub::DeviceScan::ExclusiveSum(room, bytes, words, words, nr_words, stream),
		 reterr);
	return LULL_OK;
}

/* Behind a word for each warp, and one more. */
static unsigned char *scan_room(void *scratch, size_t nr)
{
	return (unsigned char *)scratch + classify_scratch_bytes(nr) -
	       (scan_bytes_max(nr_words_of(nr)) + 255) / 256 * 256;
}

int classify_kept(const void *values, size_t nr, const uint32_t *keep, uint32_t *ones,
		  uint32_t *others, uint32_t *ret_counts, void *scratch, cudaStream_t stream,
		  struct lull_error *reterr)
{
	const uint4 *v = (const uint4 *)values;
	uint64_t *words = (uint64_t *)scratch;
	size_t nr_words = nr_words_of(nr);

	/* One word more than warps: the last one becomes the totals. */
	count_kernel<<<nr_blocks(nr_words * warp_size), threads, 0, stream>>>(v, nr, keep, words,
									      nr_words);
	CUDA_TRY(cudaGetLastError(), reterr);
	LULL_TRY(scan(words, nr_words, scan_room(scratch, nr), stream, reterr));
	CUDA_TRY(cudaMemcpyAsync(ret_counts, words + nr_words - 1, sizeof(*words),
				 cudaMemcpyDeviceToHost, stream),
		 reterr);
	if (!nr)
		return LULL_OK;
	list_kernel<<<nr_blocks(nr), threads, 0, stream>>>(v, nr, keep, words, ones, others);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

int gather_kept(const void *values, size_t nr, const uint32_t *keep, void *to, size_t nr_to,
		void *scratch, cudaStream_t stream, struct lull_error *reterr)
{
	uint64_t *words = (uint64_t *)scratch;
	size_t nr_words = nr_words_of(nr);

	if (!nr || !nr_to)
		return LULL_OK;
	count_bits_kernel<<<nr_blocks(nr_words), threads, 0, stream>>>(keep, nr, words, nr_words);
	CUDA_TRY(cudaGetLastError(), reterr);
	LULL_TRY(scan(words, nr_words, scan_room(scratch, nr), stream, reterr));
	gather_kernel<<<nr_blocks(nr), threads, 0, stream>>>((const uint4 *)values, nr, keep, words,
							     (uint4 *)to, nr_to);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

int expand_values(const uint32_t *map, const uint32_t *places, const void *packed, size_t nr_packed,
		  void *to, size_t nr, cudaStream_t stream, struct lull_error *reterr)
{
	if (!nr)
		return LULL_OK;
	expand_kernel<<<nr_blocks(nr), threads, 0, stream>>>(map, places, (const uint4 *)packed,
							     nr_packed, (uint4 *)to, nr);
	CUDA_TRY(cudaGetLastError(), reterr);
	return LULL_OK;
}

} /* namespace lull */
