// SPDX-License-Identifier: Apache-2.0
/*
 * backend_cuda.cu - the table of liblull_cuda.so; the only extern "C"
 *
 * A key is attached by planning (layout.cuh), allocating two blocks and
 * uploading.  A proof allocates nothing: it takes the key's block for proofs,
 * enqueues its stages on the lanes' streams and waits twice: for how much of the
 * witness is ones and bits, and for the few points that the host adds up.
 * A key has one such block, so a second proof of the same key waits for the
 * first.
 */
#include <stdlib.h>
#include <string.h>

#include <new>

#include "check.cuh"
#include "curve.cuh"
#include "device.cuh"
#include "layout.cuh"

namespace lull
{

constexpr unsigned int nr_span_stages = LULL_STAGE_MSM_H + 1;
constexpr double ns_per_ms = 1e6;
/* Lists of ones and of others pay when so much of a witness is neither: below
 * three quarters. */
constexpr size_t dense_num = 3, dense_den = 4;

/**
 * struct cuda_key - a key on a device
 * @device: the device
 * @layout: where everything lies
 * @state: of the curve's functions
 * @key_block: what stays
 * @proof_block: what a proof works on; whoever holds @lock has it, and all that
 *	follows
 * @lock: held from LULL_STAGE_LOAD to LULL_STAGE_RETIRE
 * @streams: one a lane
 * @copy_stream: brings points of streamed sections
 * @begun: per stage, when it began
 * @ended: per stage, when it ended
 * @filled: per buffer, when its points have come
 * @drained: per buffer, when they have been used
 * @pinned: of streamed sections, their points on the host
 * @sums: pinned: of each section, what its chunks and its ones left
 * @counts: pinned: of ones and of others in the witness
 * @counted: @counts has been waited for
 * @staging: for the witness
 */
struct cuda_key {
	struct device *device;
	struct layout layout;
	void *state;
	uint8_t *key_block, *proof_block;
	pthread_mutex_t lock;
	cudaStream_t streams[nr_lanes_max];
	cudaStream_t copy_stream;
	cudaEvent_t begun[nr_span_stages], ended[nr_span_stages];
	cudaEvent_t filled[2], drained[2];
	uint8_t *pinned[NR_SECTIONS];
	uint8_t *sums[NR_SECTIONS];
	uint32_t *counts;
	bool counted;
	struct staging staging;
};

/* A proof's host scratch: where each sum goes. */
struct cuda_proof {
	uint8_t *ret_points[NR_SECTIONS];
};

/* Bytes of sums[]: one part for each chunk, one for ones. */
static size_t sums_bytes(const struct section *s)
{
	return (s->nr_chunks + 1) * s->sum->sums_bytes;
}

static uint8_t *ones_sums(const struct cuda_key *key, unsigned int id)
{
	const struct section *s = &key->layout.sections[id];

	return key->sums[id] + s->nr_chunks * s->sum->sums_bytes;
}

static uint32_t nr_ones(const struct cuda_key *key)
{
	return key->counts[0];
}

static uint32_t nr_others(const struct cuda_key *key)
{
	return key->counts[1];
}

/* Are the lists worth while for this section? */
static bool has_lists(const struct cuda_key *key, unsigned int id)
{
	return id != SECTION_H && !key->layout.sections[id].streamed &&
	       nr_others(key) <= key->layout.arrays.nr_vars / dense_den * dense_num;
}

/* ---- attaching --------------------------------------------------------- */

static void key_detach(void *opaque)
{
	struct cuda_key *key = (struct cuda_key *)opaque;
	unsigned int i;

	if (!key)
		return;
	/* On a device that failed all of this is refused, and does no harm. */
	cudaSetDevice(key->device->gpu);
	cudaDeviceSynchronize();
	staging_destroy(&key->staging);
	if (key->counts)
		cudaFreeHost(key->counts);
	for (i = 0; i < NR_SECTIONS; i++) {
		if (key->sums[i])
			cudaFreeHost(key->sums[i]);
		if (key->pinned[i])
			cudaFreeHost(key->pinned[i]);
	}
	for (i = 0; i < 2; i++) {
		if (key->filled[i])
			cudaEventDestroy(key->filled[i]);
		if (key->drained[i])
			cudaEventDestroy(key->drained[i]);
	}
	for (i = 0; i < nr_span_stages; i++) {
		if (key->begun[i])
			cudaEventDestroy(key->begun[i]);
		if (key->ended[i])
			cudaEventDestroy(key->ended[i]);
	}
	if (key->copy_stream)
		cudaStreamDestroy(key->copy_stream);
	for (i = 0; i < nr_lanes_max; i++)
		if (key->streams[i])
			cudaStreamDestroy(key->streams[i]);
	device_free(key->device, key->proof_block, key->layout.proof_bytes);
	device_free(key->device, key->key_block, key->layout.key_bytes);
	if (key->state) {
		key->layout.curve->state_done(key->state);
		free(key->state);
	}
	pthread_mutex_destroy(&key->lock);
	delete key;
}

static int create_events(struct cuda_key *key, struct lull_error *reterr)
{
	unsigned int i;

	for (i = 0; i < nr_span_stages; i++) {
		CUDA_TRY(cudaEventCreate(&key->begun[i]), reterr);
		CUDA_TRY(cudaEventCreate(&key->ended[i]), reterr);
	}
	for (i = 0; i < 2; i++) {
		CUDA_TRY(cudaEventCreateWithFlags(&key->filled[i], cudaEventDisableTiming), reterr);
		CUDA_TRY(cudaEventCreateWithFlags(&key->drained[i], cudaEventDisableTiming),
			 reterr);
	}
	return LULL_OK;
}

static int create_streams(struct cuda_key *key, struct lull_error *reterr)
{
	unsigned int i;

	for (i = 0; i < key->layout.nr_lanes; i++)
		CUDA_TRY(cudaStreamCreateWithFlags(&key->streams[i], cudaStreamNonBlocking),
			 reterr);
	CUDA_TRY(cudaStreamCreateWithFlags(&key->copy_stream, cudaStreamNonBlocking), reterr);
	for (i = 0; i < NR_SECTIONS; i++)
		CUDA_TRY(cudaHostAlloc((void **)&key->sums[i], sums_bytes(&key->layout.sections[i]),
				       cudaHostAllocDefault),
			 reterr);
	CUDA_TRY(cudaHostAlloc((void **)&key->counts, 2 * sizeof(uint32_t), cudaHostAllocDefault),
		 reterr);
	LULL_TRY(create_events(key, reterr));
	return staging_create(&key->staging, reterr);
}

/* Copies points of a streamed section into pinned memory, over all threads. */
struct pin_job {
	uint8_t *to;
	const uint8_t *from;
	size_t bytes, bytes_per_task;
};

constexpr size_t pin_bytes = (size_t)4 << 20;

static void pin_task(void *arg, size_t task, unsigned int slot)
{
	const struct pin_job *job = (const struct pin_job *)arg;
	size_t first = task * job->bytes_per_task;
	size_t left = job->bytes - first;

	(void)slot;
	memcpy(job->to + first, job->from + first,
	       left < job->bytes_per_task ? left : job->bytes_per_task);
}

static int pin_section(struct cuda_key *key, unsigned int id, struct lull_workers *workers,
		       struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	size_t missing = s->nr_missing * s->sum->point_bytes;
	struct pin_job job = { NULL, s->points, (s->nr - s->nr_missing) * s->sum->point_bytes,
			       pin_bytes };

	CUDA_TRY(
		cudaHostAlloc((void **)&key->pinned[id], missing + job.bytes, cudaHostAllocDefault),
		reterr);
	memset(key->pinned[id], 0, missing);
	job.to = key->pinned[id] + missing;
	key->device->opts.host->workers_run(workers, (job.bytes + pin_bytes - 1) / pin_bytes,
					    pin_task, &job);
	return LULL_OK;
}

/* A section's points go up, and become a table where they lie. */
static int upload_section(struct cuda_key *key, unsigned int id, struct lull_workers *workers,
			  struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	size_t missing = s->nr_missing * s->sum->point_bytes;
	uint8_t *table = key->key_block + s->table.at;

	if (s->streamed)
		return pin_section(key, id, workers, reterr);
	if (missing)
		CUDA_TRY(cudaMemsetAsync(table, 0, missing, key->streams[0]), reterr);
	LULL_TRY(staging_upload(&key->staging, key->device, table + missing, s->points,
				(s->nr - s->nr_missing) * s->sum->point_bytes, workers,
				key->streams[0], reterr));
	return s->sum->prepare(&s->plan, table, key->streams[0], reterr);
}

static int upload(struct cuda_key *key, struct lull_workers *workers, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	for (i = 0; i < NR_SECTIONS; i++)
		LULL_TRY(upload_section(key, i, workers, reterr));
	LULL_TRY(l->curve->spmv_upload(key->state, &l->arrays, workers,
				       key->key_block + l->matrices.at, key->streams[0], reterr));
	LULL_TRY(l->curve->tables_make(key->state, l->arrays.log2_domain,
				       key->key_block + l->tables.at, key->streams[0], reterr));
	CUDA_TRY(cudaStreamSynchronize(key->streams[0]), reterr);
	return LULL_OK;
}

static int plan_key(struct cuda_key *key, const struct curve_ops *curve,
		    const struct lull_key_arrays *arrays, struct lull_workers *workers,
		    struct lull_error *reterr)
{
	struct matrices_bytes spmv = {};
	char text[240];

