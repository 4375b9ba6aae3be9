// SPDX-License-Identifier: Apache-2.0
/*
 * device.cu - one GPU: its budget, its memory, and the way up to it
 *
 * See device.cuh.
 */
#include "device.cuh"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "check.cuh"
#include "curve.cuh"

namespace lull
{

/* What a thread of the pool copies at a time. */
constexpr size_t bytes_per_task = (size_t)256 << 10;
/* Left free of what is: the driver allocates too. */
constexpr uint64_t reserve_bytes = (uint64_t)512 << 20;

/* The oldest cards that the library is built for. */
constexpr int compute_major_min = 8;

unsigned int device_probe(char *text)
{
	int nr = 0;
	cudaError_t error = cudaGetDeviceCount(&nr);

	text[0] = '\0';
	if (error == cudaSuccess && nr > 0)
		return (unsigned int)nr;
	cudaGetLastError();
	snprintf(text, LULL_BACKEND_TEXT_BYTES, "no GPU: %s",
		 error == cudaSuccess ? "the driver sees none" : cudaGetErrorString(error));
	return 0;
}

/* Some GPU is this thread's by device_use(). */
static thread_local bool has_current;

int device_use(const struct device *device, struct lull_error *reterr)
{
	CUDA_TRY(cudaSetDevice(device->gpu), reterr);
	has_current = true;
	/* What is asked for behind a launch, here and in CUB, is the thread's last
	 * error: one that another GPU left, which broke, is not this one's. */
	cudaGetLastError();
	return LULL_OK;
}

/* Where the library has no code for a GPU every launch fails: who can do without
 * one is told before. */
static int check_code(const struct device *device, const cudaDeviceProp *props,
		      struct lull_error *reterr)
{
	struct cudaFuncAttributes attributes;
	cudaError_t error = cudaFuncGetAttributes(&attributes, curve_bn254.kernel());

	switch (error) {
	case cudaSuccess:
		return LULL_OK;
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidKernelImage:
	case cudaErrorInvalidPtx:
	case cudaErrorJitCompilationDisabled:
	case cudaErrorJitCompilerNotFound:
	case cudaErrorNoKernelImageForDevice:
	case cudaErrorUnsupportedPtxVersion:
		/* This must not show as the error of a launch later. */
		cudaGetLastError();
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "GPU %d, %.60s: compute capability %d.%d, liblull_cuda.so is "
				 "for " LULL_CUDA_CODE ": %s",
				 device->gpu, props->name, props->major, props->minor,
				 cudaGetErrorName(error));
	default:
		return cuda_fail(error, "cudaFuncGetAttributes()", __FILE__, __LINE__, reterr);
	}
}

static int launch_deepest(cudaStream_t stream, struct lull_error *reterr)
{
	LULL_TRY(curve_bn254.take_stacks(stream, reterr));
	LULL_TRY(curve_bls12_381.take_stacks(stream, reterr));
	CUDA_TRY(cudaStreamSynchronize(stream), reterr);
	return LULL_OK;
}

/* What kernels have on their stacks is device memory that CUDA takes at a launch, for
 * as many threads as the GPU holds, and never gives back.  Now, so that it is not
 * counted as free, and no proof takes any. */
static int take_stacks(const struct device *device, struct lull_error *reterr)
{
	size_t free_bytes = 0, total_bytes;
	cudaStream_t stream;
	int err;

	CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), reterr);
	err = launch_deepest(stream, reterr);
	cudaStreamDestroy(stream);
	if (err != LULL_NOMEM)
		return err;
	/* That must not show as the error of a launch. */
	cudaGetLastError();
	cudaMemGetInfo(&free_bytes, &total_bytes);
	return lull_fail(reterr, LULL_NOMEM,
			 "GPU %d: expected room for the stacks of kernels, found %llu bytes free",
			 device->gpu, (unsigned long long)free_bytes);
}

