// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - loaders with one call to the system failing after another, and the
 * ring's reads failing, coming short or wanting to be asked again
 *
 * A read that is to fail is turned into one that does nothing, so that data
 * which is there in the end has been asked for again.
 */
#include <liburing.h>
#include <sys/uio.h>

#include "load/files.h"

#include "denied.h"
#include "wrap.h"

#define NR_FAULTS_MAX 400
#define FILE_BYTES ((size_t)90000)
#define CHUNK ((size_t)8192)
#define VICTIMS_MAX 256

/* ---- the ring ---------------------------------------------------------- */

enum ring_fault {
	RING_WELL,
	RING_RESULT, /* nothing is read and the result is this */
	RING_SHORT,  /* half of the sectors are read */
	RING_ODD,    /* all is read, and one byte less is told */
	RING_ENTER,  /* io_uring_enter() fails */
};

static struct {
	enum ring_fault fault;
	int result;
	unsigned int first, nr; /* the reads, or calls, that it meets */
	unsigned int seen, nr_met;
	__u64 victims[VICTIMS_MAX];
	unsigned int nr_victims;
} ring_faults;

static void arm_ring(enum ring_fault fault, int result, unsigned int first,
		     unsigned int nr)
{
	memset(&ring_faults, 0, sizeof(ring_faults));
	ring_faults.fault = fault;
	ring_faults.result = result;
	ring_faults.first = first;
	ring_faults.nr = nr;
}

static bool meets(void)
{
	unsigned int i = ring_faults.seen++;

	if (i < ring_faults.first || i - ring_faults.first >= ring_faults.nr)
		return false;
	ring_faults.nr_met++;
	return true;
}

static bool is_read(const struct io_uring_sqe *sqe)
{
	return sqe->opcode == IORING_OP_READ ||
	       sqe->opcode == IORING_OP_READ_FIXED;
}

static void spoil_entries(struct io_uring *ring)
{
	const unsigned int mask = *ring->sq.kring_mask;
	unsigned int i;

	for (i = ring->sq.sqe_head; i != ring->sq.sqe_tail; i++) {
		struct io_uring_sqe *sqe = &ring->sq.sqes[i & mask];

		if (!is_read(sqe) || !meets())
			continue;
		if (ring_faults.fault == RING_SHORT) {
			if (sqe->len >= 1024)
				sqe->len = sqe->len / 1024 * 512;
			continue;
		}
		if (ring_faults.nr_victims == VICTIMS_MAX)
			continue;
		ring_faults.victims[ring_faults.nr_victims++] = sqe->user_data;
		if (ring_faults.fault == RING_RESULT) {
			__u64 data = sqe->user_data;

			memset(sqe, 0, sizeof(*sqe));
			sqe->opcode = IORING_OP_NOP;
			sqe->user_data = data;
		}
	}
}

static void spoil_result(struct io_uring_cqe *cqe)
{
	unsigned int i;

	for (i = 0; i < ring_faults.nr_victims; i++)
		if (ring_faults.victims[i] == cqe->user_data)
			break;
	if (i == ring_faults.nr_victims)
		return;
	ring_faults.victims[i] = ring_faults.victims[--ring_faults.nr_victims];
	if (ring_faults.fault == RING_RESULT)
		cqe->res = ring_faults.result;
	else if (cqe->res > 1)
		cqe->res--;
}

static void spoil_results(struct io_uring *ring)
{
	unsigned int head = *ring->cq.khead;
	unsigned int tail = io_uring_smp_load_acquire(ring->cq.ktail);

	for (; head != tail; head++)
		spoil_result(&ring->cq.cqes[head & *ring->cq.kring_mask]);
}

int __real_io_uring_submit_and_wait_timeout(struct io_uring *ring,
					    struct io_uring_cqe **cqe,
					    unsigned int nr,
					    struct __kernel_timespec *ts,
					    sigset_t *mask);
int __wrap_io_uring_submit_and_wait_timeout(struct io_uring *ring,
					    struct io_uring_cqe **cqe,
					    unsigned int nr,
					    struct __kernel_timespec *ts,
					    sigset_t *mask);

