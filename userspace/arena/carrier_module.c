// SPDX-License-Identifier: Apache-2.0
/*
 * carrier_module.c - an arena of /dev/lull_arena (uapi/linux/lull_arena.h)
 *
 * Retired slots stay mapped; under pressure the kernel takes their pages, and
 * REVIVE says which.  Only this carrier can give memory back without anybody
 * asking for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/lull_arena.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arena/host.h"
#include "arena/slab.h"
#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"

/* With less locked memory than this the module is of no use to a prover. */
#define MEMLOCK_MIN ((size_t)64 << 20)
/* One ACQUIRE: what a signal undoes at most. */
#define ACQUIRE_BYTES ((size_t)1 << 30)
/* A revival is told of in so many parts at most. */
#define REVIVE_PARTS 64

static int refuse(struct lull_error *reterr, int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 LULL_ARENA_DEVICE
				 " is not there: the module is not loaded "
				 "(`lull arena doctor` says more)");
	case EACCES:
	case EPERM:
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "no permission for " LULL_ARENA_DEVICE
				 ": its group is lull (`lull arena doctor` "
				 "says more)");
	default:
		return lull_fail_errno(reterr, LULL_IO, error,
				       LULL_ARENA_DEVICE);
	}
}

/* RLIMIT_MEMLOCK as it binds this process. */
static uint64_t memlock_limit(void)
{
	struct rlimit limit;

	if (lull_arena_host_ipc_lock())
		return UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

static int create(int device, const struct lull_arena_opts *opts,
		  struct lull_slab *slab, struct lull_error *reterr)
{
	struct lull_arena_create create = {
		.size = sizeof(create),
		.flags = opts->secret ? LULL_ARENA_CREATE_SECRET : 0,
		.bytes = slab->span_bytes,
		.numa = LULL_ARENA_NUMA_LOCAL,
	};

	if (opts->node != LULL_ARENA_NODE_ANY) {
		create.numa = LULL_ARENA_NUMA_BIND;
		create.node = (uint32_t)opts->node;
	}
	if (ioctl(device, LULL_ARENA_CREATE, &create))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       LULL_ARENA_DEVICE
				       ": an arena of %zu bytes",
				       slab->span_bytes);
	slab->fd = (int)create.fd;
	return LULL_OK;
}

static int map_arena(struct lull_slab *slab, struct lull_error *reterr)
{
	struct lull_arena_query query = { .size = sizeof(query) };
	void *p;

	if (ioctl(slab->fd, LULL_ARENA_QUERY, &query))
		return lull_fail_errno(reterr, LULL_IO, errno,
				       LULL_ARENA_DEVICE ": QUERY");
	if (query.slot_bytes != SLOT_BYTES ||
	    query.nr_ranges_max < REVIVE_PARTS)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 LULL_ARENA_DEVICE
				 ": expected slots of %zu bytes, found %u",
				 SLOT_BYTES, query.slot_bytes);
	p = mmap(NULL, slab->span_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		 slab->fd, 0);
	if (p == MAP_FAILED)
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       LULL_ARENA_DEVICE ": mapping %zu bytes",
				       slab->span_bytes);
	slab->base = p;
	return LULL_OK;
}

static int reserve(struct lull_slab *slab, const struct lull_arena_opts *opts,
		   size_t bytes_min, size_t span_bytes,
		   struct lull_error *reterr)
{
	uint64_t memlock = memlock_limit();
	int device, err;

	device = open(LULL_ARENA_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return refuse(reterr, errno);
	if (memlock < lull_max(bytes_min, MEMLOCK_MIN)) {
		close(device);
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "RLIMIT_MEMLOCK is %llu bytes (`lull arena "
				 "doctor` says how to raise it)",
				 (unsigned long long)memlock);
	}
	slab->span_bytes = span_bytes;
	err = create(device, opts, slab, reterr);
	close(device);
	if (err)
		return err;
	err = map_arena(slab, reterr);
	if (err) {
		close(slab->fd);
		slab->fd = -1;
	}
	return err;
}

static void unreserve(struct lull_slab *slab)
{
	lull_unmap(slab->base, slab->span_bytes);
	close(slab->fd);
}

/* ---- verbs ------------------------------------------------------------- */

static struct lull_arena_range range_of(size_t first, size_t nr)
{
	return (struct lull_arena_range){ .offset = first * SLOT_BYTES,
					  .length = nr * SLOT_BYTES };
}

static const char *cause_text(uint32_t cause)
{
	switch (cause) {
	case LULL_ARENA_CAUSE_MEMORY:
		return "no free 2 MiB pages";
	case LULL_ARENA_CAUSE_MEMLOCK:
		return "RLIMIT_MEMLOCK is reached";
	case LULL_ARENA_CAUSE_LIMIT:
		return "the module's limit_bytes is reached";
	case LULL_ARENA_CAUSE_LIMIT_UID:
		return "the module's limit_bytes_per_uid is reached";
	default:
		return "the module refused";
	}
}

static bool retire(struct lull_slab *slab, size_t first, size_t nr)
{
	struct lull_arena_range range = range_of(first, nr);
	struct lull_arena_retire retire = {
		.size = sizeof(retire),
		.ranges = (uintptr_t)&range,
		.nr_ranges = 1,
	};

	return !ioctl(slab->fd, LULL_ARENA_RETIRE, &retire);
}

static bool release(struct lull_slab *slab, size_t first, size_t nr)
{
	struct lull_arena_range range = range_of(first, nr);
	struct lull_arena_release release = {
		.size = sizeof(release),
		.ranges = (uintptr_t)&range,
		.nr_ranges = 1,
	};

	if (!ioctl(slab->fd, LULL_ARENA_RELEASE, &release))
		return true;
	/* EBUSY: others have pinned some, which are as they were.  One by one,
	 * for those that are not LIVE are refused. */
	for (; nr; first++, nr--)
		retire(slab, first, 1);
	return false;
}

