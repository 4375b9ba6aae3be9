// SPDX-License-Identifier: Apache-2.0
/*
 * harm.c - what happens to files while jobs run, and who is harmed by it
 *
 * The faults are real ones: files are cut short and written over while threads
 * of the pipeline read them or live of what they read, and disks are full.
 */
#include "sched/bed.h"
#include "denied.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define TRIES 10
#define CUT_TO 8192

/* ---- a witness is cut short -------------------------------------------- */

/* Cuts a file short and makes it whole again, over and over. */
struct cutter {
	const char *path;
	struct blob whole;
	atomic_bool stop;
};

static void *cut_and_mend(void *arg)
{
	struct cutter *cutter = arg;
	const size_t bytes = cutter->whole.bytes - CUT_TO;
	int fd = open(cutter->path, O_WRONLY | O_CLOEXEC);

	while (fd >= 0 && !atomic_load(&cutter->stop)) {
		if (ftruncate(fd, CUT_TO) ||
		    pwrite(fd, cutter->whole.data + CUT_TO, bytes, CUT_TO) !=
			    (ssize_t)bytes)
			perror(cutter->path);
		sched_yield();
	}
	close(fd);
	return NULL;
}

/* A file that is cut short when the next who opens it has been told how long it
 * is. */
static struct {
	const char *path;
	struct stat st;
	atomic_bool set;
} trap;

static void set_trap(const char *path)
{
	trap.path = path;
	EXPECT_EQ(0, stat(path, &trap.st));
	atomic_store(&trap.set, true);
}

/* The library's, too. */
int fstat(int fd, struct stat *ret_st)
{
	int err = fstatat(fd, "", ret_st, AT_EMPTY_PATH);

	if (!err && atomic_load(&trap.set) &&
	    ret_st->st_ino == trap.st.st_ino &&
	    ret_st->st_dev == trap.st.st_dev &&
	    atomic_exchange(&trap.set, false) && truncate(trap.path, CUT_TO))
		perror(trap.path);
	return err;
}

/* Whether it was cut when it was known how long it is and not all was read:
 * opened short it is another error, and whole it is none.  Twice in one tick of
 * the clock nobody notices, and zeros may stand where values did. */
static bool was_cut(const struct lull_error *error, const char *path)
{
	if (error->code == LULL_IO && strstr(error->msg, path) &&
	    strstr(error->msg, "offset"))
		return true;
	if (error->code != LULL_OK && error->code != LULL_IO &&
	    error->code != LULL_FORMAT && error->code != LULL_UNSATISFIED)
		TEST_FAIL_("\"%s\"", error->msg);
	return false;
}

static bool try_to_cut(struct bed *bed, struct lull_pipeline *pipeline,
		       const char *path)
{
	struct lull_job *other = submit(pipeline, bed, 4, NULL), *job;
	struct bed cut = *bed;
	struct lull_error error;
	bool found = false;
	unsigned int i;

	memcpy(cut.wtns, path, PATH_BYTES);
	job = submit(pipeline, &cut, NR_PARTITIONS, NULL);
	EXPECT_EQ(1, lull_job_wait(job, WAIT_MS));
	expect_all_proved(other, 4);
	for (i = 0; i < NR_PARTITIONS; i++) {
		error.code = LULL_OK;
		if (!lull_job_proof(job, i, &error))
			found |= was_cut(&error, path);
	}
	lull_job_free(job);
	lull_job_free(other);
	return found;
}

static void expect_cut(struct bed *bed, const char *path)
{
	struct cutter cutter = { .path = path, .whole = blob_read(bed->wtns) };
	struct lull_pipeline *pipeline = make_pipeline(
		bed, (struct lull_pipeline_opts){ .in_flight = 3 });
	uint64_t used = used_bytes(bed);
	pthread_t thread;
	bool cut = false;
	unsigned int i;

	blob_write(&cutter.whole, path);
	if (pthread_create(&thread, NULL, cut_and_mend, &cutter))
		abort();
	for (i = 0; i < TRIES && !cut; i++)
		cut = try_to_cut(bed, pipeline, path);
	atomic_store(&cutter.stop, true);
	pthread_join(thread, NULL);
	/* Where it was, or was not, by chance: once for sure. */
	set_trap(path);
	EXPECT_TRUE(try_to_cut(bed, pipeline, path));
	EXPECT_TRUE(!atomic_load(&trap.set));
	EXPECT_EQ(used, used_bytes(bed));
	EXPECT_EQ(0, stats_of(pipeline).host_bytes_used);
	lull_pipeline_destroy(pipeline);
	blob_free(&cutter.whole);
}

TEST(a_witness_is_cut_short_while_it_is_read)
{
	static const char *const loaders[] = { "uring", "pread", "mmap" };
	char path[PATH_BYTES];
	struct bed bed;
	size_t l;

	scratch_path(path, "cut.wtns");
	for (l = 0; l < LULL_ARRAY_SIZE(loaders); l++) {
		if (left_out(loaders[l]))
			continue;
		bed = make_bed_with("cpu", GOLDEN_CHAIN, loaders[l]);
		expect_cut(&bed, path);
		free_bed(&bed);
	}
	unlink(path);
}