int __wrap_io_uring_submit_and_wait_timeout(struct io_uring *ring,
					    struct io_uring_cqe **cqe,
					    unsigned int nr,
					    struct __kernel_timespec *ts,
					    sigset_t *mask)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int got;

	if (ring_faults.fault == RING_ENTER && meets())
		return ring_faults.result;
	if (ring_faults.fault != RING_ENTER && ring_faults.fault)
		spoil_entries(ring);
	got = __real_io_uring_submit_and_wait_timeout(ring, cqe, nr, ts, mask);
	spoil_results(ring);
	/* The loader looks later: what came between it would find as it is. */
	while (got >= 0 && ring_faults.nr_victims) {
		nanosleep(&pause, NULL);
		spoil_results(ring);
	}
	return got;
}

/* ---- other calls ------------------------------------------------------- */

int __real_io_uring_queue_init(unsigned int entries, struct io_uring *ring,
			       unsigned int flags);
int __wrap_io_uring_queue_init(unsigned int entries, struct io_uring *ring,
			       unsigned int flags);
int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned int nr);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned int nr);
int __real_io_uring_register_files(struct io_uring *ring, const int *fds,
				   unsigned int nr);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *fds,
				   unsigned int nr);
int __real_io_uring_register_files_update(struct io_uring *ring, unsigned int i,
					  const int *fds, unsigned int nr);
int __wrap_io_uring_register_files_update(struct io_uring *ring, unsigned int i,
					  const int *fds, unsigned int nr);
int __real_io_uring_register_buffers_sparse(struct io_uring *ring,
					    unsigned int nr);
int __wrap_io_uring_register_buffers_sparse(struct io_uring *ring,
					    unsigned int nr);
int __real_io_uring_register_buffers_update_tag(struct io_uring *ring,
						unsigned int i,
						const struct iovec *iov,
						const __u64 *tags,
						unsigned int nr);
int __wrap_io_uring_register_buffers_update_tag(struct io_uring *ring,
						unsigned int i,
						const struct iovec *iov,
						const __u64 *tags,
						unsigned int nr);
struct io_uring_probe *__real_io_uring_get_probe_ring(struct io_uring *ring);
struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring);
ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *local,
				unsigned long nr, const struct iovec *remote,
				unsigned long nr_remote, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local,
				unsigned long nr, const struct iovec *remote,
				unsigned long nr_remote, unsigned long flags);
int __real_statx(int dir, const char *path, int flags, unsigned int mask,
		 struct statx *st);
int __wrap_statx(int dir, const char *path, int flags, unsigned int mask,
		 struct statx *st);

/* What every call fails with; 0 for none. */
static int init_error;

int __wrap_io_uring_queue_init(unsigned int entries, struct io_uring *ring,
			       unsigned int flags)
{
	if (init_error)
		return -init_error;
	return wrap_error("io_uring_queue_init")
		       ? -wrapped.error
		       : __real_io_uring_queue_init(entries, ring, flags);
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned int nr)
{
	return wrap_error("io_uring_submit_and_wait")
		       ? -wrapped.error
		       : __real_io_uring_submit_and_wait(ring, nr);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *fds,
				   unsigned int nr)
{
	return wrap_error("io_uring_register_files")
		       ? -wrapped.error
		       : __real_io_uring_register_files(ring, fds, nr);
}

int __wrap_io_uring_register_files_update(struct io_uring *ring, unsigned int i,
					  const int *fds, unsigned int nr)
{
	return wrap_error("io_uring_register_files_update")
		       ? -wrapped.error
		       : __real_io_uring_register_files_update(ring, i, fds,
							       nr);
}

int __wrap_io_uring_register_buffers_sparse(struct io_uring *ring,
					    unsigned int nr)
{
	return wrap_error("io_uring_register_buffers_sparse")
		       ? -wrapped.error
		       : __real_io_uring_register_buffers_sparse(ring, nr);
}

