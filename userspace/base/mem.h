/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - the wiping of secrets
 *
 * Memory itself comes from an arena (arena/arena.h).
 */
#ifndef LULL_BASE_MEM_H
#define LULL_BASE_MEM_H

#include <stddef.h>

/* Overwrites a secret; the compiler does not remove it. */
void lull_wipe(void *ptr, size_t bytes);

#endif
