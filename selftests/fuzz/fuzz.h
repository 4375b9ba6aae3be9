/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the fuzz targets share
 *
 * A target is one libFuzzer entry point in one file, without a main of its own
 * and not part of the normal build:
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE \
 *		-Iuserspace -Iuserspace/include -Iselftests \
 *		selftests/fuzz/zkey.c LIBRARY.a -ljansson -lxxhash -pthread -o fuzz-zkey
 *
 * LIBRARY.a comes from `make CC=clang VARIANT=asan
 * CFLAGS=-fsanitize=fuzzer-no-link O=build/clang-fuzz`.  Seeds are the small
 * files of selftests/golden.
 */
#ifndef LULL_SELFTESTS_FUZZ_H
#define LULL_SELFTESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"
#include "lull.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* What a target does when an answer contradicts the interface. */
static inline void must(bool holds)
{
	if (!holds)
		abort();
}

/* A failure has a code, and a message that is one whole line. */
static inline void must_be_explained(int rc, const struct lull_error *err)
{
	const char *p;

	must(rc < 0 && rc == err->code && err->msg[0]);
	for (p = err->msg; *p; p++)
		must(*p != '\n');
	must((size_t)(p - err->msg) < sizeof(err->msg));
}

/* Reads every byte of a range, so that a sanitizer sees each access. */
static inline void touch(const uint8_t *p, uint64_t bytes)
{
	static volatile uint8_t sink;
	uint8_t sum = 0;

	while (bytes--)
		sum ^= *p++;
	sink = sum;
	(void)sink;
}

#endif