/* Undoing never fails. */
int __wrap_io_uring_register_buffers_update_tag(struct io_uring *ring,
						unsigned int i,
						const struct iovec *iov,
						const __u64 *tags,
						unsigned int nr)
{
	return iov->iov_base && wrap_error("io_uring_register_buffers")
		       ? -wrapped.error
		       : __real_io_uring_register_buffers_update_tag(
				 ring, i, iov, tags, nr);
}

struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring)
{
	return wrap_no_memory("io_uring_get_probe_ring")
		       ? NULL
		       : __real_io_uring_get_probe_ring(ring);
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local,
				unsigned long nr, const struct iovec *remote,
				unsigned long nr_remote, unsigned long flags)
{
	struct iovec part = *local;

	return wrap_transfer("process_vm_readv", &part.iov_len)
		       ? __real_process_vm_readv(pid, &part, nr, remote,
						 nr_remote, flags)
		       : -1;
}

int __wrap_statx(int dir, const char *path, int flags, unsigned int mask,
		 struct statx *st)
{
	return wrap_error("statx") ? -1
				   : __real_statx(dir, path, flags, mask, st);
}

/* ---- loads ------------------------------------------------------------- */

static struct test_file file;

static struct lull_loader_opts opts_of(enum lull_loader_kind kind)
{
	return (struct lull_loader_opts){ .kind = kind,
					  .arena = test_arena(),
					  .nr_threads = 2,
					  .depth = 4,
					  .chunk_bytes = CHUNK,
					  .node = LULL_ARENA_NODE_ANY,
					  .fixed_bytes_min = 1 };
}

/* Opens a loader, reads two extents with sectors cut at either end, and has
 * them compared; *ret_stats and the first note, if asked for. */
static int load_with(const struct lull_loader_opts *opts,
		     struct lull_loader_stats *ret_stats, char note[256],
		     struct lull_error *error)
{
	struct place a = make_place(test_arena(), 50000, 0);
	struct place b = make_place(test_arena(), FILE_BYTES - 50000, 77);
	struct lull_file_extent extents[2] = {
		extent_of(&file, 0, 50000, &a),
		extent_of(&file, 50000, FILE_BYTES - 50000, &b),
	};
	const struct lull_load load = { .extents = extents, .nr_extents = 2 };
	struct lull_loader *loader;
	const char *text;
	int err;

	err = lull_loader_open(opts, &loader, error);
	if (!err) {
		err = lull_loader_read(loader, &load, error);
		if (ret_stats)
			lull_loader_stats(loader, ret_stats);
		text = lull_loader_note(loader, 0);
		if (note)
			snprintf(note, 256, "%s", text ? text : "");
		lull_loader_close(loader);
	}
	if (!err) {
		EXPECT_EQ(0, count_wrong(&file, 0, a.to, a.bytes));
		EXPECT_EQ(0, count_wrong(&file, 50000, b.to, b.bytes));
	}
	expect_margins(&a);
	expect_margins(&b);
	lull_arena_retire(&a.vec);
	lull_arena_retire(&b.vec);
	return err;
}

/* Opens the file, and has everything allocated that stays. */
static void begin(void)
{
	const struct lull_loader_opts opts = opts_of(LULL_LOADER_AUTO);

	if (file.source.name)
		return;
	file = make_file(1, FILE_BYTES);
	fsync(file.source.fd);
	EXPECT_EQ(LULL_OK, load_with(&opts, NULL, NULL, NULL));
}

