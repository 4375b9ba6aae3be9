/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_files.h - how many descriptors this process has: a leak shows
 */
#ifndef LULL_SELFTESTS_OPEN_FILES_H
#define LULL_SELFTESTS_OPEN_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <time.h>

#define OPEN_FILES_LOOKS 10000 /* a millisecond apart */

static inline unsigned int nr_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

/* Whether more than @nr stay open.  A thread has one for a moment when the C
 * library first takes memory for it, and the moment is long where others have
 * the processors: what has leaked stays.  @nr was counted at a moment too, so
 * fewer are well. */
static inline bool more_files_stay_open(unsigned int nr)
{
	const struct timespec some = { .tv_nsec = 1000000 };
	unsigned int i;

	for (i = 0; i < OPEN_FILES_LOOKS; i++) {
		if (nr_open_files() <= nr)
			return false;
		nanosleep(&some, NULL);
	}
	return true;
}

#endif
