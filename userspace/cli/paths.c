// SPDX-License-Identifier: Apache-2.0
/*
 * paths.c - outputs are looked at before any work is done
 *
 * A proof may take an hour: that its directory does not exist, or that it
 * would replace the key, is said in the first millisecond.  The library
 * refuses the same again when it writes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"

/* A path in a message: its last bytes tell more than its first. */
#define SHOWN_CHARS 80

static const char *shown(const char *path)
{
	size_t len = strlen(path);

	return len > SHOWN_CHARS ? path + len - SHOWN_CHARS : path;
}

/* The directory of a path in memory of the caller's, or NULL. */
static char *copy_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/")
			     : strndup(path, (size_t)(slash - path));
}

/* The directory of a name that is not there. */
static int check_directory(const char *path, struct lull_error *reterr)
{
	char *directory = copy_directory(path);
	struct stat st;
	int err = LULL_OK;

	if (!directory)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	if (stat(directory, &st))
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: directory %s", shown(path),
				      shown(directory));
	else if (!S_ISDIR(st.st_mode))
		err = lull_fail(reterr, LULL_IO, "%s: %s is no directory",
				shown(path), shown(directory));
	else if (access(directory, W_OK | X_OK))
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: directory %s", shown(path),
				      shown(directory));
	free(directory);
	return err;
}

static int check_output(const char *path, struct lull_error *reterr)
{
	struct stat st;
	char *target;
	int err;

	if (stat(path, &st))
		return check_directory(path, reterr);
	if (S_ISDIR(st.st_mode))
		return lull_fail(reterr, LULL_IO,
				 "%s: is a directory, expected a file",
				 shown(path));
	if (!S_ISREG(st.st_mode))
		return LULL_OK;
	/* A regular file is replaced by renaming: its directory counts, and of
	 * a symbolic link the one that it leads to. */
	target = realpath(path, NULL);
	if (!target)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       shown(path));
	err = check_directory(target, reterr);
	free(target);
	return err;
}

/* Devices and pipes are not replaced: /dev/null may stand twice. */
static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;
	char *da, *db;
	bool same;

	if (!stat(a, &sa) && !stat(b, &sb))
		return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
		       sa.st_ino == sb.st_ino;
	/* At least one is not there: the same name in the same directory? */
	da = copy_directory(a);
	db = copy_directory(b);
	a = strrchr(a, '/') ? strrchr(a, '/') + 1 : a;
	b = strrchr(b, '/') ? strrchr(b, '/') + 1 : b;
	same = da && db && !strcmp(a, b) && !stat(da, &sa) && !stat(db, &sb) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
	free(da);
	free(db);
	return same;
}

int lull_cli_check_outputs(const char *const *inputs, size_t nr_inputs,
			   const char *const *outputs, size_t nr_outputs,
			   struct lull_error *reterr)
{
	size_t i, j;
	int err;

	for (i = 0; i < nr_outputs; i++) {
		err = check_output(outputs[i], reterr);
		if (err)
			return err;
		for (j = 0; j < nr_inputs; j++)
			if (same_file(outputs[i], inputs[j]))
				return lull_fail(reterr, LULL_USAGE,
						 "%s: the output would replace "
						 "the input %s",
						 shown(outputs[i]),
						 shown(inputs[j]));
		for (j = 0; j < i; j++)
			if (same_file(outputs[i], outputs[j]))
				return lull_fail(reterr, LULL_USAGE,
						 "%s and %s: both outputs are "
						 "one file",
						 shown(outputs[j]),
						 shown(outputs[i]));
	}
	return LULL_OK;
}