	key->layout.curve = curve;
	key->state = calloc(1, curve->state_bytes);
	if (!key->state)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	LULL_TRY(curve->spmv_plan(key->state, arrays, workers, &spmv, reterr));
	LULL_TRY(layout_make(curve, arrays, &spmv, key->device->nr_sms,
			     device_left_bytes(key->device), &key->layout, reterr));
	layout_describe(&key->layout, text, sizeof(text));
	device_say(key->device, "cuda: GPU %d, %s", key->device->gpu, text);
	return LULL_OK;
}

static int fill_key(struct cuda_key *key, const struct curve_ops *curve,
		    const struct lull_key_arrays *arrays, struct lull_workers *workers,
		    struct lull_error *reterr)
{
	LULL_TRY(device_use(key->device, reterr));
	LULL_TRY(plan_key(key, curve, arrays, workers, reterr));
	LULL_TRY(device_alloc(key->device, key->layout.key_bytes, "key", (void **)&key->key_block,
			      reterr));
	LULL_TRY(device_alloc(key->device, key->layout.proof_bytes, "proofs of a key",
			      (void **)&key->proof_block, reterr));
	LULL_TRY(create_streams(key, reterr));
	LULL_TRY(upload(key, workers, reterr));
	return LULL_OK;
}

static int key_attach(const struct curve_ops *curve, void *device,
		      const struct lull_key_arrays *arrays, struct lull_workers *workers,
		      void **ret_key, struct lull_error *reterr)
{
	struct cuda_key *key = new (std::nothrow) struct cuda_key();
	int err;

	if (!key)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a key");
	if (arrays->assigned) {
		delete key;
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "cuda: expected a key with a circuit, found parameters of "
				 "bellman, which the CPU alone proves with");
	}
	key->device = (struct device *)device;
	pthread_mutex_init(&key->lock, NULL);
	err = fill_key(key, curve, arrays, workers, reterr);
	if (err) {
		key_detach(key);
		return err;
	}
	*ret_key = key;
	return LULL_OK;
}

