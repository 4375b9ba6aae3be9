// SPDX-License-Identifier: Apache-2.0
/*
 * infile.c - maps or reads an input file; see infile.h
 */
#include "input/infile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/mem.h"

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

struct lull_infile lull_infile_of(const struct lull_instream *in)
{
	struct lull_infile file = { .bytes = in->bytes };

	memcpy(file.name, in->name, sizeof(file.name));
	return file;
}

/* Opens a file and maps it, or memory of its size. */
static int map(const char *path, int prot, bool anonymous,
	       struct lull_infile *ret_file, struct lull_error *reterr)
{
	struct lull_instream in;
	void *p;
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	p = mmap(NULL, (size_t)in.bytes, prot,
		 MAP_PRIVATE | (anonymous ? MAP_ANONYMOUS : 0),
		 anonymous ? -1 : in.fd, 0);
	if (p == MAP_FAILED) {
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: mapping %" PRIu64 " bytes", in.name,
				      in.bytes);
		lull_instream_close(&in);
		return err;
	}
	*ret_file = lull_infile_of(&in);
	ret_file->data = p;
	ret_file->mapped = true;
	ret_file->stream = in;
	return LULL_OK;
}

int lull_infile_map(const char *path, struct lull_infile *ret_file,
		    struct lull_error *reterr)
{
	return map(path, PROT_READ, false, ret_file, reterr);
}

/* Memory that may not be touched is none that a system with strict accounting
 * counts, and whoever looks at what was not asked for does not find zeros. */
int lull_infile_open_sparse(const char *path, struct lull_infile *ret_file,
			    struct lull_error *reterr)
{
	int err = map(path, PROT_NONE, true, ret_file, reterr);

	if (!err)
		ret_file->sparse = true;
	return err;
}

int lull_infile_need(const struct lull_infile *file, uint64_t offset,
		     uint64_t bytes, struct lull_error *reterr)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t before = offset % page;
	uint8_t *to = (uint8_t *)file->data + offset;

	LULL_ASSERT(offset <= file->bytes && bytes <= file->bytes - offset);
	if (!file->sparse || !bytes)
		return LULL_OK;
	if (mprotect(to - before, (size_t)(before + bytes),
		     PROT_READ | PROT_WRITE))
		return lull_fail_errno(reterr, LULL_NOMEM, errno,
				       "%s: memory for %" PRIu64 " bytes",
				       file->name, bytes);
	return lull_instream_read(&file->stream, offset, to, (size_t)bytes,
				  reterr);
}

int lull_infile_need_all(const struct lull_infile *file,
			 struct lull_error *reterr)
{
	int err = lull_infile_need(file, 0, file->bytes, reterr);

	return err ? err : lull_infile_same(file, reterr);
}

int lull_infile_same(const struct lull_infile *file, struct lull_error *reterr)
{
	return file->mapped ? lull_instream_same(&file->stream, reterr)
			    : LULL_OK;
}

/* ---- reading ----------------------------------------------------------- */

/* A file that is read in three pieces: the one in the middle lands. */
struct pieces {
	struct lull_load_file source;
	struct lull_file_extent extents[3];
};

static void add_piece(struct pieces *pieces, size_t i, uint64_t offset,
		      uint64_t end, uint8_t *data)
{
	pieces->extents[i].source = &pieces->source;
	pieces->extents[i].offset = offset;
	pieces->extents[i].bytes = end - offset;
	pieces->extents[i].to = data + offset;
}

static void cut(struct pieces *pieces, const struct lull_infile *file, int fd,
		const struct lull_file_extent *landing)
{
	const uint64_t from = landing->offset, end = from + landing->bytes;
	uint8_t *data = file->vec.ptr;

	*pieces = (struct pieces){
		.source = { fd, file->bytes + file->left_bytes, file->name },
		.extents[1] = *landing,
	};
	add_piece(pieces, 0, 0, from, data);
	add_piece(pieces, 1, from, end, data);
	add_piece(pieces, 2, end, file->bytes, data);
}

static int read_planned(const struct lull_infile *file,
			const struct lull_instream *in,
			const struct lull_infile_memory *memory,
			const struct lull_file_extent *landing,
			struct lull_error *reterr)
{
	struct pieces pieces;
	const struct lull_load load = {
		.extents = pieces.extents,
		.nr_extents = LULL_ARRAY_SIZE(pieces.extents),
		.land = landing->bytes ? memory->land : NULL,
		.arg = memory->arg,
		.secret = memory->flags & LULL_CARVE_SECRET,
		.cancel = memory->cancel,
	};

	if (!memory->reader)
		return lull_instream_read(in, 0, file->vec.ptr,
					  (size_t)file->bytes, reterr);
	cut(&pieces, file, in->fd, landing);
	return memory->reader->read(memory->reader->arg, &load, reterr);
}

/* What is read of a file, and what of that lands; neither is more than it
 * has, whatever its head tells of. */
static int make_plan(const struct lull_infile_memory *memory,
		     const struct lull_infile *head,
		     struct lull_infile_plan *ret_plan,
		     struct lull_error *reterr)
{
	struct lull_infile_plan plan = { .bytes = head->bytes };
	int err = LULL_OK;

	if (memory->plan)
		err = memory->plan(memory->arg, head, &plan, reterr);
	if (err)
		return err;
	plan.bytes = lull_min(plan.bytes, head->bytes);
	if (plan.landing.offset > plan.bytes ||
	    plan.landing.bytes > plan.bytes - plan.landing.offset)
		plan.landing = (struct lull_file_extent){ 0 };
	*ret_plan = plan;
	return LULL_OK;
}

static int read_open(const struct lull_instream *in,
		     const struct lull_infile_memory *memory,
		     const struct lull_infile_plan *plan,
		     struct lull_infile *file, struct lull_error *reterr)
{
	int err;

	file->left_bytes = file->bytes - plan->bytes;
	file->bytes = plan->bytes;
	err = lull_arena_carve(memory->arena, (size_t)file->bytes,
			       memory->flags, file->name, &file->vec, reterr);
	if (err)
		return err;
	err = read_planned(file, in, memory, &plan->landing, reterr);
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
	struct lull_infile_plan plan;
	struct lull_instream in;
	struct lull_infile file;
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	file = lull_infile_of(&in);
	err = lull_instream_read(
		&in, 0, head, (size_t)lull_min(in.bytes, sizeof(head)), reterr);
	file.data = head;
	if (!err)
		err = check(arg, &file, reterr);
	if (!err)
		err = make_plan(memory, &file, &plan, reterr);
	lull_wipe(head, sizeof(head));
	file.data = NULL;
	if (!err)
		err = read_open(&in, memory, &plan, &file, reterr);
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
	*ret_file = lull_infile_of(&in);
	ret_file->data = data;
	return LULL_OK;
}

void lull_infile_close(struct lull_infile *file)
{
	if (file->mapped) {
		lull_unmap((void *)file->data, (size_t)file->bytes);
		lull_instream_close(&file->stream);
	}
	lull_arena_retire(&file->vec);
	*file = (struct lull_infile){ 0 };
}
