/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - a device for tests: a CUDA error ends the program
 */
#ifndef LULL_SELFTESTS_CUDA_DEVICE_H
#define LULL_SELFTESTS_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static inline void device_must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static inline bool device_is_there(void)
{
	int nr = 0;

	return cudaGetDeviceCount(&nr) == cudaSuccess && nr > 0;
}

/* Poisoned memory: what is not written shows. */
static inline void *device_alloc(size_t bytes)
{
	void *p;

	device_must(cudaMalloc(&p, bytes ? bytes : 1), "cudaMalloc");
	device_must(cudaMemset(p, 0xcc, bytes), "cudaMemset");
	return p;
}

static inline void device_free(void *p)
{
	device_must(cudaFree(p), "cudaFree");
}

static inline void device_put(void *to, const void *from, size_t bytes)
{
	device_must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice),
		    "copy to the device");
}

static inline void device_get(void *to, const void *from, size_t bytes)
{
	device_must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost),
		    "copy from the device");
}

/* The launches before this ran without an error. */
static inline void device_done(void)
{
	device_must(cudaGetLastError(), "launch");
	device_must(cudaDeviceSynchronize(), "kernel");
}

#endif
