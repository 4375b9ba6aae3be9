// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - how fast each loader reads files, cold and warm, beside the disk
 *
 * The disk's own rate is what O_DIRECT reads of the same size, as many in
 * flight, bring from the same files to buffers that are used again and again:
 * no loader is in between.  Of native keys, opening them is an arm too: until they
 * are ready to prove on the CPU.  All arms take turns in each run, so that a disk
 * which others use too is the same for all of them.  Refuses to call a file cold whose
 * pages the kernel kept, or does not tell of.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena/arena.h"
#include "arena/node.h"
#include "base/base.h"
#include "base/error.h"
#include "bench/bench.h"
#include "load/cache.h"
#include "load/loader.h"

#define DISK "disk"
#define DISK_ALIGN ((size_t)4096)
#define RATIO_ONE 1e9
/* Of a file that was dropped so much may be back: by its neighbours' readahead,
 * or by whoever looks at its head. */
#define COLD_SHARE 100
#define WARM_READ_BYTES ((size_t)1 << 20)
#define KEY "key"
#define KEY_MAGIC "lkey"
#define NR_ARMS 6

/**
 * struct arm - one way of reading, cold or warm
 * @name: of the loader, or DISK
 * @loader: NULL for DISK and KEY
 * @ctx: of KEY
 * @samples: times
 * @of_disk: the disk's time by this one's, the median of the runs; 0 when the
 *	disk had no turn
 * @verified: every cold run was seen to be cold, every warm one warm
 * @unknown: the kernel did not tell
 */
struct arm {
	const char *name;
	struct lull_loader *loader;
	struct lull_ctx *ctx;
	struct lull_loader_stats before;
	struct lull_bench_samples samples;
	double of_disk;
	bool verified, unknown;
};

/**
 * struct bench - one measurement under way
 * @opts: what was asked for
 * @arena: where files are read to
 * @sources: the files
 * @extents: whole files
 * @nr_files: how many
 * @bytes: of all
 * @all_keys: every one is a native key
 * @blocks: their memory
 * @buffers: of DISK
 * @arms: all
 * @nr_arms: how many
 */
struct bench {
	const struct lull_bench_load_opts *opts;
	struct lull_arena *arena;
	struct lull_load_file sources[LULL_BENCH_LOAD_FILES_MAX];
	struct lull_file_extent extents[LULL_BENCH_LOAD_FILES_MAX];
	struct lull_vec blocks[LULL_BENCH_LOAD_FILES_MAX];
	unsigned int nr_files;
	uint64_t bytes;
	bool all_keys;
	struct lull_vec buffers;
	struct arm arms[NR_ARMS];
	size_t nr_arms;
};

/* ---- the disk ---------------------------------------------------------- */

/* One file, a read of each buffer in flight. */
struct disk {
	struct io_uring ring;
	int fd;
	uint64_t bytes, asked;
	size_t chunk;
	uint8_t *buffers;
};

static bool ask(struct disk *disk, unsigned int buffer)
{
	struct io_uring_sqe *sqe;

	if (disk->asked >= disk->bytes)
		return false;
	sqe = io_uring_get_sqe(&disk->ring);
	/* Beyond the end a read is short; its size has to be whole. */
	io_uring_prep_read(sqe, disk->fd, disk->buffers + buffer * disk->chunk,
			   (unsigned int)disk->chunk, disk->asked);
	io_uring_sqe_set_data64(sqe, buffer);
	disk->asked += disk->chunk;
	return true;
}

static int read_disk(struct disk *disk, unsigned int depth)
{
	unsigned int in_flight = 0, i;
	struct io_uring_cqe *cqe;
	uint64_t got = 0;
	int err = 0;

	for (i = 0; i < depth; i++)
		in_flight += ask(disk, i);
	while (in_flight) {
		io_uring_submit_and_wait(&disk->ring, 1);
		while (!io_uring_peek_cqe(&disk->ring, &cqe)) {
			if (cqe->res <= 0 && !err)
				err = cqe->res ? -cqe->res : EIO;
			got += cqe->res > 0 ? (uint64_t)cqe->res : 0;
			i = (unsigned int)io_uring_cqe_get_data64(cqe);
			io_uring_cqe_seen(&disk->ring, cqe);
			in_flight--;
			if (!err)
				in_flight += ask(disk, i);
		}
	}
	return err ? err : got < disk->bytes ? EIO : 0;
}

