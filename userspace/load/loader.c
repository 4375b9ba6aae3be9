// SPDX-License-Identifier: Apache-2.0
/*
 * loader.c - loaders are opened and closed, and jobs begin and end; contracts
 * stand in loader.h
 */
#include "load/loader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena/node.h"
#include "base/base.h"
#include "base/deadline.h"
#include "base/error.h"
#include "load/engine.h"
#include "load/uring.h"

#define DEPTH_DEFAULT 32u
#define CHUNK_BYTES_DEFAULT ((size_t)2 << 20)
#define THREADS_MAX 256u
/* More of them copy no faster from a page cache. */
#define THREADS_USEFUL 16u
/* Registering costs a look at every page; a smaller key is read before. */
#define FIXED_BYTES_MIN_DEFAULT ((size_t)64 << 20)
/* How long a cancellation goes unseen. */
#define CANCEL_WAIT_MS 20
/* Every border between chunks, with a sector at either end. */
#define BORDERS_MORE 4u
/* What lands of a file, what stands before it and what behind. */
#define FILE_EXTENTS 3u

static const char *const names[LULL_LOADER_NR_KINDS] = {
	[LULL_LOADER_AUTO] = "auto",
	[LULL_LOADER_URING] = "uring",
	[LULL_LOADER_PREAD] = "pread",
	[LULL_LOADER_MMAP] = "mmap",
};

const char *lull_loader_kind_name(enum lull_loader_kind kind)
{
	return (size_t)kind < LULL_ARRAY_SIZE(names) ? names[kind] : "?";
}

bool lull_loader_kind_find(const char *name, enum lull_loader_kind *ret_kind)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name)) {
			*ret_kind = (enum lull_loader_kind)i;
			return true;
		}
	}
	return false;
}

/* ---- telling ----------------------------------------------------------- */

void lull_load_note(struct lull_loader *loader, const char *fmt, ...)
{
	char line[NOTE_BYTES];
	va_list args;
	size_t i;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	pthread_mutex_lock(&loader->lock);
	for (i = 0; i < loader->nr_notes; i++)
		if (!strcmp(loader->notes[i], line))
			break;
	if (i == loader->nr_notes && i < NOTES_MAX)
		memcpy(loader->notes[loader->nr_notes++], line, sizeof(line));
	pthread_mutex_unlock(&loader->lock);
}

const char *lull_loader_note(struct lull_loader *loader, size_t index)
{
	const char *note;

	pthread_mutex_lock(&loader->lock);
	note = index < loader->nr_notes ? loader->notes[index] : NULL;
	pthread_mutex_unlock(&loader->lock);
	return note;
}

enum lull_loader_kind lull_loader_kind(const struct lull_loader *loader)
{
	return loader->opts.kind;
}

void lull_loader_describe(const struct lull_loader *loader, char *buf,
			  size_t bytes)
{
	const struct lull_loader_opts *opts = &loader->opts;
	const size_t kib = opts->chunk_bytes / LULL_BYTES_PER_KIB;
	const bool mib = kib % LULL_BYTES_PER_KIB == 0;
	char node[sizeof(", node -2147483648")] = "";

	if (opts->node != LULL_ARENA_NODE_ANY)
		snprintf(node, sizeof(node), ", node %d", opts->node);
	if (opts->kind == LULL_LOADER_URING)
		snprintf(buf, bytes, "uring (%u reads of %zu %s in flight%s%s)",
			 opts->depth, mib ? kib / LULL_BYTES_PER_KIB : kib,
			 mib ? "MiB" : "KiB",
			 opts->no_direct ? ", through the page cache" : "",
			 node);
	else
		snprintf(buf, bytes, "%s (%u thread%s%s)", names[opts->kind],
			 opts->nr_threads, opts->nr_threads == 1 ? "" : "s",
			 node);
}

void lull_loader_stats(struct lull_loader *loader,
		       struct lull_loader_stats *ret_stats)
{
	size_t registered = 0;

	if (loader->uring)
		registered = lull_uring_fixed_bytes(loader->uring);
	pthread_mutex_lock(&loader->lock);
	*ret_stats = loader->stats;
	pthread_mutex_unlock(&loader->lock);
	ret_stats->registered_bytes = registered;
}

/* ---- open and close ---------------------------------------------------- */

static int take_opts(struct lull_loader *loader,
		     const struct lull_loader_opts *opts,
		     struct lull_error *reterr)
{
	struct lull_loader_opts *own = &loader->opts;

