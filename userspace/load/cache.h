/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - how much of a file the page cache has
 *
 * For loaders, which choose by it, and for `lull bench load`, which says by it
 * whether a file was cold.  Reads nothing of the file that was not read before.
 */
#ifndef LULL_LOAD_CACHE_H
#define LULL_LOAD_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * lull_load_cached - how much of a file is in the page cache
 * @fd: the file
 * @offset: the first byte that matters
 * @bytes: how many do
 * @ret_bytes: of them in the cache: counted where the kernel counts (6.5), else
 *	estimated from 64 places
 *
 * Return: false where the kernel does not tell.
 */
bool lull_load_cached(int fd, uint64_t offset, uint64_t bytes,
		      uint64_t *ret_bytes);

#endif
