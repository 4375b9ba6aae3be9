// SPDX-License-Identifier: Apache-2.0
/*
 * topo.c - shares of processors; see topo.h
 */
#include "base/topo.h"

#include <hwloc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"

/**
 * struct lull_topo - see lull_topo_open()
 * @topology: of this host, as far as this process may use it
 * @nr_threads: that share it
 * @nr_cpus: how many processors that is
 * @bound: each thread has a share
 * @shares: one for each thread, if @bound
 */
struct lull_topo {
	hwloc_topology_t topology;
	unsigned int nr_threads;
	unsigned int nr_cpus;
	bool bound;
	hwloc_cpuset_t shares[];
};

/* Leaves out what the process's affinity leaves out. */
static void restrict_to_process(hwloc_topology_t topology)
{
	hwloc_cpuset_t usable = hwloc_bitmap_alloc();

	if (usable &&
	    !hwloc_get_cpubind(topology, usable, HWLOC_CPUBIND_PROCESS))
		hwloc_topology_restrict(topology, usable, 0);
	hwloc_bitmap_free(usable);
}

static void share_out(struct lull_topo *topo)
{
	hwloc_obj_t root = hwloc_get_root_obj(topo->topology);

	topo->nr_cpus = (unsigned int)hwloc_bitmap_weight(root->cpuset);
	topo->bound = topo->nr_cpus >= topo->nr_threads &&
		      !hwloc_distrib(topo->topology, &root, 1, topo->shares,
				     topo->nr_threads, INT_MAX, 0);
}

int lull_topo_open(unsigned int nr_threads, struct lull_topo **ret_topo,
		   struct lull_error *reterr)
{
	struct lull_topo *topo;

	topo = calloc(1, sizeof(*topo) + nr_threads * sizeof(topo->shares[0]));
	if (!topo)
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for a topology");
	topo->nr_threads = nr_threads;
	if (hwloc_topology_init(&topo->topology)) {
		free(topo);
		return lull_fail(reterr, LULL_NOMEM,
				 "no memory for a topology");
	}
	if (hwloc_topology_load(topo->topology)) {
		lull_topo_close(topo);
		return lull_fail(reterr, LULL_IO,
				 "hwloc: this host's topology cannot be read");
	}
	restrict_to_process(topo->topology);
	share_out(topo);
	*ret_topo = topo;
	return LULL_OK;
}

void lull_topo_close(struct lull_topo *topo)
{
	unsigned int i;

	if (!topo)
		return;
	for (i = 0; topo->bound && i < topo->nr_threads; i++)
		hwloc_bitmap_free(topo->shares[i]);
	hwloc_topology_destroy(topo->topology);
	free(topo);
}

void lull_topo_bind(const struct lull_topo *topo, unsigned int index)
{
	assert(index < topo->nr_threads);
	if (topo->bound)
		(void)hwloc_set_cpubind(topo->topology, topo->shares[index],
					HWLOC_CPUBIND_THREAD);
}

void lull_topo_describe(const struct lull_topo *topo, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%u processors, %s by %u threads", topo->nr_cpus,
		 topo->bound ? "shared out and bound" : "used freely",
		 topo->nr_threads);
}
