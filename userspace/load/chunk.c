// SPDX-License-Identifier: Apache-2.0
/*
 * chunk.c - extents are cut into chunks, and chunks land; see engine.h
 */
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "load/engine.h"

/* ---- places and faults ------------------------------------------------- */

void lull_load_job_fail(struct lull_load_job *job, size_t extent,
			uint64_t offset, const struct lull_error *error)
{
	if (job->failed &&
	    (job->fault_extent < extent ||
	     (job->fault_extent == extent && job->fault_offset <= offset)))
		return;
	job->failed = true;
	job->fault_extent = extent;
	job->fault_offset = offset;
	job->error = *error;
	/* The driver takes back what stands behind it. */
	kick_driver(job->loader);
}

/* ---- cutting ----------------------------------------------------------- */

bool lull_load_chunk_misfits(const struct lull_file_extent *extent,
			     const struct lull_load_source *source)
{
	uint64_t skip = -extent->offset & (source->offset_align - 1);

	return source->direct &&
	       ((uintptr_t)extent->to + skip) & (source->memory_align - 1);
}

/* Moves a cursor to an extent that is its own and has bytes left. */
static bool find_extent(const struct lull_load_job *job, bool ring,
			struct lull_load_cursor *cursor)
{
	const struct lull_load *load = job->load;
	uint64_t offset;

	for (; cursor->extent < load->nr_extents; cursor->extent++) {
		if ((job->extents[cursor->extent].source->kind ==
		     LULL_LOADER_URING) == ring &&
		    cursor->at < load->extents[cursor->extent].bytes)
			break;
		cursor->at = 0;
		cursor->ordinal = 0;
	}
	if (cursor->extent == load->nr_extents)
		return false;
	offset = load->extents[cursor->extent].offset + cursor->at;
	return !job->failed || cursor->extent < job->fault_extent ||
	       (cursor->extent == job->fault_extent &&
		offset < job->fault_offset);
}

/* Where a chunk that begins at @from ends, if its size is all that counts:
 * large reads begin and end at multiples of their size. */
static uint64_t border_behind(const struct lull_load_job *job, uint64_t from,
			      uint64_t end)
{
	uint64_t chunk = job->loader->opts.chunk_bytes;

	return lull_min(end, (from | (chunk - 1)) + 1);
}

/* Of a direct read, which is whole sectors. */
static void cut_sectors(const struct lull_load_job *job,
			struct lull_load_chunk *chunk, uint64_t end)
{
	const uint64_t mask = chunk->source->offset_align - 1;

	chunk->base = chunk->from & ~mask;
	if (chunk->from & mask || end - chunk->from <= mask) {
		/* A sector of which others have a part. */
		chunk->end = lull_min(end, chunk->base + mask + 1);
		chunk->bytes = mask + 1;
		return;
	}
	chunk->end = border_behind(job, chunk->from, end & ~mask);
	chunk->bytes = chunk->end - chunk->from;
}

static bool wants_buffer(const struct lull_load_chunk *chunk, const uint8_t *to)
{
	const struct lull_load_source *source = chunk->source;

	return source->direct && (chunk->bytes != chunk->end - chunk->from ||
				  (uintptr_t)to & (source->memory_align - 1));
}

bool lull_load_chunk_cut(struct lull_load_job *job, bool ring,
			 struct lull_load_chunk *chunk)
{
	struct lull_load_cursor *cursor = ring ? &job->ring : &job->plain;
	const struct lull_file_extent *extent;
	uint8_t *to;

	if (!find_extent(job, ring, cursor))
		return false;
	extent = &job->load->extents[cursor->extent];
	to = (uint8_t *)extent->to + cursor->at;
	*chunk = (struct lull_load_chunk){
		.job = job,
		.extent = cursor->extent,
		.source = job->extents[cursor->extent].source,
		.ordinal = cursor->ordinal,
		.from = extent->offset + cursor->at,
		.buf = to,
		.buffer = NO_INDEX,
	};
	chunk->direct = chunk->source->direct;
	if (chunk->direct) {
		cut_sectors(job, chunk, extent->offset + extent->bytes);
	} else {
		chunk->base = chunk->from;
		chunk->end = border_behind(job, chunk->from,
					   extent->offset + extent->bytes);
		chunk->bytes = chunk->end - chunk->from;
	}
	if (wants_buffer(chunk, to)) {
		if (!job->nr_buffers)
			return false;
		chunk->buffer = job->free_buffers[--job->nr_buffers];
		chunk->buf = job->buffers + chunk->buffer * job->buffer_bytes;
		LULL_ASSERT(chunk->bytes <= job->buffer_bytes);
	}
	cursor->at += chunk->end - chunk->from;
	cursor->ordinal++;
	job->nr_under_way++;
	return true;
}

