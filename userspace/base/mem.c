// SPDX-License-Identifier: Apache-2.0
/*
 * mem.c - the wiping of secrets; see mem.h
 */
#include "base/mem.h"

#include <string.h>

void lull_wipe(void *ptr, size_t bytes)
{
	explicit_bzero(ptr, bytes);
}
