// SPDX-License-Identifier: Apache-2.0
/*
 * infile.c - maps or reads an input file; see infile.h
 */
#include "input/infile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/error.h"
#include "base/workers.h"

/* What one task reads: a slot of the arena, so that threads that read side by
 * side touch different ones. */
#define BYTES_PER_TASK LULL_ARENA_SLOT_BYTES

int lull_infile_fail(const char *name, uint32_t number, const char *section,
		     uint64_t offset, struct lull_error *reterr,
		     enum lull_status code, const char *fmt, va_list args)
{
	size_t len;

	if (!reterr)
		return code;
	lull_fail(reterr, code,
		  "%s: section %" PRIu32 "%s%s%s, offset 0x%" PRIx64 ": ", name,
		  number, section ? " (" : "", section ? section : "",
		  section ? ")" : "", offset);
	len = strlen(reterr->msg);
	vsnprintf(reterr->msg + len, sizeof(reterr->msg) - len, fmt, args);
	return code;
}

/* What an input and the file in memory have in common. */
static struct lull_infile file_of(const struct lull_instream *in)
{
	struct lull_infile file = { .bytes = in->bytes };

	memcpy(file.name, in->name, sizeof(file.name));
	return file;
}

int lull_infile_open(const char *path, struct lull_infile *ret_file,
		     struct lull_error *reterr)
{
	struct lull_instream in;
	struct lull_infile file;
	void *p;
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	file = file_of(&in);
	p = mmap(NULL, (size_t)file.bytes, PROT_READ, MAP_PRIVATE, in.fd, 0);
	if (p == MAP_FAILED)
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: mapping %" PRIu64 " bytes",
				      file.name, file.bytes);
	lull_instream_close(&in);
	if (err)
		return err;
	file.data = p;
	file.mapped = true;
	*ret_file = file;
	return LULL_OK;
}

/* ---- reading ----------------------------------------------------------- */

/* One file under way. */
struct reading {
	const struct lull_instream *in;
	uint8_t *to;
};

static int read_task(void *arg, size_t task, struct lull_error *reterr)
{
	const struct reading *reading = arg;
	uint64_t offset = (uint64_t)task * BYTES_PER_TASK;
	uint64_t left = reading->in->bytes - offset;

	return lull_instream_read(reading->in, offset, reading->to + offset,
				  (size_t)lull_min(left, BYTES_PER_TASK),
				  reterr);
}

static int read_open(const struct lull_instream *in,
		     const struct lull_infile_memory *memory,
		     struct lull_infile *file, struct lull_error *reterr)
{
	struct reading reading = { .in = in };
	int err;

	err = lull_arena_carve(memory->arena, (size_t)file->bytes,
			       memory->flags, file->name, &file->vec, reterr);
	if (err)
		return err;
	reading.to = file->vec.ptr;
	err = lull_workers_try(memory->workers,
			       lull_div_up(file->bytes, BYTES_PER_TASK),
			       read_task, &reading, reterr);
	if (!err)
		err = lull_instream_same(in, reterr);
	if (err)
		lull_arena_retire(&file->vec);
	else
		file->data = file->vec.ptr;
	return err;
}

int lull_infile_read(const char *path, const struct lull_infile_memory *memory,
		     int (*check)(const void *arg,
				  const struct lull_infile *head,
				  struct lull_error *reterr),
		     const void *arg, struct lull_infile *ret_file,
		     struct lull_error *reterr)
{
	uint8_t head[LULL_INFILE_HEAD_BYTES];
	struct lull_instream in;
	struct lull_infile file;
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	file = file_of(&in);
	err = lull_instream_read(
		&in, 0, head, (size_t)lull_min(in.bytes, sizeof(head)), reterr);
	file.data = head;
	if (!err)
		err = check(arg, &file, reterr);
	file.data = NULL;
	if (!err)
		err = read_open(&in, memory, &file, reterr);
	lull_instream_close(&in);
	if (err)
		return err;
	*ret_file = file;
	return LULL_OK;
}

int lull_infile_open_mem(const void *data, size_t bytes, const char *name,
			 struct lull_infile *ret_file,
			 struct lull_error *reterr)
{
	struct lull_instream in;
	int err = lull_instream_open_mem(data, bytes, name, &in, reterr);

	if (err)
		return err;
	*ret_file = file_of(&in);
	ret_file->data = data;
	return LULL_OK;
}

void lull_infile_close(struct lull_infile *file)
{
	if (file->mapped)
		munmap((void *)file->data, (size_t)file->bytes);
	lull_arena_retire(&file->vec);
	*file = (struct lull_infile){ 0 };
}
