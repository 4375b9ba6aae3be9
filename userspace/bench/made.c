// SPDX-License-Identifier: Apache-2.0
/*
 * made.c - a circuit, its key and witnesses, made; see made.h
 *
 * circuit.json:
 *
 *	{"shape": "porep", "curve": "BLS12-381", "log2": 16, "seed": 0,
 *	 "files": {"key.lkey": {"bytes": 1234, "xxh128": "32 digits"},
 *		   "w0.wtns": {...}}}
 *
 * The hash of a .lkey is that of its head.  The description is taken away before
 * the first file is replaced, so that it never speaks of files that are others by
 * now.
 */
#include "bench/made.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mix.h"
#include "base/trace.h"
#include "base/workers.h"
#include "input/infile.h"
#include "input/lkey.h"
#include "input/outfile.h"

#define FOLDER_MODE 0777
#define NAMELESS_MODE 0600
#define NAMELESS_FOLDER "/var/tmp"
/* As temporary outputs are called, for where a file needs a name at first. */
#define NAMELESS_TEMPLATE "%s/.lull-XXXXXX"
#define FD_PATH "/proc/self/fd/%d"

#define DESCRIPTION "circuit.json"
#define CIRCUIT "circuit.r1cs"
#define ZKEY "key.zkey"
#define LKEY "key.lkey"
#define WITNESS "w%u.wtns"
#define HASH_DIGITS (2 * LULL_HASH_BYTES + 1)

static const struct {
	const char *name;
	unsigned int file;
} file_names[] = {
	{ "r1cs", LULL_MADE_R1CS },
	{ "zkey", LULL_MADE_ZKEY },
	{ "lkey", LULL_MADE_LKEY },
	{ "wtns", LULL_MADE_WTNS },
};

int lull_made_files_of(const char *text, unsigned int *ret_files,
		       struct lull_error *reterr)
{
	const unsigned int keys = LULL_MADE_ZKEY | LULL_MADE_LKEY;
	unsigned int files = 0, i;
	const char *p = text;
	size_t len;

	do {
		len = strcspn(p, ",");
		for (i = 0; i < LULL_ARRAY_SIZE(file_names); i++)
			if (strlen(file_names[i].name) == len &&
			    !strncmp(file_names[i].name, p, len))
				break;
		if (i == LULL_ARRAY_SIZE(file_names))
			return lull_fail(reterr, LULL_USAGE,
					 "--files: expected r1cs, zkey, lkey "
					 "or wtns, with commas between, found "
					 "'%.40s'",
					 text);
		files |= file_names[i].file;
		p += len;
	} while (*p++);
	if ((files & keys) == keys)
		return lull_fail(reterr, LULL_USAGE,
				 "--files: expected zkey or lkey, found both: "
				 "each would be another key");
	*ret_files = files;
	return LULL_OK;
}

static void tell(const struct lull_made_opts *opts, const char *what,
		 unsigned int nr_done, unsigned int nr_all)
{
	if (opts->progress)
		opts->progress(what, nr_done, nr_all);
}

