/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated.h - kernels of the emulated devices
 *
 * emulated_runtime.cpp has the devices, emulated_curves.cpp what runs on them.
 */
#ifndef LULL_SELFTESTS_CUDA_EMULATED_H
#define LULL_SELFTESTS_CUDA_EMULATED_H

#include <functional>

#include <cuda_runtime_api.h>

/* Some work copies so many bytes from the device. */
void emulated_copies_down(size_t bytes);

/* Some work is a sum by a plan for fewer scalars than its table has points. */
void emulated_runs_few(void);

/* A kernel is launched that has much on its stack; the first one takes memory. */
cudaError_t emulated_takes_stacks(void);

/* Begins some work on a stream: done when somebody waits for it. */
cudaError_t emulated_launch(cudaStream_t stream, std::function<void()> run);

#endif
