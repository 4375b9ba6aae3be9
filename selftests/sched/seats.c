// SPDX-License-Identifier: Apache-2.0
/*
 * seats.c - a device admits as many proofs as its plan of a key has seats
 *
 * The CPU's backend stands for a device that has a budget of bytes: a key takes
 * some, each proof at a time as much again, and LULL_STAGE_LOAD waits for a seat,
 * as cuda/seat.cu does.
 */
#include "sched/bed.h"

#include <pthread.h>
#include <sched.h>

#include "backend/set.h"
#include "base/error.h"
#include "lib.h"

#define KEY_BYTES 100u
#define SEAT_BYTES 10u
#define NR_WORKERS 4
#define NR_JOBS 3

/* The device, of which there is one. */
static struct {
	uint64_t vram_bytes;
	unsigned int nr_seats;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	unsigned int nr_taken; /* lock */
	unsigned int nr_waits; /* lock */
} device = { .lock = PTHREAD_MUTEX_INITIALIZER,
	     .freed = PTHREAD_COND_INITIALIZER };

static struct lull_backend_ops ops;
static struct lull_backend backend;

static int attach(void *handle, const struct lull_key_arrays *arrays,
		  struct lull_workers *workers, void **ret_key,
		  struct lull_error *reterr)
{
	if (device.vram_bytes < KEY_BYTES + SEAT_BYTES)
		return lull_fail(reterr, LULL_NOMEM,
				 "a device: expected %u bytes, found %llu",
				 KEY_BYTES + SEAT_BYTES,
				 (unsigned long long)device.vram_bytes);
	device.nr_seats =
		(unsigned int)((device.vram_bytes - KEY_BYTES) / SEAT_BYTES);
	return lull_backend_cpu.ops(arrays->curve)
		->key_attach(handle, arrays, workers, ret_key, reterr);
}

static void take_seat(void)
{
	pthread_mutex_lock(&device.lock);
	device.nr_waits += device.nr_taken == device.nr_seats;
	while (device.nr_taken == device.nr_seats)
		pthread_cond_wait(&device.freed, &device.lock);
	device.nr_taken++;
	pthread_mutex_unlock(&device.lock);
}

static void free_seat(void)
{
	pthread_mutex_lock(&device.lock);
	EXPECT_TRUE(device.nr_taken > 0);
	device.nr_taken--;
	pthread_cond_signal(&device.freed);
	pthread_mutex_unlock(&device.lock);
}

static int run(void *key, enum lull_stage stage,
	       const struct lull_stage_args *args, struct lull_error *reterr)
{
	int err;

	if (stage == LULL_STAGE_LOAD)
		take_seat();
	err = lull_backend_cpu.ops(LULL_CURVE_BN254)
		      ->run(key, stage, args, reterr);
	if (stage == LULL_STAGE_RETIRE)
		free_seat();
	return err;
}

static const struct lull_backend_ops *ops_of(enum lull_curve curve)
{
	ops = *lull_backend_cpu.ops(curve);
	ops.key_attach = attach;
	ops.run = run;
	return &ops;
}

/* A context whose device has so many bytes, without a key. */
static struct bed make_device(uint64_t vram_bytes)
{
	struct lull_ctx_opts opts = { .size = sizeof(opts),
				      .nr_threads = 2,
				      .backend = "cpu" };
	struct lull_error error;
	struct bed bed = { 0 };

	if (lull_ctx_create(&opts, &bed.ctx, &error)) {
		printf("Bail out! %s\n", error.msg);
		exit(1);
	}
	golden_path(bed.wtns, GOLDEN_CHAIN, "wtns");
	backend = lull_backend_cpu;
	backend.name = "device";
	backend.ops = ops_of;
	bed.ctx->set->devices[0].backend = &backend;
	device.vram_bytes = vram_bytes;
	device.nr_waits = 0;
	return bed;
}

static int open_key(struct bed *bed, struct lull_error *reterr)
{
	char path[PATH_BYTES];

	golden_path(path, GOLDEN_CHAIN, "zkey");
	return lull_key_open(bed->ctx, path, &bed->key, reterr);
}

static unsigned int nr_waits(void)
{
	unsigned int nr;

	pthread_mutex_lock(&device.lock);
	nr = device.nr_waits;
	pthread_mutex_unlock(&device.lock);
	return nr;
}

/* Proofs wait for a seat as long as there is none, all that compute, and then they
 * are proved by turns, or canceled. */
static void prove_by_turns(struct bed *bed)
{
	struct lull_pipeline *pipeline =
		make_pipeline(bed, (struct lull_pipeline_opts){
					   .workers_per_device = NR_WORKERS });
	struct lull_job *jobs[NR_JOBS];
	unsigned int i;

	for (i = 0; i < device.nr_seats; i++)
		take_seat();
	for (i = 0; i < NR_JOBS; i++)
		jobs[i] = submit(pipeline, bed, 8, NULL);
	while (nr_waits() < NR_WORKERS)
		sched_yield();
	EXPECT_EQ(0, status_of(jobs[0]).nr_proved);
	/* Those that wait have their seats, and leave none taken. */
	lull_job_cancel(jobs[0]);
	for (i = 0; i < device.nr_seats; i++)
		free_seat();
	expect_all_proved(jobs[1], 8);
	expect_all_proved(jobs[2], 8);
	for (i = 0; i < NR_JOBS; i++)
		lull_job_free(jobs[i]);
	EXPECT_EQ(0, device.nr_taken);
	EXPECT_EQ(0, stats_of(pipeline).host_bytes_used);
	lull_pipeline_destroy(pipeline);
}

TEST(proofs_wait_for_a_seat)
{
	unsigned int nr_seats;
	struct bed bed;

	for (nr_seats = 1; nr_seats <= 3; nr_seats++) {
		bed = make_device(KEY_BYTES + nr_seats * SEAT_BYTES);
		ASSERT_EQ(LULL_OK, open_key(&bed, NULL));
		EXPECT_EQ(nr_seats, device.nr_seats);
		prove_by_turns(&bed);
		free_bed(&bed);
	}
}

/* Where it is opened, and not when a job of it comes. */
TEST(a_key_without_a_seat_is_refused)
{
	struct bed bed = make_device(KEY_BYTES + SEAT_BYTES - 1);
	struct lull_error error = { 0 };

	EXPECT_EQ(LULL_NOMEM, open_key(&bed, &error));
	EXPECT_TRUE(strstr(error.msg, "expected 110 bytes, found 109"));
	lull_ctx_destroy(bed.ctx);
}

TEST_MAIN
