// SPDX-License-Identifier: Apache-2.0
/*
 * ioctl.c - every command of /dev/lull_arena: what it does, and each refusal
 * alone
 *
 * A refused call must leave its structure as it was (outputs are poisoned) and
 * the arena too (LULL_ARENA_QUERY before and after).
 */
#include <stddef.h>

#include "kmod/arena.h"

#define SLOTS 8
#define POISON_BYTE 0xa5
#define TAIL_BYTES 64
/* Room for any of the structures and a tail. */
#define CALL_BYTES (sizeof(struct lull_arena_query) + TAIL_BYTES)
/* Offsets that the commands with ranges have in common. */
#define AT_FLAGS offsetof(struct lull_arena_retire, flags)
#define AT_RANGES offsetof(struct lull_arena_retire, ranges)
#define AT_NR_RANGES offsetof(struct lull_arena_retire, nr_ranges)

#define NR(a) (sizeof(a) / sizeof(*(a)))

/* A call that succeeds on the fixture's arena, to be spoiled in one place. */
struct command {
	const char *name;
	unsigned long request;
	uint32_t bytes;
	uint32_t flags; /* those that are known */
	bool ranges;
	bool on_device;
};

static const struct command commands[] = {
	{ "CREATE", LULL_ARENA_CREATE, sizeof(struct lull_arena_create),
	  LULL_ARENA_CREATE_SECRET | LULL_ARENA_CREATE_SHARED, false, true },
	{ "QUERY", LULL_ARENA_QUERY, sizeof(struct lull_arena_query), 0, false,
	  false },
	{ "ACQUIRE", LULL_ARENA_ACQUIRE, sizeof(struct lull_arena_acquire),
	  LULL_ARENA_ACQUIRE_PARTIAL | LULL_ARENA_ACQUIRE_NORETRY |
		  LULL_ARENA_ACQUIRE_NODE,
	  true, false },
	{ "RETIRE", LULL_ARENA_RETIRE, sizeof(struct lull_arena_retire), 0,
	  true, false },
	{ "REVIVE", LULL_ARENA_REVIVE, sizeof(struct lull_arena_revive), 0,
	  true, false },
	{ "RELEASE", LULL_ARENA_RELEASE, sizeof(struct lull_arena_release), 0,
	  true, false },
	{ "FLUSH", LULL_ARENA_FLUSH, sizeof(struct lull_arena_flush), 0, false,
	  false },
	{ "RESET", LULL_ARENA_RESET, sizeof(struct lull_arena_reset), 0, false,
	  false },
};

/*
 * Slots 0 and 1 are LIVE, 2 and 3 RETIRED, the rest EMPTY, so that each
 * command has a range that it would take.
 */
FIXTURE(ioctls)
{
	int dev;
	int fd;
	struct lull_arena_range range;
};

FIXTURE_SETUP(ioctls)
{
	self->fd = -1;
	self->dev = device_open();
	ASSERT_TRUE(self->dev >= 0);
	self->fd = arena_create(SLOTS * SLOT, 0);
	ASSERT_TRUE(self->fd >= 0);
	ASSERT_EQ(0, arena_acquire(self->fd, 0, 4 * SLOT));
	ASSERT_EQ(0, arena_retire(self->fd, 2 * SLOT, 2 * SLOT, NULL));
}

FIXTURE_TEARDOWN(ioctls)
{
	close(self->fd);
	close(self->dev);
}

static struct lull_arena_range good_range(unsigned long request)
{
	struct lull_arena_range range = { 0, SLOT };

	if (request == LULL_ARENA_ACQUIRE)
		range.offset = 4 * SLOT;
	else if (request == LULL_ARENA_REVIVE)
		range.offset = 2 * SLOT;
	return range;
}

