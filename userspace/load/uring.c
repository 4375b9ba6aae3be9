// SPDX-License-Identifier: Apache-2.0
/*
 * uring.c - reads of io_uring; see uring.h and engine.h
 *
 * One ring, which one thread drives: it begins chunks while the depth allows,
 * waits, goes on with what was read short, and hands the rest to the threads
 * that land it.  A read whose job has failed is taken back, and whether or not
 * the kernel still can, it is waited for.
 *
 * What a fixed buffer is good for: the kernel does not look its pages up for
 * each read.  Kernels before 6.5 refuse memory of the module's (EOPNOTSUPP), and
 * RLIMIT_MEMLOCK may bind; then reads go to plain buffers.
 */
#include "load/uring.h"

#include <errno.h>
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena/host.h"
#include "base/base.h"
#include "base/error.h"
#include "load/engine.h"

#define NR_FILES 64u
#define NR_FIXED 1024u
/* The kernel takes no more in one buffer. */
#define FIXED_BYTES_MAX ((size_t)1 << 30)
#define NR_RETRIES_MAX 16u
/* Rings and fixed buffers count against it, by user. */
#define MEMLOCK " (RLIMIT_MEMLOCK: `lull arena doctor`)"
#define SYSCTL_DISABLED "/proc/sys/kernel/io_uring_disabled"
/* How long a fault of a job that waits for the disk goes unseen. */
#define WAIT_NS (20 * 1000000L)
#define BROKEN_WAIT_NS 1000000L

/**
 * struct lull_uring - see uring.h
 * @loader: whose
 * @ring: the queues are the driver's; registering is anybody's
 * @chunks: all that may be under way: twice the depth, for some wait to land
 * @nr_chunks: how many
 * @nr_in_flight: driver: entries of the ring that are reads
 * @issued: driver: entries so far
 * @broken: driver: io_uring_enter() failed for good
 * @has_files: there is a table of files
 * @files: loader's lock: which of its places are taken
 * @fixed_lock: guards what follows; taken within the arena's lock, and within
 *	it none is taken
 * @fixing: the arena was registered, or that was tried
 * @has_table: there is a table of buffers
 * @fixed: registered buffers; 0 bytes for a free place
 * @nr_fixed: one past the last
 * @fixed_bytes: of all of them
 * @fixed_error: why one could not be registered, or 0
 */
struct lull_uring {
	struct lull_loader *loader;
	struct io_uring ring;
	struct lull_load_chunk *chunks;
	unsigned int nr_chunks;
	unsigned int nr_in_flight;
	uint64_t issued;
	bool broken;
	bool has_files;
	bool files[NR_FILES];
	pthread_mutex_t fixed_lock;
	bool fixing, has_table;
	struct iovec fixed[NR_FIXED];
	unsigned int nr_fixed;
	size_t fixed_bytes;
	int fixed_error;
};

/* ---- files ------------------------------------------------------------- */

static void register_files(struct lull_uring *uring)
{
	int fds[NR_FILES], err;

	memset(fds, -1, sizeof(fds));
	err = io_uring_register_files(&uring->ring, fds, NR_FILES);
	uring->has_files = !err;
	if (err)
		lull_load_note(uring->loader, "uring: registering files: %s",
			       strerrordesc_np(-err));
}

unsigned int lull_uring_add_file(struct lull_uring *uring, int fd)
{
	unsigned int i;
	bool found = false;

	pthread_mutex_lock(&uring->loader->lock);
	for (i = 0; i < NR_FILES && uring->has_files && !found; i++)
		found = !uring->files[i];
	i = found ? i - 1 : NO_INDEX;
	if (found)
		uring->files[i] = true;
	pthread_mutex_unlock(&uring->loader->lock);
	if (found &&
	    io_uring_register_files_update(&uring->ring, i, &fd, 1) != 1) {
		lull_uring_remove_file(uring, i);
		return NO_INDEX;
	}
	return i;
}

void lull_uring_remove_file(struct lull_uring *uring, unsigned int index)
{
	int none = -1;

	io_uring_register_files_update(&uring->ring, index, &none, 1);
	pthread_mutex_lock(&uring->loader->lock);
	uring->files[index] = false;
	pthread_mutex_unlock(&uring->loader->lock);
}

/* ---- fixed buffers ----------------------------------------------------- */

