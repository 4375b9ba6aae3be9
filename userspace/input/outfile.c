// SPDX-License-Identifier: Apache-2.0
/*
 * outfile.c - writes an output that has no name yet; see outfile.h
 *
 * A file without a name (O_TMPFILE) is gone with the process, whatever ends it.
 * Linux can give it a name that nobody has, in one step, but not one that is
 * taken: then it has a second name for the moment between two calls.  That name is
 * made of the file's, so that what is left there by a kill at that very moment is
 * removed by the next output of the same name.  Of several outputs each but the
 * last changes names with the older file, which is removed when all are named.
 */
#include "input/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/fdpath.h"
#include "base/hash.h"
#include "base/mem.h"

#define TEMP_TRIES 16	   /* names of 64 bits: one is enough */
#define TEMP_NAME_BYTES 32 /* ".lull-" and 16 hexadecimal digits */
#define FILE_MODE 0666	   /* less the umask, as for any new file */
#define MODE_BITS 0777	   /* what a file that is replaced hands on */
#define ACL "system.posix_acl_access"
#define FD_NAME_BYTES 32   /* "/proc/self/fd/" and ten digits */

/* Length of the directory part of @path, its slash included; 0 when the path
 * is a name alone. */
static size_t directory_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* So few bytes come whole, unless the pool is not ready and a signal comes. */
static bool draw(uint64_t *ret_random)
{
	ssize_t got;

	do {
		got = getrandom(ret_random, sizeof(*ret_random), 0);
	} while (got < 0 && errno == EINTR);
	if (got >= 0 && got != sizeof(*ret_random))
		errno = EIO;
	return got == sizeof(*ret_random);
}

/* Room for the name of a file beside @path, and its directory. */
static char *begin_temp(const char *path)
{
	size_t dir = directory_bytes(path);
	char *temp = malloc(dir + TEMP_NAME_BYTES);

	if (temp)
		memcpy(temp, path, dir);
	return temp;
}

static void end_temp(char *temp, const char *path, uint64_t number)
{
	snprintf(temp + directory_bytes(path), TEMP_NAME_BYTES,
		 ".lull-%016" PRIx64, number);
}

/* Opens a new file beside @path; gives its name. */
static int create_temp(const char *path, char **ret_temp)
{
	char *temp = begin_temp(path);
	int fd = -1, tries;
	uint64_t random;

	if (!temp)
		return -1;
	for (tries = 0; tries < TEMP_TRIES; tries++) {
		if (!draw(&random))
			break;
		end_temp(temp, path, random);
		fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			  FILE_MODE);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	if (fd < 0) {
		int saved = errno;

		free(temp);
		errno = saved;
		return -1;
	}
	*ret_temp = temp;
	return fd;
}

/* The directory part of @path; the caller's to free. */
static char *directory_of(const char *path)
{
	size_t dir = directory_bytes(path);

	return strndup(dir ? path : ".", dir ? dir : 1);
}

static void name_fd(char buf[FD_NAME_BYTES], int fd)
{
	snprintf(buf, FD_NAME_BYTES, "/proc/self/fd/%d", fd);
}

/* Opens a new file without a name in the directory of @path.  -1 with errno 0
 * where there can be none, or where it could not be named later. */
static int create_unnamed(const char *path)
{
	char link[FD_NAME_BYTES], *directory = directory_of(path);
	int fd, saved;

	if (!directory)
		return -1;
	fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, FILE_MODE);
	saved = errno;
	free(directory);
	errno = saved;
	if (fd < 0) {
		/* A file system, or a kernel, that has none. */
		if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)
			errno = 0;
		return -1;
	}
	name_fd(link, fd);
	if (!access(link, F_OK))
		return fd;
	close(fd);
	errno = 0;
	return -1;
}

/* Where the output really goes: behind symbolic links, so that the link stays
 * and the file is replaced.  A link that leads nowhere is itself replaced. */