/* Writes a good call into BUF, poison where the kernel answers. */
static void prepare(struct ioctls *self, const struct command *c, void *buf)
{
	struct lull_arena_create *create = buf;
	struct lull_arena_acquire *acquire = buf;
	struct lull_arena_revive *revive = buf;
	struct lull_arena_retire *retire = buf;
	struct lull_arena_release *release = buf;
	struct lull_arena_flush *flush = buf;

	memset(buf, 0, CALL_BYTES);
	if (c->request == LULL_ARENA_QUERY)
		memset(buf, POISON_BYTE, c->bytes);
	*(uint32_t *)buf = c->bytes;
	*(uint32_t *)((char *)buf + AT_FLAGS) = 0;
	self->range = good_range(c->request);
	if (c->ranges) {
		retire->ranges = (uintptr_t)&self->range;
		retire->nr_ranges = 1;
	}
	if (c->request == LULL_ARENA_CREATE) {
		create->bytes = SLOT;
		memset(&create->fd, POISON_BYTE, sizeof(create->fd));
	} else if (c->request == LULL_ARENA_ACQUIRE) {
		memset(&acquire->acquired_bytes, POISON_BYTE,
		       2 * sizeof(uint64_t) + sizeof(acquire->cause));
	} else if (c->request == LULL_ARENA_RETIRE) {
		memset(&retire->ticket, POISON_BYTE, sizeof(uint64_t));
	} else if (c->request == LULL_ARENA_RELEASE) {
		memset(&release->ticket, POISON_BYTE, 2 * sizeof(uint64_t));
	} else if (c->request == LULL_ARENA_REVIVE) {
		memset(&revive->cause, POISON_BYTE, sizeof(revive->cause));
		memset(&revive->kept_bytes, POISON_BYTE, 2 * sizeof(uint64_t));
	} else if (c->request == LULL_ARENA_FLUSH) {
		flush->ticket = LULL_ARENA_TICKET_ALL;
		flush->timeout_ms = FLUSH_MS;
		memset(&flush->busy_bytes, POISON_BYTE, sizeof(uint64_t));
	}
}

/* What a refused call must not change; the rest of QUERY is the machine's. */
static bool same_state(const struct lull_arena_query *a,
		       const struct lull_arena_query *b)
{
	struct lull_arena_query x = *a, y = *b;

	x.available_bytes = y.available_bytes = 0;
	x.reserved_bytes = y.reserved_bytes = 0;
	return !memcmp(&x, &y, sizeof(x));
}

static void refused(struct ioctls *self, const struct command *c,
		    const char *why, void *buf, int want)
{
	struct lull_arena_query before = arena_query(self->fd);
	struct lull_arena_query dev_before = arena_query(self->dev);
	struct lull_arena_query after, dev_after;
	unsigned char copy[CALL_BYTES];
	int rc;

	memcpy(copy, buf, sizeof(copy));
	rc = arena_call(c->on_device ? self->dev : self->fd, c->request, buf);
	if (rc != -want)
		TEST_FAIL_("%s, %s: expected -%d (%s), found %d", c->name, why,
			   want, strerror(want), rc);
	if (memcmp(copy, buf, sizeof(copy)))
		TEST_FAIL_("%s, %s: refused, but wrote", c->name, why);
	after = arena_query(self->fd);
	dev_after = arena_query(self->dev);
	if (!same_state(&before, &after) ||
	    !same_state(&dev_before, &dev_after))
		TEST_FAIL_("%s, %s: refused, but changed the arena", c->name,
			   why);
}

static const struct command *command(unsigned long request)
{
	size_t i;

	for (i = 0; i < NR(commands); i++)
		if (commands[i].request == request)
			return &commands[i];
	return NULL;
}

TEST_F(ioctls, every_command_works)
{
	struct lull_arena_query before = arena_query(self->fd), q;
	_Alignas(8) unsigned char buf[CALL_BYTES];
	size_t i;
	int rc;

	EXPECT_EQ(SLOTS * SLOT, before.bytes);
	EXPECT_EQ(2 * SLOT, before.live_bytes);
	EXPECT_EQ(2 * SLOT, before.retired_bytes);
	for (i = 0; i < NR(commands); i++) {
		prepare(self, &commands[i], buf);
		rc = arena_call(commands[i].on_device ? self->dev : self->fd,
				commands[i].request, buf);
		if (rc)
			TEST_FAIL_("%s: %d", commands[i].name, rc);
		if (commands[i].on_device)
			close((int)((struct lull_arena_create *)buf)->fd);
	}
	q = arena_query(self->fd);
	EXPECT_EQ(0, q.live_bytes + q.retired_bytes + q.busy_bytes);
	EXPECT_EQ(q.ticket_last, q.ticket_done);
}

