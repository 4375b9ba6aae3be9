// SPDX-License-Identifier: Apache-2.0
/*
 * source.c - how a file is read: opened for the disk, mapped or as it is
 *
 * A descriptor of the caller's may have flags that do not suit (O_NONBLOCK makes
 * io_uring fail with EAGAIN what is not in the page cache), and O_DIRECT must
 * not be switched on under somebody else who has it.  So the ring gets one of its
 * own, opened by way of /proc/self/fd, which is the same file whatever became of
 * its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"
#include "load/cache.h"
#include "load/engine.h"
#include "load/uring.h"

#define PATH_BYTES 32
#define NR_RETRIES_MAX 100

static const char *what_is(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISDIR(mode) ? "a directory" : "a device";
}

/* ---- opening ----------------------------------------------------------- */

static bool is_aligned_for(const struct lull_loader *loader, uint32_t align)
{
	return align && !(align & (align - 1)) &&
	       align <= loader->opts.chunk_bytes;
}

/* What O_DIRECT wants of a file; false where it cannot be. */
static bool alignment(const struct lull_loader *loader, int fd,
		      struct lull_load_source *source)
{
	struct statx st = { 0 };

	source->offset_align = source->memory_align = ALIGN_DEFAULT;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) &&
	    st.stx_mask & STATX_DIOALIGN) {
		source->offset_align = st.stx_dio_offset_align;
		source->memory_align = st.stx_dio_mem_align;
	}
	if (!is_aligned_for(loader, source->offset_align) ||
	    !is_aligned_for(loader, source->memory_align))
		return false;
	/* A sector holds a whole unit at least: see land_edge(). */
	source->offset_align =
		(uint32_t)lull_max(source->offset_align, LULL_EXTENT_UNIT_MAX);
	return true;
}

static int reopen(int fd, int flags)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | flags);
}

static bool open_direct(struct lull_loader *loader,
			struct lull_load_source *source)
{
	int fd = reopen(source->file->fd, O_DIRECT);

	if (fd < 0) {
		lull_load_note(loader,
			       "%s: O_DIRECT: %s: by way of the page "
			       "cache",
			       source->file->name, strerrordesc_np(errno));
		return false;
	}
	if (!alignment(loader, fd, source)) {
		lull_load_note(loader,
			       "%s: no O_DIRECT with this file: by way "
			       "of the page cache",
			       source->file->name);
		close(fd);
		return false;
	}
	source->fd = source->own_fd = fd;
	source->direct = true;
	return true;
}

static void open_buffered(struct lull_load_source *source)
{
	source->own_fd = reopen(source->file->fd, 0);
	source->fd = source->own_fd >= 0 ? source->own_fd : source->file->fd;
	source->offset_align = source->memory_align = 1;
}

/* Whether auto asks the disk: not for little, nor for what is in memory. */
static bool is_worth_the_disk(const struct lull_loader *loader,
			      const struct lull_load_file *file, uint64_t bytes)
{
	uint64_t cached;

	if (bytes < DIRECT_BYTES_MIN)
		return false;
	if (loader->opts.no_direct)
		return true;
	return !lull_load_cached(file->fd, 0, file->bytes, &cached) ||
	       cached < file->bytes / 2;
}

static int map(struct lull_load_source *source, struct lull_error *reterr)
{
	const struct lull_load_file *file = source->file;
	void *p;

	if (!file->bytes)
		return LULL_OK;
	p = mmap(NULL, file->bytes, PROT_READ, MAP_SHARED, file->fd, 0);
	if (p == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "%s: mapping %" PRIu64 " bytes",
				       file->name, file->bytes);
	source->map = p;
	return LULL_OK;
}

int lull_load_source_open(struct lull_loader *loader,
			  const struct lull_load_file *file, uint64_t bytes,
			  struct lull_load_source *ret_source,
			  struct lull_error *reterr)
{
	struct lull_load_source *source = ret_source;
	struct stat st;

	*source = (struct lull_load_source){ .file = file,
					     .kind = loader->opts.kind,
					     .fd = -1,
					     .own_fd = -1,
					     .offset_align = 1,
					     .memory_align = 1,
					     .index = NO_INDEX };
	if (fstat(file->fd, &st))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       file->name);
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return lull_fail(reterr, LULL_USAGE,
				 "%s: expected a file that can be read at any "
				 "offset, found %s",
				 file->name, what_is(st.st_mode));
	if (source->kind == LULL_LOADER_MMAP)
		return map(source, reterr);
	if (source->kind == LULL_LOADER_PREAD)
		return LULL_OK;
	if (loader->choose && !is_worth_the_disk(loader, file, bytes)) {
		source->kind = LULL_LOADER_PREAD;
		return LULL_OK;
	}
	if (loader->opts.no_direct || !open_direct(loader, source)) {
		/* All threads copy from the page cache, and no ring is faster. */
		if (loader->choose) {
			source->kind = LULL_LOADER_PREAD;
			return LULL_OK;
		}
		open_buffered(source);
	}
	source->index = lull_uring_add_file(loader->uring, source->fd);
	source->in_table = source->index != NO_INDEX;
	return LULL_OK;
}