static void try_kind(enum lull_loader_kind kind, bool no_direct,
		     unsigned int nr_least)
{
	struct lull_loader_opts opts = opts_of(kind);
	unsigned int fds, nth, nr_told = 0;
	struct lull_error error;
	long blocks, mapped;
	const char *met;
	uint64_t used;
	int err;

	begin();
	opts.no_direct = no_direct;
	used = arena_used();
	fds = nr_open_files();
	blocks = wrapped.blocks;
	mapped = wrapped.mapped;
	for (nth = 1; nth < NR_FAULTS_MAX; nth++) {
		memset(&error, 0xcc, sizeof(error));
		wrap_arm(FAULT_FAIL, nth, EMFILE);
		err = load_with(&opts, NULL, NULL, &error);
		met = wrap_disarm();
		if (wrapped.blocks != blocks || wrapped.mapped != mapped ||
		    more_files_stay_open(fds) || arena_used() != used)
			TEST_FAIL_(
				"%s, call %u: %ld blocks, %ld mapped bytes, "
				"%u files are left",
				met ? met : "-", nth, wrapped.blocks - blocks,
				wrapped.mapped - mapped, nr_open_files() - fds);
		if (!met)
			break;
		nr_told += err != 0;
		if (err && (error.code != err || strchr(error.msg, '\n')))
			TEST_FAIL_("%s: returns %d, error says %d", met, err,
				   error.code);
	}
	EXPECT_EQ(LULL_OK, err);
	if (nth <= nr_least || nth == NR_FAULTS_MAX || !nr_told)
		TEST_FAIL_("%u calls that can fail, %u were told of", nth - 1,
			   nr_told);
}

TEST(every_call_of_uring)
{
	if (left_out("uring"))
		return;
	try_kind(LULL_LOADER_URING, false, 12);
}

TEST(every_call_of_uring_by_the_page_cache)
{
	if (left_out("uring"))
		return;
	try_kind(LULL_LOADER_URING, true, 12);
}

TEST(every_call_of_pread)
{
	try_kind(LULL_LOADER_PREAD, false, 10);
}

TEST(every_call_of_mmap)
{
	if (no_vm_readv())
		return;
	try_kind(LULL_LOADER_MMAP, false, 10);
}

TEST(every_call_of_auto)
{
	try_kind(LULL_LOADER_AUTO, false, 10);
}

/* ---- no io_uring ------------------------------------------------------- */

static void try_without(int error_number, const char *text)
{
	struct lull_loader_opts opts = opts_of(LULL_LOADER_URING);
	char note[256], want[256];
	struct lull_loader_stats stats;
	struct lull_error error;

	init_error = error_number;
	EXPECT_EQ(LULL_UNSUPPORTED, load_with(&opts, NULL, NULL, &error));
	snprintf(want, sizeof(want), "loader: uring: %s", text);
	EXPECT_STREQ(want, error.msg);
	opts.kind = LULL_LOADER_AUTO;
	EXPECT_EQ(LULL_OK, load_with(&opts, &stats, note, &error));
	init_error = 0;
	snprintf(want, sizeof(want), "uring: %s", text);
	EXPECT_STREQ(want, note);
	EXPECT_EQ(FILE_BYTES, stats.plain_bytes);
}

TEST(no_io_uring)
{
	begin();
	try_without(ENOSYS, "this kernel has no io_uring");
	try_without(EPERM, "io_uring is not permitted to this process "
			   "(seccomp, as in containers)");
	try_without(ENOMEM, "io_uring_setup(): Cannot allocate memory "
			    "(RLIMIT_MEMLOCK: `lull arena doctor`)");
}

/* ---- reads of the ring ------------------------------------------------- */

static int load_spoiled(bool no_direct, struct lull_loader_stats *ret_stats,
			char note[256], struct lull_error *error)
{
	struct lull_loader_opts opts = opts_of(LULL_LOADER_URING);
	unsigned int fds = nr_open_files();
	uint64_t used = arena_used();
	int err;

	opts.no_direct = no_direct;
	memset(error, 0, sizeof(*error));
	err = load_with(&opts, ret_stats, note, error);
	EXPECT_TRUE(ring_faults.nr_met > 0);
	arm_ring(RING_WELL, 0, 0, 0);
	EXPECT_TRUE(!more_files_stay_open(fds));
	EXPECT_EQ(used, arena_used());
	return err;
}

