/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fdpath.h - paths that name a descriptor of this process
 *
 * /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N, and symbolic links to
 * them, mean what the caller has open, not the file that is behind it: who
 * replaces that file by renaming has destroyed what the caller appends to.  Every
 * output asks here.  Refuses descriptors of other processes, which are files.
 */
#ifndef LULL_BASE_FDPATH_H
#define LULL_BASE_FDPATH_H

#include <stdbool.h>

/**
 * lull_fd_of_path - the descriptor that a path names
 * @path: any path; need not exist
 *
 * Return: its number, whether it is open or not, or -1 for any other path.
 */
int lull_fd_of_path(const char *path);

/**
 * lull_fd_is_writable - whether a descriptor takes what is written
 * @fd: its number
 *
 * Return: true; or false with errno EBADF, for one that is closed too.
 */
bool lull_fd_is_writable(int fd);

#endif
