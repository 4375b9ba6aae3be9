/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap.h - calls of the library to the system that a test can make fail
 *
 * The programs of this folder are linked with --wrap for each function below,
 * so that liblull.a's calls come here first.  A test arms the nth call; memory
 * and mappings are counted, so that what a failing call leaves behind shows
 * without a sanitizer too.  Included once by a program.
 */
#ifndef LULL_SELFTESTS_FAULTS_WRAP_H
#define LULL_SELFTESTS_FAULTS_WRAP_H

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* What an armed call does. */
enum fault {
	FAULT_NONE,
	FAULT_FAIL,  /* with ENOMEM, EAGAIN or the errno of the test */
	FAULT_EINTR, /* read, write, random: as if a signal came */
	FAULT_SHORT, /* write, random: half of it */
	FAULT_HOOK,  /* something else happens, and the call goes on */
};

static struct {
	enum fault fault;
	unsigned int nth;    /* the call that it meets, from 1 */
	int error;	     /* of calls that are not for memory */
	atomic_uint seen;    /* calls since arming */
	const char *met;     /* which function failed, NULL for none */
	atomic_long blocks;  /* allocated and not freed */
	atomic_long mapped;  /* bytes mapped and not unmapped */
	bool only_transfers; /* count none but reads, writes, getrandom */
	void (*hook)(void);  /* what FAULT_HOOK does */
	int exchange_error;  /* of every exchange of names, 0 for none */
	int link_error;	     /* of every second name of a file */
} wrapped;

static inline void wrap_arm(enum fault fault, unsigned int nth, int error)
{
	wrapped.nth = nth;
	wrapped.error = error;
	wrapped.met = NULL;
	wrapped.only_transfers = fault == FAULT_EINTR || fault == FAULT_SHORT;
	atomic_store(&wrapped.seen, 0);
	wrapped.fault = fault;
}

/* Returns what failed, NULL when nothing did. */
static inline const char *wrap_disarm(void)
{
	wrapped.fault = FAULT_NONE;
	return wrapped.met;
}

static inline enum fault wrap_meet(const char *name, bool transfer)
{
	if (wrapped.fault == FAULT_NONE ||
	    (wrapped.only_transfers && !transfer))
		return FAULT_NONE;
	if (atomic_fetch_add(&wrapped.seen, 1) + 1 != wrapped.nth)
		return FAULT_NONE;
	wrapped.met = name;
	if (wrapped.fault != FAULT_HOOK)
		return wrapped.fault;
	wrapped.hook();
	return FAULT_NONE;
}

static inline void *wrap_count(void *p)
{
	if (p)
		atomic_fetch_add(&wrapped.blocks, 1);
	return p;
}

/* The heap knows nothing of files: there a hook has nothing to do. */
static inline bool wrap_no_memory(const char *name)
{
	if (wrapped.fault == FAULT_HOOK && strcmp(name, "mmap"))
		return false;
	if (wrap_meet(name, false) == FAULT_NONE)
		return false;
	errno = ENOMEM;
	return true;
}

static inline bool wrap_error(const char *name)
{
	if (wrap_meet(name, false) == FAULT_NONE)
		return false;
	errno = wrapped.error;
	return true;
}

/* ---- memory ------------------------------------------------------------ */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t nr, size_t bytes);
void __real_free(void *p);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
char *__real_realpath(const char *path, char *resolved);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __real_munmap(void *at, size_t bytes);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t bytes);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
char *__wrap_realpath(const char *path, char *resolved);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset);
int __wrap_munmap(void *at, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return wrap_no_memory("malloc") ? NULL
					: wrap_count(__real_malloc(bytes));
}

void *__wrap_calloc(size_t nr, size_t bytes)
{
	return wrap_no_memory("calloc") ? NULL
					: wrap_count(__real_calloc(nr, bytes));
}

void __wrap_free(void *p)
{
	if (p)
		atomic_fetch_sub(&wrapped.blocks, 1);
	__real_free(p);
}

char *__wrap_strdup(const char *s)
{
	return wrap_no_memory("strdup") ? NULL : wrap_count(__real_strdup(s));
}

/* Only for the names of directories, whose absence is no error. */
char *__wrap_strndup(const char *s, size_t n)
{
	return wrap_count(__real_strndup(s, n));
}

char *__wrap_realpath(const char *path, char *resolved)
{
	return wrap_no_memory("realpath")
		       ? NULL
		       : wrap_count(__real_realpath(path, resolved));
}

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset)
{
	void *p;

	if (wrap_no_memory("mmap"))
		return MAP_FAILED;
	p = __real_mmap(at, bytes, prot, flags, fd, offset);
	if (p != MAP_FAILED)
		atomic_fetch_add(&wrapped.mapped, (long)bytes);
	return p;
}

/* The kernel takes whole pages and so do the counts. */
int __wrap_munmap(void *at, size_t bytes)
{
	atomic_fetch_sub(&wrapped.mapped, (long)bytes);
	return __real_munmap(at, bytes);
}