TEST(read_error)
{
	struct lull_loader_stats stats;
	struct lull_error error;
	unsigned int i;

	if (left_out("uring"))
		return;
	begin();
	for (i = 0; i < 6; i++) {
		char msg[80];

		arm_ring(RING_RESULT, -EIO, i, 1);
		EXPECT_EQ(LULL_IO, load_spoiled(false, NULL, NULL, &error));
		snprintf(msg, sizeof(msg),
			 "test.bin: reading at offset 0x%zx: Input/output "
			 "error",
			 i * CHUNK);
		EXPECT_STREQ(msg, error.msg);
		EXPECT_EQ(EIO, error.sys_errno);
	}
	/* All of them: the first is told, and those behind it are void. */
	for (i = 0; i < 20; i++) {
		arm_ring(RING_RESULT, -EIO, 0, UINT32_MAX);
		EXPECT_EQ(LULL_IO, load_spoiled(i & 1, &stats, NULL, &error));
		EXPECT_STREQ("test.bin: reading at offset 0x0: Input/output "
			     "error",
			     error.msg);
	}
}

TEST(read_again)
{
	static const int errors[] = { -EAGAIN, -EINTR };
	struct lull_loader_stats stats;
	struct lull_error error;
	unsigned int i;

	if (left_out("uring"))
		return;
	begin();
	for (i = 0; i < 4; i++) {
		arm_ring(RING_RESULT, errors[i & 1], i, 3);
		EXPECT_EQ(LULL_OK, load_spoiled(i >> 1, &stats, NULL, &error));
		EXPECT_EQ(3, stats.retries);
		EXPECT_EQ(0, stats.plain_bytes);
		/* For ever: somebody else reads. */
		arm_ring(RING_RESULT, errors[i & 1], 0, UINT32_MAX);
		EXPECT_EQ(LULL_OK, load_spoiled(i >> 1, &stats, NULL, &error));
		EXPECT_TRUE(stats.plain_bytes >= FILE_BYTES);
	}
}

TEST(read_short)
{
	struct lull_loader_stats stats;
	struct lull_error error;
	unsigned int i;

	if (left_out("uring"))
		return;
	begin();
	for (i = 0; i < 2; i++) {
		arm_ring(RING_SHORT, 0, 0, UINT32_MAX);
		EXPECT_EQ(LULL_OK, load_spoiled(i, &stats, NULL, &error));
		EXPECT_TRUE(stats.short_reads >= FILE_BYTES / CHUNK);
		EXPECT_TRUE(stats.reads > stats.short_reads);
		/* Within a sector: the rest is read through the page cache. */
		arm_ring(RING_ODD, 0, 0, 3);
		EXPECT_EQ(LULL_OK, load_spoiled(i, &stats, NULL, &error));
		EXPECT_EQ(3, stats.short_reads);
		if (!i && stats.direct_bytes)
			EXPECT_EQ(3, stats.plain_bytes);
	}
	arm_ring(RING_RESULT, 0, 2, 1);
	EXPECT_EQ(LULL_IO, load_spoiled(false, NULL, NULL, &error));
	EXPECT_STREQ("test.bin: offset 0x4000: expected 90000 bytes in all, "
		     "found the end: the file was cut short while it was read",
		     error.msg);
}

/* A file system may take O_DIRECT and refuse the reads. */
TEST(direct_refused)
{
	struct lull_loader_stats stats;
	struct lull_error error;
	char note[256];

	if (left_out("uring"))
		return;
	begin();
	arm_ring(RING_RESULT, -EINVAL, 1, 3);
	EXPECT_EQ(LULL_OK, load_spoiled(false, &stats, note, &error));
	if (stats.direct_bytes) {
		EXPECT_TRUE(strstr(note, "O_DIRECT: Invalid argument at offset "
					 "0x") != NULL);
		EXPECT_TRUE(stats.direct_bytes < FILE_BYTES);
		EXPECT_EQ(3 * CHUNK, stats.plain_bytes);
	}
	EXPECT_TRUE(stats.direct_bytes + stats.buffered_bytes +
			    stats.plain_bytes >=
		    FILE_BYTES);
}

