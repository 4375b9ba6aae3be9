// SPDX-License-Identifier: Apache-2.0
/*
 * malloc.c - the arena on calloc, freed by detached threads
 */
#include "arena/arena.h"

#define CARRIER LULL_ARENA_MALLOC
#include "arena/carrier.h"

TEST_MAIN
