// SPDX-License-Identifier: Apache-2.0
/*
 * made.c - a circuit, its key and witnesses, made; see made.h
 *
 * circuit.json:
 *
 *	{"shape": "porep", "curve": "BLS12-381", "log2": 16, "seed": 0,
 *	 "files": {"key.zkey": {"bytes": 1234, "xxh128": "32 digits"},
 *		   "w0.wtns": {...}}}
 *
 * It is taken away before the first file is replaced, so that it never speaks of
 * files that are others by now.
 */
#include "bench/made.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mix.h"
#include "base/trace.h"
#include "input/infile.h"
#include "input/outfile.h"

#define FOLDER_MODE 0777
#define NAMELESS_MODE 0600
#define NAMELESS_FOLDER "/var/tmp"
/* As temporary outputs are called, for where a file needs a name at first. */
#define NAMELESS_TEMPLATE "%s/.lull-XXXXXX"
#define FD_PATH "/proc/self/fd/%d"

#define DESCRIPTION "circuit.json"
#define CIRCUIT "circuit.r1cs"
#define KEY "key.zkey"
#define WITNESS "w0.wtns"
#define HASH_DIGITS (2 * LULL_HASH_BYTES + 1)

/* Those that a bench reads. */
static const char *const measured[] = { KEY, WITNESS };

static void tell(const struct lull_made_opts *opts, const char *what,
		 unsigned int nr_done, unsigned int nr_all)
{
	if (opts->progress)
		opts->progress(what, nr_done, nr_all);
}

static void begin(const struct lull_made_opts *opts, struct lull_made *made)
{
	*made = (struct lull_made)LULL_MADE_NONE;
	lull_circuit_init(opts->shape, opts->curve, opts->log2_domain,
			  opts->seed, &made->circuit);
}

json_t *lull_made_describe(const struct lull_circuit *circuit)
{
	return json_pack("{s:s, s:s, s:i, s:I}", "shape",
			 lull_circuit_shape_name(circuit->shape), "curve",
			 circuit->facts->name, "log2",
			 (int)circuit->log2_domain, "seed",
			 (json_int_t)circuit->seed);
}

/* ---- making ------------------------------------------------------------ */

/* The circuit's own numbers are those of the seed itself. */
static int write_witness(const struct lull_made *made, unsigned int number,
			 const char *path, struct lull_error *reterr)
{
	return lull_circuit_write_wtns(&made->circuit,
				       lull_mix(~made->circuit.seed, number),
				       path, reterr);
}

static int write_circuit(const struct lull_made_opts *opts,
			 struct lull_made *made, const char *path,
			 struct lull_error *reterr)
{
	tell(opts, "circuit", 0, 0);
	return lull_circuit_write_r1cs(&made->circuit, path, &made->counts,
				       reterr);
}

int lull_made_key(const struct lull_made_opts *opts, const char *circuit_path,
		  const char *key_path, struct lull_made_key *ret_key,
		  struct lull_error *reterr)
{
	struct lull_ctx *ctx = NULL;
	uint64_t start_ns;
	int err = opts->make_ctx(opts->make_ctx_arg, &ctx, reterr);

	if (err)
		return err;
	tell(opts, "key", 0, 0);
	start_ns = lull_trace_now_ns();
	err = lull_key_generate_toxic(ctx, circuit_path, key_path, reterr);
	if (!err) {
		ret_key->ns = lull_trace_now_ns() - start_ns;
		snprintf(ret_key->backend, sizeof(ret_key->backend), "%s",
			 lull_ctx_backend(ctx));
	}
	lull_ctx_destroy(ctx);
	return err;
}

/* ---- in a folder ------------------------------------------------------- */

static int name_in(const char *folder, const char *name,
		   char path[LULL_MADE_PATH_BYTES], struct lull_error *reterr)
{
	int nr = snprintf(path, LULL_MADE_PATH_BYTES, "%s/%s", folder, name);

	return nr < LULL_MADE_PATH_BYTES
		       ? LULL_OK
		       : lull_fail(reterr, LULL_USAGE,
				   "%.40s...: the path is longer than a path "
				   "may be",
				   folder);
}

static int name_measured(struct lull_made *made, const char *folder,
			 struct lull_error *reterr)
{
	int err = name_in(folder, KEY, made->key_path, reterr);

	return err ? err : name_in(folder, WITNESS, made->wtns_path, reterr);
}

