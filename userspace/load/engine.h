/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - what is inside a loader: jobs, sources, chunks and threads
 *
 * For the files of this folder.
 *
 *	job	one lull_loader_read() under way; lives on its caller's stack
 *	source	one file of a job, and how it is read
 *	chunk	one read of a piece of an extent
 *
 * Extents are cut into chunks as there is room for them, in their order and from
 * their start.  A chunk that is read *lands*: it is copied if it went by way of a
 * buffer, its units are handed over, and only then does it end.  So a job that
 * has no chunk under way has nothing of the kernel's or of a thread's in its
 * memory.
 *
 * With O_DIRECT a chunk is whole sectors.  What of the first and the last sector
 * an extent does not have belongs to somebody else, so these go by way of a
 * buffer, and so does everything where memory is not aligned as the disk wants.
 *
 * Locking: one lock a loader, which guards what changes.  Threads: the driver
 * alone touches the ring's queues; the others read plainly, copy and land.
 */
#ifndef LULL_LOAD_ENGINE_H
#define LULL_LOAD_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "arena/arena.h"
#include "load/loader.h"

struct lull_uring;

/* As an index: none. */
#define NO_INDEX (~0u)

/* What a file wants whose kernel does not tell: a page suits every disk. */
#define ALIGN_DEFAULT 4096u
/* Below this many bytes auto asks no disk: setting up costs more. */
#define DIRECT_BYTES_MIN ((uint64_t)1 << 20)

#define NOTES_MAX 8
#define NOTE_BYTES 256

/**
 * struct lull_load_source - one file of a job
 * @file: as the caller has it
 * @kind: never auto
 * @direct: @fd was opened with O_DIRECT
 * @fd: for the ring
 * @own_fd: ours to close, or -1
 * @offset_align: of offset and size of a direct read; 1 when not direct
 * @memory_align: of its memory
 * @index: among the ring's registered files, or NO_INDEX
 * @in_table: @index is to be used
 * @map: of mmap: the whole file
 *
 * Of uring the driver alone changes these once the job is under way.
 */
struct lull_load_source {
	const struct lull_load_file *file;
	enum lull_loader_kind kind;
	bool direct;
	int fd;
	int own_fd;
	uint32_t offset_align;
	uint32_t memory_align;
	unsigned int index;
	bool in_table;
	uint8_t *map;
};

/**
 * struct lull_load_extent - one extent of a job
 * @source: its file
 * @edges: of each border between two chunks that cuts a unit: how many of the
 *	two have landed; NULL where units are not handed over
 * @bytes_left: that have not landed
 */
struct lull_load_extent {
	struct lull_load_source *source;
	atomic_uchar *edges;
	_Atomic uint64_t bytes_left;
};

/* How far extents have been cut: of those that the ring reads, and of the
 * others. */
struct lull_load_cursor {
	size_t extent;
	uint64_t at; /* bytes of it */
	unsigned int ordinal;
};

/**
 * struct lull_load_job - one load
 * @next: a later one
 * @loader: whose
 * @load: what to read
 * @sources: its files
 * @nr_sources: how many
 * @extents: beside those of @load
 * @ring: lock: the cursor of uring's extents
 * @plain: lock: of the others
 * @nr_under_way: lock: chunks that have not ended
 * @failed: lock: @error is set, and nothing behind its place is begun
 * @fault_extent: lock: that place
 * @fault_offset: lock: in the file
 * @error: lock: what is told
 * @ended: lock: nothing is under way or left
 * @bounce: buffers, if any chunk may want one
 * @buffers: the first of them, aligned
 * @buffer_bytes: of each
 * @nr_buffers: lock: how many are free
 * @free_buffers: lock: which
 */
struct lull_load_job {
	struct lull_load_job *next;
	struct lull_loader *loader;
	const struct lull_load *load;
	struct lull_load_source *sources;
	size_t nr_sources;
	struct lull_load_extent *extents;
	struct lull_load_cursor ring, plain;
	size_t nr_under_way;
	bool failed;
	size_t fault_extent;
	uint64_t fault_offset;
	struct lull_error error;
	pthread_cond_t ended;
	struct lull_vec bounce;
	uint8_t *buffers;
	size_t buffer_bytes;
	unsigned int nr_buffers;
	unsigned int free_buffers[LULL_LOADER_DEPTH_MAX];
};

/**
 * struct lull_load_chunk - one read
 * @next: in a list: free ones, or those that wait for a thread
 * @job: whose; NULL when it is free
 * @extent: its number in the job
 * @source: its file
 * @ordinal: from the start of the extent
 * @from: the first byte that is wanted, in the file
 * @end: one past the last
 * @base: the first that is read
 * @bytes: that are read; beyond the end of the file there may be fewer
 * @buf: where @base goes
 * @got: bytes so far
 * @buffer: the buffer that this is in, or NO_INDEX
 * @nr_retries: in a row that brought nothing
 * @direct: read with O_DIRECT
 * @plain: the rest is to be read plainly
 * @not_fixed: not into a fixed buffer
 * @in_flight: driver: the ring has it
 * @canceled: driver: and was told to give it back
 * @issued: rises with every entry of the ring
 */