	*own = *opts;
	own->nr_threads = (unsigned int)lull_min(lull_max(own->nr_threads, 1),
						 THREADS_MAX);
	if (!own->depth)
		own->depth = DEPTH_DEFAULT;
	if (!own->chunk_bytes)
		own->chunk_bytes = CHUNK_BYTES_DEFAULT;
	if (!own->fixed_bytes_min)
		own->fixed_bytes_min = FIXED_BYTES_MIN_DEFAULT;
	if ((size_t)own->kind >= LULL_LOADER_NR_KINDS)
		return lull_fail(reterr, LULL_USAGE, "loader: no kind %d",
				 (int)own->kind);
	if (own->depth > LULL_LOADER_DEPTH_MAX)
		return lull_fail(reterr, LULL_USAGE,
				 "loader: depth: expected at most %u, found %u",
				 LULL_LOADER_DEPTH_MAX, own->depth);
	if (own->chunk_bytes < LULL_LOADER_CHUNK_MIN ||
	    own->chunk_bytes > LULL_LOADER_CHUNK_MAX ||
	    own->chunk_bytes & (own->chunk_bytes - 1))
		return lull_fail(reterr, LULL_USAGE,
				 "loader: chunk: expected a power of two from "
				 "%zu to %zu bytes, found %zu",
				 LULL_LOADER_CHUNK_MIN, LULL_LOADER_CHUNK_MAX,
				 own->chunk_bytes);
	return lull_arena_node_check(own->node, reterr);
}

static int choose(struct lull_loader *loader, struct lull_error *reterr)
{
	struct lull_loader_opts *opts = &loader->opts;
	struct lull_error why;
	int err;

	loader->choose = opts->kind == LULL_LOADER_AUTO;
	if (opts->kind == LULL_LOADER_PREAD || opts->kind == LULL_LOADER_MMAP)
		return LULL_OK;
	opts->kind = LULL_LOADER_URING;
	err = lull_uring_open(loader, &loader->uring, &why);
	if (!err)
		return LULL_OK;
	if (!loader->choose || err == LULL_NOMEM)
		return lull_fail(reterr, err, "loader: uring: %s", why.msg);
	lull_load_note(loader, "uring: %s", why.msg);
	opts->kind = LULL_LOADER_PREAD;
	return LULL_OK;
}

static int read_extents(void *arg, const struct lull_load *load,
			struct lull_error *reterr)
{
	return lull_loader_read(arg, load, reterr);
}

const struct lull_reader *lull_loader_reader(struct lull_loader *loader)
{
	return &loader->reader;
}

int lull_loader_open(const struct lull_loader_opts *opts,
		     struct lull_loader **ret_loader, struct lull_error *reterr)
{
	struct lull_loader *loader = calloc(1, sizeof(*loader));
	int err;

	if (!loader)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a loader");
	pthread_mutex_init(&loader->lock, NULL);
	pthread_mutex_init(&loader->starting, NULL);
	pthread_cond_init(&loader->work, NULL);
	pthread_cond_init(&loader->drive, NULL);
	loader->last_waiting = &loader->waiting;
	loader->reader.read = read_extents;
	loader->reader.arg = loader;
	err = take_opts(loader, opts, reterr);
	if (!err)
		err = choose(loader, reterr);
	if (err)
		lull_loader_close(loader);
	else
		*ret_loader = loader;
	return err;
}

int lull_loader_open_named(const char *name, struct lull_arena *arena,
			   unsigned int nr_threads, int node,
			   struct lull_loader **ret_loader,
			   struct lull_error *reterr)
{
	struct lull_loader_opts opts = {
		.arena = arena,
		.nr_threads =
			(unsigned int)lull_min(nr_threads, THREADS_USEFUL),
		.node = node,
	};

	if (name && !lull_loader_kind_find(name, &opts.kind))
		return lull_fail(reterr, LULL_USAGE,
				 "loader: expected auto, uring, pread or mmap, "
				 "found '%.40s'",
				 name);
	return lull_loader_open(&opts, ret_loader, reterr);
}

void lull_loader_close(struct lull_loader *loader)
{
	if (!loader)
		return;
	LULL_ASSERT(!loader->jobs);
	lull_crew_stop(loader);
	lull_uring_close(loader->uring);
	pthread_cond_destroy(&loader->drive);
	pthread_cond_destroy(&loader->work);
	pthread_mutex_destroy(&loader->starting);
	pthread_mutex_destroy(&loader->lock);
	free(loader);
}

void lull_loader_register(struct lull_loader *loader)
{
	if (!loader->uring || !loader->opts.arena)
		return;
	/* Not while somebody lets go. */
	pthread_mutex_lock(&loader->starting);
	lull_uring_fix(loader->uring);
	pthread_mutex_unlock(&loader->starting);
}