static int set_buffer(struct lull_uring *uring, unsigned int i, void *ptr,
		      size_t bytes)
{
	const struct iovec iov = { ptr, bytes };
	__u64 tag = 0;
	int got;

	got = io_uring_register_buffers_update_tag(&uring->ring, i, &iov, &tag,
						   1);
	if (got != 1)
		return got < 0 ? got : -EINVAL;
	uring->fixed_bytes += bytes;
	uring->fixed_bytes -= uring->fixed[i].iov_len;
	uring->fixed[i] = iov;
	return 0;
}

static unsigned int free_place(struct lull_uring *uring)
{
	unsigned int i;

	for (i = 0; i < uring->nr_fixed; i++)
		if (!uring->fixed[i].iov_len)
			return i;
	return uring->nr_fixed < NR_FIXED ? uring->nr_fixed++ : NO_INDEX;
}

static void unpin_locked(struct lull_uring *uring, uint8_t *ptr, size_t bytes)
{
	unsigned int i;

	for (i = 0; i < uring->nr_fixed; i++) {
		uint8_t *p = uring->fixed[i].iov_base;

		if (uring->fixed[i].iov_len && p >= ptr && p < ptr + bytes)
			set_buffer(uring, i, NULL, 0);
	}
}

static int pin(void *arg, void *ptr, size_t bytes, struct lull_error *reterr)
{
	struct lull_uring *uring = arg;
	unsigned int i;
	size_t at, part;
	int err = 0;

	pthread_mutex_lock(&uring->fixed_lock);
	for (at = 0; at < bytes && !err; at += part) {
		part = lull_min(bytes - at, FIXED_BYTES_MAX);
		i = free_place(uring);
		err = i == NO_INDEX
			      ? -ENOSPC
			      : set_buffer(uring, i, (uint8_t *)ptr + at, part);
	}
	if (err) {
		unpin_locked(uring, ptr, bytes);
		uring->fixed_error = -err;
	}
	pthread_mutex_unlock(&uring->fixed_lock);
	return err ? lull_fail_errno(reterr, LULL_IO, -err, "fixed buffers")
		   : LULL_OK;
}

static void unpin(void *arg, void *ptr, size_t bytes)
{
	struct lull_uring *uring = arg;

	pthread_mutex_lock(&uring->fixed_lock);
	unpin_locked(uring, ptr, bytes);
	pthread_mutex_unlock(&uring->fixed_lock);
}

static const struct lull_arena_pin_ops pin_ops = { pin, unpin };

static void note_fixed(struct lull_uring *uring, int err)
{
	lull_load_note(uring->loader, "uring: fixed buffers: %s%s: plain ones",
		       strerrordesc_np(err),
		       err == ENOMEM ? MEMLOCK
		       : err == EOPNOTSUPP
			       ? " (kernels before 6.5 refuse the module's "
				 "memory)"
			       : "");
}

void lull_uring_fix(struct lull_uring *uring)
{
	struct lull_error error;
	int err = 0;
	bool now;

	pthread_mutex_lock(&uring->fixed_lock);
	now = !uring->fixing;
	uring->fixing = true;
	if (now && !uring->has_table) {
		err = io_uring_register_buffers_sparse(&uring->ring, NR_FIXED);
		uring->has_table = !err;
	}
	pthread_mutex_unlock(&uring->fixed_lock);
	if (!now)
		return;
	if (err) {
		note_fixed(uring, -err);
		return;
	}
	if (lull_arena_fix(uring->loader->opts.arena, &pin_ops, uring, &error))
		lull_load_note(uring->loader, "uring: fixed buffers: %s",
			       error.msg);
}

void lull_uring_unfix(struct lull_uring *uring)
{
	bool fixed;

	pthread_mutex_lock(&uring->fixed_lock);
	fixed = uring->fixing && uring->has_table;
	uring->fixing = false;
	pthread_mutex_unlock(&uring->fixed_lock);
	if (fixed)
		lull_arena_fix(uring->loader->opts.arena, NULL, NULL, NULL);
}

size_t lull_uring_fixed_bytes(struct lull_uring *uring)
{
	size_t bytes;
	int err;

	pthread_mutex_lock(&uring->fixed_lock);
	bytes = uring->fixed_bytes;
	err = uring->fixed_error;
	uring->fixed_error = 0;
	pthread_mutex_unlock(&uring->fixed_lock);
	if (err)
		note_fixed(uring, err);
	return bytes;
}