/* jansson is a shared library: it is told instead. */
static void *jansson_malloc(size_t bytes)
{
	return wrap_no_memory("jansson") ? NULL
					 : wrap_count(__real_malloc(bytes));
}

static inline void wrap_jansson(void)
{
	json_set_alloc_funcs(jansson_malloc, __wrap_free);
}

/* ---- threads and files ------------------------------------------------- */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg);
int __real_open(const char *path, int flags, mode_t mode);
int __real_fstat(int fd, struct stat *st);
int __real_rename(const char *from, const char *to);
int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __real_linkat(int from_dir, const char *from, int to_dir, const char *to,
		  int flags);
int __real_dup(int fd);
int __real_close(int fd);
ssize_t __real_write(int fd, const void *data, size_t bytes);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __real_getrandom(void *buf, size_t bytes, unsigned int flags);
ssize_t __real_pread(int fd, void *data, size_t bytes, off_t offset);
int __real_mprotect(void *at, size_t bytes, int prot);
int __real_ftruncate(int fd, off_t bytes);
int __real_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __real_memfd_create(const char *name, unsigned int flags);
int __real_ioctl(int fd, unsigned long request, void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_rename(const char *from, const char *to);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to,
		  int flags);
int __wrap_dup(int fd);
int __wrap_close(int fd);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_getrandom(void *buf, size_t bytes, unsigned int flags);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset);
int __wrap_mprotect(void *at, size_t bytes, int prot);
int __wrap_ftruncate(int fd, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*fn)(void *), void *arg)
{
	if (wrap_meet("pthread_create", false) != FAULT_NONE)
		return EAGAIN;
	return __real_pthread_create(thread, attr, fn, arg);
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
	return wrap_error("open") ? -1 : __real_open(path, flags, mode);
}

int __wrap_fstat(int fd, struct stat *st)
{
	return wrap_error("fstat") ? -1 : __real_fstat(fd, st);
}

int __wrap_rename(const char *from, const char *to)
{
	return wrap_error("rename") ? -1 : __real_rename(from, to);
}

int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags)
{
	if (wrap_error("renameat2"))
		return -1;
	if (wrapped.exchange_error && flags) {
		errno = wrapped.exchange_error;
		return -1;
	}
	return __real_renameat2(from_dir, from, to_dir, to, flags);
}

int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to,
		  int flags)
{
	if (wrap_error("linkat"))
		return -1;
	/* Without flags: a descriptor gets its first name by others. */
	if (wrapped.link_error && !flags) {
		errno = wrapped.link_error;
		return -1;
	}
	return __real_linkat(from_dir, from, to_dir, to, flags);
}

int __wrap_dup(int fd)
{
	return wrap_error("dup") ? -1 : __real_dup(fd);
}

/* As the kernel does: the descriptor is gone and an error of an earlier write
 * is told. */
int __wrap_close(int fd)
{
	bool fail = wrap_error("close");
	int err = errno;

	__real_close(fd);
	errno = err;
	return fail ? -1 : 0;
}

/* Fails, is interrupted, or cuts the transfer to half. */
static inline bool wrap_transfer(const char *name, size_t *bytes)
{
	switch (wrap_meet(name, true)) {
	case FAULT_FAIL:
		errno = wrapped.error;
		return false;
	case FAULT_EINTR:
		errno = EINTR;
		return false;
	case FAULT_SHORT:
		*bytes = (*bytes + 1) / 2;
		return true;
	case FAULT_HOOK:
	case FAULT_NONE:
		break;
	}
	return true;
}

ssize_t __wrap_write(int fd, const void *data, size_t bytes)
{
	return wrap_transfer("write", &bytes) ? __real_write(fd, data, bytes)
					      : -1;
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
	return wrap_transfer("pwrite", &bytes)
		       ? __real_pwrite(fd, data, bytes, offset)
		       : -1;
}

ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset)
{
	return wrap_transfer("pread", &bytes)
		       ? __real_pread(fd, data, bytes, offset)
		       : -1;
}

int __wrap_mprotect(void *at, size_t bytes, int prot)
{
	return wrap_no_memory("mprotect") ? -1
					  : __real_mprotect(at, bytes, prot);
}

int __wrap_ftruncate(int fd, off_t bytes)
{
	return wrap_error("ftruncate") ? -1 : __real_ftruncate(fd, bytes);
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes)
{
	return wrap_error("fallocate")
		       ? -1
		       : __real_fallocate(fd, mode, offset, bytes);
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	return wrap_error("memfd_create") ? -1
					  : __real_memfd_create(name, flags);
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	return wrap_error("ioctl") ? -1 : __real_ioctl(fd, request, arg);
}

ssize_t __wrap_getrandom(void *buf, size_t bytes, unsigned int flags)
{
	return wrap_transfer("getrandom", &bytes)
		       ? __real_getrandom(buf, bytes, flags)
		       : -1;
}

#endif
