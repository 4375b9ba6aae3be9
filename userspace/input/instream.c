// SPDX-License-Identifier: Apache-2.0
/*
 * instream.c - reads an input piece by piece; see instream.h
 */
#include "input/instream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "input/extent.h"

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

int lull_instream_open(const char *path, struct lull_instream *ret_in,
		       struct lull_error *reterr)
{
	struct lull_instream in = { .fd = -1 };
	struct stat st;
	int err;

	lull_infile_name(path, in.name);
	/* O_NONBLOCK: a pipe is refused below instead of waited for. */
	in.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (in.fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", in.name);
	if (fstat(in.fd, &st))
		err = lull_fail_errno(reterr, LULL_IO, errno, "%s", in.name);
	else if (S_ISDIR(st.st_mode))
		err = lull_fail(reterr, LULL_USAGE,
				"%s: a directory, not a file", in.name);
	else if (!S_ISREG(st.st_mode))
		err = lull_fail(reterr, LULL_USAGE, "%s: not a regular file",
				in.name);
	else if (!st.st_size)
		err = lull_fail(reterr, LULL_FORMAT, "%s: empty file", in.name);
	else
		err = LULL_OK;
	if (err) {
		lull_instream_close(&in);
		return err;
	}
	in.bytes = (uint64_t)st.st_size;
	in.changed = st.st_mtim;
	*ret_in = in;
	return LULL_OK;
}

int lull_instream_open_mem(const void *data, size_t bytes, const char *name,
			   struct lull_instream *ret_in,
			   struct lull_error *reterr)
{
	struct lull_instream in = { .fd = -1, .data = data, .bytes = bytes };

	lull_infile_name(name, in.name);
	if (!bytes)
		return lull_fail(reterr, LULL_FORMAT, "%s: empty file",
				 in.name);
	*ret_in = in;
	return LULL_OK;
}

static int read_by(const struct lull_reader *reader,
		   const struct lull_instream *in, uint64_t offset, void *to,
		   size_t bytes, struct lull_error *reterr)
{
	const struct lull_load_file file = { in->fd, in->bytes, in->name };
	const struct lull_file_extent extent = {
		.source = &file, .offset = offset, .bytes = bytes, .to = to
	};
	const struct lull_load load = { .extents = &extent, .nr_extents = 1 };

	return reader->read(reader->arg, &load, reterr);
}

int lull_instream_read(const struct lull_instream *in, uint64_t offset,
		       void *to, size_t bytes, struct lull_error *reterr)
{
	uint8_t *p = to;
	ssize_t got;

	LULL_ASSERT(offset <= in->bytes && bytes <= in->bytes - offset);
	if (in->data) {
		memcpy(to, in->data + offset, bytes);
		return LULL_OK;
	}
	if (in->reader)
		return read_by(in->reader, in, offset, to, bytes, reterr);
	while (bytes) {
		got = pread(in->fd, p, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return lull_fail_errno(reterr, LULL_IO, errno,
					       "%s: reading at offset "
					       "0x%" PRIx64,
					       in->name, offset);
		if (!got)
			return lull_fail(reterr, LULL_IO,
					 "%s: offset 0x%" PRIx64
					 ": expected %" PRIu64 " bytes in all, "
					 "found the end: the file was cut "
					 "short while it was read",
					 in->name, offset, in->bytes);
		p += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return LULL_OK;
}

int lull_instream_same(const struct lull_instream *in,
		       struct lull_error *reterr)
{
	struct stat is;

	if (in->data ||
	    (!fstat(in->fd, &is) && (uint64_t)is.st_size == in->bytes &&
	     is.st_mtim.tv_sec == in->changed.tv_sec &&
	     is.st_mtim.tv_nsec == in->changed.tv_nsec))
		return LULL_OK;
	return lull_instream_fail_changed(in->name, reterr);
}

int lull_instream_fail_changed(const char *name, struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_IO,
			 "%s: the file changed while it was read", name);
}

void lull_instream_close(struct lull_instream *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}