/* The fixed buffer that has all of these bytes, or NO_INDEX. */
static unsigned int find_buffer(struct lull_uring *uring, const uint8_t *ptr,
				size_t bytes)
{
	unsigned int i, found = NO_INDEX;

	pthread_mutex_lock(&uring->fixed_lock);
	for (i = 0; i < uring->nr_fixed && found == NO_INDEX; i++) {
		const uint8_t *p = uring->fixed[i].iov_base;

		/* One that was let go of is NULL. */
		if (p && ptr >= p && ptr + bytes <= p + uring->fixed[i].iov_len)
			found = i;
	}
	pthread_mutex_unlock(&uring->fixed_lock);
	return found;
}

/* ---- the ring's entries ------------------------------------------------ */

static void count(struct lull_loader *loader, uint64_t *counter, uint64_t n)
{
	pthread_mutex_lock(&loader->lock);
	*counter += n;
	pthread_mutex_unlock(&loader->lock);
}

/* Asks for what is left of a chunk.  The ring has room: it is twice as deep as
 * what may be in flight. */
static void issue(struct lull_uring *uring, struct lull_load_chunk *chunk)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
	const struct lull_load_source *source = chunk->source;
	uint8_t *to = chunk->buf + chunk->got;
	unsigned int bytes = (unsigned int)(chunk->bytes - chunk->got);
	unsigned int buffer = NO_INDEX;
	int fd = source->in_table ? (int)source->index : source->fd;

	LULL_ASSERT(sqe);
	if (!chunk->not_fixed)
		buffer = find_buffer(uring, to, bytes);
	if (buffer != NO_INDEX)
		io_uring_prep_read_fixed(sqe, fd, to, bytes,
					 chunk->base + chunk->got, (int)buffer);
	else
		io_uring_prep_read(sqe, fd, to, bytes,
				   chunk->base + chunk->got);
	if (source->in_table)
		sqe->flags |= IOSQE_FIXED_FILE;
	/* What is in the page cache would be copied here, by one thread. */
	if (!chunk->direct)
		sqe->flags |= IOSQE_ASYNC;
	io_uring_sqe_set_data(sqe, chunk);
	chunk->not_fixed = buffer == NO_INDEX;
	chunk->in_flight = true;
	chunk->issued = ++uring->issued;
	uring->nr_in_flight++;
	count(uring->loader, &uring->loader->stats.reads, 1);
}

static struct lull_load_chunk *free_chunk(struct lull_uring *uring)
{
	unsigned int i;

	for (i = 0; i < uring->nr_chunks; i++)
		if (!uring->chunks[i].job)
			return &uring->chunks[i];
	return NULL;
}

/* The next chunk of any job; false when there is none now. */
static struct lull_load_chunk *begin_chunk(struct lull_uring *uring)
{
	struct lull_loader *loader = uring->loader;
	struct lull_load_chunk *chunk, *begun = NULL;
	struct lull_load_job *job;

	pthread_mutex_lock(&loader->lock);
	chunk = free_chunk(uring);
	for (job = chunk ? loader->jobs : NULL; job && !begun; job = job->next)
		if (lull_load_chunk_cut(job, true, chunk))
			begun = chunk;
	if (chunk && !begun)
		chunk->job = NULL;
	pthread_mutex_unlock(&loader->lock);
	return begun;
}

static void issue_all(struct lull_uring *uring)
{
	struct lull_load_chunk *chunk;

	while (uring->nr_in_flight < uring->loader->opts.depth &&
	       (chunk = begin_chunk(uring)))
		issue(uring, chunk);
}

/* Takes back what nobody wants any more. */
static void cancel_void(struct lull_uring *uring)
{
	struct io_uring_sqe *sqe;
	unsigned int i;

	pthread_mutex_lock(&uring->loader->lock);
	for (i = 0; i < uring->nr_chunks; i++) {
		struct lull_load_chunk *chunk = &uring->chunks[i];

		if (!chunk->job || !chunk->in_flight || chunk->canceled ||
		    !chunk_is_void(chunk))
			continue;
		sqe = io_uring_get_sqe(&uring->ring);
		if (!sqe)
			break;
		io_uring_prep_cancel(sqe, chunk, 0);
		io_uring_sqe_set_data(sqe, NULL);
		uring->issued++;
		chunk->canceled = true;
		uring->loader->stats.canceled_reads++;
	}
	pthread_mutex_unlock(&uring->loader->lock);
}