TEST_F(ioctls, create_gives_an_empty_arena_closed_on_exec)
{
	struct lull_arena_create call = { .size = sizeof(call),
					  .bytes = 3 * SLOT };
	struct lull_arena_query before = arena_query(self->dev), q;

	ASSERT_EQ(0, arena_call(self->dev, LULL_ARENA_CREATE, &call));
	EXPECT_EQ(FD_CLOEXEC, fcntl((int)call.fd, F_GETFD));
	q = arena_query((int)call.fd);
	EXPECT_EQ(3 * SLOT, q.bytes);
	EXPECT_EQ(SLOT, q.slot_bytes);
	EXPECT_TRUE(q.nr_ranges_max >= 256);
	EXPECT_EQ(1, q.nr_arenas);
	EXPECT_EQ(0, q.live_bytes);
	EXPECT_EQ(0, q.retired_bytes);
	EXPECT_EQ(0, q.ticket_last);
	EXPECT_EQ(before.nr_arenas + 1, arena_query(self->dev).nr_arenas);
	close((int)call.fd);
	EXPECT_EQ(before.nr_arenas, arena_query(self->dev).nr_arenas);
}

TEST_F(ioctls, acquire_says_how_much)
{
	struct lull_arena_range ranges[] = { { 7 * SLOT, SLOT },
					     { 4 * SLOT, 2 * SLOT } };
	struct lull_arena_query before = arena_query(self->fd), q;
	struct lull_arena_acquire call = { 0 };

	ASSERT_EQ(0, arena_acquire_ranges(self->fd, &call, ranges, 2));
	EXPECT_EQ(3 * SLOT, call.acquired_bytes);
	EXPECT_EQ(LULL_ARENA_CAUSE_NONE, call.cause);
	q = arena_query(self->fd);
	EXPECT_EQ(before.live_bytes + 3 * SLOT, q.live_bytes);
	EXPECT_EQ(before.acquired_bytes + 3 * SLOT, q.acquired_bytes);
	EXPECT_EQ(before.zeroed_bytes + 3 * SLOT, q.zeroed_bytes);
}

TEST_F(ioctls, revive_says_what_is_fresh_range_by_range)
{
	struct lull_arena_range ranges[] = { { 2 * SLOT, 2 * SLOT },
					     { 5 * SLOT, 3 * SLOT } };
	uint64_t fresh[3] = { ~0ull, ~0ull, ~0ull };
	struct lull_arena_revive call = {
		.size = sizeof(call),
		.ranges = (uintptr_t)ranges,
		.nr_ranges = 2,
		.results = (uintptr_t)fresh,
	};

	ASSERT_EQ(0, arena_call(self->fd, LULL_ARENA_REVIVE, &call));
	EXPECT_EQ(2 * SLOT, call.kept_bytes);
	EXPECT_EQ(3 * SLOT, call.fresh_bytes);
	EXPECT_EQ(0, fresh[0]);
	EXPECT_EQ(3 * SLOT, fresh[1]);
	EXPECT_EQ(~0ull, fresh[2]);
	EXPECT_EQ(7 * SLOT, arena_query(self->fd).live_bytes);
}

TEST_F(ioctls, tickets_rise_and_flush_takes_them)
{
	struct lull_arena_query q = arena_query(self->fd);
	uint64_t first, second, busy = 1;

	ASSERT_EQ(0, arena_retire(self->fd, 0, SLOT, &first));
	ASSERT_EQ(0, arena_retire(self->fd, SLOT, SLOT, &second));
	EXPECT_TRUE(first > q.ticket_last);
	EXPECT_TRUE(second > first);
	EXPECT_EQ(second, arena_query(self->fd).ticket_last);
	EXPECT_EQ(0, arena_flush_ticket(self->fd, first, FLUSH_MS, &busy));
	EXPECT_EQ(0, busy);
	EXPECT_TRUE(arena_query(self->fd).ticket_done >= first);
	EXPECT_EQ(0, arena_flush_ticket(self->fd, second, FLUSH_MS, &busy));
	EXPECT_EQ(second, arena_query(self->fd).ticket_done);
}