/*
 * Which thread touches which slot first changes from proof to proof; mapped
 * now, none faults in a later one.  A kernel that cannot (before 5.14) leaves
 * it to the first touch.
 */
static void populate(struct lull_slab *slab, size_t first, size_t nr)
{
	madvise(slab->base + first * SLOT_BYTES, nr * SLOT_BYTES,
		MADV_POPULATE_WRITE);
}

static int acquire_part(struct lull_slab *slab, size_t first, size_t nr,
			struct lull_error *reterr)
{
	struct lull_arena_range range = range_of(first, nr);
	struct lull_arena_acquire acquire = {
		.size = sizeof(acquire),
		.ranges = (uintptr_t)&range,
		.nr_ranges = 1,
	};
	int error;

	do {
		acquire.cause = LULL_ARENA_CAUSE_NONE;
		error = ioctl(slab->fd, LULL_ARENA_ACQUIRE, &acquire) ? errno
								      : 0;
	} while (error == EINTR);
	if (!error) {
		populate(slab, first, nr);
		return LULL_OK;
	}
	if (acquire.cause == LULL_ARENA_CAUSE_MEMORY)
		return lull_fail_errno(
			reterr, LULL_NOMEM, error,
			"%s: expected %zu bytes, found %llu (`lull arena "
			"doctor` says more)",
			cause_text(acquire.cause), nr * SLOT_BYTES,
			(unsigned long long)acquire.available_bytes);
	return lull_fail_errno(reterr, LULL_NOMEM, error, "%s: %zu bytes",
			       cause_text(acquire.cause), nr * SLOT_BYTES);
}

static int revive(struct lull_slab *slab, size_t first, size_t nr,
		  struct lull_error *reterr);

/*
 * A released slot is on its way out until its batch has run, and stays BUSY
 * while direct I/O refers to it: REVIVE takes what ACQUIRE refuses.
 */
static int acquire(struct lull_slab *slab, size_t first, size_t nr,
		   struct lull_error *reterr)
{
	size_t most = ACQUIRE_BYTES / SLOT_BYTES, done, some;
	int err;

	if (first * SLOT_BYTES < slab->top_bytes)
		return revive(slab, first, nr, reterr);
	for (done = 0; done < nr; done += some) {
		some = lull_min(most, nr - done);
		err = acquire_part(slab, first + done, some, reterr);
		if (err) {
			if (done)
				release(slab, first, done);
			return err;
		}
	}
	return LULL_OK;
}

static int revive(struct lull_slab *slab, size_t first, size_t nr,
		  struct lull_error *reterr)
{
	struct lull_arena_range ranges[REVIVE_PARTS];
	uint64_t fresh[REVIVE_PARTS] = { 0 };
	size_t part = lull_div_up(nr, REVIVE_PARTS), i, nr_parts = 0, slot;
	struct lull_arena_revive revive = {
		.size = sizeof(revive),
		.ranges = (uintptr_t)ranges,
		.results = (uintptr_t)fresh,
	};
	int error;

	for (i = 0; i < nr; i += part)
		ranges[nr_parts++] =
			range_of(first + i, lull_min(part, nr - i));
	revive.nr_ranges = (uint32_t)nr_parts;
	do {
		error = ioctl(slab->fd, LULL_ARENA_REVIVE, &revive) ? errno : 0;
	} while (error == EINTR);
	if (error)
		return lull_fail_errno(reterr, LULL_NOMEM, error,
				       "%s: %zu bytes that it had taken",
				       cause_text(revive.cause),
				       nr * SLOT_BYTES);
	if (revive.fresh_bytes)
		populate(slab, first, nr);
	for (i = 0; i < nr_parts; i++) {
		enum slot_state state =
			fresh[i] == ranges[i].length ? SLOT_FRESH : SLOT_USED;

		slot = ranges[i].offset / SLOT_BYTES;
		for (;
		     slot < (ranges[i].offset + ranges[i].length) / SLOT_BYTES;
		     slot++)
			slot_set(slab, slot, state);
	}
	return LULL_OK;
}

static int flush(struct lull_slab *slab, unsigned int timeout_ms,
		 struct lull_error *reterr)
{
	struct lull_arena_flush flush = {
		.size = sizeof(flush),
		.ticket = LULL_ARENA_TICKET_ALL,
		.timeout_ms = timeout_ms == LULL_ARENA_WAIT_ALWAYS
				      ? LULL_ARENA_TIMEOUT_NONE
				      : timeout_ms,
	};
	int error;

	do {
		error = ioctl(slab->fd, LULL_ARENA_FLUSH, &flush) ? errno : 0;
	} while (error == EINTR);
	if (error)
		return lull_fail_errno(reterr, LULL_IO, error,
				       LULL_ARENA_DEVICE ": FLUSH");
	return LULL_OK;
}

static void count(const struct lull_slab *slab, struct lull_slab_counts *counts)
{
	struct lull_arena_query query = { .size = sizeof(query) };

	if (ioctl(slab->fd, LULL_ARENA_QUERY, &query))
		return;
	counts->held_bytes =
		query.live_bytes + query.retired_bytes + query.busy_bytes;
	counts->faulted_bytes = query.faults * SLOT_BYTES;
	counts->zeroed_bytes = query.zeroed_bytes;
	counts->flushes = query.flushes;
}

const struct lull_carrier lull_arena_module = {
	.id = LULL_ARENA_MODULE,
	.has_pages = true,
	.reserve = reserve,
	.unreserve = unreserve,
	.acquire = acquire,
	.retire = retire,
	.revive = revive,
	.release = release,
	.flush = flush,
	.count = count,
};
