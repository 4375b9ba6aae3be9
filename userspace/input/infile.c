// SPDX-License-Identifier: Apache-2.0
/*
 * infile.c - maps or reads an input file; see infile.h
 */
#include "input/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"

/* What one task reads: a slot of the arena, so that threads that read side by
 * side touch different ones. */
#define BYTES_PER_TASK LULL_ARENA_SLOT_BYTES

void lull_infile_name(const char *path, char ret_name[LULL_INFILE_NAME_BYTES])
{
	const size_t room = LULL_INFILE_NAME_BYTES - 1;
	static const char cut[] = "...";
	size_t len, i, skip = 0;

	if (!path)
		path = "(memory)";
	len = strlen(path);
	if (len > room) {
		skip = sizeof(cut) - 1;
		memcpy(ret_name, cut, skip);
		path += len - (room - skip);
		len = room - skip;
	}
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)path[i];

		/* Control characters; what is above ASCII is left alone. */
		ret_name[skip + i] = c < ' ' || c == 127 ? '?' : (char)c;
	}
	ret_name[skip + len] = '\0';
}

int lull_infile_fail(const char *name, uint32_t number, const char *section,
		     uint64_t offset, struct lull_error *reterr,
		     enum lull_status code, const char *fmt, va_list args)
{
	size_t len;

	if (!reterr)
		return code;
	lull_fail(reterr, code,
		  "%s: section %" PRIu32 "%s%s%s, offset 0x%" PRIx64 ": ", name,
		  number, section ? " (" : "", section ? section : "",
		  section ? ")" : "", offset);
	len = strlen(reterr->msg);
	vsnprintf(reterr->msg + len, sizeof(reterr->msg) - len, fmt, args);
	return code;
}

/* Opens a regular file that is not empty and fills in name and size. */
static int open_regular(const char *path, struct lull_infile *file, int *ret_fd,
			struct stat *ret_stat, struct lull_error *reterr)
{
	struct stat *st = ret_stat;
	int fd, err;

	lull_infile_name(path, file->name);
	/* O_NONBLOCK: a pipe is refused below instead of waited for. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       file->name);
	if (fstat(fd, st))
		err = lull_fail_errno(reterr, LULL_IO, errno, "%s", file->name);
	else if (S_ISDIR(st->st_mode))
		err = lull_fail(reterr, LULL_USAGE,
				"%s: a directory, not a file", file->name);
	else if (!S_ISREG(st->st_mode))
		err = lull_fail(reterr, LULL_USAGE, "%s: not a regular file",
				file->name);
	else if (!st->st_size)
		err = lull_fail(reterr, LULL_FORMAT, "%s: empty file",
				file->name);
	else
		err = LULL_OK;
	if (err) {
		close(fd);
		return err;
	}
	file->bytes = (uint64_t)st->st_size;
	*ret_fd = fd;
	return LULL_OK;
}

int lull_infile_open(const char *path, struct lull_infile *ret_file,
		     struct lull_error *reterr)
{
	struct lull_infile file = { 0 };
	struct stat st;
	void *p;
	int fd, err;

	err = open_regular(path, &file, &fd, &st, reterr);
	if (err)
		return err;
	p = mmap(NULL, (size_t)file.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: mapping %" PRIu64 " bytes",
				      file.name, file.bytes);
	close(fd);
	if (err)
		return err;
	file.data = p;
	file.mapped = true;
	*ret_file = file;
	return LULL_OK;
}

/* ---- reading ----------------------------------------------------------- */

int lull_infile_begin(const char *path, struct lull_infile_reading *ret_reading,
		      struct lull_error *reterr)
{
	struct lull_infile_reading reading = { .fd = -1 };
	int err;

	err = open_regular(path, &reading.file, &reading.fd, &reading.was,
			   reterr);
	if (!err)
		*ret_reading = reading;
	return err;
}

void lull_infile_end(struct lull_infile_reading *reading)
{
	if (reading->fd >= 0)
		close(reading->fd);
	reading->fd = -1;
}

int lull_infile_read_at(const struct lull_infile_reading *reading, void *to,
			uint64_t offset, size_t bytes,
			struct lull_error *reterr)
{
	const struct lull_infile *file = &reading->file;
	uint8_t *p = to;
	ssize_t got;

