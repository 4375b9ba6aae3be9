// SPDX-License-Identifier: Apache-2.0
/*
 * keyfile.c - opens a proving key by its magic; see keyfile.h
 *
 * What is no .lkey is left to the parser of .zkey, which names what it found.
 */
#include "input/keyfile.h"

#include "base/base.h"

#define MAGIC_BYTES 4

static int is_native(const char *path, bool *ret_native,
		     struct lull_error *reterr)
{
	struct lull_instream in;
	uint8_t magic[MAGIC_BYTES];
	size_t bytes;
	int err;

	err = lull_instream_open(path, &in, reterr);
	if (err)
		return err;
	bytes = (size_t)lull_min(in.bytes, sizeof(magic));
	err = lull_instream_read(&in, 0, magic, bytes, reterr);
	lull_instream_close(&in);
	*ret_native = !err && lull_lkey_is(magic, bytes);
	return err;
}

int lull_keyfile_open(const char *path, const struct lull_infile_memory *memory,
		      struct lull_keyfile *ret_file, struct lull_error *reterr)
{
	struct lull_keyfile file = { 0 };
	bool native;
	int err;

	err = is_native(path, &native, reterr);
	if (err)
		return err;
	if (native) {
		err = lull_lkey_open(path, memory, &file.lkey, reterr);
		file.parts = file.lkey.parts;
	} else {
		err = lull_zkey_open(path, LULL_ZKEY_DEFER_COEFS, memory,
				     &file.zkey, reterr);
		if (!err)
			lull_zkey_parts(&file.zkey, &file.parts);
	}
	if (!err)
		*ret_file = file;
	return err;
}

int lull_keyfile_open_mem(const void *data, size_t bytes, const char *name,
			  const struct lull_look *look,
			  struct lull_workers *workers,
			  struct lull_keyfile *ret_file,
			  struct lull_error *reterr)
{
	struct lull_keyfile file = { 0 };
	int err;

	if (lull_lkey_is(data, bytes)) {
		err = lull_lkey_open_mem(data, bytes, name, look, workers,
					 &file.lkey, reterr);
		file.parts = file.lkey.parts;
	} else {
		err = lull_zkey_open_mem(data, bytes, name,
					 LULL_ZKEY_DEFER_COEFS, &file.zkey,
					 reterr);
		if (!err)
			lull_zkey_parts(&file.zkey, &file.parts);
	}
	if (!err)
		*ret_file = file;
	return err;
}

void lull_keyfile_close(struct lull_keyfile *file)
{
	lull_zkey_close(&file->zkey);
	lull_lkey_close(&file->lkey);
	*file = (struct lull_keyfile){ 0 };
}
