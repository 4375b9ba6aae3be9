/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uring.h - a ring of io_uring, its registered files and fixed buffers
 *
 * For loader.c, source.c and crew.c.  Uses liburing 2.3, as Debian 12 has it.
 */
#ifndef LULL_LOAD_URING_H
#define LULL_LOAD_URING_H

#include <stddef.h>

struct lull_error;
struct lull_loader;
struct lull_uring;

/* LULL_OK; LULL_UNSUPPORTED with the reason where there is no io_uring; or
 * LULL_NOMEM. */
int lull_uring_open(struct lull_loader *loader, struct lull_uring **ret_uring,
		    struct lull_error *reterr);

/* Nothing is in flight; takes NULL. */
void lull_uring_close(struct lull_uring *uring);

/* Registers a descriptor: its index, or NO_INDEX where there is no room. */
unsigned int lull_uring_add_file(struct lull_uring *uring, int fd);
void lull_uring_remove_file(struct lull_uring *uring, unsigned int index);

/* Registers the loader's arena, if that was not tried yet; what fails is noted,
 * and reads go to plain buffers. */
void lull_uring_fix(struct lull_uring *uring);
void lull_uring_unfix(struct lull_uring *uring);
size_t lull_uring_fixed_bytes(struct lull_uring *uring);

/* The driver: reads chunks of the loader's jobs until it stops. */
void lull_uring_drive(struct lull_uring *uring);

#endif