static int run_disk(struct bench *b, struct lull_error *reterr)
{
	const unsigned int depth = b->opts->depth;
	struct disk disk = { .chunk = b->opts->chunk_bytes };
	unsigned int i;
	int err;

	disk.buffers =
		(uint8_t *)lull_align_up((uintptr_t)b->buffers.ptr, DISK_ALIGN);
	err = io_uring_queue_init(depth, &disk.ring, 0);
	if (err)
		return lull_fail_errno(reterr, LULL_UNSUPPORTED, -err,
				       "io_uring");
	for (i = 0; i < b->nr_files && !err; i++) {
		disk.fd = open(b->opts->paths[i],
			       O_RDONLY | O_DIRECT | O_CLOEXEC);
		disk.bytes = b->sources[i].bytes;
		disk.asked = 0;
		err = disk.fd < 0 ? errno : read_disk(&disk, depth);
		if (disk.fd >= 0)
			close(disk.fd);
		if (err)
			lull_fail_errno(reterr, LULL_UNSUPPORTED, err,
					"%s: O_DIRECT", b->opts->paths[i]);
	}
	io_uring_queue_exit(&disk.ring);
	return err ? LULL_UNSUPPORTED : LULL_OK;
}

/* ---- keys -------------------------------------------------------------- */

/* Adds to *ret_ns until when each was ready to prove. */
static int run_key(const struct bench *b, const struct arm *arm,
		   uint64_t *ret_ns, struct lull_error *reterr)
{
	struct lull_key *key;
	uint64_t start;
	unsigned int i;
	int err = LULL_OK;

	*ret_ns = 0;
	for (i = 0; i < b->nr_files && !err; i++) {
		start = lull_bench_now_ns();
		err = lull_key_open(arm->ctx, b->opts->paths[i], &key, reterr);
		*ret_ns += lull_bench_now_ns() - start;
		if (!err)
			lull_key_close(key);
	}
	return err;
}

/* ---- cold and warm ----------------------------------------------------- */