struct lull_load_chunk {
	struct lull_load_chunk *next;
	struct lull_load_job *job;
	size_t extent;
	struct lull_load_source *source;
	unsigned int ordinal;
	uint64_t from, end;
	uint64_t base;
	size_t bytes;
	uint8_t *buf;
	size_t got;
	unsigned int buffer;
	unsigned int nr_retries;
	bool direct, plain, not_fixed;
	bool in_flight, canceled;
	uint64_t issued;
};

/**
 * struct lull_loader - see loader.h
 * @opts: with defaults filled in; @opts.kind is what is used
 * @choose: it was auto
 * @reader: for parsers
 * @lock: the lock
 * @work: lock: something for a thread
 * @drive: lock: something for the driver
 * @starting: held while threads are started and buffers registered
 * @kicks: lock: how often @drive was signaled
 * @jobs: lock: the oldest first
 * @waiting: lock: chunks that the ring has read
 * @last_waiting: lock: where the next one goes
 * @stop: lock: threads are to end
 * @nr_threads: lock: threads that run
 * @threads: they; the last is the driver, with a ring
 * @uring: the ring, or NULL
 * @stats: lock
 * @notes: lines for lull_loader_note()
 * @nr_notes: lock: how many
 */
struct lull_loader {
	struct lull_loader_opts opts;
	bool choose;
	struct lull_reader reader;
	pthread_mutex_t lock;
	pthread_cond_t work, drive;
	pthread_mutex_t starting;
	uint64_t kicks;
	struct lull_load_job *jobs;
	struct lull_load_chunk *waiting, **last_waiting;
	bool stop;
	unsigned int nr_threads;
	pthread_t *threads;
	struct lull_uring *uring;
	struct lull_loader_stats stats;
	char notes[NOTES_MAX][NOTE_BYTES];
	size_t nr_notes;
};

/* ---- loader.c ----------------------------------------------------------- */

/* Adds a line; one that is there already, or has no room, is left out. */
void lull_load_note(struct lull_loader *loader, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- source.c ----------------------------------------------------------- */

/* Decides how a file is read, of which a job reads @bytes, and opens it for
 * that: LULL_OK, LULL_USAGE when it cannot be read at an offset, or LULL_IO. */
int lull_load_source_open(struct lull_loader *loader,
			  const struct lull_load_file *file, uint64_t bytes,
			  struct lull_load_source *ret_source,
			  struct lull_error *reterr);
void lull_load_source_close(struct lull_loader *loader,
			    struct lull_load_source *source);

/* Reads what is left of a chunk with pread(2), or from the mapping. */
int lull_load_source_read(struct lull_load_chunk *chunk,
			  struct lull_error *reterr);

/* The file ends where a chunk expects more. */
int lull_load_cut_short(const struct lull_load_chunk *chunk,
			struct lull_error *reterr);
int lull_load_read_failed(const struct lull_load_chunk *chunk, int sys_errno,
			  struct lull_error *reterr);

/* ---- chunk.c ------------------------------------------------------------ */

/* The next chunk for the ring, or for a thread; false when there is none now.
 * With the lock. */
bool lull_load_chunk_cut(struct lull_load_job *job, bool ring,
			 struct lull_load_chunk *chunk);

/* Whether an extent has memory that sectors of the file do not fit. */
bool lull_load_chunk_misfits(const struct lull_file_extent *extent,
			     const struct lull_load_source *source);

/* A fault at a place; the first one in the order of places is kept.  With the
 * lock. */
void lull_load_job_fail(struct lull_load_job *job, size_t extent,
			uint64_t offset, const struct lull_error *error);

/* Something has changed that the driver may have waited for.  With the lock. */
static inline void kick_driver(struct lull_loader *loader)
{
	loader->kicks++;
	pthread_cond_signal(&loader->drive);
}

/* Whether a chunk stands behind the fault, so that nobody wants it. */
static inline bool chunk_is_void(const struct lull_load_chunk *chunk)
{
	const struct lull_load_job *job = chunk->job;

	return job->failed && (chunk->extent > job->fault_extent ||
			       (chunk->extent == job->fault_extent &&
				chunk->from >= job->fault_offset));
}

/* Copies, hands units over, and ends it.  Without the lock. */
void lull_load_chunk_land(struct lull_load_chunk *chunk);

/* Ends a chunk that nobody wants any more: true if it was one.  Without the
 * lock. */
bool lull_load_chunk_drop(struct lull_load_chunk *chunk);

/* Ends a chunk: its buffer is free, and maybe its job.  With the lock. */
void lull_load_chunk_end(struct lull_load_chunk *chunk);

/* Nothing is under way or left to begin.  With the lock. */
bool lull_load_job_is_over(struct lull_load_job *job);

/* ---- crew.c ------------------------------------------------------------- */

/* Starts the threads if they do not run. */
int lull_crew_start(struct lull_loader *loader, struct lull_error *reterr);
void lull_crew_stop(struct lull_loader *loader);

#endif