/* A fixed buffer that the kernel will not have after all. */
TEST(fixed_refused)
{
	struct lull_loader_stats stats;
	struct lull_error error;

	if (left_out("uring"))
		return;
	begin();
	arm_ring(RING_RESULT, -EFAULT, 0, 2);
	if (load_spoiled(false, &stats, NULL, &error)) {
		EXPECT_EQ(0, stats.registered_bytes);
		SKIP("no fixed buffers");
	}
	EXPECT_TRUE(stats.fixed_bytes > 0);
	EXPECT_TRUE(stats.fixed_bytes <
		    stats.direct_bytes + stats.buffered_bytes);
}

/* The kernel takes no more entries, from the first on or later. */
TEST(ring_that_fails)
{
	struct lull_error error;
	unsigned int i;

	if (left_out("uring"))
		return;
	begin();
	for (i = 0; i < 3; i++) {
		arm_ring(RING_ENTER, -EBADF, i, UINT32_MAX);
		if (load_spoiled(false, NULL, NULL, &error) && i)
			EXPECT_EQ(LULL_IO, error.code);
		if (!i)
			EXPECT_STREQ("loader: io_uring_enter(): Bad file "
				     "descriptor",
				     error.msg);
	}
	/* For a moment only. */
	for (i = 0; i < 3; i++) {
		arm_ring(RING_ENTER, i & 1 ? -EAGAIN : -EBUSY, i, 2);
		EXPECT_EQ(LULL_OK, load_spoiled(i >> 1, NULL, NULL, &error));
	}
}

/* ---- reads of threads -------------------------------------------------- */

static void try_transfers(enum lull_loader_kind kind, const char *name)
{
	const struct lull_loader_opts opts = opts_of(kind);
	struct lull_loader_stats stats;
	struct lull_error error;

	begin();
	wrap_arm(FAULT_EINTR, 3, 0);
	EXPECT_EQ(LULL_OK, load_with(&opts, &stats, NULL, &error));
	EXPECT_STREQ(name, wrap_disarm());
	EXPECT_EQ(1, stats.retries);
	wrap_arm(FAULT_SHORT, 3, 0);
	EXPECT_EQ(LULL_OK, load_with(&opts, &stats, NULL, &error));
	EXPECT_STREQ(name, wrap_disarm());
	EXPECT_EQ(1, stats.short_reads);
	wrap_arm(FAULT_FAIL, 1, EIO);
	wrapped.only_transfers = true;
	EXPECT_EQ(LULL_IO, load_with(&opts, NULL, NULL, &error));
	EXPECT_STREQ(name, wrap_disarm());
	EXPECT_TRUE(strstr(error.msg, "test.bin: reading at offset 0x") ==
		    error.msg);
	EXPECT_EQ(EIO, error.sys_errno);
}

TEST(transfers_of_pread)
{
	try_transfers(LULL_LOADER_PREAD, "pread");
}

TEST(transfers_of_mmap)
{
	if (no_vm_readv())
		return;
	try_transfers(LULL_LOADER_MMAP, "process_vm_readv");
}

/* Where another process's memory may not be read, nor our own. */
TEST(mapping_that_may_not_be_copied)
{
	const struct lull_loader_opts opts = opts_of(LULL_LOADER_MMAP);
	struct lull_loader_stats stats;
	struct lull_error error;
	char note[256];

	if (no_vm_readv())
		return;
	begin();
	wrap_arm(FAULT_FAIL, 1, EPERM);
	wrapped.only_transfers = true;
	EXPECT_EQ(LULL_OK, load_with(&opts, &stats, note, &error));
	EXPECT_STREQ("process_vm_readv", wrap_disarm());
	EXPECT_STREQ("mmap: process_vm_readv(): Operation not permitted: with "
		     "pread",
		     note);
	EXPECT_TRUE(stats.plain_bytes >= 1 && stats.mapped_bytes > 0);
	EXPECT_EQ(FILE_BYTES, stats.plain_bytes + stats.mapped_bytes);
}

TEST_MAIN