void lull_loader_unregister(struct lull_loader *loader)
{
	if (!loader->uring)
		return;
	pthread_mutex_lock(&loader->starting);
	lull_uring_unfix(loader->uring);
	pthread_mutex_unlock(&loader->starting);
}

/* ---- a job begins ------------------------------------------------------ */

static int check_extent(const struct lull_load *load, size_t i,
			struct lull_error *reterr)
{
	const struct lull_file_extent *extent = &load->extents[i];
	const struct lull_load_file *file = extent->source;

	if (extent->offset > file->bytes ||
	    extent->bytes > file->bytes - extent->offset)
		return lull_fail(reterr, LULL_RANGE,
				 "%s: offset 0x%" PRIx64 ": expected %" PRIu64
				 " bytes, found a file of %" PRIu64,
				 file->name, extent->offset, extent->bytes,
				 file->bytes);
	if (extent->unit_bytes > LULL_EXTENT_UNIT_MAX ||
	    (extent->unit_bytes && extent->bytes % extent->unit_bytes))
		return lull_fail(reterr, LULL_USAGE,
				 "%s: offset 0x%" PRIx64 ": %" PRIu64
				 " bytes cannot be handed over in units of %zu",
				 file->name, extent->offset, extent->bytes,
				 extent->unit_bytes);
	return LULL_OK;
}

/* How much of a file the extents from @i on are; files mostly come in one
 * piece, so that there is little to look through. */
static uint64_t bytes_of(const struct lull_load *load, size_t i)
{
	const struct lull_load_file *file = load->extents[i].source;
	uint64_t bytes = 0;

	for (; i < load->nr_extents; i++)
		if (load->extents[i].source == file)
			bytes += load->extents[i].bytes;
	return bytes;
}

static struct lull_load_source *find_source(struct lull_load_job *job,
					    const struct lull_load_file *file)
{
	size_t i = job->nr_sources;

	while (i--)
		if (job->sources[i].file == file)
			return &job->sources[i];
	return NULL;
}

static int open_extent(struct lull_load_job *job, size_t i,
		       struct lull_error *reterr)
{
	const struct lull_file_extent *extent = &job->load->extents[i];
	struct lull_load_extent *state = &job->extents[i];
	size_t nr;
	int err;

	state->source = find_source(job, extent->source);
	if (!state->source) {
		state->source = &job->sources[job->nr_sources];
		err = lull_load_source_open(job->loader, extent->source,
					    bytes_of(job->load, i),
					    state->source, reterr);
		if (err)
			return err;
		job->nr_sources++;
	}
	atomic_init(&state->bytes_left, extent->bytes);
	if (!job->load->land || !extent->unit_bytes)
		return LULL_OK;
	nr = extent->bytes / job->loader->opts.chunk_bytes + BORDERS_MORE;
	state->edges = calloc(nr, sizeof(*state->edges));
	if (!state->edges)
		return lull_fail(reterr, LULL_NOMEM,
				 "%s: no memory for %zu chunks",
				 extent->source->name, nr);
	return LULL_OK;
}

/* Buffers for sectors that an extent has a part of, or for all that is read
 * where memory and file are aligned differently: one for each read in flight. */
static int carve_buffers(struct lull_load_job *job, struct lull_error *reterr)
{
	const struct lull_load *load = job->load;
	size_t i, align = 0, nr = 0;
	int err;

	for (i = 0; i < load->nr_extents; i++) {
		const struct lull_load_source *source = job->extents[i].source;

		if (!source->direct)
			continue;
		nr += load->extents[i].bytes / job->loader->opts.chunk_bytes +
		      BORDERS_MORE;
		align = lull_max(align, lull_max(source->offset_align,
						 source->memory_align));
		if (lull_load_chunk_misfits(&load->extents[i], source))
			job->buffer_bytes =
				lull_max(job->buffer_bytes,
					 lull_min(job->loader->opts.chunk_bytes,
						  load->extents[i].bytes));
	}
	if (!align)
		return LULL_OK;
	job->buffer_bytes =
		lull_align_up(lull_max(job->buffer_bytes, align), align);
	nr = lull_min(nr, job->loader->opts.depth);
	err = lull_arena_carve(job->loader->opts.arena,
			       nr * job->buffer_bytes + align,
			       load->secret ? LULL_CARVE_SECRET : 0,
			       "buffers of reads", &job->bounce, reterr);
	if (err)
		return err;
	job->buffers =
		(uint8_t *)lull_align_up((uintptr_t)job->bounce.ptr, align);
	for (i = 0; i < nr; i++)
		job->free_buffers[job->nr_buffers++] = (unsigned int)i;
	return LULL_OK;
}

