// SPDX-License-Identifier: Apache-2.0
/*
 * emulated_runtime.cpp - what the backend calls of CUDA, on the host
 *
 * Becomes a libcuda.so.1 for the tests in build/cuda/selftests/emulated: two
 * devices whose memory is the host's.  Streams are lists of work that nobody
 * does until somebody waits; then streams take turns at random, as far as their
 * events let them.  So a wait that is missing shows as wrong bytes, and one
 * that never ends is told.  Stricter than CUDA where CUDA leaves things open:
 * a copy may not reach over two registered pieces, nor beyond an allocation, and
 * all that a stream is given, not kernels alone, needs the stream's device to be
 * the thread's current one.
 *
 * What a call answered stays a thread's last error until somebody asks for it,
 * and a launch asks, on whichever device.  Tests refuse single calls by
 * emulated_refuse().
 *
 * A kernel launched by the driver's functions breaks its device: every call
 * answers with that error from then on, as with a real one.
 */
#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include "cuda/emulated.h"

#define NR_DEVICES 2
/* Small, so that plans are. */
#define NR_SMS 2
#define DEVICE_BYTES ((size_t)8 << 30)
#define STACK_BYTES ((size_t)400 << 20)
#define PAGE_BYTES ((size_t)4096)

struct CUevent_st {
	int device;
	uint64_t nr_recorded, nr_reached;
};

/* One piece of work; it may begin once the event was reached so often.  Of pinned
 * memory it reads what begins at from. */
struct work {
	std::function<void()> run;
	cudaEvent_t event;
	uint64_t nr_reached;
	const void *from;
};

struct CUstream_st {
	int device;
	std::deque<struct work> queue;
};

static std::mutex lock; /* guards all that follows */
static std::set<cudaStream_t> streams;
static std::map<uintptr_t, size_t> device_ranges[NR_DEVICES], pinned_ranges;
static std::set<uintptr_t> host_allocs; /* pinned ranges that are CUDA's own */
/* Which call of that name is refused, and whether all behind it are. */
struct refusal {
	unsigned int nth;
	bool ever;
};

static std::map<std::string, struct refusal> refusals;
static size_t used_bytes[NR_DEVICES], most_bytes;
static bool has_stacks[NR_DEVICES];
static uint64_t up_bytes, down_bytes; /* of both devices */
static unsigned int nr_few;
static uint64_t registered_bytes;
static bool broken[NR_DEVICES], breaking[NR_DEVICES];
static thread_local int current;
static thread_local cudaError_t last_error;

static cudaError_t answer(cudaError_t error)
{
	if (broken[current])
		error = cudaErrorIllegalAddress;
	if (error != cudaSuccess)
		last_error = error;
	return error;
}

/* The call of that name is one that a test has refused. */
static bool is_refused(const char *name)
{
	auto refusal = refusals.find(name);

	if (refusal == refusals.end() ||
	    (refusal->second.nth && --refusal->second.nth))
		return false;
	if (!refusal->second.ever)
		refusals.erase(refusal);
	return true;
}

static bool refuse(const char *name, unsigned int nth, bool ever)
{
	std::lock_guard<std::mutex> hold(lock);
	auto refusal = refusals.find(name);
	bool was = refusal != refusals.end() && refusal->second.nth;

	refusals.erase(name);
	if (nth)
		refusals[name] = { nth, ever };
	return was;
}

/* From now on the @nth call of that name fails, once; 0: none does.  Whether an
 * earlier one was still to come. */
extern "C" bool emulated_refuse(const char *name, unsigned int nth)
{
	return refuse(name, nth, false);
}

/* The same, and all calls behind it. */
extern "C" bool emulated_refuse_from(const char *name, unsigned int nth)
{
	return refuse(name, nth, true);
}

static void die(const char *what)
{
	printf("Bail out! emulated CUDA: %s\n", what);
	fflush(stdout);
	abort();
}

/* ---- streams ----------------------------------------------------------- */

