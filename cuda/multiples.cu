// SPDX-License-Identifier: Apache-2.0
/*
 * multiples.cu - batches of multiples of one point: memory, streams, copies
 *
 * For backend_cuda.cu.  Each batch has a stream: scalars up, the kernel, points
 * down; so copies of one run beside the kernel of another.  What the host
 * writes and reads is pinned, the arena's own where that is registered.
 */
#include <new>
#include <string.h>

#include "check.cuh"
#include "curve.cuh"
#include "device.cuh"

namespace lull
{

constexpr double ms_per_s = 1e3;

/* Of a batch on its stream: before its kernel, behind it, points are down. */
enum mark { MARK_BEGUN, MARK_COMPUTED, MARK_DOWN, NR_MARKS };

/**
 * struct cuda_multiples - what a caller of the backend sees, and what is ours
 * @shared: the first: one pointer is both
 * @device: where
 * @arena: for pinned memory
 * @ops: of the group
 * @plan: what goes where
 * @block: device memory: the table, then slots
 * @streams: one a slot
 * @marks: of each slot
 * @pinned: each slot's memory on the host
 * @nr_begun: of each slot: multiples under way
 * @nr_made: multiples so far
 * @kernel_ms: what kernels took; those beside each other count twice
 * @down_ms: and their points' way down
 */
struct cuda_multiples {
	struct lull_multiples shared;
	struct device *device;
	struct lull_arena *arena;
	const struct multiples_ops *ops;
	struct multiples_plan plan;
	uint8_t *block;
	cudaStream_t streams[LULL_MULTIPLES_SLOTS];
	cudaEvent_t marks[LULL_MULTIPLES_SLOTS][NR_MARKS];
	struct pinned pinned[LULL_MULTIPLES_SLOTS];
	size_t nr_begun[LULL_MULTIPLES_SLOTS];
	uint64_t nr_made;
	double kernel_ms, down_ms;
};

static uint8_t *slot_block(const struct cuda_multiples *m, unsigned int slot)
{
	return m->block + m->plan.table_bytes + slot * m->plan.slot_bytes;
}

/* Scalars tell the trapdoor, points do not.  A device that failed keeps what
 * it has, and gives it to nobody. */
static void wipe(struct cuda_multiples *m)
{
	unsigned int i;

	for (i = 0; i < LULL_MULTIPLES_SLOTS; i++) {
		if (m->streams[i] && m->block) {
			cudaMemsetAsync(slot_block(m, i), 0, multiples_points_at(&m->plan),
					m->streams[i]);
			cudaStreamSynchronize(m->streams[i]);
		}
		if (m->pinned[i].ptr)
			explicit_bzero(m->pinned[i].ptr, multiples_points_at(&m->plan));
	}
	/* What is refused here must not show as the error of a launch later. */
	cudaGetLastError();
}

void multiples_close(struct lull_multiples *multiples)
{
	struct cuda_multiples *m = (struct cuda_multiples *)multiples;
	unsigned int i;

	if (!m)
		return;
	device_use(m->device, NULL);
	wipe(m);
	if (m->nr_made)
		device_say(m->device,
			   "cuda: GPU %d, multiples in G%d: %llu made, kernels %.3f s, down %.3f s",
			   m->device->gpu, m->plan.group, (unsigned long long)m->nr_made,
			   m->kernel_ms / ms_per_s, m->down_ms / ms_per_s);
	for (i = 0; i < LULL_MULTIPLES_SLOTS; i++) {
		events_destroy(m->marks[i], NR_MARKS);
		if (m->streams[i])
			cudaStreamDestroy(m->streams[i]);
		pinned_give(m->device, &m->pinned[i]);
	}
	device_free(m->device, m->block, m->plan.bytes);
	delete m;
}

static int take_memory(struct cuda_multiples *m, struct lull_error *reterr)
{
	unsigned int i;

	LULL_TRY(device_alloc(m->device, m->plan.bytes, "multiples of a point", (void **)&m->block,
			      reterr));
	m->shared.batch = m->plan.batch;
	for (i = 0; i < LULL_MULTIPLES_SLOTS; i++) {
		CUDA_TRY(cudaStreamCreateWithFlags(&m->streams[i], cudaStreamNonBlocking), reterr);
		LULL_TRY(events_create(m->marks[i], NR_MARKS, true, reterr));
		LULL_TRY(pinned_take(m->device, m->arena, m->plan.slot_bytes,
				     "multiples of a point", &m->pinned[i], reterr));
		m->shared.slots[i].scalars = m->pinned[i].ptr;
		m->shared.slots[i].points = m->pinned[i].ptr + multiples_points_at(&m->plan);
	}
	return LULL_OK;
}

static int make(struct cuda_multiples *m, const struct lull_multiples_want *want,
		enum lull_curve curve, struct lull_error *reterr)
{
	LULL_TRY(device_check(m->device, reterr));
	LULL_TRY(device_use(m->device, reterr));
	LULL_TRY(multiples_plan_make(curve, want->group, want->nr, device_left_bytes(m->device),
				     &m->plan, reterr));
	device_say(m->device,
		   "cuda: GPU %d, multiples in G%d: %u windows of %u bits, a table of %zu bytes, "
		   "batches of %zu",
		   m->device->gpu, want->group, m->plan.nr_windows, m->plan.window_bits,
		   m->plan.table_bytes, m->plan.batch);
	LULL_TRY(take_memory(m, reterr));
	LULL_TRY(m->ops->prepare(&m->plan, want->base, m->block, m->streams[0], reterr));
	/* The other streams read the table too. */
	CUDA_TRY(cudaStreamSynchronize(m->streams[0]), reterr);
	return LULL_OK;
}

int multiples_open(const struct curve_ops *curve, void *device,
		   const struct lull_multiples_want *want, struct lull_multiples **ret_multiples,
		   struct lull_error *reterr)
{
	struct cuda_multiples *m = new (std::nothrow) struct cuda_multiples();
	int err;

