/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - XXH3-128 of bytes, in its canonical form
 *
 * Tells damage from what was written, at the speed of memory.  It is no
 * signature: whoever can write a file can write its hashes.
 */
#ifndef LULL_BASE_HASH_H
#define LULL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LULL_HASH_BYTES 16

/* The 16 bytes that xxhsum -H2 prints, most significant first. */
void lull_hash(const void *data, size_t bytes,
	       uint8_t ret_hash[LULL_HASH_BYTES]);

#endif