bool lull_load_job_is_over(struct lull_load_job *job)
{
	return !job->nr_under_way && !find_extent(job, true, &job->ring) &&
	       !find_extent(job, false, &job->plain);
}

/* ---- landing ----------------------------------------------------------- */

static void land_run(const struct lull_load_chunk *chunk, uint64_t first,
		     uint64_t nr)
{
	struct lull_load_job *job = chunk->job;
	const struct lull_load *load = job->load;
	const struct lull_file_extent *extent = &load->extents[chunk->extent];
	struct lull_error error;
	uint64_t at = first * extent->unit_bytes;

	if (!load->land(load->arg, extent, first, nr,
			(uint8_t *)extent->to + at, &error))
		return;
	pthread_mutex_lock(&job->loader->lock);
	lull_load_job_fail(job, chunk->extent, extent->offset + at, &error);
	pthread_mutex_unlock(&job->loader->lock);
}

/* Units that lie in two chunks belong to the one that lands later. */
static void land_edge(const struct lull_load_chunk *chunk, unsigned int border,
		      uint64_t unit)
{
	struct lull_load_extent *extent = &chunk->job->extents[chunk->extent];

	if (atomic_fetch_add(&extent->edges[border], 1))
		land_run(chunk, unit, 1);
}

static void land_units(const struct lull_load_chunk *chunk)
{
	const struct lull_file_extent *extent =
		&chunk->job->load->extents[chunk->extent];
	const uint64_t unit = extent->unit_bytes;
	uint64_t from = chunk->from - extent->offset;
	uint64_t end = chunk->end - extent->offset;
	uint64_t first = lull_div_up(from, unit), last = end / unit;

	if (from % unit)
		land_edge(chunk, chunk->ordinal - 1, from / unit);
	if (first < last)
		land_run(chunk, first, last - first);
	if (end % unit)
		land_edge(chunk, chunk->ordinal, last);
}

void lull_load_chunk_land(struct lull_load_chunk *chunk)
{
	struct lull_load_job *job = chunk->job;
	struct lull_loader *loader = job->loader;
	const struct lull_load *load = job->load;
	const struct lull_file_extent *extent = &load->extents[chunk->extent];
	struct lull_load_extent *state = &job->extents[chunk->extent];
	const uint64_t bytes = chunk->end - chunk->from;

	if (chunk->buffer != NO_INDEX)
		memcpy((uint8_t *)extent->to + (chunk->from - extent->offset),
		       chunk->buf + (chunk->from - chunk->base), bytes);
	if (state->edges)
		land_units(chunk);
	/* The last one sees what all others have done. */
	if (atomic_fetch_sub(&state->bytes_left, bytes) == bytes && load->done)
		load->done(load->arg, extent);
	pthread_mutex_lock(&loader->lock);
	loader->stats.bytes += bytes;
	if (chunk->buffer != NO_INDEX)
		loader->stats.copied_bytes += bytes;
	lull_load_chunk_end(chunk);
	pthread_mutex_unlock(&loader->lock);
}

void lull_load_chunk_end(struct lull_load_chunk *chunk)
{
	struct lull_load_job *job = chunk->job;

	if (chunk->buffer != NO_INDEX) {
		job->free_buffers[job->nr_buffers++] = chunk->buffer;
		kick_driver(job->loader);
	}
	job->nr_under_way--;
	if (lull_load_job_is_over(job))
		pthread_cond_signal(&job->ended);
	chunk->job = NULL;
}

bool lull_load_chunk_drop(struct lull_load_chunk *chunk)
{
	struct lull_loader *loader = chunk->job->loader;
	bool unwanted;

	pthread_mutex_lock(&loader->lock);
	unwanted = chunk_is_void(chunk);
	if (unwanted)
		lull_load_chunk_end(chunk);
	pthread_mutex_unlock(&loader->lock);
	return unwanted;
}