/* ---- what was read ----------------------------------------------------- */

static void hand_over(struct lull_uring *uring, struct lull_load_chunk *chunk,
		      bool plain)
{
	struct lull_loader *loader = uring->loader;

	chunk->plain = plain;
	chunk->next = NULL;
	pthread_mutex_lock(&loader->lock);
	*loader->last_waiting = chunk;
	loader->last_waiting = &chunk->next;
	pthread_cond_signal(&loader->work);
	pthread_mutex_unlock(&loader->lock);
}

static void fail_chunk(struct lull_uring *uring, struct lull_load_chunk *chunk,
		       const struct lull_error *error)
{
	struct lull_loader *loader = uring->loader;

	pthread_mutex_lock(&loader->lock);
	lull_load_job_fail(chunk->job, chunk->extent, chunk->from, error);
	lull_load_chunk_end(chunk);
	pthread_mutex_unlock(&loader->lock);
}

/* A file system may let a file be opened with O_DIRECT and then refuse. */
static void stop_direct(struct lull_uring *uring, struct lull_load_chunk *chunk,
			int err)
{
	struct lull_load_source *source = chunk->source;

	if (!source->direct)
		return; /* it has been before */
	lull_load_note(uring->loader,
		       "%s: O_DIRECT: %s at offset 0x%llx: by way of the page "
		       "cache",
		       source->file->name, strerrordesc_np(err),
		       (unsigned long long)(chunk->base + chunk->got));
	/* The lock: chunks are cut by these, by this thread alone, but threads
	 * that land look at the job too. */
	pthread_mutex_lock(&uring->loader->lock);
	source->direct = false;
	source->offset_align = source->memory_align = 1;
	source->fd = source->file->fd;
	source->in_table = false;
	pthread_mutex_unlock(&uring->loader->lock);
}

static void read_failed(struct lull_uring *uring, struct lull_load_chunk *chunk,
			int err)
{
	struct lull_error error;

	if ((err == EAGAIN || err == EINTR) &&
	    ++chunk->nr_retries < NR_RETRIES_MAX) {
		count(uring->loader, &uring->loader->stats.retries, 1);
		issue(uring, chunk);
	} else if (err == EAGAIN || err == EINTR) {
		hand_over(uring, chunk, true);
	} else if (!chunk->not_fixed && (err == EFAULT || err == EOPNOTSUPP)) {
		chunk->not_fixed = true;
		issue(uring, chunk);
	} else if (chunk->direct && (err == EINVAL || err == EOPNOTSUPP)) {
		stop_direct(uring, chunk, err);
		hand_over(uring, chunk, true);
	} else {
		lull_load_read_failed(chunk, err, &error);
		fail_chunk(uring, chunk, &error);
	}
}

static void count_bytes(struct lull_uring *uring,
			const struct lull_load_chunk *chunk, size_t got)
{
	struct lull_loader_stats *stats = &uring->loader->stats;

	pthread_mutex_lock(&uring->loader->lock);
	if (chunk->direct)
		stats->direct_bytes += got;
	else
		stats->buffered_bytes += got;
	if (!chunk->not_fixed)
		stats->fixed_bytes += got;
	pthread_mutex_unlock(&uring->loader->lock);
}

static void read_some(struct lull_uring *uring, struct lull_load_chunk *chunk,
		      size_t got)
{
	struct lull_error error;

	if (!got) {
		lull_load_cut_short(chunk, &error);
		fail_chunk(uring, chunk, &error);
		return;
	}
	count_bytes(uring, chunk, got);
	chunk->got += got;
	chunk->nr_retries = 0;
	if (chunk->base + chunk->got >= chunk->end) {
		/* Nothing to copy, nothing to hand over and nobody to tell: no
		 * thread is woken for that. */
		if (chunk->buffer == NO_INDEX && !chunk->job->load->done &&
		    !chunk->job->extents[chunk->extent].edges)
			lull_load_chunk_land(chunk);
		else
			hand_over(uring, chunk, false);
		return;
	}
	count(uring->loader, &uring->loader->stats.short_reads, 1);
	/* Within a sector there is no going on with O_DIRECT. */
	if (chunk->direct && (chunk->got & (chunk->source->offset_align - 1) ||
			      !chunk->source->direct))
		hand_over(uring, chunk, true);
	else
		issue(uring, chunk);
}

