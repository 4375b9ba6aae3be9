// SPDX-License-Identifier: Apache-2.0
/*
 * malloc_serial.c - the arena on calloc, freed one at a time
 */
#include "arena/arena.h"

#define CARRIER LULL_ARENA_MALLOC_SERIAL
#include "arena/carrier.h"

TEST_MAIN
