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
#include "base/fdpath.h"
#include "cli/cli.h"

/* A path in a message: its last bytes tell more than its first. */
#define SHOWN_CHARS 80

struct shown {
	char text[SHOWN_CHARS + 1];
};

static struct shown shown(const char *path)
{
	static const char cut[] = "...";
	const size_t len = strlen(path), nr_cut = sizeof(cut) - 1;
	struct shown shown = { "" };

	if (len <= SHOWN_CHARS) {
		memcpy(shown.text, path, len);
	} else {
		memcpy(shown.text, cut, nr_cut);
		memcpy(shown.text + nr_cut, path + len - (SHOWN_CHARS - nr_cut),
		       SHOWN_CHARS - nr_cut);
	}
	return shown;
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
				      "%s: directory %s", shown(path).text,
				      shown(directory).text);
	else if (!S_ISDIR(st.st_mode))
		err = lull_fail(reterr, LULL_IO, "%s: %s is no directory",
				shown(path).text, shown(directory).text);
	else if (access(directory, W_OK | X_OK))
		err = lull_fail_errno(reterr, LULL_IO, errno,
				      "%s: directory %s", shown(path).text,
				      shown(directory).text);
	free(directory);
	return err;
}

static int check_output(const char *path, struct lull_error *reterr)
{
	const int fd = lull_fd_of_path(path);
	struct stat st;
	char *target;
	int err;

	if (fd >= 0)
		return lull_fd_is_writable(fd)
			       ? LULL_OK
			       : lull_fail_errno(reterr, LULL_IO, errno, "%s",
						 shown(path).text);
	if (stat(path, &st))
		return check_directory(path, reterr);
	if (S_ISDIR(st.st_mode))
		return lull_fail(reterr, LULL_IO,
				 "%s: is a directory, expected a file",
				 shown(path).text);
	if (!S_ISREG(st.st_mode))
		return LULL_OK;
	/* A regular file is replaced by renaming: its directory counts, and of
	 * a symbolic link the one that it leads to. */
	target = realpath(path, NULL);
	if (!target)
		return lull_fail_errno(reterr, LULL_IO, errno, "%s",
				       shown(path).text);
	err = check_directory(target, reterr);
	free(target);
	return err;
}

/* What a path leads to: two that are equal in all but @at are one file. */
struct place {
	const char *path;
	dev_t device;
	ino_t inode;	  /* of the directory, where no file is there yet */
	const char *name; /* then its name in that, else "" */
	size_t at;	  /* on the command line: inputs, then outputs */
};

/* Devices and pipes are not replaced: /dev/null may stand twice.  Nor is what
 * has no directory. */
static bool find_place(const char *path, size_t at, struct place *ret_place)
{
	const char *slash = strrchr(path, '/'), *name = "";
	struct stat st;
	char *directory;
	bool found;

	found = !stat(path, &st);
	if (found && !S_ISREG(st.st_mode))
		return false;
	if (!found) {
		directory = copy_directory(path);
		found = directory && !stat(directory, &st);
		free(directory);
		name = slash ? slash + 1 : path;
	}
	*ret_place = (struct place){ .path = path, .name = name, .at = at };
	if (found) {
		ret_place->device = st.st_dev;
		ret_place->inode = st.st_ino;
	}
	return found;
}

static int compare_files(const struct place *x, const struct place *y)
{
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = compare_files(x, y);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Of one file the inputs come first, so that an output is beside what it would
 * replace.  The first output on the command line is told. */
static int check_places(const struct place *places, size_t nr, size_t nr_inputs,
			struct lull_error *reterr)
{
	const struct place *p, *first = NULL;

	for (p = places + 1; nr && p < places + nr; p++)
		if (p->at >= nr_inputs && !compare_files(p - 1, p) &&
		    (!first || p->at < first->at))
			first = p;
	if (!first)
		return LULL_OK;
	if (first[-1].at < nr_inputs)
		return lull_fail(reterr, LULL_USAGE,
				 "%s: the output would replace the input %s",
				 shown(first->path).text,
				 shown(first[-1].path).text);
	return lull_fail(reterr, LULL_USAGE,
			 "%s and %s: both outputs are one file",
			 shown(first[-1].path).text, shown(first->path).text);
}

int lull_cli_check_outputs(const char *const *inputs, size_t nr_inputs,
			   const char *const *outputs, size_t nr_outputs,
			   struct lull_error *reterr)
{
	struct place *places = calloc(nr_inputs + nr_outputs, sizeof(*places));
	size_t i, nr = 0;
	int err = LULL_OK;

	if (!places)
		return lull_fail(reterr, LULL_NOMEM, "out of memory");
	for (i = 0; i < nr_inputs; i++)
		nr += find_place(inputs[i], i, &places[nr]);
	for (i = 0; i < nr_outputs && !err; i++) {
		err = check_output(outputs[i], reterr);
		nr += find_place(outputs[i], nr_inputs + i, &places[nr]);
	}
	if (!err) {
		qsort(places, nr, sizeof(*places), compare_places);
		err = check_places(places, nr, nr_inputs, reterr);
	}
	free(places);
	return err;
}
