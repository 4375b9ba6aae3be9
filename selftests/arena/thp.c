// SPDX-License-Identifier: Apache-2.0
/*
 * thp.c - the arena on anonymous memory with huge pages
 */
#include "arena/arena.h"

#define CARRIER LULL_ARENA_THP
#include "arena/carrier.h"

TEST_MAIN