static void complete(struct lull_uring *uring, struct lull_load_chunk *chunk,
		     int result)
{
	uring->nr_in_flight--;
	chunk->in_flight = false;
	if (lull_load_chunk_drop(chunk))
		return;
	if (result < 0)
		read_failed(uring, chunk, -result);
	else
		read_some(uring, chunk, (size_t)result);
}

static unsigned int reap(struct lull_uring *uring)
{
	struct lull_load_chunk *chunk;
	struct io_uring_cqe *cqe;
	unsigned int nr = 0;
	int result;

	while (!io_uring_peek_cqe(&uring->ring, &cqe) && cqe) {
		chunk = io_uring_cqe_get_data(cqe);
		result = cqe->res;
		io_uring_cqe_seen(&uring->ring, cqe);
		if (chunk)
			complete(uring, chunk, result);
		nr++;
	}
	return nr;
}

/* ---- driving ----------------------------------------------------------- */

/*
 * The kernel takes no more entries: what it has is waited for, what it has not
 * is ended, and every job fails.  Completions come with any call to the system.
 */
static void give_up(struct lull_uring *uring, int err)
{
	const struct timespec pause = { .tv_nsec = BROKEN_WAIT_NS };
	struct lull_loader *loader = uring->loader;
	struct lull_error error;
	struct lull_load_job *job;
	uint64_t taken = uring->issued;
	unsigned int i, nr;

	uring->broken = true;
	lull_fail_errno(&error, LULL_IO, err, "loader: io_uring_enter()");
	pthread_mutex_lock(&loader->lock);
	for (job = loader->jobs; job; job = job->next)
		lull_load_job_fail(job, 0, 0, &error);
	nr = io_uring_sq_ready(&uring->ring);
	taken -= lull_min(nr, taken);
	for (i = 0; i < uring->nr_chunks; i++) {
		struct lull_load_chunk *chunk = &uring->chunks[i];

		if (!chunk->job || !chunk->in_flight || chunk->issued <= taken)
			continue;
		chunk->in_flight = false;
		uring->nr_in_flight--;
		lull_load_chunk_end(chunk);
	}
	pthread_mutex_unlock(&loader->lock);
	while (uring->nr_in_flight) {
		nanosleep(&pause, NULL);
		reap(uring);
	}
}

static void wait_for_reads(struct lull_uring *uring)
{
	struct __kernel_timespec timeout = { .tv_nsec = WAIT_NS };
	struct io_uring_cqe *cqe;
	int err;

	err = io_uring_submit_and_wait_timeout(&uring->ring, &cqe, 1, &timeout,
					       NULL);
	if (err < 0 && err != -ETIME && err != -EINTR && err != -EAGAIN &&
	    err != -EBUSY)
		give_up(uring, -err);
	else
		reap(uring);
}

/* Of jobs that came after the ring had failed. */
static void refuse_jobs(struct lull_loader *loader)
{
	struct lull_error error;
	struct lull_load_job *job;

	lull_fail(&error, LULL_IO, "loader: io_uring has failed before");
	for (job = loader->jobs; job; job = job->next) {
		lull_load_job_fail(job, 0, 0, &error);
		if (lull_load_job_is_over(job))
			pthread_cond_signal(&job->ended);
	}
}

/* Waits until somebody has kicked since @kicks: false when the loader stops. */
static bool wait_for_kick(struct lull_uring *uring, uint64_t kicks)
{
	struct lull_loader *loader = uring->loader;
	bool more;

	pthread_mutex_lock(&loader->lock);
	if (uring->broken)
		refuse_jobs(loader);
	while (!loader->stop && (loader->kicks == kicks || uring->broken)) {
		pthread_cond_wait(&loader->drive, &loader->lock);
		if (uring->broken)
			refuse_jobs(loader);
	}
	more = !loader->stop;
	pthread_mutex_unlock(&loader->lock);
	return more;
}