size_t lull_loader_buffers_bytes(const struct lull_loader *loader,
				 uint64_t bytes)
{
	const struct lull_loader_opts *opts = &loader->opts;
	size_t each = ALIGN_DEFAULT, nr;

	if (opts->kind != LULL_LOADER_URING || opts->no_direct ||
	    (loader->choose && bytes < DIRECT_BYTES_MIN))
		return 0;
	/* A small block lies anywhere, so that all of it is copied. */
	if (bytes < LULL_ARENA_PACKED_BYTES)
		each = lull_align_up(lull_max((size_t)bytes, each), each);
	nr = lull_min(bytes / opts->chunk_bytes + FILE_EXTENTS * BORDERS_MORE,
		      opts->depth);
	return nr * lull_min(each, opts->chunk_bytes) + ALIGN_DEFAULT;
}

static int begin(struct lull_load_job *job, struct lull_error *reterr)
{
	const struct lull_load *load = job->load;
	struct lull_loader *loader = job->loader;
	uint64_t ring_bytes = 0;
	size_t i;
	int err = LULL_OK;

	job->sources = calloc(load->nr_extents, sizeof(*job->sources));
	job->extents = calloc(load->nr_extents, sizeof(*job->extents));
	if (!job->sources || !job->extents)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for %zu extents", load->nr_extents);
	for (i = 0; i < load->nr_extents && !err; i++)
		err = open_extent(job, i, reterr);
	if (!err)
		err = carve_buffers(job, reterr);
	if (err)
		return err;
	for (i = 0; i < load->nr_extents; i++) {
		if (job->extents[i].source->kind == LULL_LOADER_URING)
			ring_bytes += load->extents[i].bytes;
		if (!load->extents[i].bytes && load->done)
			load->done(load->arg, &load->extents[i]);
	}
	if (ring_bytes >= loader->opts.fixed_bytes_min)
		lull_loader_register(loader);
	return lull_crew_start(loader, reterr);
}

static void end(struct lull_load_job *job)
{
	size_t i;

	for (i = 0; i < job->nr_sources; i++)
		lull_load_source_close(job->loader, &job->sources[i]);
	for (i = 0; job->extents && i < job->load->nr_extents; i++)
		free(job->extents[i].edges);
	free(job->sources);
	free(job->extents);
	lull_arena_retire(&job->bounce);
}

/* ---- and ends ---------------------------------------------------------- */

/* Enters and leaves with the lock. */
static void wait_a_moment(struct lull_load_job *job)
{
	struct timespec until;

	if (!job->load->cancel) {
		pthread_cond_wait(&job->ended, &job->loader->lock);
		return;
	}
	until = lull_deadline(CANCEL_WAIT_MS);
	pthread_cond_clockwait(&job->ended, &job->loader->lock, CLOCK_MONOTONIC,
			       &until);
}

static void look_for_cancel(struct lull_load_job *job)
{
	struct lull_error error;

	if (!job->load->cancel || !atomic_load(job->load->cancel))
		return;
	lull_fail(&error, LULL_CANCELED, "canceled while reading %s",
		  job->load->extents[0].source->name);
	lull_load_job_fail(job, 0, 0, &error);
}

static int run(struct lull_load_job *job, struct lull_error *reterr)
{
	struct lull_loader *loader = job->loader;
	struct lull_load_job **link;

	pthread_mutex_lock(&loader->lock);
	for (link = &loader->jobs; *link; link = &(*link)->next)
		;
	*link = job;
	pthread_cond_broadcast(&loader->work);
	kick_driver(loader);
	for (look_for_cancel(job); !lull_load_job_is_over(job);
	     look_for_cancel(job))
		wait_a_moment(job);
	for (link = &loader->jobs; *link != job; link = &(*link)->next)
		;
	*link = job->next;
	loader->stats.loads += !job->failed;
	pthread_mutex_unlock(&loader->lock);
	if (job->failed && reterr)
		*reterr = job->error;
	return job->failed ? job->error.code : LULL_OK;
}

int lull_loader_read(struct lull_loader *loader, const struct lull_load *load,
		     struct lull_error *reterr)
{
	struct lull_load_job job = { .loader = loader, .load = load };
	size_t i;
	int err = LULL_OK;

	if (!load->nr_extents)
		return LULL_OK;
	for (i = 0; i < load->nr_extents && !err; i++)
		err = check_extent(load, i, reterr);
	if (err)
		return err;
	pthread_cond_init(&job.ended, NULL);
	err = begin(&job, reterr);
	if (!err)
		err = run(&job, reterr);
	end(&job);
	pthread_cond_destroy(&job.ended);
	return err;
}