static char *resolve(const char *path, bool exists)
{
	return exists ? realpath(path, NULL) : strdup(path);
}

/* What the older file's owner and all others may do they may do here, from before
 * there is anything in it.  Its group may where this file can be of it; where it
 * cannot, or where an access control list, which is not handed on, makes those bits
 * the most that anybody named there may do, no group may do anything, and others
 * only what those bits allow too. */
static mode_t mode_to_keep(const struct stat *old, bool group)
{
	const mode_t mode = old->st_mode & MODE_BITS;

	return group ? mode : mode & (S_IRWXU | (mode >> 3 & S_IRWXO));
}

static int keep_mode(const struct stat *old, struct lull_outfile *out,
		     struct lull_error *reterr)
{
	struct stat st;
	mode_t mode;
	bool group;

	if (fstat(out->fd, &st))
		goto refused;
	group = st.st_gid == old->st_gid || !fchown(out->fd, -1u, old->st_gid);
	mode = mode_to_keep(old, group && getxattr(out->path, ACL, NULL, 0) <= 0);
	/* Of the directory, which the older file need not have had. */
	if (!fremovexattr(out->fd, ACL) || (st.st_mode & MODE_BITS) != mode)
		if (fchmod(out->fd, mode))
			goto refused;
	return LULL_OK;
refused:
	return lull_fail_errno(reterr, LULL_IO, errno,
			       "%s: the mode of the older file", out->name);
}

/* @old is the file that is there, or NULL. */
static int open_regular(const char *path, const struct stat *old,
			struct lull_outfile *out, struct lull_error *reterr)
{
	const bool exists = old;

	/* Renaming would get around a file's own permissions. */
	if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	out->path = resolve(path, exists);
	if (!out->path)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	errno = 0;
	out->fd = -1;
	if (!(out->flags & LULL_OUTFILE_NAMED))
		out->fd = create_unnamed(out->path);
	if (out->fd < 0 && !errno)
		out->fd = create_temp(out->path, &out->temp);
	if (out->fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "%s: creating a file in its directory",
				       out->name);
	return exists ? keep_mode(old, out, reterr) : LULL_OK;
}

static int refuse_many_places(const struct lull_outfile *out, const char *found,
			      struct lull_error *reterr)
{
	return lull_fail(reterr, LULL_USAGE,
			 "%s: it is written at many places at once: expected a "
			 "regular file, found a %s",
			 out->name, found);
}

static int open_special(const char *path, struct lull_outfile *out,
			struct lull_error *reterr)
{
	if (out->flags & LULL_OUTFILE_REGULAR)
		return refuse_many_places(out, "device or pipe", reterr);
	out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (out->fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	return LULL_OK;
}

/* A file that no folder has: nothing can be renamed to it. */
static int open_nameless(const char *path, struct lull_outfile *out,
			 struct lull_error *reterr)
{
	out->fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
	if (out->fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	return LULL_OK;
}

/* What the caller has open is written to where it stands: a file that is
 * appended to grows.  What is written at many places is a file of its own, so
 * such a descriptor is only a way to name one that has no name. */
static int open_descriptor(const char *path, int fd, struct lull_outfile *out,
			   struct lull_error *reterr)
{
	struct stat st;

	if (!lull_fd_is_writable(fd) || fstat(fd, &st))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	if (out->flags & LULL_OUTFILE_REGULAR)
		return S_ISREG(st.st_mode) && !st.st_nlink
			       ? open_nameless(path, out, reterr)
			       : refuse_many_places(out, "descriptor", reterr);
	out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (out->fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	return LULL_OK;
}

static int open_file(const char *path, struct lull_outfile *out,
		     struct lull_error *reterr)
{
	struct stat st;
	size_t len = strlen(path);
	bool exists = !stat(path, &st);