void lull_load_source_close(struct lull_loader *loader,
			    struct lull_load_source *source)
{
	if (source->index != NO_INDEX)
		lull_uring_remove_file(loader->uring, source->index);
	if (source->own_fd >= 0)
		close(source->own_fd);
	if (source->map)
		lull_unmap(source->map, source->file->bytes);
}

/* ---- faults ------------------------------------------------------------ */

int lull_load_cut_short(const struct lull_load_chunk *chunk,
			struct lull_error *reterr)
{
	const struct lull_load_file *file = chunk->source->file;
	uint64_t at = lull_max(chunk->from, chunk->base + chunk->got);

	return lull_fail(reterr, LULL_IO,
			 "%s: offset 0x%" PRIx64 ": expected %" PRIu64
			 " bytes in all, found the end: the file was cut short "
			 "while it was read",
			 file->name, at, file->bytes);
}

int lull_load_read_failed(const struct lull_load_chunk *chunk, int sys_errno,
			  struct lull_error *reterr)
{
	return lull_fail_errno(reterr, LULL_IO, sys_errno,
			       "%s: reading at offset 0x%" PRIx64,
			       chunk->source->file->name,
			       lull_max(chunk->from, chunk->base + chunk->got));
}

/* ---- reading ----------------------------------------------------------- */

/* Copies from the mapping by a system call, which fails where memory would be
 * touched that the file has no more: a copy of ours would die of SIGBUS. */
static ssize_t copy_mapped(const struct lull_load_chunk *chunk, uint64_t at,
			   uint8_t *to, size_t bytes)
{
	const struct iovec local = { to, bytes };
	const struct iovec remote = { chunk->source->map + at, bytes };
	struct stat st;
	ssize_t got;

	got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (got < 0 && errno == EFAULT) {
		if (fstat(chunk->source->file->fd, &st))
			return -1;
		if ((uint64_t)st.st_size <= at)
			return 0;
		errno = EIO;
	}
	return got;
}

/* What is beyond the end of a file that was cut short, but in its last page,
 * reads as zeros. */
static bool is_in_file(const struct lull_load_chunk *chunk)
{
	struct stat st;

	return !fstat(chunk->source->file->fd, &st) &&
	       (!S_ISREG(st.st_mode) || (uint64_t)st.st_size >= chunk->end);
}

static ssize_t read_some(struct lull_load_chunk *chunk, bool *ret_mapped)
{
	const uint64_t at = chunk->base + chunk->got;
	uint8_t *to = chunk->buf + chunk->got;
	const size_t bytes = chunk->end - at;
	ssize_t got;

	*ret_mapped = chunk->source->map;
	if (chunk->source->map) {
		got = copy_mapped(chunk, at, to, bytes);
		if (got >= 0 || (errno != ENOSYS && errno != EPERM))
			return got;
		lull_load_note(chunk->job->loader,
			       "mmap: process_vm_readv(): %s: with pread",
			       strerrordesc_np(errno));
		*ret_mapped = false;
	}
	return pread(chunk->source->file->fd, to, bytes, (off_t)at);
}

static void count_read(struct lull_load_chunk *chunk, size_t got, bool mapped,
		       bool whole)
{
	struct lull_loader *loader = chunk->job->loader;

	pthread_mutex_lock(&loader->lock);
	loader->stats.reads++;
	loader->stats.short_reads += !whole;
	if (mapped)
		loader->stats.mapped_bytes += got;
	else
		loader->stats.plain_bytes += got;
	pthread_mutex_unlock(&loader->lock);
}

static void count_retry(struct lull_loader *loader)
{
	pthread_mutex_lock(&loader->lock);
	loader->stats.retries++;
	pthread_mutex_unlock(&loader->lock);
}

int lull_load_source_read(struct lull_load_chunk *chunk,
			  struct lull_error *reterr)
{
	unsigned int nr_retries = 0;
	bool mapped;
	ssize_t got;

	/* All of it at once: readahead alone would ask for 128 KiB at a time,
	 * and be led astray by threads that take turns. */
	if (!chunk->source->map)
		posix_fadvise(chunk->source->file->fd, (off_t)chunk->base,
			      (off_t)chunk->bytes, POSIX_FADV_WILLNEED);
	while (chunk->base + chunk->got < chunk->end) {
		got = read_some(chunk, &mapped);
		if (got < 0 && (errno == EINTR || errno == EAGAIN) &&
		    nr_retries++ < NR_RETRIES_MAX) {
			count_retry(chunk->job->loader);
			continue;
		}
		if (got < 0)
			return lull_load_read_failed(chunk, errno, reterr);
		if (!got)
			return lull_load_cut_short(chunk, reterr);
		nr_retries = 0;
		chunk->got += (size_t)got;
		count_read(chunk, (size_t)got, mapped,
			   chunk->base + chunk->got >= chunk->end);
	}
	if (chunk->source->map && !is_in_file(chunk))
		return lull_load_cut_short(chunk, reterr);
	return LULL_OK;
}