TEST_F(ioctls, device_query_sums_the_arenas)
{
	struct lull_arena_query before = arena_query(self->dev), q;
	struct arena other;

	arena_open(&other, 2, 0);
	q = arena_query(self->dev);
	EXPECT_EQ(before.nr_arenas + 1, q.nr_arenas);
	EXPECT_EQ(before.bytes + 2 * SLOT, q.bytes);
	EXPECT_EQ(before.live_bytes + 2 * SLOT, q.live_bytes);
	EXPECT_EQ(before.acquired_bytes + 2 * SLOT, q.acquired_bytes);
	EXPECT_EQ(0, q.ticket_last);
	EXPECT_TRUE(q.features & LULL_ARENA_FEATURE_PUNCH_HOLE);
	arena_close(&other);
	EXPECT_EQ(before.live_bytes, arena_query(self->dev).live_bytes);
}

TEST_F(ioctls, unknown_command_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct command c = { .name = "unknown", .on_device = false };
	const unsigned long requests[] = {
		_IO(LULL_ARENA_TYPE, LULL_ARENA_CMD_RESET + 1),
		_IO(LULL_ARENA_TYPE, UINT8_MAX),
		_IO(LULL_ARENA_TYPE ^ 1, LULL_ARENA_CMD_QUERY),
		_IOR(LULL_ARENA_TYPE, LULL_ARENA_CMD_QUERY, uint32_t),
		_IOW(LULL_ARENA_TYPE, LULL_ARENA_CMD_RESET, uint64_t),
	};
	size_t i;

	for (i = 0; i < NR(requests); i++) {
		prepare(self, command(LULL_ARENA_RESET), buf);
		c.request = requests[i];
		c.on_device = false;
		refused(self, &c, "on an arena", buf, ENOTTY);
		c.on_device = true;
		refused(self, &c, "on the device", buf, ENOTTY);
	}
}

TEST_F(ioctls, wrong_kind_of_fd_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct command c;
	size_t i;

	for (i = 0; i < NR(commands); i++) {
		if (commands[i].request == LULL_ARENA_QUERY)
			continue;
		c = commands[i];
		prepare(self, &c, buf);
		c.on_device = !c.on_device;
		refused(self, &c, "other kind of fd", buf, ENOTTY);
	}
}

TEST_F(ioctls, size_too_small_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	size_t i;

	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		prepare(self, c, buf);
		*(uint32_t *)buf = 0;
		refused(self, c, "size 0", buf, EINVAL);
		*(uint32_t *)buf = sizeof(uint32_t);
		refused(self, c, "size 4", buf, EINVAL);
		*(uint32_t *)buf = c->bytes - 1;
		refused(self, c, "size one less", buf, EINVAL);
	}
}

TEST_F(ioctls, tail_unknown_to_the_kernel_must_be_zero)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	size_t i, at;

	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		for (at = c->bytes; at < c->bytes + TAIL_BYTES; at += 21) {
			prepare(self, c, buf);
			*(uint32_t *)buf = c->bytes + TAIL_BYTES;
			buf[at] = 1;
			refused(self, c, "tail", buf, E2BIG);
		}
	}
	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		prepare(self, c, buf);
		*(uint32_t *)buf = c->bytes + TAIL_BYTES;
		EXPECT_EQ(0, arena_call(c->on_device ? self->dev : self->fd,
					c->request, buf));
		if (c->on_device)
			close((int)((struct lull_arena_create *)buf)->fd);
		EXPECT_EQ(0, buf[c->bytes + TAIL_BYTES - 1]);
	}
}

TEST_F(ioctls, unknown_flags_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	unsigned int bit;
	size_t i;

	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		for (bit = 0; bit < 32; bit++) {
			if (c->flags & 1u << bit)
				continue;
			prepare(self, c, buf);
			*(uint32_t *)(buf + AT_FLAGS) = 1u << bit;
			refused(self, c, "unknown flag", buf, EOPNOTSUPP);
		}
	}
}