static void drop(const struct lull_load_file *file)
{
	fsync(file->fd);
	posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Fills the page cache: by reading to where nobody looks. */
static void fill(const struct bench *b, const struct lull_load_file *file)
{
	uint64_t at;
	ssize_t got;

	for (at = 0; at < file->bytes; at += (uint64_t)got) {
		got = pread(file->fd, b->buffers.ptr, WARM_READ_BYTES,
			    (off_t)at);
		if (got <= 0)
			break;
	}
}

/* Brings the page cache to a temperature and says whether it took it. */
static void prepare(const struct bench *b, struct arm *arm, bool cold)
{
	uint64_t cached;
	unsigned int i;

	for (i = 0; i < b->nr_files; i++) {
		const struct lull_load_file *file = &b->sources[i];

		if (cold)
			drop(file);
		else
			fill(b, file);
		if (!lull_load_cached(file->fd, 0, file->bytes, &cached))
			arm->unknown = true;
		else if (cold ? cached > file->bytes / COLD_SHARE
			      : cached < file->bytes - file->bytes / COLD_SHARE)
			arm->verified = false;
	}
}

static int run_arm(struct bench *b, struct arm *arm, bool cold, bool keep,
		   struct lull_error *reterr)
{
	const struct lull_load load = { .extents = b->extents,
					.nr_extents = b->nr_files };
	uint64_t start, ns = 0;
	int err;

	prepare(b, arm, cold);
	if (arm->loader && !arm->samples.nr)
		lull_loader_stats(arm->loader, &arm->before);
	/* An arena is registered once; here each loader has its turn. */
	if (arm->loader)
		lull_loader_register(arm->loader);
	start = lull_bench_now_ns();
	err = arm->loader ? lull_loader_read(arm->loader, &load, reterr)
	      : arm->ctx  ? run_key(b, arm, &ns, reterr)
			  : run_disk(b, reterr);
	if (!arm->ctx)
		ns = lull_bench_now_ns() - start;
	if (!err && keep)
		arm->samples.ns[arm->samples.nr++] = ns;
	if (arm->loader)
		lull_loader_unregister(arm->loader);
	return err;
}

/* ---- rows -------------------------------------------------------------- */

static double rate_of(const struct bench *b, struct arm *arm)
{
	lull_bench_sort(&arm->samples);
	return (double)b->bytes / LULL_BYTES_PER_GIB /
	       ((double)lull_bench_median(&arm->samples) / LULL_NS_PER_S);
}

static json_t *notes_of(struct lull_loader *loader)
{
	json_t *notes = json_array();
	const char *note;
	size_t i;

	for (i = 0; loader && (note = lull_loader_note(loader, i)); i++)
		json_array_append_new(notes, json_string(note));
	return notes;
}

/* Of one run: they are all alike. */
static json_t *per_run(const struct arm *arm, uint64_t is, uint64_t was)
{
	return json_integer((json_int_t)((is - was) / arm->samples.nr));
}

static int add_loader(json_t *row, struct arm *arm)
{
	const struct lull_loader_stats *was = &arm->before;
	struct lull_loader_stats is;
	char text[80];

	lull_loader_stats(arm->loader, &is);
	lull_loader_describe(arm->loader, text, sizeof(text));
	return json_object_set_new(row, "loader", json_string(text)) ||
	       json_object_set_new(
		       row, "direct_bytes",
		       per_run(arm, is.direct_bytes, was->direct_bytes)) ||
	       json_object_set_new(
		       row, "fixed_bytes",
		       per_run(arm, is.fixed_bytes, was->fixed_bytes)) ||
	       json_object_set_new(
		       row, "copied_bytes",
		       per_run(arm, is.copied_bytes, was->copied_bytes)) ||
	       json_object_set_new(row, "reads",
				   per_run(arm, is.reads, was->reads));
}

static int report(struct bench *b, struct arm *arm, bool cold,
		  struct lull_error *reterr)
{
	const double rate = rate_of(b, arm);
	json_t *row;
	char text[80];

	lull_arena_describe(b->arena, text, sizeof(text));
	row = json_pack(
		"{s:s, s:s, s:s, s:o, s:i, s:I, s:i, s:I, s:i, s:s, s:f, s:o, "
		"s:o}",
		"bench", "load", "name", arm->name, "cache",
		cold ? "cold" : "warm", "cache_verified",
		arm->unknown ? json_null() : json_boolean(arm->verified),
		"files", (int)b->nr_files, "bytes", (json_int_t)b->bytes,
		"depth", (int)b->opts->depth, "chunk_bytes",
		(json_int_t)b->opts->chunk_bytes, "threads",
		(int)b->opts->nr_threads, "arena", text, "gib_per_s", rate,
		"of_disk",
		arm->of_disk > 0 ? json_real(arm->of_disk) : json_null(),
		"notes", notes_of(arm->loader));
	if (!row || (arm->loader && add_loader(row, arm))) {
		json_decref(row);
		return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	}
	if (lull_bench_describe(row, &arm->samples, reterr)) {
		json_decref(row);
		return LULL_NOMEM;
	}
	return b->opts->row(b->opts->row_arg, row, reterr);
}

static int report_missing(struct bench *b, const char *name, bool cold,
			  const char *why, struct lull_error *reterr)
{
	json_t *row =
		json_pack("{s:s, s:s, s:s, s:s}", "bench", "load", "name", name,
			  "cache", cold ? "cold" : "warm", "skipped", why);

	if (!row)
		return lull_fail(reterr, LULL_NOMEM, "out of memory for a row");
	return b->opts->row(b->opts->row_arg, row, reterr);
}

/* ---- runs -------------------------------------------------------------- */

/* Arms beside the disk: run by run, or against its median where it had no turn,
 * as when all is warm. */
static int compare(struct bench *b, size_t first, bool cold, double *disk_rate,
		   struct lull_error *reterr)
{
	struct lull_bench_samples *disk = &b->arms[0].samples, ratios = { 0 };
	size_t i, run;

	ratios.ns = calloc(b->opts->nr_runs, sizeof(*ratios.ns));
	if (!ratios.ns)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for ratios");
	for (i = first; i < b->nr_arms; i++) {
		struct arm *arm = &b->arms[i];

		for (run = 0; cold && run < arm->samples.nr; run++)
			ratios.ns[run] =
				(uint64_t)(RATIO_ONE * (double)disk->ns[run] /
					   (double)arm->samples.ns[run]);
		ratios.nr = arm->samples.nr;
		lull_bench_sort(&ratios);
		if (cold && ratios.nr)
			arm->of_disk =
				(double)lull_bench_median(&ratios) / RATIO_ONE;
		else if (*disk_rate > 0)
			arm->of_disk = rate_of(b, arm) / *disk_rate;
	}
	if (cold)
		*disk_rate = rate_of(b, &b->arms[0]);
	free(ratios.ns);
	return LULL_OK;
}

static bool is_disk(const struct arm *arm)
{
	return !arm->loader && !arm->ctx;
}

/* Every arm once in each run.  The disk has no warm rate. */
static int measure(struct bench *b, bool cold, double *disk_rate,
		   struct lull_error *reterr)
{
	const size_t first =
		cold || !b->nr_arms || !is_disk(&b->arms[0]) ? 0 : 1;
	struct lull_error why = { 0 };
	bool no_disk = false;
	unsigned int run;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < b->nr_arms; i++) {
		b->arms[i].samples.nr = 0;
		b->arms[i].verified = true;
		b->arms[i].unknown = false;
	}
	for (run = 0; run <= b->opts->nr_runs && !err; run++)
		for (i = first; i < b->nr_arms && !err; i++) {
			if (is_disk(&b->arms[i]) && no_disk)
				continue;
			err = run_arm(b, &b->arms[i], cold, run > 0, &why);
			if (err == LULL_UNSUPPORTED && is_disk(&b->arms[i])) {
				no_disk = true;
				err = report_missing(b, DISK, cold, why.msg,
						     &why);
			}
		}
	if (err && reterr)
		*reterr = why;
	if (!err && b->nr_arms && is_disk(&b->arms[0]) && !no_disk)
		err = compare(b, first, cold, disk_rate, reterr);
	for (i = first; i < b->nr_arms && !err; i++)
		if (b->arms[i].samples.nr)
			err = report(b, &b->arms[i], cold, reterr);
	return err;
}

