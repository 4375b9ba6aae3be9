/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the ioctls of an arena as functions, for the tests beside it
 *
 * They fill in the size and nothing that a test did not ask for; what the
 * kernel says comes back as it is.
 */
#ifndef LULL_SELFTESTS_KMOD_CALLS_H
#define LULL_SELFTESTS_KMOD_CALLS_H

/* FLUSH in a test: long enough for an emulated machine that is shared. */
#define FLUSH_MS 60000

/* An arena all of whose slots are LIVE, mapped whole. */
struct arena {
	int fd;
	uint64_t bytes;
	unsigned char *map;
};

static inline int arena_call(int fd, unsigned long request, void *arg)
{
	int rc = ioctl(fd, request, arg);

	return rc < 0 ? -errno : rc;
}

static inline int device_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int arena_create(uint64_t bytes, uint32_t flags)
{
	struct lull_arena_create call = {
		.size = sizeof(call),
		.flags = flags,
		.bytes = bytes,
	};
	int dev = device_open(), rc;

	if (dev < 0)
		return dev;
	rc = arena_call(dev, LULL_ARENA_CREATE, &call);
	close(dev);
	return rc < 0 ? rc : (int)call.fd;
}

static inline int arena_acquire_ranges(int fd, struct lull_arena_acquire *call,
				       const struct lull_arena_range *ranges,
				       uint32_t nr_ranges)
{
	call->size = sizeof(*call);
	call->ranges = (uintptr_t)ranges;
	call->nr_ranges = nr_ranges;
	return arena_call(fd, LULL_ARENA_ACQUIRE, call);
}

static inline int arena_acquire(int fd, uint64_t offset, uint64_t length)
{
	struct lull_arena_range range = { offset, length };
	struct lull_arena_acquire call = { 0 };

	return arena_acquire_ranges(fd, &call, &range, 1);
}

static inline int arena_retire(int fd, uint64_t offset, uint64_t length,
			       uint64_t *ticket)
{
	struct lull_arena_range range = { offset, length };
	struct lull_arena_retire call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)&range,
		.nr_ranges = 1,
	};
	int rc = arena_call(fd, LULL_ARENA_RETIRE, &call);

	if (ticket)
		*ticket = call.ticket;
	return rc;
}

static inline int arena_revive(int fd, uint64_t offset, uint64_t length,
			       uint64_t *kept, uint64_t *fresh)
{
	struct lull_arena_range range = { offset, length };
	struct lull_arena_revive call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)&range,
		.nr_ranges = 1,
	};
	int rc = arena_call(fd, LULL_ARENA_REVIVE, &call);

	if (kept)
		*kept = call.kept_bytes;
	if (fresh)
		*fresh = call.fresh_bytes;
	return rc;
}

static inline int release(int fd, const struct lull_arena_range *ranges,
			  uint32_t nr_ranges, struct lull_arena_release *call)
{
	call->size = sizeof(*call);
	call->ranges = (uintptr_t)ranges;
	call->nr_ranges = nr_ranges;
	return arena_call(fd, LULL_ARENA_RELEASE, call);
}

static inline int arena_release(int fd, uint64_t offset, uint64_t length,
				uint64_t *busy)
{
	struct lull_arena_range range = { offset, length };
	struct lull_arena_release call = { 0 };
	int rc = release(fd, &range, 1, &call);

	if (busy)
		*busy = call.busy_bytes;
	return rc;
}

static inline int arena_release_ranges(int fd,
				       const struct lull_arena_range *ranges,
				       uint32_t nr_ranges, uint64_t *ticket)
{
	struct lull_arena_release call = { 0 };
	int rc = release(fd, ranges, nr_ranges, &call);

	if (ticket)
		*ticket = call.ticket;
	return rc;
}

static inline int arena_flush_ticket(int fd, uint64_t ticket,
				     uint32_t timeout_ms, uint64_t *busy)
{
	struct lull_arena_flush call = {
		.size = sizeof(call),
		.ticket = ticket,
		.timeout_ms = timeout_ms,
	};
	int rc = arena_call(fd, LULL_ARENA_FLUSH, &call);

	if (busy)
		*busy = call.busy_bytes;
	return rc;
}

static inline int arena_flush(int fd, uint64_t *busy)
{
	return arena_flush_ticket(fd, LULL_ARENA_TICKET_ALL, FLUSH_MS, busy);
}

static inline int arena_reset(int fd)
{
	struct lull_arena_reset call = { .size = sizeof(call) };

	return arena_call(fd, LULL_ARENA_RESET, &call);
}

static inline struct lull_arena_query arena_query(int fd)
{
	struct lull_arena_query q = { .size = sizeof(q) };

	EXPECT_EQ(0, arena_call(fd, LULL_ARENA_QUERY, &q));
	return q;
}

/* NULL and errno when it fails. */
static inline unsigned char *arena_map(int fd, uint64_t offset, uint64_t length)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

static inline void arena_open(struct arena *a, unsigned int nr_slots,
			      uint32_t flags)
{
	a->bytes = nr_slots * SLOT;
	a->map = NULL;
	a->fd = arena_create(a->bytes, flags);
	ASSERT_TRUE(a->fd >= 0);
	ASSERT_EQ(0, arena_acquire(a->fd, 0, a->bytes));
	a->map = arena_map(a->fd, 0, a->bytes);
	ASSERT_TRUE(a->map != NULL);
}

static inline void arena_close(struct arena *a)
{
	if (a->map)
		munmap(a->map, a->bytes);
	if (a->fd >= 0)
		close(a->fd);
	a->map = NULL;
	a->fd = -1;
}

#endif