TEST_F(ioctls, reserved_fields_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct {
		unsigned long request;
		size_t at;
	} fields[] = {
		{ LULL_ARENA_ACQUIRE,
		  offsetof(struct lull_arena_acquire, __reserved) },
		{ LULL_ARENA_RETIRE,
		  offsetof(struct lull_arena_retire, __reserved) },
		{ LULL_ARENA_RELEASE,
		  offsetof(struct lull_arena_release, __reserved) },
		{ LULL_ARENA_FLUSH,
		  offsetof(struct lull_arena_flush, __reserved) },
	};
	size_t i;

	for (i = 0; i < NR(fields); i++) {
		prepare(self, command(fields[i].request), buf);
		*(uint32_t *)(buf + fields[i].at) = 1;
		refused(self, command(fields[i].request), "reserved", buf,
			EOPNOTSUPP);
	}
}

TEST_F(ioctls, create_values_refused)
{
	const struct command *c = command(LULL_ARENA_CREATE);
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct lull_arena_create *call = (void *)buf;
	const uint64_t sizes[] = { 0,	      1,	SLOT - 1,
				   SLOT + 1,  SLOT / 2, SLOT + PAGE,
				   ~0ull,     -SLOT,	(uint64_t)1 << 63,
				   INT64_MAX, -2 * SLOT };
	size_t i;

	for (i = 0; i < NR(sizes); i++) {
		prepare(self, c, buf);
		call->bytes = sizes[i];
		refused(self, c, "bytes", buf, EINVAL);
	}
	prepare(self, c, buf);
	call->numa = LULL_ARENA_NUMA_INTERLEAVE + 1;
	refused(self, c, "numa", buf, EOPNOTSUPP);
	prepare(self, c, buf);
	call->numa = LULL_ARENA_NUMA_BIND;
	call->node = INT16_MAX;
	refused(self, c, "no such node", buf, EINVAL);
	call->node = ~0u;
	refused(self, c, "node -1", buf, EINVAL);
	prepare(self, c, buf);
	call->numa = LULL_ARENA_NUMA_PREFERRED;
	call->node = INT16_MAX;
	refused(self, c, "no such node", buf, EINVAL);
}

TEST_F(ioctls, acquire_node_refused)
{
	const struct command *c = command(LULL_ARENA_ACQUIRE);
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct lull_arena_acquire *call = (void *)buf;

	prepare(self, c, buf);
	call->flags = LULL_ARENA_ACQUIRE_NODE;
	call->node = INT16_MAX;
	refused(self, c, "no such node", buf, EINVAL);
	call->node = ~0u;
	refused(self, c, "node -1", buf, EINVAL);
}

/* Each of them in turn to every command; ends at the first one accepted. */
static void bad_ranges(struct ioctls *self, const struct lull_arena_range *bad,
		       size_t nr)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	size_t i, k;

	for (k = 0; k < nr; k++) {
		for (i = 0; i < NR(commands); i++) {
			c = &commands[i];
			if (!c->ranges)
				continue;
			prepare(self, c, buf);
			self->range = bad[k];
			refused(self, c, "range", buf, EINVAL);
		}
		/* Worse ones would have the kernel read past the table. */
		if (test_failed)
			return;
	}
}

TEST_F(ioctls, bad_ranges_refused)
{
	const uint64_t end = SLOTS * SLOT;
	const struct lull_arena_range bad[] = {
		/* offset + length wraps: slots that are there come first. */
		{ SLOT, -SLOT },
		{ 2 * SLOT, -SLOT },
		{ SLOT, (uint64_t)1 << 63 },
		{ 0, 0 },
		{ 0, 1 },
		{ 0, SLOT - 1 },
		{ 0, SLOT + PAGE },
		{ 1, SLOT },
		{ PAGE, SLOT },
		{ SLOT / 2, SLOT },
		{ 0, end + SLOT },
		{ end - SLOT, 2 * SLOT },
		{ end, SLOT },
		{ end + SLOT, SLOT },
		{ (uint64_t)1 << 63, SLOT },
		{ -SLOT, SLOT },
		{ -SLOT, 2 * SLOT },
		{ -SLOT, -SLOT },
	};

	bad_ranges(self, bad, NR(bad));
}

