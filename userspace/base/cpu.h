/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.h - which optional instructions this process may use
 */
#ifndef LULL_BASE_CPU_H
#define LULL_BASE_CPU_H

#include <stdbool.h>

/* True where *_ifma* files may be called: the processor and the kernel have
 * AVX-512 F, IFMA, VL, BW, DQ and BMI2.  The environment variable
 * LULL_CPU=portable, read at the first call, makes it false everywhere, so
 * that the portable twins can be tested.  Context: any thread. */
bool lull_cpu_has_ifma(void);

#endif