static void set_budget(struct device *device, uint64_t free_bytes)
{
	const uint64_t wanted = device->opts.vram_bytes;
	const uint64_t most = free_bytes > reserve_bytes ? free_bytes - reserve_bytes : 0;

	device->budget_bytes = wanted && wanted < most ? wanted : most;
	if (wanted > most)
		device_say(device,
			   "cuda: GPU %d, a budget of %llu bytes instead of %llu: %llu are free, "
			   "of which %llu stay so",
			   device->gpu, (unsigned long long)most, (unsigned long long)wanted,
			   (unsigned long long)free_bytes, (unsigned long long)reserve_bytes);
}

static int describe(struct device *device, struct lull_error *reterr)
{
	size_t free_bytes, total_bytes;
	cudaDeviceProp props;

	LULL_TRY(device_use(device, reterr));
	CUDA_TRY(cudaGetDeviceProperties(&props, device->gpu), reterr);
	if (props.major < compute_major_min)
		return lull_fail(reterr, LULL_UNSUPPORTED,
				 "GPU %d, %s: expected compute capability %d.0 or later, "
				 "found %d.%d",
				 device->gpu, props.name, compute_major_min, props.major,
				 props.minor);
	LULL_TRY(check_code(device, &props, reterr));
	LULL_TRY(take_stacks(device, reterr));
	CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes), reterr);
	device->nr_sms = (unsigned int)props.multiProcessorCount;
	set_budget(device, free_bytes);
	snprintf(device->text, sizeof(device->text), "GPU %d, %.100s, %.1f GiB", device->gpu,
		 props.name, (double)total_bytes / (double)(1u << 30));
	return LULL_OK;
}

int device_open(const struct lull_device_opts *opts, struct device **ret_device,
		struct lull_error *reterr)
{
	struct device *device = new (std::nothrow) struct device();
	int err;

	if (!device)
		return lull_fail(reterr, LULL_NOMEM, "no memory for a device");
	device->gpu = (int)opts->gpu;
	device->opts = *opts;
	pthread_mutex_init(&device->lock, NULL);
	err = describe(device, reterr);
	if (err) {
		device_close(device);
		return err;
	}
	*ret_device = device;
	return LULL_OK;
}

int device_node(const struct device *device)
{
	char slot[32];

	if (cudaDeviceGetPCIBusId(slot, sizeof(slot), device->gpu) == cudaSuccess)
		return device->opts.host->node_of_slot(slot);
	cudaGetLastError();
	return LULL_ARENA_NODE_ANY;
}

void device_close(struct device *device)
{
	pthread_mutex_destroy(&device->lock);
	delete device;
}

void device_fail(struct device *device)
{
	pthread_mutex_lock(&device->lock);
	device->failed = true;
	pthread_mutex_unlock(&device->lock);
}

int device_judge(struct device *device, int err, struct lull_error *reterr)
{
	if (err == LULL_NOMEM) {
		err = LULL_DEVICE;
		if (reterr)
			reterr->code = LULL_DEVICE;
	}
	if (err == LULL_DEVICE)
		device_fail(device);
	return err;
}

int device_check(struct device *device, struct lull_error *reterr)
{
	bool failed;

	pthread_mutex_lock(&device->lock);
	failed = device->failed;
	pthread_mutex_unlock(&device->lock);
	return failed ? lull_fail(reterr, LULL_DEVICE, "GPU %d has failed before", device->gpu)
		      : LULL_OK;
}

void device_stats(struct device *device, struct lull_backend_stats *ret_stats)
{
	pthread_mutex_lock(&device->lock);
	*ret_stats = device->stats;
	pthread_mutex_unlock(&device->lock);
}

void device_copied(struct device *device, uint64_t up_bytes, uint64_t down_bytes)
{
	pthread_mutex_lock(&device->lock);
	device->stats.up_bytes += up_bytes;
	device->stats.down_bytes += down_bytes;
	pthread_mutex_unlock(&device->lock);
}

