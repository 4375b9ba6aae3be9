// SPDX-License-Identifier: Apache-2.0
/*
 * devices.c - what proofs cost their devices, for a row
 */
#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"

int lull_bench_describe_devices(json_t *row,
				const struct lull_device_stats *was,
				const struct lull_device_stats *is,
				size_t nr_proofs, uint64_t wall_ns)
{
	uint64_t bytes =
		is->up_bytes - was->up_bytes + is->down_bytes - was->down_bytes;
	double whole = (double)wall_ns * (double)is->nr_devices;
	json_t *more;
	int err;

	more = json_pack(
		"{s:I, s:I, s:I, s:f}", "device_peak_bytes",
		(json_int_t)is->peak_bytes, "device_proof_bytes",
		(json_int_t)is->proof_bytes, "pcie_bytes",
		(json_int_t)(bytes / lull_max(nr_proofs, 1)), "gpu_busy",
		whole > 0 ? (double)(is->busy_ns - was->busy_ns) / whole : 0.0);
	err = !more || json_object_update(row, more);
	json_decref(more);
	return err;
}