	if (!m)
		return lull_fail(reterr, LULL_NOMEM, "no memory for multiples");
	m->device = (struct device *)device;
	m->arena = want->arena;
	m->ops = &curve->multiples[want->group == 2];
	err = make(m, want, curve->id, reterr);
	if (err) {
		/* There may be no room for the tables, which is no failure. */
		if (err == LULL_DEVICE)
			device_fail(m->device);
		multiples_close(&m->shared);
		return err;
	}
	*ret_multiples = &m->shared;
	return LULL_OK;
}

static int begin(struct cuda_multiples *m, unsigned int slot, size_t nr, struct lull_error *reterr)
{
	const struct lull_multiples_slot *host = &m->shared.slots[slot];
	uint8_t *scalars = slot_block(m, slot), *points = scalars + multiples_points_at(&m->plan);
	cudaStream_t stream = m->streams[slot];

	if (!nr || nr > m->plan.batch)
		return lull_fail(reterr, LULL_USAGE, "multiples: expected 1 to %zu, found %zu",
				 m->plan.batch, nr);
	LULL_TRY(device_use(m->device, reterr));
	LULL_TRY(pinned_copy(m->device, m->arena, scalars, host->scalars, nr * scalar_bytes, stream,
			     reterr));
	CUDA_TRY(cudaEventRecord(m->marks[slot][MARK_BEGUN], stream), reterr);
	LULL_TRY(m->ops->run(&m->plan, m->block, scalars, nr, points, stream, reterr));
	CUDA_TRY(cudaEventRecord(m->marks[slot][MARK_COMPUTED], stream), reterr);
	LULL_TRY(pinned_fetch(m->device, m->arena, host->points, points, nr * m->plan.point_bytes,
			      stream, reterr));
	CUDA_TRY(cudaEventRecord(m->marks[slot][MARK_DOWN], stream), reterr);
	m->nr_begun[slot] = nr;
	return LULL_OK;
}

int multiples_begin(struct lull_multiples *multiples, unsigned int slot, size_t nr,
		    struct lull_error *reterr)
{
	struct cuda_multiples *m = (struct cuda_multiples *)multiples;

	return device_judge(m->device, begin(m, slot, nr, reterr), reterr);
}

static int wait(struct cuda_multiples *m, unsigned int slot, struct lull_error *reterr)
{
	const cudaEvent_t *marks = m->marks[slot];
	float kernel_ms, down_ms;

	LULL_TRY(device_use(m->device, reterr));
	CUDA_TRY(cudaStreamSynchronize(m->streams[slot]), reterr);
	CUDA_TRY(cudaEventElapsedTime(&kernel_ms, marks[MARK_BEGUN], marks[MARK_COMPUTED]), reterr);
	CUDA_TRY(cudaEventElapsedTime(&down_ms, marks[MARK_COMPUTED], marks[MARK_DOWN]), reterr);
	m->nr_made += m->nr_begun[slot];
	m->kernel_ms += kernel_ms;
	m->down_ms += down_ms;
	return LULL_OK;
}

int multiples_wait(struct lull_multiples *multiples, unsigned int slot, struct lull_error *reterr)
{
	struct cuda_multiples *m = (struct cuda_multiples *)multiples;

	return device_judge(m->device, wait(m, slot, reterr), reterr);
}

} /* namespace lull */
