// SPDX-License-Identifier: Apache-2.0
/*
 * extent.c - free space by size, split and joined; see slab.h
 *
 * Bins are by size, four to a power of two, so that a search looks at few
 * sizes and freeing costs the same however much is free.  Structs come out of
 * chunks that live as long as the arena: giving a block back never allocates,
 * and so never fails.
 */
#include "arena/slab.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"

/* A search of one bin stops when it has seen so many that fit. */
#define LOOKS_MAX 64
/* Bins per power of two, and its logarithm. */
#define PER_POWER 4
#define LOG2_PER_POWER 2

/* Sizes below LULL_ARENA_ALIGN do not occur, so the first bins are empty. */
static size_t bin_of(size_t bytes)
{
	unsigned int log2 = 63 - (unsigned int)__builtin_clzll(bytes | 1);
	size_t part;

	if (log2 < LOG2_PER_POWER)
		return 0;
	part = bytes >> (log2 - LOG2_PER_POWER) & (PER_POWER - 1);
	return log2 * PER_POWER + part;
}

_Static_assert(64 * PER_POWER == NR_BINS, "a bin for every size_t");

/* ---- structs ----------------------------------------------------------- */

int lull_extents_prepare(struct lull_extents *extents, size_t nr,
			 struct lull_error *reterr)
{
	struct lull_extent_chunk *chunk;
	struct lull_extent *unused = extents->unused;
	size_t i;

	while (nr && unused) {
		unused = unused->next;
		nr--;
	}
	if (!nr)
		return LULL_OK;
	chunk = calloc(1, sizeof(*chunk));
	if (!chunk)
		return lull_fail(reterr, LULL_NOMEM,
				 "arena: no memory to keep count of blocks");
	chunk->next = extents->chunks;
	extents->chunks = chunk;
	for (i = 0; i < EXTENTS_PER_CHUNK; i++)
		lull_extent_put(extents, &chunk->extents[i]);
	return LULL_OK;
}

void lull_extents_done(struct lull_extents *extents)
{
	struct lull_extent_chunk *chunk;

	while ((chunk = extents->chunks)) {
		extents->chunks = chunk->next;
		free(chunk);
	}
	extents->unused = NULL;
}

struct lull_extent *lull_extent_new(struct lull_extents *extents)
{
	struct lull_extent *extent = extents->unused;

	assert(extent);
	extents->unused = extent->next;
	*extent = (struct lull_extent){ 0 };
	return extent;
}

void lull_extent_put(struct lull_extents *extents, struct lull_extent *extent)
{
	extent->next = extents->unused;
	extents->unused = extent;
}

/* ---- bins -------------------------------------------------------------- */

void lull_bins_add(struct lull_bins *bins, struct lull_extent *extent)
{
	size_t bin = bin_of(extent->bytes);
	struct lull_extent *head = bins->heads[bin];

	extent->list_prev = NULL;
	extent->list_next = head;
	if (head)
		head->list_prev = extent;
	bins->heads[bin] = extent;
	bins->map[bin / 64] |= (uint64_t)1 << bin % 64;
}

void lull_bins_remove(struct lull_bins *bins, struct lull_extent *extent)
{
	size_t bin = bin_of(extent->bytes);

	if (extent->list_next)
		extent->list_next->list_prev = extent->list_prev;
	if (extent->list_prev)
		extent->list_prev->list_next = extent->list_next;
	else
		bins->heads[bin] = extent->list_next;
	if (!bins->heads[bin])
		bins->map[bin / 64] &= ~((uint64_t)1 << bin % 64);
	extent->list_prev = extent->list_next = NULL;
}

/* The smallest that fits among the first of a bin. */
static struct lull_extent *best_of(struct lull_extent *extent, size_t bytes)
{
	struct lull_extent *best = NULL;
	size_t looks = 0;

	for (; extent && looks < LOOKS_MAX; extent = extent->list_next) {
		if (extent->bytes < bytes)
			continue;
		if (!best || extent->bytes < best->bytes)
			best = extent;
		if (best->bytes == bytes)
			break;
		looks++;
	}
	return best;
}

/* The first bin from @bin on that is not empty, or NR_BINS. */
static size_t next_bin(const struct lull_bins *bins, size_t bin)
{
	size_t word = bin / 64;
	uint64_t bits;

	if (bin >= NR_BINS)
		return NR_BINS;
	bits = bins->map[word] & ~(uint64_t)0 << bin % 64;
	while (!bits && ++word < NR_BINS / 64)
		bits = bins->map[word];
	return bits ? word * 64 + (size_t)__builtin_ctzll(bits) : NR_BINS;
}

struct lull_extent *lull_bins_find(const struct lull_bins *bins, size_t bytes)
{
	size_t bin = bin_of(bytes);
	struct lull_extent *best = best_of(bins->heads[bin], bytes);

	if (best)
		return best;
	bin = next_bin(bins, bin + 1);
	return bin < NR_BINS ? best_of(bins->heads[bin], bytes) : NULL;
}

/* ---- extents ----------------------------------------------------------- */

static struct lull_bins *bins_of(struct lull_extents *extents,
				 const struct lull_extent *extent)
{
	return extent->pool ? &extents->small : &extents->large;
}

/* The slab's last extent is another struct now. */
static void moved_last(struct lull_extent *was, struct lull_extent *is)
{
	if (!was->pool && was->slab->last == was)
		was->slab->last = is;
}

void lull_extent_take(struct lull_extents *extents, struct lull_extent *extent,
		      size_t bytes)
{
	struct lull_extent *rest;

	LULL_ASSERT(extent->state == EXTENT_FREE && bytes &&
		    bytes <= extent->bytes);
	lull_bins_remove(bins_of(extents, extent), extent);
	if (bytes == extent->bytes)
		return;
	rest = lull_extent_new(extents);
	rest->slab = extent->slab;
	rest->pool = extent->pool;
	rest->ptr = extent->ptr + bytes;
	rest->bytes = extent->bytes - bytes;
	rest->prev = extent;
	rest->next = extent->next;
	if (rest->next)
		rest->next->prev = rest;
	moved_last(extent, rest);
	extent->next = rest;
	extent->bytes = bytes;
	lull_bins_add(bins_of(extents, rest), rest);
}

/* Joins @upper, which is in no list, onto @lower, its neighbour. */
static void join(struct lull_extents *extents, struct lull_extent *lower,
		 struct lull_extent *upper)
{
	lower->bytes += upper->bytes;
	lower->next = upper->next;
	if (lower->next)
		lower->next->prev = lower;
	moved_last(upper, lower);
	lull_extent_put(extents, upper);
}

struct lull_extent *lull_extent_free(struct lull_extents *extents,
				     struct lull_extent *extent)
{
	struct lull_bins *bins = bins_of(extents, extent);
	struct lull_extent *prev = extent->prev, *next = extent->next;

	extent->state = EXTENT_FREE;
	extent->secret = extent->lost = false;
	if (next && next->state == EXTENT_FREE) {
		lull_bins_remove(bins, next);
		join(extents, extent, next);
	}
	if (prev && prev->state == EXTENT_FREE) {
		lull_bins_remove(bins, prev);
		join(extents, prev, extent);
		extent = prev;
	}
	lull_bins_add(bins, extent);
	return extent;
}