static int write_witnesses(const struct lull_made_opts *opts,
			   const struct lull_made *made, const char *folder,
			   struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES], name[LULL_MADE_NAME_BYTES];
	unsigned int i;
	int err = LULL_OK;

	for (i = 0; i < opts->nr_witnesses && !err; i++) {
		tell(opts, "witnesses", i, opts->nr_witnesses);
		snprintf(name, sizeof(name), "w%u.wtns", i);
		err = name_in(folder, name, path, reterr);
		if (!err)
			err = write_witness(made, i, path, reterr);
	}
	return err;
}

static int hash_file(const char *path, uint64_t *ret_bytes,
		     char ret_digits[HASH_DIGITS], struct lull_error *reterr)
{
	uint8_t hash[LULL_HASH_BYTES];
	struct lull_infile file;
	size_t i;
	int err = lull_infile_open(path, &file, reterr);

	if (err)
		return err;
	lull_hash(file.data, (size_t)file.bytes, hash);
	*ret_bytes = file.bytes;
	lull_infile_close(&file);
	for (i = 0; i < sizeof(hash); i++)
		snprintf(ret_digits + 2 * i, 3, "%02x", hash[i]);
	return LULL_OK;
}

/* {"key.zkey": {...}, ...} */
static int describe_files(const struct lull_made *made, json_t **ret_files,
			  struct lull_error *reterr)
{
	const char *const paths[] = { made->key_path, made->wtns_path };
	json_t *files = json_object();
	char digits[HASH_DIGITS];
	uint64_t bytes = 0;
	size_t i;
	int err = LULL_OK;

	for (i = 0; i < LULL_ARRAY_SIZE(measured) && !err; i++) {
		err = hash_file(paths[i], &bytes, digits, reterr);
		if (!err)
			json_object_set_new(files, measured[i],
					    json_pack("{s:I, s:s}", "bytes",
						      (json_int_t)bytes,
						      "xxh128", digits));
	}
	if (err)
		json_decref(files);
	else
		*ret_files = files;
	return err;
}

static int write_json(const json_t *object, const char *path,
		      struct lull_error *reterr)
{
	struct lull_outfile out = LULL_OUTFILE_EMPTY;
	char *text = json_dumps(object, JSON_INDENT(1));
	int err;

	if (!text)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = lull_outfile_open(path, 0, &out, reterr);
	if (!err)
		err = lull_outfile_write(&out, text, strlen(text), reterr);
	if (!err)
		err = lull_outfile_commit(&out, 1, reterr);
	lull_outfile_discard(&out);
	free(text);
	return err;
}

static int write_description(const struct lull_made *made, const char *path,
			     struct lull_error *reterr)
{
	json_t *object, *files = NULL;
	int err = describe_files(made, &files, reterr);

	if (err)
		return err;
	object = lull_made_describe(&made->circuit);
	err = object && !json_object_set(object, "files", files)
		      ? write_json(object, path, reterr)
		      : lull_fail(reterr, LULL_NOMEM, "out of memory");
	json_decref(files);
	json_decref(object);
	return err;
}

int lull_made_folder(const struct lull_made_opts *opts, const char *folder,
		     struct lull_made *ret_made, struct lull_error *reterr)
{
	char circuit[LULL_MADE_PATH_BYTES], description[LULL_MADE_PATH_BYTES];
	int err;

	begin(opts, ret_made);
	err = name_measured(ret_made, folder, reterr);
	if (!err)
		err = name_in(folder, CIRCUIT, circuit, reterr);
	if (!err)
		err = name_in(folder, DESCRIPTION, description, reterr);
	if (err)
		return err;
	if ((mkdir(folder, FOLDER_MODE) && errno != EEXIST) ||
	    (unlink(description) && errno != ENOENT))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", folder);
	err = write_circuit(opts, ret_made, circuit, reterr);
	if (!err)
		err = write_witnesses(opts, ret_made, folder, reterr);
	if (!err)
		err = lull_made_key(opts, circuit, ret_made->key_path,
				    &ret_made->key, reterr);
	return err ? err : write_description(ret_made, description, reterr);
}

/* ---- from a folder ----------------------------------------------------- */

/* One member of circuit.json against what is wanted. */
static int compare(const json_t *is, const json_t *want, const char *member,
		   const char *path, struct lull_error *reterr)
{
	const json_t *a = json_object_get(want, member);
	const json_t *b = json_object_get(is, member);
	char *expected, *found;
	int err;

	if (json_equal(a, b))
		return LULL_OK;
	expected = json_dumps(a, JSON_ENCODE_ANY);
	found = json_dumps(b, JSON_ENCODE_ANY);
	err = lull_fail(reterr, LULL_MISMATCH,
			"%s: %s: expected %.80s, found %.80s", path, member,
			expected ? expected : "nothing",
			found ? found : "nothing");
	free(expected);
	free(found);
	return err;
}