/* A good range first: nothing of it may be done before the second is seen. */
TEST_F(ioctls, bad_range_behind_a_good_one_refused)
{
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct lull_arena_range ranges[3];
	const struct command *c;
	size_t i;

	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		if (!c->ranges)
			continue;
		prepare(self, c, buf);
		ranges[0] = ranges[1] = self->range;
		*(uint64_t *)(buf + AT_RANGES) = (uintptr_t)ranges;
		*(uint32_t *)(buf + AT_NR_RANGES) = 2;
		refused(self, c, "the same range twice", buf, EINVAL);
		ranges[1].offset = SLOTS * SLOT;
		refused(self, c, "second out of range", buf, EINVAL);
		ranges[0].length = 2 * SLOT;
		ranges[1].offset = self->range.offset + SLOT;
		refused(self, c, "overlap", buf, EINVAL);
		ranges[2] = ranges[0];
		ranges[0] = ranges[1];
		ranges[1] = ranges[2];
		refused(self, c, "overlap, backwards", buf, EINVAL);
	}
}

TEST_F(ioctls, number_of_ranges_refused)
{
	uint32_t max = arena_query(self->fd).nr_ranges_max;
	struct lull_arena_range *many = calloc(max + 1, sizeof(*many));
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	size_t i;

	ASSERT_TRUE(many != NULL);
	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		if (!c->ranges)
			continue;
		prepare(self, c, buf);
		*(uint32_t *)(buf + AT_NR_RANGES) = 0;
		refused(self, c, "no range", buf, EINVAL);
		*(uint64_t *)(buf + AT_RANGES) = (uintptr_t)many;
		*(uint32_t *)(buf + AT_NR_RANGES) = max + 1;
		refused(self, c, "too many ranges", buf, EINVAL);
		*(uint32_t *)(buf + AT_NR_RANGES) = UINT32_MAX;
		refused(self, c, "2^32 ranges", buf, EINVAL);
	}
	free(many);
}

/* As many ranges as one call takes, all of them good. */
TEST(most_ranges_in_one_call)
{
	int dev = device_open();
	uint32_t max = arena_query(dev).nr_ranges_max, i;
	struct lull_arena_range *ranges = calloc(max, sizeof(*ranges));
	int fd = arena_create(2 * max * SLOT, 0);
	uint64_t ticket;

	ASSERT_TRUE(ranges && fd >= 0);
	for (i = 0; i < max; i++)
		ranges[i] = (struct lull_arena_range){ 2 * i * SLOT, SLOT };
	/* Not one slot is LIVE: the whole array was read, and refused. */
	EXPECT_EQ(-ENOENT, arena_release_ranges(fd, ranges, max, &ticket));
	ranges[max - 1].offset++;
	EXPECT_EQ(-EINVAL, arena_release_ranges(fd, ranges, max, &ticket));
	free(ranges);
	close(fd);
	close(dev);
}

TEST_F(ioctls, unreadable_arguments_refused)
{
	void *none =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_Alignas(8) unsigned char buf[CALL_BYTES];
	const struct command *c;
	size_t i;

	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		EXPECT_EQ(-EFAULT,
			  arena_call(c->on_device ? self->dev : self->fd,
				     c->request, NULL));
		EXPECT_EQ(-EFAULT,
			  arena_call(c->on_device ? self->dev : self->fd,
				     c->request, (char *)none + PAGE - 4));
		if (!c->ranges)
			continue;
		prepare(self, c, buf);
		*(uint64_t *)(buf + AT_RANGES) = 0;
		refused(self, c, "ranges NULL", buf, EFAULT);
		*(uint64_t *)(buf + AT_RANGES) = (uintptr_t)none;
		refused(self, c, "ranges unmapped", buf, EFAULT);
		*(uint64_t *)(buf + AT_RANGES) = (uint64_t)1 << 63;
		refused(self, c, "ranges in the kernel", buf, EFAULT);
	}
	prepare(self, command(LULL_ARENA_REVIVE), buf);
	((struct lull_arena_revive *)buf)->results = (uintptr_t)none;
	refused(self, command(LULL_ARENA_REVIVE), "results unmapped", buf,
		EFAULT);
	munmap(none, PAGE);
}