void device_plans_proofs(struct device *device, uint64_t bytes)
{
	pthread_mutex_lock(&device->lock);
	if (bytes > device->stats.proof_bytes)
		device->stats.proof_bytes = bytes;
	pthread_mutex_unlock(&device->lock);
}

uint64_t device_left_bytes(struct device *device)
{
	uint64_t left;

	pthread_mutex_lock(&device->lock);
	left = device->budget_bytes - device->stats.used_bytes;
	pthread_mutex_unlock(&device->lock);
	return left;
}

/* Counts bytes as used, if the budget holds them. */
static bool charge(struct device *device, uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(&device->lock);
	fits = bytes <= device->budget_bytes - device->stats.used_bytes;
	if (fits) {
		device->stats.used_bytes += bytes;
		if (device->stats.used_bytes > device->stats.peak_bytes)
			device->stats.peak_bytes = device->stats.used_bytes;
	}
	pthread_mutex_unlock(&device->lock);
	return fits;
}

static void uncharge(struct device *device, uint64_t bytes)
{
	pthread_mutex_lock(&device->lock);
	device->stats.used_bytes -= bytes;
	pthread_mutex_unlock(&device->lock);
}

int device_alloc(struct device *device, uint64_t bytes, const char *what, void **ret_ptr,
		 struct lull_error *reterr)
{
	cudaError_t error;

	if (!charge(device, bytes))
		return lull_fail(reterr, LULL_NOMEM,
				 "GPU %d: %s: expected %llu bytes of device memory, found %llu "
				 "left of the budget of %llu",
				 device->gpu, what, (unsigned long long)bytes,
				 (unsigned long long)device_left_bytes(device),
				 (unsigned long long)device->budget_bytes);
	error = cudaMalloc(ret_ptr, bytes);
	if (error == cudaSuccess)
		return LULL_OK;
	uncharge(device, bytes);
	if (error == cudaErrorMemoryAllocation)
		cudaGetLastError();
	CUDA_TRY(error, reterr);
	return LULL_OK;
}

void device_free(struct device *device, void *ptr, uint64_t bytes)
{
	if (!ptr)
		return;
	/* A device that failed refuses this too; its memory went with it. */
	cudaFree(ptr);
	uncharge(device, bytes);
}

int events_create(cudaEvent_t *events, unsigned int nr, bool timed, struct lull_error *reterr)
{
	const unsigned int flags = timed ? cudaEventDefault : cudaEventDisableTiming;

	for (unsigned int i = 0; i < nr; i++)
		CUDA_TRY(cudaEventCreateWithFlags(&events[i], flags), reterr);
	return LULL_OK;
}

void events_destroy(cudaEvent_t *events, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (events[i])
			cudaEventDestroy(events[i]);
}

void device_say(const struct device *device, const char *fmt, ...)
{
	char line[352];
	va_list args;

	if (!device->opts.say)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	device->opts.say(device->opts.say_arg, line);
}

/* ---- pinned memory ----------------------------------------------------- */

/*
 * An arena grows within whatever a thread does for a GPU, which stays the
 * thread's: memory is registered for all of them, by any.  To set the one that
 * was current again would do, too, but for a thread that had none: that would
 * begin a context on GPU 0, whoever has that.
 */
static int use_any(const struct device *device, struct lull_error *reterr)
{
	return has_current ? LULL_OK : device_use(device, reterr);
}

static int pin(void *arg, void *ptr, size_t bytes, struct lull_error *reterr)
{
	LULL_TRY(use_any((const struct device *)arg, reterr));
	/* What is refused here must not show as the error of a launch later. */
	CUDA_TRY(cudaHostRegister(ptr, bytes, cudaHostRegisterPortable),
		 (cudaGetLastError(), reterr));
	return LULL_OK;
}