static uint64_t dice(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u; /* any but 0 */

	/* xorshift64 */
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static bool can_go_on(cudaStream_t stream)
{
	const struct work *w;

	if (stream->queue.empty())
		return false;
	w = &stream->queue.front();
	return !w->event || w->event->nr_reached >= w->nr_reached;
}

/* One piece of work of any stream that can go on. */
static void step(void)
{
	std::vector<cudaStream_t> ready;
	struct work w;

	for (cudaStream_t s : streams)
		if (can_go_on(s))
			ready.push_back(s);
	if (ready.empty())
		die("every stream waits");
	cudaStream_t s = ready[dice() % ready.size()];

	w = s->queue.front();
	s->queue.pop_front();
	if (w.run && !broken[s->device])
		w.run();
}

/* What was begun on a device that broke is never done, nor waited for. */
static void drop(int device)
{
	for (cudaStream_t s : streams)
		if (s->device == device)
			s->queue.clear();
}

static cudaError_t enqueue(cudaStream_t stream, std::function<void()> run,
			   cudaEvent_t event, uint64_t nr_reached)
{
	if (!streams.count(stream))
		die("work for a stream that is none");
	if (stream->device != current)
		return answer(cudaErrorInvalidResourceHandle);
	if (!broken[stream->device])
		stream->queue.push_back({ run, event, nr_reached, NULL });
	return answer(cudaSuccess);
}

/* As kernels are: what is asked for behind a launch is the thread's last error,
 * whichever call on whichever device made it. */
cudaError_t emulated_launch(cudaStream_t stream, std::function<void()> run)
{
	std::lock_guard<std::mutex> hold(lock);

	if (is_refused("launch"))
		answer(cudaErrorMemoryAllocation);
	else
		enqueue(stream, run, NULL, 0);
	return cudaGetLastError();
}

/* For what is asked for: used_bytes has no stacks in it. */
static size_t room(void)
{
	return DEVICE_BYTES - (has_stacks[current] ? STACK_BYTES : 0);
}

/* A real one keeps them, too. */
cudaError_t emulated_takes_stacks(void)
{
	std::lock_guard<std::mutex> hold(lock);

	if (is_refused("stacks"))
		return answer(cudaErrorMemoryAllocation);
	if (has_stacks[current])
		return cudaSuccess;
	if (used_bytes[current] + STACK_BYTES > DEVICE_BYTES)
		return answer(cudaErrorMemoryAllocation);
	has_stacks[current] = true;
	return cudaSuccess;
}

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t *ret,
						 unsigned int flags)
{
	std::lock_guard<std::mutex> hold(lock);

	if (flags != cudaStreamNonBlocking)
		die("a stream that waits for the null stream");
	*ret = new CUstream_st{ current, {} };
	streams.insert(*ret);
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	std::lock_guard<std::mutex> hold(lock);

	if (!stream->queue.empty())
		die("a stream is destroyed that has work");
	streams.erase(stream);
	delete stream;
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	std::lock_guard<std::mutex> hold(lock);

	while (!stream->queue.empty())
		step();
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaDeviceSynchronize(void)
{
	std::lock_guard<std::mutex> hold(lock);

	for (cudaStream_t s : streams)
		while (s->device == current && !s->queue.empty())
			step();
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t *ret, unsigned int)
{
	*ret = new CUevent_st{ current, 0, 0 };
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaEventCreate(cudaEvent_t *ret)
{
	return cudaEventCreateWithFlags(ret, 0);
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	delete event;
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	std::lock_guard<std::mutex> hold(lock);
	uint64_t nr;

	if (stream->device != event->device || is_refused("cudaEventRecord"))
		return answer(cudaErrorInvalidResourceHandle);
	nr = ++event->nr_recorded;
	if (broken[current])
		event->nr_reached = nr;
	return enqueue(
		stream, [event, nr] { event->nr_reached = nr; }, NULL, 0);
}

extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t stream,
					   cudaEvent_t event, unsigned int)
{
	std::lock_guard<std::mutex> hold(lock);

	return enqueue(stream, NULL, event, event->nr_recorded);
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	std::lock_guard<std::mutex> hold(lock);
	uint64_t nr = event->nr_recorded;

	while (!broken[current] && event->nr_reached < nr)
		step();
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaEventElapsedTime(float *ret_ms, cudaEvent_t start,
					    cudaEvent_t stop)
{
	std::lock_guard<std::mutex> hold(lock);

	*ret_ms = 1;
	if (!start->nr_recorded || !stop->nr_recorded ||
	    start->device != stop->device)
		return answer(cudaErrorInvalidResourceHandle);
	if (start->nr_reached < start->nr_recorded ||
	    stop->nr_reached < stop->nr_recorded)
		return answer(cudaErrorNotReady);
	return answer(cudaSuccess);
}

/* ---- memory ------------------------------------------------------------ */

/* How bytes lie among ranges: in one, in none, or across an end. */
enum place { INSIDE, OUTSIDE, ACROSS };

static enum place place_of(const std::map<uintptr_t, size_t> &ranges,
			   const void *ptr, size_t bytes)
{
	uintptr_t at = (uintptr_t)ptr;
	auto next = ranges.upper_bound(at);

	if (next != ranges.begin()) {
		auto before = std::prev(next);

		if (at + bytes <= before->first + before->second)
			return INSIDE;
		if (at < before->first + before->second)
			return ACROSS;
	}
	if (next != ranges.end() && at + bytes > next->first)
		return ACROSS;
	return OUTSIDE;
}

extern "C" cudaError_t cudaMalloc(void **ret, size_t bytes)
{
	std::lock_guard<std::mutex> hold(lock);
	void *ptr;

	if (is_refused("cudaMalloc") ||
	    used_bytes[current] + bytes > room())
		return answer(cudaErrorMemoryAllocation);
	ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ptr == MAP_FAILED)
		return answer(cudaErrorMemoryAllocation);
	used_bytes[current] += bytes;
	most_bytes = std::max(most_bytes, used_bytes[current]);
	device_ranges[current][(uintptr_t)ptr] = bytes;
	*ret = ptr;
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaFree(void *ptr)
{
	std::lock_guard<std::mutex> hold(lock);

	for (int device = 0; device < NR_DEVICES; device++) {
		auto range = device_ranges[device].find((uintptr_t)ptr);

		if (range == device_ranges[device].end())
			continue;
		used_bytes[device] -= range->second;
		munmap(ptr, range->second);
		device_ranges[device].erase(range);
		return answer(cudaSuccess);
	}
	die("device memory is freed that is none");
	return cudaErrorInvalidValue;
}

extern "C" cudaError_t cudaMemGetInfo(size_t *ret_free, size_t *ret_total)
{
	*ret_total = DEVICE_BYTES;
	*ret_free = room() - used_bytes[current];
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaHostAlloc(void **ret, size_t bytes, unsigned int)
{
	std::lock_guard<std::mutex> hold(lock);

	if (answer(cudaSuccess) != cudaSuccess)
		return cudaErrorIllegalAddress;
	/* Zeros, so that what is written there shows. */
	*ret = is_refused("cudaHostAlloc") ? NULL : calloc(1, bytes);
	if (!*ret)
		return answer(cudaErrorMemoryAllocation);
	pinned_ranges[(uintptr_t)*ret] = bytes;
	host_allocs.insert((uintptr_t)*ret);
	return cudaSuccess;
}

extern "C" cudaError_t cudaFreeHost(void *ptr)
{
	std::lock_guard<std::mutex> hold(lock);

	if (!host_allocs.erase((uintptr_t)ptr) ||
	    !pinned_ranges.erase((uintptr_t)ptr))
		die("pinned memory is freed that is none");
	free(ptr);
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaHostRegister(void *ptr, size_t bytes,
					unsigned int flags)
{
	std::lock_guard<std::mutex> hold(lock);

	if (flags != cudaHostRegisterPortable)
		die("memory is registered for one device alone");
	if (place_of(pinned_ranges, ptr, bytes) != OUTSIDE)
		return answer(cudaErrorHostMemoryAlreadyRegistered);
	if (is_refused("cudaHostRegister"))
		return answer(cudaErrorMemoryAllocation);
	if (!broken[current]) {
		pinned_ranges[(uintptr_t)ptr] = bytes;
		registered_bytes += bytes;
	}
	return answer(cudaSuccess);
}

/* What is still to be copied must stay. */
extern "C" cudaError_t cudaHostUnregister(void *ptr)
{
	std::lock_guard<std::mutex> hold(lock);
	auto range = pinned_ranges.find((uintptr_t)ptr);

	if (range == pinned_ranges.end())
		return answer(cudaErrorHostMemoryNotRegistered);
	for (cudaStream_t s : streams)
		for (const struct work &w : s->queue)
			if (w.from &&
			    (uintptr_t)w.from - range->first < range->second)
				die("memory that is being copied is "
				    "unregistered");
	registered_bytes -= range->second;
	pinned_ranges.erase(range);
	return answer(cudaSuccess);
}

/* Zeros are what new pages are. */
static void clear(uint8_t *ptr, size_t bytes)
{
	uintptr_t at = (uintptr_t)ptr, end = at + bytes;
	uintptr_t first = (at + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uintptr_t last = end / PAGE_BYTES * PAGE_BYTES;

	if (first >= last) {
		memset(ptr, 0, bytes);
		return;
	}
	memset(ptr, 0, first - at);
	madvise((void *)first, last - first, MADV_DONTNEED);
	memset((void *)last, 0, end - last);
}

/* Called by the thread that asks for one, which it may keep. */
static std::atomic<void (*)(const void *to)> at_memset;

extern "C" void emulated_at_memset(void (*fn)(const void *to))
{
	at_memset = fn;
}

extern "C" cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
				       cudaStream_t stream)
{
	if (auto *fn = at_memset.load())
		fn(to);
	std::lock_guard<std::mutex> hold(lock);

	if (value || is_refused("cudaMemsetAsync") ||
	    place_of(device_ranges[current], to, bytes) != INSIDE)
		return answer(cudaErrorInvalidValue);
	return enqueue(
		stream, [=] { clear((uint8_t *)to, bytes); }, NULL, 0);
}

/* Down: into pinned memory alone, for a copy into other memory waits. */
static cudaError_t copy_down(void *to, const void *from, size_t bytes,
			     cudaStream_t stream)
{
	if (place_of(pinned_ranges, to, bytes) != INSIDE ||
	    place_of(device_ranges[current], from, bytes) != INSIDE)
		return answer(cudaErrorInvalidValue);
	if (!broken[current])
		down_bytes += bytes;
	return enqueue(
		stream, [=] { memcpy(to, from, bytes); }, NULL, 0);
}

extern "C" cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
				       enum cudaMemcpyKind kind,
				       cudaStream_t stream)
{
	std::lock_guard<std::mutex> hold(lock);
	enum place place = place_of(pinned_ranges, from, bytes);
	const uint8_t *bytes_from = (const uint8_t *)from;
	std::vector<uint8_t> now;
	cudaError_t error;

	if (kind == cudaMemcpyDeviceToHost)
		return copy_down(to, from, bytes, stream);
	if (kind != cudaMemcpyHostToDevice || place == ACROSS ||
	    place_of(device_ranges[current], to, bytes) != INSIDE)
		return answer(cudaErrorInvalidValue);
	if (!broken[current])
		up_bytes += bytes;
	if (place == INSIDE) {
		error = enqueue(
			stream, [=] { memcpy(to, from, bytes); }, NULL, 0);
		if (error == cudaSuccess)
			stream->queue.back().from = from;
		return error;
	}
	/* Memory that is not pinned is read before the call returns. */
	now.assign(bytes_from, bytes_from + bytes);
	return enqueue(
		stream, [=] { memcpy(to, now.data(), bytes); }, NULL, 0);
}

/* Its caller is some work, which has the lock. */
void emulated_copies_down(size_t bytes)
{
	down_bytes += bytes;
}

/* The same. */
void emulated_runs_few(void)
{
	nr_few++;
}

extern "C" unsigned int emulated_nr_few(void)
{
	std::lock_guard<std::mutex> hold(lock);

	return nr_few;
}

/* The most memory that a device had allocated since it was asked for last. */
extern "C" uint64_t emulated_most_bytes(void)
{
	std::lock_guard<std::mutex> hold(lock);
	uint64_t most = most_bytes;

	most_bytes = std::max(used_bytes[0], used_bytes[1]);
	return most;
}

/* What is registered now: pinned memory that is not CUDA's own. */
extern "C" uint64_t emulated_registered_bytes(void)
{
	std::lock_guard<std::mutex> hold(lock);

	return registered_bytes;
}

/* What was copied until now, for tests that find this by its name. */
extern "C" void emulated_copied(uint64_t *ret_up_bytes,
				uint64_t *ret_down_bytes)
{
	std::lock_guard<std::mutex> hold(lock);

	*ret_up_bytes = up_bytes;
	*ret_down_bytes = down_bytes;
}

/* Whether device memory holds such bytes, once all that was begun is done. */
extern "C" bool emulated_holds(const void *bytes, size_t nr)
{
	std::lock_guard<std::mutex> hold(lock);

	for (cudaStream_t s : streams)
		while (!s->queue.empty())
			step();
	for (const auto &ranges : device_ranges)
		for (const auto &range : ranges)
			if (memmem((const void *)range.first, range.second,
				   bytes, nr))
				return true;
	return false;
}

/* Bytes other than 0 in pinned memory that is CUDA's own. */
extern "C" uint64_t emulated_left_on_host(void)
{
	std::lock_guard<std::mutex> hold(lock);
	uint64_t nr = 0;

	for (uintptr_t at : host_allocs)
		for (size_t i = 0; i < pinned_ranges[at]; i++)
			nr += ((const uint8_t *)at)[i] != 0;
	return nr;
}

/* ---- devices and errors ------------------------------------------------ */

extern "C" cudaError_t cudaGetDeviceCount(int *ret)
{
	*ret = NR_DEVICES;
	return cudaSuccess;
}

extern "C" cudaError_t cudaSetDevice(int device)
{
	if (device < 0 || device >= NR_DEVICES)
		return answer(cudaErrorInvalidDevice);
	current = device;
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *ret, int)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "emulated");
	ret->major = 9;
	ret->multiProcessorCount = NR_SMS;
	return answer(cudaSuccess);
}

/* In slots that no host has; with capitals, as CUDA writes them. */
extern "C" cudaError_t cudaDeviceGetPCIBusId(char *text, int bytes, int device)
{
	if (device < 0 || device >= NR_DEVICES)
		return answer(cudaErrorInvalidDevice);
	snprintf(text, (size_t)bytes, "FFFF:A%d:00.0", device);
	return answer(cudaSuccess);
}

extern "C" cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *ret,
					     const void *)
{
	std::lock_guard<std::mutex> hold(lock);

	memset(ret, 0, sizeof(*ret));
	return answer(is_refused("cudaFuncGetAttributes") ?
			      cudaErrorNoKernelImageForDevice :
			      cudaSuccess);
}