	while (bytes) {
		got = pread(reading->fd, p, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return lull_fail_errno(reterr, LULL_IO, errno,
					       "%s: reading at offset "
					       "0x%" PRIx64,
					       file->name, offset);
		if (!got)
			return lull_fail(reterr, LULL_IO,
					 "%s: offset 0x%" PRIx64
					 ": expected %" PRIu64 " bytes in all, "
					 "found the end: the file was cut "
					 "short while it was read",
					 file->name, offset, file->bytes);
		p += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return LULL_OK;
}

/* A whole file under way. */
struct whole {
	const struct lull_infile_reading *reading;
	uint8_t *to;
};

static int read_task(void *arg, size_t task, struct lull_error *reterr)
{
	const struct whole *whole = arg;
	uint64_t offset = (uint64_t)task * BYTES_PER_TASK;
	uint64_t left = whole->reading->file.bytes - offset;

	return lull_infile_read_at(whole->reading, whole->to + offset, offset,
				   (size_t)lull_min(left, BYTES_PER_TASK),
				   reterr);
}

int lull_infile_unchanged(const struct lull_infile_reading *reading,
			  struct lull_error *reterr)
{
	const struct stat *was = &reading->was;
	struct stat is;

	if (!fstat(reading->fd, &is) && is.st_size == was->st_size &&
	    is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	    is.st_mtim.tv_nsec == was->st_mtim.tv_nsec)
		return LULL_OK;
	return lull_fail(reterr, LULL_IO,
			 "%s: the file changed while it was read",
			 reading->file.name);
}

static int read_open(const struct lull_infile_reading *reading,
		     const struct lull_infile_memory *memory,
		     struct lull_infile *file, struct lull_error *reterr)
{
	struct whole whole = { .reading = reading };
	int err;

	err = lull_arena_carve(memory->arena, (size_t)file->bytes,
			       memory->flags, file->name, &file->vec, reterr);
	if (err)
		return err;
	whole.to = file->vec.ptr;
	err = lull_workers_try(memory->workers,
			       lull_div_up(file->bytes, BYTES_PER_TASK),
			       read_task, &whole, reterr);
	if (!err)
		err = lull_infile_unchanged(reading, reterr);
	if (err)
		lull_arena_retire(&file->vec);
	else
		file->data = file->vec.ptr;
	return err;
}

int lull_infile_read(const char *path, const struct lull_infile_memory *memory,
		     int (*check)(const void *arg,
				  const struct lull_infile *head,
				  struct lull_error *reterr),
		     const void *arg, struct lull_infile *ret_file,
		     struct lull_error *reterr)
{
	uint8_t head[LULL_INFILE_HEAD_BYTES];
	struct lull_infile_reading reading;
	struct lull_infile file;
	int err;

	err = lull_infile_begin(path, &reading, reterr);
	if (err)
		return err;
	file = reading.file;
	err = lull_infile_read_at(&reading, head, 0,
				  (size_t)lull_min(file.bytes, sizeof(head)),
				  reterr);
	file.data = head;
	if (!err)
		err = check(arg, &file, reterr);
	file.data = NULL;
	if (!err)
		err = read_open(&reading, memory, &file, reterr);
	lull_infile_end(&reading);
	if (err)
		return err;
	*ret_file = file;
	return LULL_OK;
}

int lull_infile_open_mem(const void *data, size_t bytes, const char *name,
			 struct lull_infile *ret_file,
			 struct lull_error *reterr)
{
	struct lull_infile file = { .data = data, .bytes = bytes };

	lull_infile_name(name, file.name);
	if (!bytes)
		return lull_fail(reterr, LULL_FORMAT, "%s: empty file",
				 file.name);
	*ret_file = file;
	return LULL_OK;
}

void lull_infile_close(struct lull_infile *file)
{
	if (file->mapped)
		munmap((void *)file->data, (size_t)file->bytes);
	lull_arena_retire(&file->vec);
	*file = (struct lull_infile){ 0 };
}