static int attach_bn254(void *device, const struct lull_key_arrays *arrays,
			struct lull_workers *workers, void **ret_key, struct lull_error *reterr)
{
	return key_attach(&curve_bn254, device, arrays, workers, ret_key, reterr);
}

static int attach_bls12_381(void *device, const struct lull_key_arrays *arrays,
			    struct lull_workers *workers, void **ret_key, struct lull_error *reterr)
{
	return key_attach(&curve_bls12_381, device, arrays, workers, ret_key, reterr);
}

/* ---- proving ----------------------------------------------------------- */

static size_t scratch_bytes(const void *key, unsigned int nr_threads)
{
	(void)key, (void)nr_threads;
	return sizeof(struct cuda_proof);
}

static uint8_t *at(const struct cuda_key *key, const struct part &part)
{
	return key->proof_block + part.at;
}

static cudaStream_t stream_of(const struct cuda_key *key, unsigned int lane)
{
	return key->streams[key->layout.nr_lanes == 1 ? 0 : lane];
}

static int load(struct cuda_key *key, const struct lull_stage_args *args, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	unsigned int i;

	LULL_TRY(device_use(key->device, reterr));
	CUDA_TRY(cudaEventRecord(key->begun[LULL_STAGE_LOAD], key->streams[0]), reterr);
	LULL_TRY(staging_upload(&key->staging, key->device, at(key, l->witness), args->witness,
				l->arrays.nr_vars * scalar_bytes, args->workers, key->streams[0],
				reterr));
	key->counted = false;
	LULL_TRY(l->curve->classify(at(key, l->witness), l->arrays.nr_vars,
				    (uint32_t *)at(key, l->ones), (uint32_t *)at(key, l->others),
				    key->counts, at(key, l->scratch0), key->streams[0], reterr));
	CUDA_TRY(cudaEventRecord(key->ended[LULL_STAGE_LOAD], key->streams[0]), reterr);
	for (i = 1; i < l->nr_lanes; i++)
		CUDA_TRY(cudaStreamWaitEvent(key->streams[i], key->ended[LULL_STAGE_LOAD], 0),
			 reterr);
	return LULL_OK;
}

