// SPDX-License-Identifier: Apache-2.0
/*
 * fdpath.c - paths that name a descriptor of this process; see fdpath.h
 *
 * Links are followed one by one: the last of them, in /proc/self/fd, is the name
 * that counts, and following it too would lead to the file.
 */
#include "base/fdpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FD_FOLDER "/proc/self/fd"
#define LINKS_MAX 40 /* as many as the kernel follows */

/* Bytes of the directory part, its slash included. */
static size_t folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_fd_folder(const char *path, size_t bytes)
{
	char folder[PATH_MAX];
	struct stat given, own;

	memcpy(folder, path, bytes);
	folder[bytes] = '\0';
	return !stat(bytes ? folder : ".", &given) && !stat(FD_FOLDER, &own) &&
	       given.st_dev == own.st_dev && given.st_ino == own.st_ino;
}

static int number_of(const char *path)
{
	const size_t folder = folder_bytes(path);
	const char *digits = path + folder;
	char *end;
	unsigned long number;

	if (*digits < '0' || *digits > '9')
		return -1;
	errno = 0;
	number = strtoul(digits, &end, 10);
	if (*end || errno || number > INT_MAX || !is_fd_folder(path, folder))
		return -1;
	return (int)number;
}

/* Puts where a symbolic link leads in its place. */
static bool follow(char path[PATH_MAX])
{
	char target[PATH_MAX];
	ssize_t got = readlink(path, target, sizeof(target));
	size_t at = got > 0 && *target != '/' ? folder_bytes(path) : 0;

	if (got <= 0 || at + (size_t)got >= PATH_MAX)
		return false;
	memcpy(path + at, target, (size_t)got);
	path[at + (size_t)got] = '\0';
	return true;
}

int lull_fd_of_path(const char *path)
{
	const size_t len = strlen(path);
	char at[PATH_MAX];
	int links, fd;

	if (len >= sizeof(at))
		return -1;
	memcpy(at, path, len + 1);
	for (links = 0; links <= LINKS_MAX; links++) {
		fd = number_of(at);
		if (fd >= 0)
			return fd;
		if (!follow(at))
			break;
	}
	return -1;
}

bool lull_fd_is_writable(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return true;
	errno = EBADF;
	return false;
}