	if (!exists && errno != ENOENT)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	if ((exists && S_ISDIR(st.st_mode)) || (len && path[len - 1] == '/'))
		return lull_fail_errno(reterr, LULL_IO, EISDIR, "%s",
				       out->name);
	if (!len)
		return lull_fail_errno(reterr, LULL_IO, ENOENT,
				       "an empty name for an output");
	if (exists && !S_ISREG(st.st_mode))
		return open_special(path, out, reterr);
	if (exists && !st.st_nlink)
		return open_nameless(path, out, reterr);
	return open_regular(path, exists ? &st : NULL, out, reterr);
}

int lull_outfile_open(const char *path, unsigned int flags,
		      struct lull_outfile *ret_out, struct lull_error *reterr)
{
	struct lull_outfile out = { .fd = -1, .flags = flags };
	int fd = lull_fd_of_path(path), err;

	lull_infile_name(path, out.name);
	err = fd < 0 ? open_file(path, &out, reterr)
		     : open_descriptor(path, fd, &out, reterr);
	if (err) {
		lull_outfile_discard(&out);
		return err;
	}
	*ret_out = out;
	return LULL_OK;
}

/* What the caller has open may be told not to block: then for the reader, as
 * other outputs do. */
static bool wait_for_room(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

/* False with errno. */
static bool write_whole(int fd, const void *data, size_t bytes)
{
	const uint8_t *p = data;
	ssize_t nr;

	while (bytes) {
		nr = write(fd, p, bytes);
		if (nr < 0 && (errno == EINTR ||
			       (errno == EAGAIN && wait_for_room(fd))))
			continue;
		if (nr < 0)
			return false;
		p += nr;
		bytes -= (size_t)nr;
	}
	return true;
}

int lull_outfile_write(struct lull_outfile *out, const void *data, size_t bytes,
		       struct lull_error *reterr)
{
	if (!write_whole(out->fd, data, bytes))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s: writing",
				       out->name);
	return LULL_OK;
}

int lull_outfile_write_at(struct lull_outfile *out, uint64_t offset,
			  const void *data, size_t bytes,
			  struct lull_error *reterr)
{
	const uint8_t *p = data;
	ssize_t nr;

	if (offset < out->mapped_bytes && bytes <= out->mapped_bytes - offset) {
		memcpy(out->mapped + offset, data, bytes);
		return LULL_OK;
	}
	while (bytes) {
		nr = pwrite(out->fd, p, bytes, (off_t)offset);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return lull_fail_errno(reterr, LULL_IO, errno,
					       "%s: writing at offset "
					       "0x%" PRIx64,
					       out->name, offset);
		p += nr;
		bytes -= (size_t)nr;
		offset += (uint64_t)nr;
	}
	return LULL_OK;
}

int lull_outfile_resize(struct lull_outfile *out, uint64_t bytes,
			struct lull_error *reterr)
{
	if (ftruncate(out->fd, (off_t)bytes))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       "%s: a size of %" PRIu64 " bytes",
				       out->name, bytes);
	return LULL_OK;
}

void lull_outfile_map(struct lull_outfile *out, uint64_t bytes)
{
	struct statfs fs;
	void *p;

	if (fstatfs(out->fd, &fs) || fs.f_type != TMPFS_MAGIC || fs.f_blocks)
		return;
	p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		 out->fd, 0);
	if (p == MAP_FAILED)
		return;
	/* Where the system has huge pages for that. */
	(void)madvise(p, (size_t)bytes, MADV_HUGEPAGE);
	out->mapped = p;
	out->mapped_bytes = bytes;
}

int lull_outfile_check_room(const struct lull_outfile *out, uint64_t bytes,
			    struct lull_error *reterr)
{
	struct statvfs fs;
	uint64_t room;

