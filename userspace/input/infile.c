// SPDX-License-Identifier: Apache-2.0
/*
 * infile.c - maps an input file; see infile.h
 */
#include "input/infile.h"

#include <errno.h>
#include <fcntl.h>
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

static int map_regular(int fd, struct lull_infile *file,
		       struct lull_error *reterr)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       file->name);
	if (S_ISDIR(st.st_mode))
		return lull_fail(reterr, LULL_USAGE,
				 "%s: a directory, not a file", file->name);
	if (!S_ISREG(st.st_mode))
		return lull_fail(reterr, LULL_USAGE, "%s: not a regular file",
				 file->name);
	if (!st.st_size)
		return lull_fail(reterr, LULL_FORMAT, "%s: empty file",
				 file->name);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "%s: mapping %llu bytes", file->name,
				       (unsigned long long)st.st_size);
	file->data = p;
	file->bytes = (uint64_t)st.st_size;
	file->mapped = true;
	return LULL_OK;
}

int lull_infile_open(const char *path, struct lull_infile *ret_file,
		     struct lull_error *reterr)
{
	struct lull_infile file = { 0 };
	int fd, err;

	lull_infile_name(path, file.name);
	/* O_NONBLOCK: a pipe is refused below instead of waited for. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", file.name);
	err = map_regular(fd, &file, reterr);
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
	*file = (struct lull_infile){ 0 };
}
