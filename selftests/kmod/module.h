/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.h - lull_arena.ko unloaded and loaded, for the tests that do so
 *
 * It comes from LULL_KMOD or from build/kmod/RELEASE/lull_arena.ko, and its
 * parameters are the defaults then.
 */
#ifndef LULL_SELFTESTS_KMOD_MODULE_H
#define LULL_SELFTESTS_KMOD_MODULE_H

#include <sys/syscall.h>
#include <sys/utsname.h>

#define PATH_BYTES 512
#define UNLOAD_MS 20000
#define UNLOAD_NAP_US 50000

static inline int unload(void)
{
	return syscall(SYS_delete_module, "lull_arena", O_NONBLOCK) ? -errno
								    : 0;
}

/* The file of this kernel's module, or -errno. */
static inline int module_file(void)
{
	char path[PATH_BYTES];
	struct utsname name;
	int fd;

	uname(&name);
	if (getenv("LULL_KMOD"))
		snprintf(path, sizeof(path), "%s", getenv("LULL_KMOD"));
	else
		snprintf(path, sizeof(path), "build/kmod/%.64s/lull_arena.ko",
			 name.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static inline int load_file(int fd)
{
	return syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

static inline int load(void)
{
	int fd = module_file(), rc;

	if (fd < 0)
		return fd;
	rc = load_file(fd);
	close(fd);
	return rc;
}

/* Another test's last fput may be under way: then once more. */
static inline int unload_soon(void)
{
	uint64_t end = now_ms() + UNLOAD_MS * slowness();
	int rc;

	do {
		rc = unload();
		if (rc)
			usleep(UNLOAD_NAP_US);
	} while (rc == -EAGAIN && now_ms() < end);
	return rc;
}

#endif