	/* A file system of no size has no bound. */
	if (fstatvfs(out->fd, &fs) || !fs.f_blocks)
		return LULL_OK;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (bytes <= room)
		return LULL_OK;
	return lull_fail(reterr, LULL_IO,
			 "%s: expected room for %" PRIu64
			 " bytes on its file system, found %" PRIu64,
			 out->name, bytes, room);
}

int lull_outfile_read_at(const struct lull_outfile *out, uint64_t offset,
			 void *to, size_t bytes, struct lull_error *reterr)
{
	struct lull_instream in = { .fd = out->fd, .bytes = offset + bytes };

	memcpy(in.name, out->name, sizeof(in.name));
	return lull_instream_read(&in, offset, to, bytes, reterr);
}

/* A stream's cookie is its descriptor: the output itself may be moved. */
static ssize_t write_stream(void *cookie, const char *data, size_t bytes)
{
	return write_whole((int)(intptr_t)cookie, data, bytes) ? (ssize_t)bytes
							       : 0;
}

static int close_stream(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

int lull_outfile_stream(const struct lull_outfile *out, FILE **ret_stream,
			struct lull_error *reterr)
{
	const cookie_io_functions_t io = { .write = write_stream,
					   .close = close_stream };
	int fd = dup(out->fd), err;
	FILE *stream = fd < 0 ? NULL
			      : fopencookie((void *)(intptr_t)fd, "w", io);

	if (stream) {
		*ret_stream = stream;
		return LULL_OK;
	}
	err = lull_fail_errno(reterr, LULL_IO, errno, "%s", out->name);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Some file systems tell of a full disk when a descriptor is closed; the file's
 * own stays, for without it what has no name is gone. */
static int finish_writing(struct lull_outfile *out, struct lull_error *reterr)
{
	int fd, err = 0;

	if (out->path && out->flags & LULL_OUTFILE_FSYNC && fsync(out->fd))
		err = errno;
	fd = dup(out->fd);
	if ((fd < 0 || close(fd)) && !err)
		err = errno;
	if (err)
		return lull_fail_errno(reterr, LULL_IO, err, "%s: writing",
				       out->name);
	return LULL_OK;
}

/* Makes the new name last.  Not every file system can: no error then. */
static void sync_directory(const struct lull_outfile *out)
{
	char *name = directory_of(out->path);
	int fd;

	if (!name)
		return;
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(name);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

static bool link_as(const struct lull_outfile *out, const char *name)
{
	char link[FD_NAME_BYTES];

	name_fd(link, out->fd);
	return !linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Gives a file without a name the one to be renamed.  What has it already is
 * what a process left that was killed here; or, as anybody can work it out, what
 * somebody put there who owns it, where only owners may remove files: then it is
 * a name that nobody can work out. */
static bool link_temp(struct lull_outfile *out)
{
	const char *base = out->path + directory_bytes(out->path);
	uint8_t hash[LULL_HASH_BYTES];
	uint64_t number;
	int tries;

	out->temp = begin_temp(out->path);
	if (!out->temp)
		return false;
	lull_hash(base, strlen(base), hash);
	number = lull_load_u64(hash);
	for (tries = 0; tries < TEMP_TRIES; tries++) {
		end_temp(out->temp, out->path, number);
		if (link_as(out, out->temp))
			return true;
		if (errno != EEXIST || (unlink(out->temp) && !draw(&number)))
			break;
	}
	free(out->temp);
	out->temp = NULL;
	return false;
}

static bool exchange(const char *name, const char *other)
{
	return !renameat2(AT_FDCWD, name, AT_FDCWD, other, RENAME_EXCHANGE);
}

/* Gives an older file a second name, where there is one and that can be had. */
static void link_old(struct lull_outfile *out)
{
	char *old = begin_temp(out->path);
	uint64_t random;

	if (old && draw(&random)) {
		end_temp(old, out->path, random);
		if (!linkat(AT_FDCWD, out->path, AT_FDCWD, old, 0)) {
			out->old = old;
			return;
		}
	}
	free(old);
}

static void drop_old(struct lull_outfile *out)
{
	if (out->old)
		unlink(out->old);
	free(out->old);
	out->old = NULL;
}

/* Takes the place of an older file, which has another name from then on: where
 * names can be exchanged or a file can have two.  Why they cannot is told in many
 * ways, and by filters of system calls too; what refuses the output itself refuses
 * to rename it.  What a try that another writer foiled kept is of no use. */
static bool replace_keeping(struct lull_outfile *out)
{
	struct stat st;

	drop_old(out);
	if (exchange(out->temp, out->path)) {
		if (!lstat(out->temp, &st) && S_ISDIR(st.st_mode)) {
			exchange(out->temp, out->path);
			errno = EISDIR;
			return false;
		}
		out->old = out->temp;
		out->temp = NULL;
		return true;
	}
	link_old(out);
	return !rename(out->temp, out->path);
}

/* @keep: the older file must come back if another output cannot be named.
 * Another writer of the same file may have taken ours away with its own name:
 * then once more. */
static bool put_name(struct lull_outfile *out, bool keep)
{
	bool unnamed = !out->temp;
	int tries;

	if (unnamed && link_as(out, out->path))
		return true;
	if (unnamed && errno != EEXIST)
		return false;
	for (tries = 0; tries < TEMP_TRIES; tries++) {
		if (!out->temp && !link_temp(out))
			return false;
		if (keep ? replace_keeping(out) : !rename(out->temp, out->path))
			break;
		if (!unnamed || errno != ENOENT)
			return false;
		free(out->temp);
		out->temp = NULL;
	}
	free(out->temp);
	out->temp = NULL;
	return tries < TEMP_TRIES;
}

/* Leaves the older file where it can: it is not lost under its other name.  Where
 * another writer has put it back already rename() does nothing, and both names are
 * there. */
static void take_name_back(struct lull_outfile *out)
{
	if (!out->old)
		unlink(out->path);
	else if (!rename(out->old, out->path))
		unlink(out->old);
	free(out->old);
	out->old = NULL;
}

static int name_all(struct lull_outfile *outs, size_t nr,
		    struct lull_error *reterr)
{
	size_t i, j;
	int err;

	for (i = 0; i < nr; i++) {
		if (!outs[i].path || put_name(&outs[i], i + 1 < nr))
			continue;
		err = errno;
		for (j = 0; j < i; j++)
			if (outs[j].path)
				take_name_back(&outs[j]);
		return lull_fail_errno(reterr, LULL_IO, err,
				       "%s: renaming the finished file",
				       outs[i].name);
	}
	return LULL_OK;
}

int lull_outfile_commit(struct lull_outfile *outs, size_t nr,
			struct lull_error *reterr)
{
	int err = LULL_OK;
	size_t i;

	for (i = 0; !err && i < nr; i++)
		err = finish_writing(&outs[i], reterr);
	if (!err)
		err = name_all(outs, nr, reterr);
	for (i = 0; i < nr; i++) {
		if (!err && outs[i].path && outs[i].flags & LULL_OUTFILE_FSYNC)
			sync_directory(&outs[i]);
		lull_outfile_discard(&outs[i]);
	}
	return err;
}

void lull_outfile_discard(struct lull_outfile *out)
{
	if (out->mapped)
		lull_unmap(out->mapped, (size_t)out->mapped_bytes);
	if (out->fd >= 0)
		close(out->fd);
	if (out->temp)
		unlink(out->temp);
	drop_old(out);
	free(out->temp);
	free(out->path);
	*out = (struct lull_outfile)LULL_OUTFILE_EMPTY;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool stat_directory(const char *path, struct stat *ret_st)
{
	char *name = directory_of(path);
	bool found = name && !stat(name, ret_st);

	free(name);
	return found;
}

bool lull_outfile_same(const char *path, const char *other)
{
	struct stat a, b;

	if (!stat(path, &a) && !stat(other, &b))
		return S_ISREG(a.st_mode) && same_inode(&a, &b);
	if (strcmp(path + directory_bytes(path),
		   other + directory_bytes(other)))
		return false;
	return stat_directory(path, &a) && stat_directory(other, &b) &&
	       same_inode(&a, &b);
}
