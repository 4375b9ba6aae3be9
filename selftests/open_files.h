/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_files.h - how many descriptors this process has: a leak shows
 */
#ifndef LULL_SELFTESTS_OPEN_FILES_H
#define LULL_SELFTESTS_OPEN_FILES_H

#include <dirent.h>

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

#endif