/* The structure can be read but not written: nothing may have been done. */
TEST_F(ioctls, unwritable_results_change_nothing)
{
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct command *c;
	int next;
	size_t i;

	ASSERT_TRUE(page != MAP_FAILED);
	next = dup(0);
	close(next);
	for (i = 0; i < NR(commands); i++) {
		c = &commands[i];
		/* FLUSH and RESET have done their work by then. */
		if (c->request == LULL_ARENA_FLUSH ||
		    c->request == LULL_ARENA_RESET)
			continue;
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		prepare(self, c, page);
		mprotect(page, PAGE, PROT_READ);
		refused(self, c, "read-only structure", page, EFAULT);
	}
	/* CREATE left no descriptor behind. */
	EXPECT_EQ(next, dup(0));
	close(next);
	munmap(page, PAGE);
}

TEST_F(ioctls, wrong_states_refused)
{
	const struct {
		unsigned long request;
		uint64_t offset, length;
	} wrong[] = {
		{ LULL_ARENA_ACQUIRE, 0, SLOT },
		{ LULL_ARENA_ACQUIRE, 2 * SLOT, SLOT },
		{ LULL_ARENA_ACQUIRE, 3 * SLOT, 2 * SLOT },
		{ LULL_ARENA_RETIRE, 2 * SLOT, SLOT },
		{ LULL_ARENA_RETIRE, 4 * SLOT, SLOT },
		{ LULL_ARENA_RETIRE, SLOT, 2 * SLOT },
		{ LULL_ARENA_REVIVE, 0, SLOT },
		{ LULL_ARENA_REVIVE, SLOT, 2 * SLOT },
		{ LULL_ARENA_RELEASE, 4 * SLOT, SLOT },
		{ LULL_ARENA_RELEASE, 0, 5 * SLOT },
	};
	_Alignas(8) unsigned char buf[CALL_BYTES];
	size_t i;

	for (i = 0; i < NR(wrong); i++) {
		prepare(self, command(wrong[i].request), buf);
		self->range.offset = wrong[i].offset;
		self->range.length = wrong[i].length;
		refused(self, command(wrong[i].request), "wrong state", buf,
			ENOENT);
	}
}

TEST_F(ioctls, ticket_never_given_refused)
{
	const struct command *c = command(LULL_ARENA_FLUSH);
	_Alignas(8) unsigned char buf[CALL_BYTES];
	struct lull_arena_flush *call = (void *)buf;

	prepare(self, c, buf);
	call->ticket = arena_query(self->fd).ticket_last + 1;
	refused(self, c, "ticket never given", buf, EINVAL);
	call->ticket = LULL_ARENA_TICKET_ALL - 1;
	refused(self, c, "ticket never given", buf, EINVAL);
}

TEST_F(ioctls, reset_empties)
{
	EXPECT_EQ(0, arena_reset(self->fd));
	EXPECT_EQ(0, arena_query(self->fd).live_bytes);
	EXPECT_EQ(0, arena_query(self->fd).retired_bytes);
	EXPECT_EQ(0, arena_acquire(self->fd, 0, SLOTS * SLOT));
}

/* read, write, lseek and truncation are not ways in. */
TEST_F(ioctls, plain_file_calls_refused)
{
	uint64_t word = 0;

	EXPECT_EQ(-1, read(self->fd, &word, sizeof(word)));
	EXPECT_EQ(-1, pread(self->fd, &word, sizeof(word), 0));
	EXPECT_EQ(-1, write(self->fd, &word, sizeof(word)));
	EXPECT_EQ(-1, ftruncate(self->fd, 0));
	EXPECT_EQ(-1, ftruncate(self->fd, 2 * SLOTS * SLOT));
	EXPECT_EQ(-1, read(self->dev, &word, sizeof(word)));
	EXPECT_EQ(SLOTS * SLOT, arena_query(self->fd).bytes);
}

KMOD_TEST_MAIN