static int open_file(struct bench *b, const char *path,
		     struct lull_error *reterr)
{
	struct lull_load_file *file = &b->sources[b->nr_files];
	char magic[sizeof(KEY_MAGIC) - 1];
	struct stat st;
	int err;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return lull_fail_errno(reterr, LULL_IO, errno, "%.200s", path);
	b->nr_files++;
	if (fstat(file->fd, &st))
		return lull_fail_errno(reterr, LULL_IO, errno, "%.200s", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return lull_fail(reterr, LULL_USAGE,
				 "%.200s: expected a regular file that is not "
				 "empty",
				 path);
	file->bytes = (uint64_t)st.st_size;
	file->name = path;
	b->bytes += file->bytes;
	if (pread(file->fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, KEY_MAGIC, sizeof(magic)))
		b->all_keys = false;
	err = lull_arena_carve(b->arena, file->bytes, 0, path,
			       &b->blocks[b->nr_files - 1], reterr);
	if (err)
		return err;
	b->extents[b->nr_files - 1] = (struct lull_file_extent){
		.source = file,
		.bytes = file->bytes,
		.to = b->blocks[b->nr_files - 1].ptr,
	};
	return LULL_OK;
}

static int add_arm(struct bench *b, const char *name, struct lull_error *reterr)
{
	struct lull_loader_opts opts = {
		.arena = b->arena,
		.nr_threads = b->opts->nr_threads,
		.depth = b->opts->depth,
		.chunk_bytes = b->opts->chunk_bytes,
		.node = lull_arena_node_here(),
	};
	const struct lull_ctx_opts ctx_opts = {
		.size = sizeof(ctx_opts),
		.nr_threads = b->opts->nr_threads,
		.backend = "cpu",
		.arena = b->opts->arena,
	};
	struct arm *arm = &b->arms[b->nr_arms];
	int err = LULL_OK;

	arm->name = name;
	if (!strcmp(name, KEY)) {
		err = lull_ctx_create(&ctx_opts, &arm->ctx, reterr);
	} else if (strcmp(name, DISK)) {
		lull_loader_kind_find(name, &opts.kind);
		err = lull_loader_open(&opts, &arm->loader, reterr);
	}
	if (err)
		return err;
	arm->samples.ns = calloc(b->opts->nr_runs, sizeof(*arm->samples.ns));
	b->nr_arms++;
	if (!arm->samples.ns)
		return lull_fail(reterr, LULL_NOMEM,
				 "out of memory for %u runs", b->opts->nr_runs);
	return LULL_OK;
}

static int add_arms(struct bench *b, struct lull_error *reterr)
{
	static const char *const names[NR_ARMS] = { DISK,   "uring", "pread",
						    "mmap", "auto",  KEY };
	const char *only = b->opts->only;
	struct lull_error why;
	bool found = false;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < NR_ARMS && !err; i++) {
		if ((only && strcmp(only, names[i])) ||
		    (!b->all_keys && !strcmp(names[i], KEY)))
			continue;
		found = true;
		err = add_arm(b, names[i], &why);
		if (err == LULL_UNSUPPORTED)
			err = report_missing(b, names[i], true, why.msg, &why);
	}
	if (err && reterr)
		*reterr = why;
	if (!found)
		return lull_fail(reterr, LULL_USAGE,
				 "--only: expected disk, uring, pread, mmap, "
				 "auto or, where all files are native keys, "
				 "key, found '%.40s'",
				 only);
	return err;
}

