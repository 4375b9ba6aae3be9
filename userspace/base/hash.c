// SPDX-License-Identifier: Apache-2.0
/*
 * hash.c - libxxhash's XXH3-128, by what the processor has
 *
 * Where every read is instrumented the library's source is built in instead:
 * MSan knows nothing of what a library that was built without it writes.
 */
#include "base/hash.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define XXH_INLINE_ALL
#endif
#endif
#include <xxhash.h>
#if defined(__x86_64__) && !defined(XXH_INLINE_ALL)
#include <xxh_x86dispatch.h>
#endif

_Static_assert(sizeof(XXH128_canonical_t) == LULL_HASH_BYTES, "a hash");

void lull_hash(const void *data, size_t bytes,
	       uint8_t ret_hash[LULL_HASH_BYTES])
{
	XXH128_canonicalFromHash((XXH128_canonical_t *)ret_hash,
				 XXH3_128bits(data, bytes));
}