static int compare_circuit(const json_t *is, const struct lull_made *made,
			   const char *path, struct lull_error *reterr)
{
	json_t *want = lull_made_describe(&made->circuit);
	const char *member;
	json_t *value;
	int err = LULL_OK;

	if (!want)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	json_object_foreach(want, member, value) if (!err) err =
		compare(is, want, member, path, reterr);
	json_decref(want);
	return err;
}

/* Whether the files are those that were described. */
static int compare_files(const json_t *is, const struct lull_made *made,
			 const char *path, struct lull_error *reterr)
{
	json_t *files = NULL, *were = json_object_get(is, "files");
	size_t i;
	int err = describe_files(made, &files, reterr);

	for (i = 0; i < LULL_ARRAY_SIZE(measured) && !err; i++)
		err = compare(files, were, measured[i], path, reterr);
	json_decref(files);
	return err;
}

int lull_made_keep(const struct lull_made_opts *opts, const char *folder,
		   struct lull_made *ret_made, struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES];
	json_error_t why;
	json_t *is;
	int err = name_in(folder, DESCRIPTION, path, reterr);

	if (err)
		return err;
	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR))
		return lull_made_folder(opts, folder, ret_made, reterr);
	tell(opts, "files", 0, 0);
	is = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!is)
		return lull_fail(reterr, LULL_FORMAT, "%s: line %d: %.100s",
				 path, why.line, why.text);
	begin(opts, ret_made);
	ret_made->found = true;
	err = name_measured(ret_made, folder, reterr);
	if (!err)
		err = compare_circuit(is, ret_made, path, reterr);
	if (!err)
		err = compare_files(is, ret_made, path, reterr);
	json_decref(is);
	return err;
}

/* ---- without names ----------------------------------------------------- */

static int open_named(const char *folder, struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES];
	int fd = -1, err = ENAMETOOLONG;

	if (strlen(folder) + sizeof(NAMELESS_TEMPLATE) <= sizeof(path)) {
		snprintf(path, sizeof(path), NAMELESS_TEMPLATE, folder);
		fd = mkostemp(path, O_CLOEXEC);
		err = errno;
	}
	if (fd >= 0)
		unlink(path);
	else
		lull_fail_errno(reterr, LULL_IO, err, "%s: a scratch file",
				folder);
	return fd;
}

/* A file that no folder has; -1 and why. */
static int open_nameless(struct lull_error *reterr)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (!folder || !*folder)
		folder = NAMELESS_FOLDER;
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, NAMELESS_MODE);
	/* Not every file system can. */
	return fd < 0 ? open_named(folder, reterr) : fd;
}

static int make_nameless(const struct lull_made_opts *opts, int circuit_fd,
			 struct lull_made *made, struct lull_error *reterr)
{
	char circuit[LULL_MADE_PATH_BYTES];
	int err;

	snprintf(circuit, sizeof(circuit), FD_PATH, circuit_fd);
	snprintf(made->key_path, sizeof(made->key_path), FD_PATH, made->fds[0]);
	snprintf(made->wtns_path, sizeof(made->wtns_path), FD_PATH,
		 made->fds[1]);
	err = write_circuit(opts, made, circuit, reterr);
	if (!err)
		err = write_witness(made, 0, made->wtns_path, reterr);
	return err ? err
		   : lull_made_key(opts, circuit, made->key_path, &made->key,
				   reterr);
}

int lull_made_nameless(const struct lull_made_opts *opts,
		       struct lull_made *ret_made, struct lull_error *reterr)
{
	struct lull_made made;
	int circuit, err = LULL_OK;
	size_t i;

	begin(opts, &made);
	circuit = open_nameless(reterr);
	if (circuit < 0)
		return LULL_IO;
	for (i = 0; i < LULL_ARRAY_SIZE(made.fds) && !err; i++) {
		made.fds[i] = open_nameless(reterr);
		err = made.fds[i] < 0 ? LULL_IO : LULL_OK;
	}
	if (!err)
		err = make_nameless(opts, circuit, &made, reterr);
	/* Nobody measures it: its room is free again. */
	close(circuit);
	if (err)
		lull_made_end(&made);
	else
		*ret_made = made;
	return err;
}

void lull_made_end(struct lull_made *made)
{
	size_t i;

	for (i = 0; i < LULL_ARRAY_SIZE(made->fds); i++)
		if (made->fds[i] >= 0)
			close(made->fds[i]);
	*made = (struct lull_made)LULL_MADE_NONE;
}