static int set_up(struct bench *b, struct lull_error *reterr)
{
	unsigned int i;
	int err;

	for (i = 0; i < b->opts->nr_paths; i++) {
		err = open_file(b, b->opts->paths[i], reterr);
		if (err)
			return err;
	}
	err = lull_arena_carve(b->arena,
			       lull_max(b->opts->depth * b->opts->chunk_bytes,
					WARM_READ_BYTES) +
				       DISK_ALIGN,
			       0, "buffers", &b->buffers, reterr);
	return err ? err : add_arms(b, reterr);
}

static void take_down(struct bench *b)
{
	size_t i;

	for (i = 0; i < b->nr_arms; i++) {
		lull_loader_close(b->arms[i].loader);
		lull_ctx_destroy(b->arms[i].ctx);
		free(b->arms[i].samples.ns);
	}
	for (i = 0; i < b->nr_files; i++) {
		close(b->sources[i].fd);
		lull_arena_retire(&b->blocks[i]);
	}
	lull_arena_retire(&b->buffers);
	lull_arena_close(b->arena);
}

int lull_bench_load(const struct lull_bench_load_opts *opts,
		    struct lull_error *reterr)
{
	struct lull_arena_opts arena = { .carrier = LULL_ARENA_AUTO,
					 .node = lull_arena_node_here() };
	struct bench b = { .opts = opts, .all_keys = true };
	double disk_rate = 0;
	int err;

	if (opts->arena &&
	    !lull_arena_carrier_find(opts->arena, &arena.carrier))
		return lull_fail(reterr, LULL_USAGE,
				 "arena: no carrier '%.40s'", opts->arena);
	err = lull_arena_open(&arena, &b.arena, reterr);
	if (err)
		return err;
	err = set_up(&b, reterr);
	if (!err)
		err = measure(&b, true, &disk_rate, reterr);
	if (!err)
		err = measure(&b, false, &disk_rate, reterr);
	take_down(&b);
	return err;
}