static int run_spmv(struct cuda_key *key, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	return l->curve->spmv(key->state, key->key_block + l->matrices.at, at(key, l->witness),
			      at(key, l->a), at(key, l->b), at(key, l->scratch0), key->streams[0],
			      reterr);
}

static int run_quotient(struct cuda_key *key, struct lull_error *reterr)
{
	const struct layout *l = &key->layout;

	return l->curve->quotient(key->state, at(key, l->a), at(key, l->b), at(key, l->scratch0),
				  key->streams[0], reterr);
}

/* Brings chunk i of a streamed section into a buffer and makes a table of it. */
static int fill_buffer(struct cuda_key *key, unsigned int id, unsigned int i,
		       const struct msm_plan *plan, struct lull_error *reterr)
{
	const struct section *s = &key->layout.sections[id];
	size_t first = i * s->chunk * s->sum->point_bytes;
	uint8_t *buffer = at(key, key->layout.buffers[i % 2]);

	CUDA_TRY(cudaStreamWaitEvent(key->copy_stream, key->drained[i % 2], 0), reterr);
	CUDA_TRY(cudaMemcpyAsync(buffer, key->pinned[id] + first,
				 plan->shape.nr_points * s->sum->point_bytes,
				 cudaMemcpyHostToDevice, key->copy_stream),
		 reterr);
	CUDA_TRY(cudaEventRecord(key->filled[i % 2], key->copy_stream), reterr);
	CUDA_TRY(cudaStreamWaitEvent(key->streams[0], key->filled[i % 2], 0), reterr);
	return s->sum->prepare(plan, buffer, key->streams[0], reterr);
}

/* While one buffer is worked on, the other is filled. */
static int run_streamed(struct cuda_key *key, unsigned int id, const uint8_t *scalars,
			struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	const struct section *s = &l->sections[id];
	const struct msm_plan *plan;
	unsigned int i;

	for (i = 0; i < s->nr_chunks; i++) {
		plan = i + 1 < s->nr_chunks ? &s->plan : &s->last_plan;
		LULL_TRY(fill_buffer(key, id, i, plan, reterr));
		LULL_TRY(s->sum->run(
			plan, at(key, l->buffers[i % 2]), scalars + i * s->chunk * scalar_bytes,
			NULL, plan->shape.nr_points, at(key, l->sum_scratch[0]),
			key->sums[id] + i * s->sum->sums_bytes, key->streams[0], reterr));
		CUDA_TRY(cudaEventRecord(key->drained[i % 2], key->streams[0]), reterr);
	}
	return LULL_OK;
}

/* How much of the witness is ones, and how much is neither 0 nor 1. */
static int wait_for_counts(struct cuda_key *key, struct lull_error *reterr)
{
	if (!key->counted)
		CUDA_TRY(cudaEventSynchronize(key->ended[LULL_STAGE_LOAD]), reterr);
	key->counted = true;
	return LULL_OK;
}

static int run_sum(struct cuda_key *key, unsigned int id, cudaStream_t stream,
		   struct lull_error *reterr)
{
	const struct layout *l = &key->layout;
	const struct section *s = &l->sections[id];
	const uint8_t *scalars = at(key, id == SECTION_H ? l->a : l->witness);
	uint8_t *scratch = at(key, l->sum_scratch[l->nr_lanes == 1 ? 0 : s->lane]);
	const uint8_t *table = key->key_block + s->table.at;