/* ---- a key changes ----------------------------------------------------- */

/* Everything of the file becomes something else, and less. */
static void spoil(const char *path)
{
	uint8_t junk[CUT_TO];
	struct stat st;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	off_t at;

	ASSERT_TRUE(fd >= 0 && !fstat(fd, &st));
	memset(junk, 0x5c, sizeof(junk));
	for (at = 0; at < st.st_size; at += sizeof(junk))
		EXPECT_EQ((ssize_t)sizeof(junk),
			  pwrite(fd, junk, sizeof(junk), at));
	EXPECT_EQ(0, ftruncate(fd, CUT_TO));
	close(fd);
}

static void copy_key(const struct bed *bed, char path[PATH_BYTES],
		     const char *ending)
{
	char from[PATH_BYTES], name[32];
	struct lull_error error = { 0 };
	struct blob key;

	snprintf(name, sizeof(name), "key.%s", ending);
	scratch_path(path, name);
	golden_path(from, GOLDEN_CHAIN, "zkey");
	key = blob_read(from);
	if (!strcmp(ending, "zkey")) {
		blob_write(&key, path);
	} else if (lull_key_convert(bed->ctx, from, path, NULL, &error)) {
		TEST_FAIL_("%s", error.msg);
	}
	blob_free(&key);
}

/* While some partitions are under way and others not yet begun. */
static void expect_unharmed(struct bed *bed, const char *path)
{
	struct lull_pipeline *pipeline;
	struct lull_job *job, *next;
	struct lull_error error = { 0 };
	struct bed other = *bed;
	unsigned int i;

	if (lull_key_open(bed->ctx, path, &other.key, &error)) {
		TEST_FAIL_("%s: %s", path, error.msg);
		return;
	}
	pipeline = make_pipeline(&other,
				 (struct lull_pipeline_opts){ .in_flight = 3 });
	job = submit(pipeline, &other, NR_PARTITIONS, NULL);
	while (!status_of(job).nr_proved)
		lull_job_wait(job, 1);
	spoil(path);
	next = submit(pipeline, &other, 3, NULL);
	expect_all_proved(job, NR_PARTITIONS);
	expect_all_proved(next, 3);
	for (i = 0; i < NR_PARTITIONS; i++)
		EXPECT_EQ(LULL_OK, verify_proof(other.key,
						lull_job_proof(job, i, NULL)));
	lull_job_free(job);
	lull_job_free(next);
	lull_pipeline_destroy(pipeline);
	lull_key_close(other.key);
	/* Whoever opens it now is told. */
	EXPECT_TRUE(lull_key_open(bed->ctx, path, &other.key, &error) < 0);
	EXPECT_TRUE(strstr(error.msg, "key."));
}

TEST(a_key_changes_under_a_running_job)
{
	static const char *const loaders[] = { "uring", "pread", "mmap" };
	char path[PATH_BYTES];
	struct bed bed;
	size_t l;

	for (l = 0; l < LULL_ARRAY_SIZE(loaders); l++) {
		if (left_out(loaders[l]))
			continue;
		bed = make_bed_with("cpu", GOLDEN_CHAIN, loaders[l]);
		copy_key(&bed, path, "zkey");
		expect_unharmed(&bed, path);
		copy_key(&bed, path, "lkey");
		expect_unharmed(&bed, path);
		free_bed(&bed);
	}
}

/* ---- a disk is full ---------------------------------------------------- */

TEST(a_full_disk_harms_no_other_job)
{
	struct bed bed = make_bed("cpu", GOLDEN_CHAIN);
	struct lull_pipeline *pipeline = make_pipeline(
		&bed, (struct lull_pipeline_opts){ .in_flight = 3 });
	struct lull_job *job = submit(pipeline, &bed, 3, NULL), *next;
	struct lull_error error = { 0 };
	char path[PATH_BYTES];

	expect_all_proved(job, 3);
	next = submit(pipeline, &bed, 8, NULL);
	EXPECT_EQ(LULL_IO, lull_job_write(job, 0, 3, "/dev/full", 0, &error));
	EXPECT_EQ(ENOSPC, error.sys_errno);
	EXPECT_STREQ("/dev/full: writing: No space left on device", error.msg);
	/* Its proofs are still there, for another disk. */
	scratch_path(path, "proofs.json");
	EXPECT_EQ(LULL_OK, lull_job_write(job, 0, 3, path, 0, &error));
	expect_all_proved(next, 8);
	EXPECT_EQ(LULL_OK, lull_job_write(next, 0, 8, path, 0, &error));
	lull_job_free(job);
	lull_job_free(next);
	lull_pipeline_destroy(pipeline);
	free_bed(&bed);
}

TEST_MAIN
