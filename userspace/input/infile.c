// SPDX-License-Identifier: Apache-2.0
/*
 * infile.c - maps or reads an input file; see infile.h
 */
#include "input/infile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"

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

static int read_range(const struct lull_infile *file, int fd, uint8_t *to,
		      uint64_t offset, size_t bytes, struct lull_error *reterr)
{
	ssize_t got;

	while (bytes) {
		got = pread(fd, to, bytes, (off_t)offset);
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
		to += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return LULL_OK;
}

/* A file that is read in three pieces: the one in the middle lands. */
struct pieces {
	struct lull_source source;
	struct lull_file_extent extents[3];
};

static void add_piece(struct pieces *pieces, size_t i, uint64_t offset,
		      uint64_t end, uint8_t *data)
{
	pieces->extents[i].source = &pieces->source;
	pieces->extents[i].offset = offset;
	pieces->extents[i].bytes = end - offset;
	pieces->extents[i].to = data + offset;
}

static void cut(struct pieces *pieces, const struct lull_infile *file, int fd,
		const struct lull_file_extent *landing)
{
	const uint64_t from = landing->offset, end = from + landing->bytes;
	uint8_t *data = file->vec.ptr;

	*pieces = (struct pieces){
		.source = { fd, file->bytes, file->name },
		.extents[1] = *landing,
	};
	add_piece(pieces, 0, 0, from, data);
	add_piece(pieces, 1, from, end, data);
	add_piece(pieces, 2, end, file->bytes, data);
}

static int read_whole(const struct lull_infile *file, int fd,
		      const struct lull_infile_memory *memory,
		      const struct lull_file_extent *landing,
		      struct lull_error *reterr)
{
	struct pieces pieces;
	const struct lull_load load = {
		.extents = pieces.extents,
		.nr_extents = LULL_ARRAY_SIZE(pieces.extents),
		.land = landing->bytes ? memory->land : NULL,
		.arg = memory->arg,
		.secret = memory->flags & LULL_CARVE_SECRET,
	};

	if (!memory->reader)
		return read_range(file, fd, file->vec.ptr, 0,
				  (size_t)file->bytes, reterr);
	cut(&pieces, file, fd, landing);
	return memory->reader->read(memory->reader->arg, &load, reterr);
}

/* What lands of a file; nothing where its head tells of more than it has. */
static struct lull_file_extent find(const struct lull_infile_memory *memory,
				    const struct lull_infile *head)
{
	struct lull_file_extent extent = { 0 };

	if (!memory->find || !memory->find(memory->arg, head, &extent) ||
	    extent.offset > head->bytes ||
	    extent.bytes > head->bytes - extent.offset)
		return (struct lull_file_extent){ 0 };
	return extent;
}

static bool changed(int fd, const struct stat *was)
{
	struct stat is;

	return fstat(fd, &is) || is.st_size != was->st_size ||
	       is.st_mtim.tv_sec != was->st_mtim.tv_sec ||
	       is.st_mtim.tv_nsec != was->st_mtim.tv_nsec;
}

static int read_open(int fd, const struct stat *st,
		     const struct lull_infile_memory *memory,
		     const struct lull_file_extent *landing,
		     struct lull_infile *file, struct lull_error *reterr)
{
	int err;

	err = lull_arena_carve(memory->arena, (size_t)file->bytes,
			       memory->flags, file->name, &file->vec, reterr);
	if (err)
		return err;
	err = read_whole(file, fd, memory, landing, reterr);
	if (!err && changed(fd, st))
		err = lull_fail(reterr, LULL_IO,
				"%s: the file changed while it was read",
				file->name);
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
	struct lull_file_extent landing = { 0 };
	struct lull_infile file = { 0 };
	struct stat st;
	int fd, err;

	err = open_regular(path, &file, &fd, &st, reterr);
	if (err)
		return err;
	err = read_range(&file, fd, head, 0,
			 (size_t)lull_min(file.bytes, sizeof(head)), reterr);
	file.data = head;
	if (!err)
		err = check(arg, &file, reterr);
	if (!err)
		landing = find(memory, &file);
	file.data = NULL;
	if (!err)
		err = read_open(fd, &st, memory, &landing, &file, reterr);
	close(fd);
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