	if (s->streamed)
		return run_streamed(key, id, scalars, reterr);
	LULL_TRY(wait_for_counts(key, reterr));
	if (!has_lists(key, id))
		return s->sum->run(&s->plan, table, scalars, NULL, s->nr, scratch, key->sums[id],
				   stream, reterr);
	if (nr_others(key))
		LULL_TRY(s->sum->run(&s->plan, table, scalars, (const uint32_t *)at(key, l->others),
				     nr_others(key), scratch, key->sums[id], stream, reterr));
	/* There is one at least: the constant wire. */
	return s->sum->run_ones(&s->plan, table, (const uint32_t *)at(key, l->ones), nr_ones(key),
				scratch, ones_sums(key, id), stream, reterr);
}

/* The sum that a stage is, or NR_SECTIONS. */
static unsigned int section_of(enum lull_stage stage)
{
	switch (stage) {
	case LULL_STAGE_MSM_A:
		return SECTION_A;
	case LULL_STAGE_MSM_B1:
		return SECTION_B1;
	case LULL_STAGE_MSM_B2:
		return SECTION_B2;
	case LULL_STAGE_MSM_L:
		return SECTION_L;
	case LULL_STAGE_MSM_H:
		return SECTION_H;
	default:
		return NR_SECTIONS;
	}
}

static int run_stage(struct cuda_key *key, enum lull_stage stage,
		     const struct lull_stage_args *args, struct lull_error *reterr)
{
	struct cuda_proof *proof = (struct cuda_proof *)args->scratch;
	unsigned int id = section_of(stage);
	cudaStream_t stream = stream_of(key, id == NR_SECTIONS ? 0 : key->layout.sections[id].lane);

	LULL_TRY(device_use(key->device, reterr));
	CUDA_TRY(cudaEventRecord(key->begun[stage], stream), reterr);
	if (stage == LULL_STAGE_SPMV) {
		LULL_TRY(run_spmv(key, reterr));
	} else if (stage == LULL_STAGE_H) {
		LULL_TRY(run_quotient(key, reterr));
	} else {
		proof->ret_points[id] = args->ret_point;
		LULL_TRY(run_sum(key, id, stream, reterr));
	}
	CUDA_TRY(cudaEventRecord(key->ended[stage], stream), reterr);
	return LULL_OK;
}

/* What is left of a witness is overwritten: on the host now, on the device
 * before anything that comes later. */
static void retire(struct cuda_key *key, struct lull_workers *workers)
{
	unsigned int i;

	if (device_use(key->device, NULL))
		return;
	for (i = 0; i < key->layout.nr_lanes; i++)
		cudaStreamSynchronize(key->streams[i]);
	cudaMemsetAsync(key->proof_block, 0, key->layout.proof_bytes, key->streams[0]);
	staging_wipe(&key->staging, key->device, workers);
	for (i = 0; i < NR_SECTIONS; i++)
		explicit_bzero(key->sums[i], sums_bytes(&key->layout.sections[i]));
}

/* After an error that is the device's, its memory and its context are in
 * doubt: nothing runs on it any more. */
static int judge(struct cuda_key *key, int err)
{
	if (err == LULL_DEVICE)
		device_fail(key->device);
	return err;
}

static int run(void *opaque, enum lull_stage stage, const struct lull_stage_args *args,
	       struct lull_error *reterr)
{
	struct cuda_key *key = (struct cuda_key *)opaque;
	int err;

	switch (stage) {
	case LULL_STAGE_LOAD:
		pthread_mutex_lock(&key->lock);
		err = device_check(key->device, reterr);
		if (!err)
			err = judge(key, load(key, args, reterr));
		if (err)
			pthread_mutex_unlock(&key->lock);
		return err;
	case LULL_STAGE_RETIRE:
		retire(key, args->workers);
		pthread_mutex_unlock(&key->lock);
		return LULL_OK;
	default:
		return judge(key, run_stage(key, stage, args, reterr));
	}
}

static int read_spans(const struct cuda_key *key, struct lull_backend_span *spans,
		      struct lull_error *reterr)
{
	float start_ms, ms;
	unsigned int i;

	for (i = LULL_STAGE_LOAD; i < nr_span_stages; i++) {
		CUDA_TRY(
			cudaEventElapsedTime(&start_ms, key->begun[LULL_STAGE_LOAD], key->begun[i]),
			reterr);
		CUDA_TRY(cudaEventElapsedTime(&ms, key->begun[i], key->ended[i]), reterr);
		spans[i].start_ns = (uint64_t)(start_ms * ns_per_ms);
		spans[i].ns = (uint64_t)(ms * ns_per_ms);
	}
	return LULL_OK;
}

