/* SPDX-License-Identifier: Apache-2.0 */
/*
 * topo.h - which processors the threads of a pipeline are bound to
 *
 * By hwloc: the processors that this process may use are shared out over the
 * threads as evenly as caches and nodes allow.  Binds nothing where there are
 * fewer processors than threads, for two bound to one would wait for each
 * other while others idle.
 */
#ifndef LULL_BASE_TOPO_H
#define LULL_BASE_TOPO_H

#include <stddef.h>

struct lull_error;
struct lull_topo;

/* Shares out over so many threads; end it with lull_topo_close().  LULL_OK,
 * LULL_NOMEM or LULL_IO. */
int lull_topo_open(unsigned int nr_threads, struct lull_topo **ret_topo,
		   struct lull_error *reterr);

/* Takes NULL. */
void lull_topo_close(struct lull_topo *topo);

/* Binds the calling thread to the share of thread @index.  What the kernel
 * refuses is no fault. */
void lull_topo_bind(const struct lull_topo *topo, unsigned int index);

/* "2 processors, shared by 4 threads" or the like. */
void lull_topo_describe(const struct lull_topo *topo, char *buf, size_t bytes);

#endif
