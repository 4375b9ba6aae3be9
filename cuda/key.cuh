/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.cuh - a key on a device, and the proofs that run with it
 *
 * For backend_cuda.cu.  key.cu attaches a key by planning (layout.cuh),
 * allocating blocks and uploading.  stages.cu proves and allocates nothing: a
 * proof takes one of the key's seats (seat.cu), brings its witness there and makes
 * its lists, on a stream of the seat's.  Then it takes what to compute with
 * (work.cu), enqueues its stages, and hands that on as soon as the last one is
 * enqueued: kernels of the next proof come behind this one's on the same streams,
 * and nothing on the host is between them.  It waits twice: for how much of the
 * witness is ones and bits, and for the few points that the host adds up.
 *
 * Where A and B have no points for many wires, proofs have lists of their own for
 * them.  Those of assigned keys bring a and b: these come up behind the sums over
 * the witness, which then hide what that takes.  A key has as many seats as its
 * layout planned, two if there is room; a proof more waits for a seat.
 */
#ifndef LULL_CUDA_KEY_CUH
#define LULL_CUDA_KEY_CUH

#include "curve.cuh"
#include "device.cuh"
#include "layout.cuh"

namespace lull
{

constexpr unsigned int nr_span_stages = LULL_STAGE_MSM_H + 1;
/* Of a list: how many ones, how many others. */
constexpr size_t counts_bytes = 2 * sizeof(uint32_t);

struct cuda_key;

/**
 * struct cuda_work - what proofs compute with, one after another
 * @key: whose
 * @taken: the key's lock: a proof enqueues stages
 * @nr_users: the key's lock: proofs that did, and whose stages may still run
 * @nr_left: the key's lock: proofs that may have left something in @block since
 *	it was overwritten
 * @block: device memory
 * @streams: one a lane
 * @copy_stream: fills buffers
 * @filled: per buffer, when what it is for has come
 * @drained: per buffer, when that has been used
 * @reached: per lane, how far it had come when what proofs left was to be
 *	overwritten; of the first, when that was done
 */
struct cuda_work {
	struct cuda_key *key;
	bool taken;
	unsigned int nr_users;
	unsigned int nr_left;
	uint8_t *block;
	cudaStream_t streams[nr_lanes_max];
	cudaStream_t copy_stream;
	cudaEvent_t filled[2], drained[2];
	cudaEvent_t reached[nr_lanes_max];
};

/**
 * struct cuda_seat - what one proof at a time has for itself
 * @key: whose
 * @taken: the key's lock: a proof has it, from LULL_STAGE_LOAD to
 *	LULL_STAGE_RETIRE
 * @left: the key's lock: that proof computes no more
 * @waited_ns: for the seat, since LULL_STAGE_LOAD was begun
 * @block: device memory of a proof's witness and lists
 * @up: the witness comes on it, and lists are made
 * @work: the key's lock: what the proof computes with, from its first stage behind
 *	load on; its own thread reads it without
 * @holds: that is still taken for this proof
 * @marked: each of @done is this proof's
 * @done: per lane, when the proof's last stage has ended
 * @begun: per stage, when it began
 * @ended: per stage, when it ended
 * @sums: pinned: of each section, what its chunks and its ones left
 * @counts: pinned: of ones and of others, by list
 * @listed: per list, when it was made
 * @counted: per list, its @counts have been waited for
 * @held: where the layout has room for one list at a time, which that is, or
 *	NR_LISTS
 * @staging: for the witness
 * @places: pinned: of groups of a witness that comes packed, witness_places_bytes()
 * @placed: there is something of the witness in them
 * @mapped: it came packed: its map is there
 * @ret_points: where each sum goes
 */
struct cuda_seat {
	struct cuda_key *key;
	bool taken;
	bool left;
	uint64_t waited_ns;
	uint8_t *block;
	cudaStream_t up;
	struct cuda_work *work;
	bool holds;
	bool marked;
	cudaEvent_t done[nr_lanes_max];
	cudaEvent_t begun[nr_span_stages], ended[nr_span_stages];
	uint8_t *sums[NR_SECTIONS];
	uint32_t *counts;
	cudaEvent_t listed[NR_LISTS];
	bool counted[NR_LISTS];
	unsigned int held;
	struct staging staging;
	uint32_t *places;
	bool placed;
	bool mapped;
	uint8_t *ret_points[NR_SECTIONS];
};

/**
 * struct cuda_key - a key on a device
 * @device: the device
 * @layout: where everything lies
 * @dense: which wires have points; until they have gone up
 * @matrices: how they are cut
 * @state: of the curve's functions
 * @block: what stays on the device
 * @points: of streamed sections, their points in pinned memory, without the
 *	missing ones: the key's own, or @pinned
 * @pinned: of streamed sections that are not in pinned memory, a copy
 * @rows: what spmv_fill() wrote; kept when the matrices are streamed
 * @optional_bytes: as counted on the device
 * @seats: for proofs
 * @nr_seats: how many
 * @nr_waiting: the lock: proofs that wait for a seat
 * @works: to compute with
 * @nr_works: how many
 * @lock: guards which seats and works are taken
 * @freed: a seat was freed
 * @handed_on: a work was
 */
struct cuda_key {
	struct device *device;
	struct layout layout;
	struct dense dense;
	struct spmv_plan matrices;
	void *state;
	uint8_t *block;
	const uint8_t *points[NR_SECTIONS];
	struct pinned pinned[NR_SECTIONS];
	struct pinned rows;
	uint64_t optional_bytes;
	struct cuda_seat seats[nr_seats_max];
	unsigned int nr_seats;
	unsigned int nr_waiting;
	struct cuda_work works[nr_works_max];
	unsigned int nr_works;
	pthread_mutex_t lock;
	pthread_cond_t freed, handed_on;
};

/* A seat of the key's layout; one that failed half way is to be destroyed. */
int seat_create(struct cuda_key *key, struct cuda_seat *seat, struct lull_error *reterr);
void seat_destroy(struct cuda_seat *seat);

/* A part of the key's block, of the seat's or of the one that the proof computes
 * in. */
uint8_t *seat_at(const struct cuda_seat *seat, const struct part &part);
/* Queues the way up of host memory to a part. */
int seat_bring(struct cuda_seat *seat, const struct lull_stage_args *args, const struct part &to,
	       const void *from, size_t bytes, cudaStream_t stream, struct lull_error *reterr);

/* Queues the way up of a proof's witness: packed, where few of its values are
 * full-size and that is known, or whole. */
int witness_bring(struct cuda_seat *seat, const struct lull_stage_args *args,
		  struct lull_error *reterr);
/* Classes of the witness, device memory, where it came packed; else NULL. */
const uint32_t *witness_map(const struct cuda_seat *seat);
size_t witness_places_bytes(const struct layout *layout);
/* Overwrites what is left of it on the host; its way up has ended. */
void witness_forget(struct cuda_seat *seat);

/* Waits for a seat and takes it; frees it. */
struct cuda_seat *seat_take(struct cuda_key *key);
void seat_put(struct cuda_seat *seat);

/* To compute with, as the key's layout says; one that failed half way is to be
 * destroyed. */
int work_create(struct cuda_key *key, struct cuda_work *work, struct lull_error *reterr);
void work_destroy(struct cuda_work *work);

/* Waits until a proof may enqueue stages, on streams that go on when its seat's
 * has come so far. */
int work_take(struct cuda_seat *seat, struct lull_error *reterr);
/* All of a proof's stages are enqueued: the next one may enqueue its own, whatever
 * this returns. */
int work_hand_on(struct cuda_seat *seat, struct lull_error *reterr);
/* Waits until these have ended. */
int work_wait(const struct cuda_seat *seat, struct lull_error *reterr);
/* The same for a proof that may have failed anywhere. */
void work_end(struct cuda_seat *seat);
/* The proof has ended, whether it had one or not.  What was left where no other
 * proof computes, nor is at hand to, is overwritten before anything that comes
 * there later; LULL_DEVICE where it could not be. */
int work_leave(struct cuda_seat *seat, struct lull_error *reterr);

/* Lane 0 has no more use for the buffers. */
int work_drain(const struct cuda_work *work, struct lull_error *reterr);

/* Bytes of sums[]: one part for each chunk, one for ones. */
static inline size_t sums_bytes(const struct section *s)
{
	return (s->nr_chunks + 1) * s->sum->sums_bytes;
}

/* As struct lull_backend_ops has them. */
int key_attach(const struct curve_ops *curve, void *device, const struct lull_key_arrays *arrays,
	       struct lull_workers *workers, void **ret_key, struct lull_error *reterr);
void key_detach(void *key);
size_t stages_scratch_bytes(const void *key, unsigned int nr_threads);
int stages_run(void *key, enum lull_stage stage, const struct lull_stage_args *args,
	       struct lull_error *reterr);
int stages_wait(void *key, const struct lull_stage_args *args, struct lull_backend_span *spans,
		struct lull_error *reterr);

} /* namespace lull */

#endif