/* On the host: what a section's runs left becomes its point. */
struct gather_job {
	const struct cuda_key *key;
	const struct cuda_proof *proof;
};

static void gather_task(void *arg, size_t task, unsigned int slot)
{
	const struct gather_job *job = (const struct gather_job *)arg;
	const struct cuda_key *key = job->key;
	const struct section *s = &key->layout.sections[task];
	unsigned int id = (unsigned int)task, nr = s->nr_chunks, i;
	alignas(part_align) uint8_t acc[acc_bytes] = {};

	(void)slot;
	if (has_lists(key, id)) {
		nr = nr_others(key) ? 1 : 0;
		s->sum->gather(&s->plan, ones_sums(key, id), true, acc);
	}
	for (i = 0; i < nr; i++)
		s->sum->gather(i + 1 < s->nr_chunks ? &s->plan : &s->last_plan,
			       key->sums[id] + i * s->sum->sums_bytes, false, acc);
	s->sum->finish(acc, job->proof->ret_points[id]);
	explicit_bzero(acc, sizeof(acc));
}

static int collect(struct cuda_key *key, const struct lull_stage_args *args,
		   struct lull_backend_span *spans, struct lull_error *reterr)
{
	struct gather_job job = { key, (const struct cuda_proof *)args->scratch };
	unsigned int i;

	LULL_TRY(device_use(key->device, reterr));
	for (i = 0; i < key->layout.nr_lanes; i++)
		CUDA_TRY(cudaStreamSynchronize(key->streams[i]), reterr);
	/* The counts are there too, whether anything waited for them or not. */
	key->device->opts.host->workers_run(args->workers, NR_SECTIONS, gather_task, &job);
	return read_spans(key, spans, reterr);
}

static int wait(void *opaque, const struct lull_stage_args *args, struct lull_backend_span *spans,
		struct lull_error *reterr)
{
	struct cuda_key *key = (struct cuda_key *)opaque;

	return judge(key, collect(key, args, spans, reterr));
}

/* ---- the table --------------------------------------------------------- */

static const struct lull_backend_host *pool_host;

static int open_device(const struct lull_device_opts *opts, void **ret_device,
		       struct lull_error *reterr)
{
	struct device *device;
	int err;

	pool_host = opts->host;
	err = device_open(opts, &device, reterr);

	if (!err)
		*ret_device = device;
	return err;
}

static const char *describe(const void *device)
{
	return ((const struct device *)device)->text;
}

static uint64_t peak_bytes(const void *device)
{
	return ((const struct device *)device)->peak_bytes;
}

static void close_device(void *device)
{
	device_close((struct device *)device);
}

static const struct lull_backend_ops *ops_of(enum lull_curve curve)
{
	static const struct lull_backend_ops bn254 = {
		attach_bn254, key_detach,	   scratch_bytes,    run,
		wait,	      curve_bn254_kernels, nr_curve_kernels,
	};
	static const struct lull_backend_ops bls12_381 = {
		attach_bls12_381,	 key_detach,	   scratch_bytes, run, wait,
		curve_bls12_381_kernels, nr_curve_kernels,
	};

	return curve == LULL_CURVE_BN254 ? &bn254 : &bls12_381;
}

} /* namespace lull */

/*
 * Code that is shared with tests calls the pool by its functions' names.  Here
 * these are the host's own: a pool is never touched by another build's code.
 */
extern "C" void lull_workers_run(struct lull_workers *workers, size_t nr_tasks,
				 void (*fn)(void *arg, size_t task, unsigned int slot), void *arg)
{
	lull::pool_host->workers_run(workers, nr_tasks, fn, arg);
}

extern "C" unsigned int lull_workers_nr(const struct lull_workers *workers)
{
	return lull::pool_host->workers_nr(workers);
}

extern "C" void lull_workers_split(size_t n, size_t nr_tasks, size_t task, size_t grain,
				   size_t *ret_lo, size_t *ret_hi)
{
	lull::pool_host->workers_split(n, nr_tasks, task, grain, ret_lo, ret_hi);
}

extern "C" __attribute__((visibility("default"))) const struct lull_backend lull_backend_cuda = {
	LULL_BACKEND_ABI,
	sizeof(struct lull_backend),
	"cuda",
	LULL_VERSION,
	lull::device_probe,
	lull::open_device,
	lull::describe,
	lull::peak_bytes,
	lull::close_device,
	lull::ops_of,
};
