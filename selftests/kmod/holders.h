/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders.h - ways to make the kernel hold a page of ours, for pins.c
 *
 *	umem_pin()	a long-term DMA pin (AF_XDP's, as cudaHostRegister's)
 *	ring_register()	io_uring fixed buffers, and reads and writes on them
 *	pipe_hold()	a plain reference: vmsplice(2) into a pipe
 *	slow_disk()	a disk whose every request takes SLOW_DISK_MS
 *
 * All of them on both kernels, but for fixed buffers, which 6.1 refuses.
 */
#ifndef LULL_SELFTESTS_KMOD_HOLDERS_H
#define LULL_SELFTESTS_KMOD_HOLDERS_H

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <linux/if_xdp.h>
#include <linux/io_uring.h>

#include "kmod/arena.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif
#define UMEM_CHUNK 4096
/* How long a kernel may take to let go of what was closed. */
#define LET_GO_MS 20000
#define LET_GO_NAP_US 20000
#define SLOW_DISK "/dev/nullb0"
#define SLOW_DISK_REQUESTS "/sys/block/nullb0/inflight"
#define SLOW_DISK_MS 700
#define SLOW_DISK_OPTIONS                                                      \
	"nr_devices=1 queue_mode=2 irqmode=2 completion_nsec=700000000 "       \
	"memory_backed=1 gb=1 bs=4096"

/* A socket that pins [p, p + bytes) until it is closed, or -errno. */
static inline int umem_pin(void *p, uint64_t bytes)
{
	struct xdp_umem_reg reg = {
		.addr = (uintptr_t)p,
		.len = bytes,
		.chunk_size = UMEM_CHUNK,
	};
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* One request at a time: the first entry of each ring is all we use. */
struct ring {
	int fd;
	struct io_uring_params p;
	unsigned char *sq, *cq;
	struct io_uring_sqe *sqe;
};

static inline int ring_open(struct ring *r)
{
	size_t sq_bytes, cq_bytes;

	memset(r, 0, sizeof(*r));
	r->fd = (int)syscall(SYS_io_uring_setup, 4, &r->p);
	if (r->fd < 0)
		return -errno;
	sq_bytes = r->p.sq_off.array + r->p.sq_entries * sizeof(uint32_t);
	cq_bytes = r->p.cq_off.cqes +
		   r->p.cq_entries * sizeof(struct io_uring_cqe);
	r->sq = mmap(NULL, sq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		     IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, cq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		     IORING_OFF_CQ_RING);
	r->sqe = mmap(NULL, r->p.sq_entries * sizeof(*r->sqe),
		      PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		      IORING_OFF_SQES);
	if (r->sq == MAP_FAILED || r->cq == MAP_FAILED ||
	    (void *)r->sqe == MAP_FAILED)
		return -ENOMEM;
	return 0;
}

/* Its mappings go with the process. */
static inline void ring_close(struct ring *r)
{
	if (r->fd >= 0)
		close(r->fd);
}

static inline int ring_register(struct ring *r, void *p, uint64_t bytes)
{
	struct iovec iov = { p, bytes };
	long rc = syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_BUFFERS,
			  &iov, 1);

	return rc < 0 ? -errno : 0;
}

static inline int ring_unregister(struct ring *r)
{
	long rc = syscall(SYS_io_uring_register, r->fd,
			  IORING_UNREGISTER_BUFFERS, NULL, 0);

	return rc < 0 ? -errno : 0;
}

/* IORING_OP_READ_FIXED or _WRITE_FIXED on buffer 0: bytes done, or -errno. */
static inline int ring_transfer(struct ring *r, uint8_t op, int fd, void *p,
				uint32_t bytes, uint64_t at)
{
	uint32_t *sq_tail = (uint32_t *)(r->sq + r->p.sq_off.tail);
	uint32_t *sq_array = (uint32_t *)(r->sq + r->p.sq_off.array);
	uint32_t *cq_head = (uint32_t *)(r->cq + r->p.cq_off.head);
	struct io_uring_cqe *cqes = (void *)(r->cq + r->p.cq_off.cqes);
	uint32_t head = *cq_head;
	int rc;

	memset(r->sqe, 0, sizeof(*r->sqe));
	r->sqe->opcode = op;
	r->sqe->fd = fd;
	r->sqe->addr = (uintptr_t)p;
	r->sqe->len = bytes;
	r->sqe->off = at;
	sq_array[*sq_tail & (r->p.sq_entries - 1)] = 0;
	__atomic_store_n(sq_tail, *sq_tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS,
		    NULL, 0) < 0)
		return -errno;
	rc = cqes[head & (r->p.cq_entries - 1)].res;
	__atomic_store_n(cq_head, head + 1, __ATOMIC_RELEASE);
	return rc;
}

/* Puts the page at P into a pipe, by reference; both ends come back. */
static inline int pipe_hold(void *p, uint64_t bytes, int ends[2])
{
	struct iovec iov = { p, bytes };

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	if (vmsplice(ends[1], &iov, 1, 0) == (ssize_t)bytes)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return -EFAULT;
}

static inline void pipe_let_go(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* A descriptor for direct I/O on the slow disk, or -1. */
static inline int slow_disk(void)
{
	struct stat st;

	if (stat(SLOW_DISK, &st) && !module_load("null_blk", SLOW_DISK_OPTIONS))
		return -1;
	return open(SLOW_DISK, O_RDWR | O_DIRECT | O_CLOEXEC);
}

/* Until the slow disk is at a request; false when it is not for LET_GO_MS. */
static inline bool await_request(void)
{
	uint64_t end = now_ms() + LET_GO_MS;
	char text[LINE_BYTES] = "";
	unsigned int reads = 0;

	while (!reads && now_ms() < end) {
		if (file_read(SLOW_DISK_REQUESTS, text, sizeof(text)) ||
		    sscanf(text, "%u", &reads) != 1)
			return false;
		usleep(1000);
	}
	return reads > 0;
}

/* Flushes until nothing is busy any more, or LET_GO_MS are over. */
static inline uint64_t flush_until_free(int fd)
{
	uint64_t end = now_ms() + LET_GO_MS, busy = 0;

	do {
		if (arena_flush(fd, &busy))
			return UINT64_MAX;
		busy += arena_query(fd).busy_bytes;
		if (!busy)
			break;
		usleep(LET_GO_NAP_US);
	} while (now_ms() < end);
	return busy;
}

/* Free memory gets SEED's pattern: whether the page FRAME is in it. */
static inline bool fresh_arena_has(unsigned int nr_slots, uint64_t frame,
				   uint64_t seed)
{
	struct arena other;
	bool has = false;
	unsigned int i;

	arena_open(&other, nr_slots, 0);
	if (!other.map)
		return false;
	for (i = 0; i < nr_slots; i++) {
		pattern_fill(other.map + i * SLOT, SLOT, seed);
		has |= page_frame(other.map + i * SLOT) == frame;
	}
	arena_close(&other);
	return has;
}

/* The same where the page NOT_FRAME must not be in it. */
static inline void fill_fresh_arena(unsigned int nr_slots, uint64_t not_frame,
				    uint64_t seed)
{
	EXPECT_TRUE(!fresh_arena_has(nr_slots, not_frame, seed));
}

#endif