static void unpin(void *arg, void *ptr, size_t bytes)
{
	(void)bytes;
	/* With a device that failed, its registrations went too. */
	if (use_any((const struct device *)arg, NULL) || cudaHostUnregister(ptr) != cudaSuccess)
		cudaGetLastError();
}

const struct lull_arena_pin_ops device_pin_ops = { pin, unpin };

bool pinned_whole(const struct device *device, struct lull_arena *arena, const void *ptr,
		  size_t bytes)
{
	const uint8_t *at = (const uint8_t *)ptr;
	size_t run;

	for (; bytes; at += run, bytes -= run)
		if (!device->opts.host->arena_pinned_run(arena, at, bytes, &run))
			return false;
	return true;
}

int pinned_take(const struct device *device, struct lull_arena *arena, size_t bytes,
		const char *what, struct pinned *ret_pinned, struct lull_error *reterr)
{
	const struct lull_backend_host *host = device->opts.host;
	struct pinned pinned = {};

	LULL_TRY(host->arena_carve(arena, bytes, 0, what, &pinned.vec, reterr));
	pinned.ptr = (uint8_t *)pinned.vec.ptr;
	if (!pinned_whole(device, arena, pinned.ptr, bytes)) {
		host->arena_retire(&pinned.vec);
		CUDA_TRY(cudaHostAlloc((void **)&pinned.ptr, bytes, cudaHostAllocDefault), reterr);
	}
	*ret_pinned = pinned;
	return LULL_OK;
}

void pinned_give(const struct device *device, struct pinned *pinned)
{
	if (pinned->vec.ptr)
		device->opts.host->arena_retire(&pinned->vec);
	else if (pinned->ptr)
		cudaFreeHost(pinned->ptr);
	*pinned = {};
}

/* Every copy to a device or from it is begun here, but for what kernels' own
 * functions leave in pinned memory. */
static int copy(struct device *device, void *to, const void *from, size_t bytes,
		enum cudaMemcpyKind kind, cudaStream_t stream, struct lull_error *reterr)
{
	bool up = kind == cudaMemcpyHostToDevice;

	CUDA_TRY(cudaMemcpyAsync(to, from, bytes, kind, stream), reterr);
	device_copied(device, up ? bytes : 0, up ? 0 : bytes);
	return LULL_OK;
}

static int copy_up(struct device *device, void *to, const void *from, size_t bytes,
		   cudaStream_t stream, struct lull_error *reterr)
{
	return copy(device, to, from, bytes, cudaMemcpyHostToDevice, stream, reterr);
}

/* A copy whose host's side begins at @host, the same as @to or @from. */
static int copy_pinned(struct device *device, struct lull_arena *arena, const void *host, void *to,
		       const void *from, size_t bytes, enum cudaMemcpyKind kind,
		       cudaStream_t stream, struct lull_error *reterr)
{
	size_t done, run;

	for (done = 0; done < bytes; done += run) {
		/* One piece at a time, or what is none of the arena's. */
		device->opts.host->arena_pinned_run(arena, (const uint8_t *)host + done,
						    bytes - done, &run);
		LULL_TRY(copy(device, (uint8_t *)to + done, (const uint8_t *)from + done, run, kind,
			      stream, reterr));
	}
	return LULL_OK;
}

int pinned_copy(struct device *device, struct lull_arena *arena, void *to, const void *from,
		size_t bytes, cudaStream_t stream, struct lull_error *reterr)
{
	return copy_pinned(device, arena, from, to, from, bytes, cudaMemcpyHostToDevice, stream,
			   reterr);
}

int pinned_fetch(struct device *device, struct lull_arena *arena, void *to, const void *from,
		 size_t bytes, cudaStream_t stream, struct lull_error *reterr)
{
	return copy_pinned(device, arena, to, to, from, bytes, cudaMemcpyDeviceToHost, stream,
			   reterr);
}

/* ---- staging ----------------------------------------------------------- */