/* Threads of the kernel that read what is not direct. */
static void bind_kernel_threads(struct lull_uring *uring)
{
	cpu_set_t cpus;

	if (uring->loader->opts.node != LULL_ARENA_NODE_ANY &&
	    !sched_getaffinity(0, sizeof(cpus), &cpus))
		io_uring_register_iowq_aff(&uring->ring, sizeof(cpus), &cpus);
}

void lull_uring_drive(struct lull_uring *uring)
{
	struct lull_loader *loader = uring->loader;
	uint64_t kicks;

	bind_kernel_threads(uring);
	for (;;) {
		pthread_mutex_lock(&loader->lock);
		kicks = loader->kicks;
		pthread_mutex_unlock(&loader->lock);
		cancel_void(uring);
		if (!uring->broken)
			issue_all(uring);
		if (uring->nr_in_flight)
			wait_for_reads(uring);
		else if (!wait_for_kick(uring, kicks))
			break;
	}
}

/* ---- open and close ---------------------------------------------------- */

static int refused(const char *call, int err, struct lull_error *reterr)
{
	uint64_t disabled;

	if (err == EPERM &&
	    lull_arena_host_number("", SYSCTL_DISABLED, &disabled) && disabled)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "io_uring is switched off: " SYSCTL_DISABLED
				 " is %u",
				 (unsigned int)disabled);
	if (err == EPERM)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "io_uring is not permitted to this process "
				 "(seccomp, as in containers)");
	if (err == ENOSYS)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "this kernel has no io_uring");
	if (err == ENOMEM)
		return lull_fail(reterr, LULL_UNSUPPORTED, "%s: %s" MEMLOCK,
				 call, strerrordesc_np(err));
	return lull_fail_errno(reterr, LULL_UNSUPPORTED, err, "%s", call);
}

/* Whoever may have a ring may yet be forbidden to use it, which a read would
 * find too late for another loader. */
static int try_ring(struct lull_uring *uring, struct lull_error *reterr)
{
	struct io_uring_probe *probe;
	struct io_uring_cqe *cqe;
	bool can_read;
	int got;

	io_uring_prep_nop(io_uring_get_sqe(&uring->ring));
	do {
		got = io_uring_submit_and_wait(&uring->ring, 1);
	} while (got == -EINTR);
	if (got < 0)
		return refused("io_uring_enter()", -got, reterr);
	if (!io_uring_peek_cqe(&uring->ring, &cqe))
		io_uring_cqe_seen(&uring->ring, cqe);
	probe = io_uring_get_probe_ring(&uring->ring);
	if (!probe)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "io_uring cannot be asked for what it has: it "
				 "is older than Linux 5.6, or that is not "
				 "permitted to this process");
	can_read = io_uring_opcode_supported(probe, IORING_OP_READ);
	io_uring_free_probe(probe);
	return can_read ? LULL_OK
			: lull_fail(reterr, LULL_UNSUPPORTED,
				    "this kernel's io_uring has no reads");
}

int lull_uring_open(struct lull_loader *loader, struct lull_uring **ret_uring,
		    struct lull_error *reterr)
{
	struct lull_uring *uring = calloc(1, sizeof(*uring));
	int err;

	if (!uring)
		return lull_fail(reterr, LULL_NOMEM, "no memory for io_uring");
	uring->loader = loader;
	uring->nr_chunks = 2 * loader->opts.depth;
	uring->chunks = calloc(uring->nr_chunks, sizeof(*uring->chunks));
	if (!uring->chunks) {
		err = lull_fail(reterr, LULL_NOMEM, "no memory for io_uring");
		goto free_uring;
	}
	/* Room for each read and for taking it back. */
	err = io_uring_queue_init(2 * loader->opts.depth, &uring->ring, 0);
	if (err) {
		err = refused("io_uring_setup()", -err, reterr);
		goto free_uring;
	}
	err = try_ring(uring, reterr);
	if (err) {
		io_uring_queue_exit(&uring->ring);
		goto free_uring;
	}
	pthread_mutex_init(&uring->fixed_lock, NULL);
	register_files(uring);
	*ret_uring = uring;
	return LULL_OK;

free_uring:
	free(uring->chunks);
	free(uring);
	return err;
}

void lull_uring_close(struct lull_uring *uring)
{
	if (!uring)
		return;
	lull_uring_unfix(uring);
	io_uring_queue_exit(&uring->ring);
	pthread_mutex_destroy(&uring->fixed_lock);
	free(uring->chunks);
	free(uring);
}