extern "C" cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

extern "C" const char *cudaGetErrorString(cudaError_t error)
{
	switch (error) {
	case cudaErrorIllegalAddress:
		return "an illegal memory access was encountered";
	case cudaErrorMemoryAllocation:
		return "out of memory";
	case cudaErrorInvalidResourceHandle:
		return "invalid resource handle";
	default:
		return "an error that the emulation has no words for";
	}
}

extern "C" const char *cudaGetErrorName(cudaError_t error)
{
	static thread_local char name[32];

	if (error == cudaErrorIllegalAddress)
		return "cudaErrorIllegalAddress";
	snprintf(name, sizeof(name), "error %d", (int)error);
	return name;
}

/* What nvcc puts into every object, kernels or not. */
extern "C" void **__cudaRegisterFatBinary(void *)
{
	static void *handle;

	return &handle;
}

extern "C" void __cudaRegisterFatBinaryEnd(void **)
{
}

extern "C" void __cudaUnregisterFatBinary(void **)
{
}

/* ---- the driver's functions of fault.c ---------------------------------- */

static thread_local int entered;

extern "C" int cuInit(unsigned int)
{
	return 0;
}

extern "C" int cuDeviceGet(int *ret_device, int ordinal)
{
	*ret_device = ordinal;
	return 0;
}

extern "C" int cuDevicePrimaryCtxRetain(void **ret_context, int device)
{
	*ret_context = &broken[device];
	return 0;
}

extern "C" int cuCtxSetCurrent(void *context)
{
	entered = (int)((bool *)context - broken);
	return 0;
}

extern "C" int cuModuleLoadData(void **, const void *)
{
	return 0;
}

extern "C" int cuModuleGetFunction(void **, void *, const char *)
{
	return 0;
}

extern "C" int cuLaunchKernel(void *, unsigned int, unsigned int, unsigned int,
			      unsigned int, unsigned int, unsigned int,
			      unsigned int, void *, void **, void **)
{
	breaking[entered] = true;
	return 0;
}

extern "C" int cuCtxSynchronize(void)
{
	std::lock_guard<std::mutex> hold(lock);

	broken[entered] = breaking[entered];
	if (broken[entered])
		drop(entered);
	return broken[entered] ? (int)cudaErrorIllegalAddress : 0;
}
