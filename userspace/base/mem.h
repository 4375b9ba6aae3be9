/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - the wiping of secrets, and the end of mappings
 *
 * Memory itself comes from an arena (arena/arena.h).
 */
#ifndef LULL_BASE_MEM_H
#define LULL_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Overwrites a secret; the compiler does not remove it. */
void lull_wipe(void *ptr, size_t bytes);

/* munmap(2), counted: it flushes the TLBs of every CPU that runs the process, so
 * all of the library's go this way.  Context: any thread. */
void lull_unmap(void *ptr, size_t bytes);

/* How many there have been in this process. */
uint64_t lull_unmaps(void);

#endif