static void begin(const struct lull_made_opts *opts, struct lull_made *made)
{
	*made = (struct lull_made){ 0 };
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

/* ---- making ------------------------------------------------------------ */

/* The circuit's own numbers are those of the seed itself. */
static int write_witness(void *arg, size_t number, struct lull_error *reterr)
{
	const struct lull_made *made = arg;

	return lull_circuit_write_wtns(&made->circuit,
				       lull_mix(~made->circuit.seed, number),
				       made->wtns_paths[number], reterr);
}

/* One thread makes a witness: several are made at once. */
static int write_witnesses(const struct lull_made_opts *opts,
			   struct lull_made *made, struct lull_error *reterr)
{
	uint64_t start_ns = lull_trace_now_ns();
	struct lull_workers *workers;
	unsigned int nr_threads =
		(unsigned int)lull_min(opts->nr_threads, made->nr_witnesses);
	int err;

	if (!made->nr_witnesses)
		return LULL_OK;
	tell(opts, "witnesses", 0, 0);
	err = lull_workers_create(nr_threads, &workers, reterr);
	if (err)
		return err;
	err = lull_workers_try(workers, made->nr_witnesses, write_witness, made,
			       reterr);
	lull_workers_destroy(workers);
	made->wtns_ns = lull_trace_now_ns() - start_ns;
	return err;
}

static int write_circuit(const struct lull_made_opts *opts,
			 struct lull_made *made, const char *path,
			 struct lull_error *reterr)
{
	tell(opts, "circuit", 0, 0);
	return lull_circuit_write_r1cs(&made->circuit, path, &made->counts,
				       reterr);
}

/* Of a .lkey the rows come from here, and not from a file. */
static int write_lkey(struct lull_made *made, struct lull_ctx *ctx,
		      struct lull_error *reterr)
{
	const struct lull_circuit *c = &made->circuit;
	const struct lull_toxic_opts toxic = {
		.size = sizeof(toxic),
		.fold_c = 1,
		/* Wires: the constant one, inputs, and at most one a row. */
		.beside_bytes = made->nr_witnesses *
				((uint64_t)1 + c->nr_inputs + c->nr_rows) *
				LULL_FR_BYTES,
	};

	return lull_circuit_write_lkey(c, ctx, made->key_path, &toxic,
				       &made->counts, reterr);
}

/* From the circuit's file or, where @circuit_path is NULL, as a .lkey. */
static int make_key(const struct lull_made_opts *opts, struct lull_made *made,
		    const char *circuit_path, const char *key_path,
		    struct lull_made_key *ret_key, struct lull_error *reterr)
{
	struct lull_ctx *ctx = NULL;
	uint64_t start_ns;
	int err = opts->make_ctx(opts->make_ctx_arg, &ctx, reterr);

	if (err)
		return err;
	tell(opts, "key", 0, 0);
	start_ns = lull_trace_now_ns();
	err = circuit_path ? lull_key_generate_toxic(ctx, circuit_path,
						     key_path, reterr)
			   : write_lkey(made, ctx, reterr);
	if (!err) {
		ret_key->ns = lull_trace_now_ns() - start_ns;
		snprintf(ret_key->backend, sizeof(ret_key->backend), "%s",
			 lull_ctx_backend(ctx));
	}
	lull_ctx_destroy(ctx);
	return err;
}

int lull_made_key(const struct lull_made_opts *opts, const char *circuit_path,
		  const char *key_path, struct lull_made_key *ret_key,
		  struct lull_error *reterr)
{
	return make_key(opts, NULL, circuit_path, key_path, ret_key, reterr);
}

/* To paths that are settled; @circuit_path is NULL where no file needs it. */
static int make_all(const struct lull_made_opts *opts, struct lull_made *made,
		    const char *circuit_path, struct lull_error *reterr)
{
	int err = LULL_OK;

	if (circuit_path)
		err = write_circuit(opts, made, circuit_path, reterr);
	if (!err && opts->files & (LULL_MADE_ZKEY | LULL_MADE_LKEY))
		err = make_key(opts, made,
			       opts->files & LULL_MADE_ZKEY ? circuit_path
							    : NULL,
			       made->key_path, &made->key, reterr);
	return err ? err : write_witnesses(opts, made, reterr);
}

static int add_witness(struct lull_made *made, const char *path,
		       struct lull_error *reterr)
{
	made->wtns_paths[made->nr_witnesses] = strdup(path);
	if (!made->wtns_paths[made->nr_witnesses])
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	made->nr_witnesses++;
	return LULL_OK;
}

/* Room for the paths of witnesses, where some are wanted. */
static int begin_witnesses(const struct lull_made_opts *opts,
			   struct lull_made *made, unsigned int *ret_nr,
			   struct lull_error *reterr)
{
	*ret_nr = opts->files & LULL_MADE_WTNS ? opts->nr_witnesses : 0;
	made->wtns_paths =
		calloc(*ret_nr + (size_t)1, sizeof(*made->wtns_paths));
	return made->wtns_paths
		       ? LULL_OK
		       : lull_fail(reterr, LULL_NOMEM,
				   "out of memory for %u witnesses", *ret_nr);
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

bool lull_made_name(const char *folder, unsigned int index,
		    char path[LULL_MADE_PATH_BYTES])
{
	static const char *const names[] = { DESCRIPTION, CIRCUIT, ZKEY, LKEY };
	char name[LULL_MADE_NAME_BYTES];

	_Static_assert(LULL_ARRAY_SIZE(names) == LULL_MADE_FIRST_WTNS,
		       "witnesses are behind all others");
	if (index < LULL_MADE_FIRST_WTNS)
		return !name_in(folder, names[index], path, NULL);
	snprintf(name, sizeof(name), WITNESS, index - LULL_MADE_FIRST_WTNS);
	return !name_in(folder, name, path, NULL);
}

/* The key and the witnesses, where they are wanted. */
static int name_files(const struct lull_made_opts *opts, struct lull_made *made,
		      const char *folder, struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES], name[LULL_MADE_NAME_BYTES];
	unsigned int nr, i;
	int err = begin_witnesses(opts, made, &nr, reterr);

	if (!err && opts->files & (LULL_MADE_ZKEY | LULL_MADE_LKEY))
		err = name_in(folder,
			      opts->files & LULL_MADE_ZKEY ? ZKEY : LKEY,
			      made->key_path, reterr);
	for (i = 0; i < nr && !err; i++) {
		snprintf(name, sizeof(name), WITNESS, i);
		err = name_in(folder, name, path, reterr);
		if (!err)
			err = add_witness(made, path, reterr);
	}
	return err;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* A .lkey's head has the hashes of the rest. */
static size_t hashed_bytes(const char *path, uint64_t bytes)
{
	return (size_t)(strcmp(name_of(path), LKEY)
				? bytes
				: lull_min(bytes, LULL_LKEY_HEAD_BYTES));
}

/* The key, then witnesses; NULL behind the last. */
static const char *measured(const struct lull_made *made, size_t i)
{
	if (made->key_path[0] && !i--)
		return made->key_path;
	return i < made->nr_witnesses ? made->wtns_paths[i] : NULL;
}

/* A file by its size and its hash. */
struct described {
	uint64_t bytes;
	char digits[HASH_DIGITS];
};

/* What the tasks that hash files share: one each. */
struct describing {
	const struct lull_made *made;
	struct described *files;
};

static int describe_file(void *arg, size_t i, struct lull_error *reterr)
{
	const struct describing *d = arg;
	const char *path = measured(d->made, i);
	uint8_t hash[LULL_HASH_BYTES];
	struct lull_infile file;
	size_t k;
	int err = lull_infile_map(path, &file, reterr);

	if (err)
		return err;
	lull_hash(file.data, hashed_bytes(path, file.bytes), hash);
	for (k = 0; k < sizeof(hash); k++)
		snprintf(d->files[i].digits + 2 * k, 3, "%02x", hash[k]);
	d->files[i].bytes = file.bytes;
	lull_infile_close(&file);
	return LULL_OK;
}

static int hash_files(struct describing *d, size_t nr, unsigned int nr_threads,
		      struct lull_error *reterr)
{
	struct lull_workers *workers;
	int err;

	d->files = calloc(nr + 1, sizeof(*d->files));
	if (!d->files)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = lull_workers_create((unsigned int)lull_min(nr_threads, nr + 1),
				  &workers, reterr);
	if (err)
		return err;
	err = lull_workers_try(workers, nr, describe_file, d, reterr);
	lull_workers_destroy(workers);
	return err;
}

/* {"key.lkey": {"bytes": 1234, "xxh128": "32 digits"}, ...} */
static int describe_files(const struct lull_made *made, unsigned int nr_threads,
			  json_t **ret_files, struct lull_error *reterr)
{
	struct describing d = { .made = made };
	json_t *files = json_object();
	size_t nr = 0, i;
	int err;

	while (measured(made, nr))
		nr++;
	err = hash_files(&d, nr, nr_threads, reterr);
	for (i = 0; i < nr && !err; i++)
		if (json_object_set_new(files, name_of(measured(made, i)),
					json_pack("{s:I, s:s}", "bytes",
						  (json_int_t)d.files[i].bytes,
						  "xxh128", d.files[i].digits)))
			err = lull_fail(reterr, LULL_NOMEM, "out of memory");
	free(d.files);
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

static int write_description(const struct lull_made_opts *opts,
			     const struct lull_made *made, const char *path,
			     struct lull_error *reterr)
{
	json_t *object, *files = NULL;
	int err = describe_files(made, opts->nr_threads, &files, reterr);

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

/* Nothing in the folder speaks of files that are being replaced. */
static int begin_folder(const char *folder, const char *description,
			struct lull_error *reterr)
{
	if ((mkdir(folder, FOLDER_MODE) && errno != EEXIST) ||
	    (unlink(description) && errno != ENOENT))
		return lull_fail_errno(reterr, LULL_IO, errno, "%s", folder);
	return LULL_OK;
}

/* The path of the circuit's file in a folder, or of one without a name where a
 * key needs it that is to stand alone; empty where none does. */
static int place_circuit(const struct lull_made_opts *opts, const char *folder,
			 char path[LULL_MADE_PATH_BYTES], int *ret_fd,
			 struct lull_error *reterr)
{
	path[0] = '\0';
	*ret_fd = -1;
	if (folder && opts->files & LULL_MADE_R1CS)
		return name_in(folder, CIRCUIT, path, reterr);
	if (!(opts->files & LULL_MADE_ZKEY))
		return LULL_OK;
	*ret_fd = open_nameless(reterr);
	snprintf(path, LULL_MADE_PATH_BYTES, FD_PATH, *ret_fd);
	return *ret_fd < 0 ? LULL_IO : LULL_OK;
}

static int make_placed(const struct lull_made_opts *opts, const char *folder,
		       struct lull_made *made, struct lull_error *reterr)
{
	char circuit[LULL_MADE_PATH_BYTES];
	int fd, err = place_circuit(opts, folder, circuit, &fd, reterr);

	if (!err)
		err = make_all(opts, made, circuit[0] ? circuit : NULL, reterr);
	/* Nobody measures it: its room is free again. */
	if (fd >= 0)
		close(fd);
	return err;
}

int lull_made_folder(const struct lull_made_opts *opts, const char *folder,
		     struct lull_made *ret_made, struct lull_error *reterr)
{
	char description[LULL_MADE_PATH_BYTES];
	int err;

	begin(opts, ret_made);
	err = name_files(opts, ret_made, folder, reterr);
	if (!err)
		err = name_in(folder, DESCRIPTION, description, reterr);
	if (!err)
		err = begin_folder(folder, description, reterr);
	if (!err)
		err = make_placed(opts, folder, ret_made, reterr);
	return err ? err
		   : write_description(opts, ret_made, description, reterr);
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
static int compare_files(const struct lull_made_opts *opts, const json_t *is,
			 const struct lull_made *made, const char *path,
			 struct lull_error *reterr)
{
	json_t *files = NULL, *were = json_object_get(is, "files");
	const char *file;
	size_t i;
	int err = LULL_OK;

	/* One that was never there is told as that. */
	for (i = 0; !err && (file = measured(made, i)); i++)
		if (!json_object_get(were, name_of(file)))
			err = lull_fail(reterr, LULL_MISMATCH,
					"%s: files: expected %s, found none: "
					"make them in another folder",
					path, name_of(file));
	if (!err)
		err = describe_files(made, opts->nr_threads, &files, reterr);
	for (i = 0; !err && (file = measured(made, i)); i++)
		err = compare(files, were, name_of(file), path, reterr);
	json_decref(files);
	return err;
}

/* The key that a folder has is taken, whichever its format. */
static void take_format(struct lull_made_opts *opts, const json_t *is)
{
	const json_t *files = json_object_get(is, "files");
	const bool has_lkey = json_object_get(files, LKEY);

	if (has_lkey || !json_object_get(files, ZKEY))
		return;
	opts->files &= ~(unsigned int)LULL_MADE_LKEY;
	opts->files |= LULL_MADE_ZKEY;
}

static int find(const struct lull_made_opts *opts, const char *folder,
		const json_t *is, const char *path, struct lull_made *made,
		struct lull_error *reterr)
{
	struct lull_made_opts of_folder = *opts;
	int err;

	take_format(&of_folder, is);
	begin(opts, made);
	made->found = true;
	err = name_files(&of_folder, made, folder, reterr);
	if (!err)
		err = compare_circuit(is, made, path, reterr);
	return err ? err : compare_files(opts, is, made, path, reterr);
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
	err = find(opts, folder, is, path, ret_made, reterr);
	json_decref(is);
	return err;
}

/* ---- without names ----------------------------------------------------- */

/* Bounded by memory alone, which a mounted tmpfs need not be. */
static int open_in_memory(struct lull_error *reterr)
{
	int fd = memfd_create("lull-key", MFD_CLOEXEC);

	if (fd < 0)
		lull_fail_errno(reterr, LULL_IO, errno, "a file in memory");
	return fd;
}

static int add_nameless(struct lull_made *made, bool in_memory, char *path,
			struct lull_error *reterr)
{
	int fd = in_memory ? open_in_memory(reterr) : open_nameless(reterr);

	if (fd < 0)
		return LULL_IO;
	made->fds[made->nr_fds++] = fd;
	snprintf(path, LULL_MADE_PATH_BYTES, FD_PATH, fd);
	return LULL_OK;
}

static int place_nameless(const struct lull_made_opts *opts,
			  struct lull_made *made, struct lull_error *reterr)
{
	char path[LULL_MADE_PATH_BYTES];
	unsigned int nr, i;
	int err = begin_witnesses(opts, made, &nr, reterr);

	if (err)
		return err;
	made->fds = calloc(nr + (size_t)1, sizeof(*made->fds));
	if (!made->fds)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	err = add_nameless(made, opts->in_memory, made->key_path, reterr);
	for (i = 0; i < nr && !err; i++) {
		err = add_nameless(made, false, path, reterr);
		if (!err)
			err = add_witness(made, path, reterr);
	}
	return err;
}

int lull_made_nameless(const struct lull_made_opts *opts,
		       struct lull_made *ret_made, struct lull_error *reterr)
{
	int err;

	begin(opts, ret_made);
	err = place_nameless(opts, ret_made, reterr);
	return err ? err : make_placed(opts, NULL, ret_made, reterr);
}

void lull_made_end(struct lull_made *made)
{
	unsigned int i;

	for (i = 0; i < made->nr_fds; i++)
		close(made->fds[i]);
	for (i = 0; i < made->nr_witnesses; i++)
		free(made->wtns_paths[i]);
	free(made->fds);
	free(made->wtns_paths);
	*made = (struct lull_made){ 0 };
}