int staging_create(struct staging *staging, struct lull_error *reterr)
{
	unsigned int i;

	*staging = {};
	for (i = 0; i < nr_staging; i++)
		CUDA_TRY(cudaHostAlloc((void **)&staging->buffers[i], staging_bytes,
				       cudaHostAllocDefault),
			 reterr);
	return events_create(staging->sent, nr_staging, false, reterr);
}

void staging_destroy(struct staging *staging)
{
	unsigned int i;

	events_destroy(staging->sent, nr_staging);
	for (i = 0; i < nr_staging; i++)
		if (staging->buffers[i])
			cudaFreeHost(staging->buffers[i]);
	*staging = {};
}

struct fill_job {
	const struct staging_fill *fill;
	uint8_t *buffer;
};

static void fill_task(void *arg, size_t task, unsigned int slot)
{
	const struct fill_job *job = (const struct fill_job *)arg;

	(void)slot;
	job->fill->task(job->fill, job->buffer, task);
}

int staging_send(struct staging *staging, struct device *device, void *to, size_t bytes,
		 const struct staging_fill *fill, struct lull_workers *workers, cudaStream_t stream,
		 struct lull_error *reterr)
{
	unsigned int i = staging->next++ % nr_staging;
	struct fill_job job = { fill, staging->buffers[i] };

	CUDA_TRY(cudaEventSynchronize(staging->sent[i]), reterr);
	if (staging->used[i] < bytes)
		staging->used[i] = bytes;
	device->opts.host->workers_run(workers, fill->nr_tasks, fill_task, &job);
	LULL_TRY(copy_up(device, to, job.buffer, bytes, stream, reterr));
	CUDA_TRY(cudaEventRecord(staging->sent[i], stream), reterr);
	return LULL_OK;
}

struct copy_fill {
	struct staging_fill fill;
	const uint8_t *from;
	size_t bytes;
};

static void copy_task(const struct staging_fill *fill, uint8_t *buffer, size_t task)
{
	const struct copy_fill *copy = (const struct copy_fill *)fill;
	size_t first = task * bytes_per_task;
	size_t left = copy->bytes - first;

	memcpy(buffer + first, copy->from + first, left < bytes_per_task ? left : bytes_per_task);
}

/* The way up of what is not registered. */
static int stage(struct staging *staging, struct device *device, void *to, const void *from,
		 size_t bytes, struct lull_workers *workers, cudaStream_t stream,
		 struct lull_error *reterr)
{
	struct copy_fill copy = { { copy_task, 0 }, (const uint8_t *)from, 0 };
	size_t done;

	for (done = 0; done < bytes; done += copy.bytes, copy.from += copy.bytes) {
		copy.bytes = bytes - done < staging_bytes ? bytes - done : staging_bytes;
		copy.fill.nr_tasks = (copy.bytes + bytes_per_task - 1) / bytes_per_task;
		LULL_TRY(staging_send(staging, device, (uint8_t *)to + done, copy.bytes, &copy.fill,
				      workers, stream, reterr));
	}
	return LULL_OK;
}

int staging_upload(struct staging *staging, struct device *device, struct lull_arena *arena,
		   void *to, const void *from, size_t bytes, struct lull_workers *workers,
		   cudaStream_t stream, struct lull_error *reterr)
{
	const uint8_t *at = (const uint8_t *)from;
	uint8_t *put = (uint8_t *)to;
	size_t run;

	for (; bytes; at += run, put += run, bytes -= run) {
		if (device->opts.host->arena_pinned_run(arena, at, bytes, &run))
			LULL_TRY(copy_up(device, put, at, run, stream, reterr));
		else
			LULL_TRY(stage(staging, device, put, at, run, workers, stream, reterr));
	}
	return LULL_OK;
}

void staging_wipe(struct staging *staging)
{
	unsigned int i;

	for (i = 0; i < nr_staging; i++) {
		explicit_bzero(staging->buffers[i], staging->used[i]);
		staging->used[i] = 0;
	}
}

} /* namespace lull */
