// SPDX-License-Identifier: Apache-2.0
/*
 * cgroup.c - reads the limits of memory cgroups; see cgroup.h
 *
 * A line of /proc/self/cgroup is "number:controllers:path", where version 2 has
 * no controllers, and one of /proc/self/mountinfo
 *
 *	number number device ROOT FOLDER options - TYPE source OPTIONS
 *
 * with the part of the hierarchy that is mounted, where, as what, and version
 * 1's controllers among the last options.  In a container path and root may both
 * be "/", or both the same long path, or the path one that is not below the root:
 * the folder itself is then as near as can be seen.
 */
#include "arena/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "arena/host.h"
#include "base/base.h"

#define PATH_BYTES LULL_ARENA_CGROUP_PATH_BYTES
#define LINE_BYTES (4 * PATH_BYTES)
/* Nobody's memory: version 1 writes this much and more where there is no limit. */
#define NO_LIMIT ((uint64_t)1 << 62)

/**
 * struct version - the files of one version
 * @type: of its mount
 * @controller: in /proc/self/cgroup
 * @memory: the limit of memory, and what is charged
 * @swap: of swap, or of both
 * @both: which of them @swap is
 * @cache: rows of memory.stat, with the cgroups below: file cache
 */
static const struct version {
	const char *type;
	const char *controller;
	const char *memory[2];
	const char *swap[2];
	bool both;
	const char *cache[2];
} versions[] = {
	{ .type = "cgroup2",
	  .controller = "",
	  .memory = { "memory.max", "memory.current" },
	  .swap = { "memory.swap.max", "memory.swap.current" },
	  .cache = { "inactive_file", "active_file" } },
	{ .type = "cgroup",
	  .controller = "memory",
	  .memory = { "memory.limit_in_bytes", "memory.usage_in_bytes" },
	  .swap = { "memory.memsw.limit_in_bytes",
		    "memory.memsw.usage_in_bytes" },
	  .both = true,
	  .cache = { "total_inactive_file", "total_active_file" } },
};

static FILE *open_file(const char *root, const char *dir, const char *name)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s%s/%s", root, dir, name) >=
	    (int)sizeof(path))
		return NULL;
	return fopen(path, "re");
}

static bool number(const char *root, const char *dir, const char *name,
		   uint64_t *ret_number)
{
	char path[PATH_BYTES];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) <
		       (int)sizeof(path) &&
	       lull_arena_host_number(root, path, ret_number);
}

/* Whether a word is one of "a,b,c"; "" is in an empty list alone. */
static bool in_list(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (;; list++) {
		if (strcspn(list, ",") == len && !strncmp(list, word, len))
			return true;
		list += strcspn(list, ",");
		if (!*list)
			return false;
	}
}

/* Begins a line; what is longer ends there.  The lines looked for are short. */
static bool next_line(FILE *file, char ret_line[LINE_BYTES])
{
	int c;

	if (!file || !fgets(ret_line, LINE_BYTES, file))
		return false;
	if (!strchr(ret_line, '\n'))
		while ((c = getc(file)) != EOF && c != '\n')
			;
	return true;
}

/* The process's own path in a hierarchy, without a "/" at its end. */
static bool own_path(const char *root, const struct version *v,
		     char ret_path[PATH_BYTES])
{
	FILE *file = open_file(root, "/proc/self", "cgroup");
	char line[LINE_BYTES], *list, *path;
	bool found = false;

	while (!found && next_line(file, line)) {
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		found = in_list(list + 1, v->controller);
		snprintf(ret_path, PATH_BYTES, "%s",
			 strcmp(path, "/") ? path : "");
	}
	if (file)
		fclose(file);
	return found;
}

/* Where a hierarchy is mounted, and which part of it, as own_path(). */
static bool find_mount(const char *root, const struct version *v,
		       char ret_part[PATH_BYTES], char ret_dir[PATH_BYTES])
{
	FILE *file = open_file(root, "/proc/self", "mountinfo");
	char line[LINE_BYTES], *tail, type[16], options[PATH_BYTES];
	bool found = false;

	while (!found && next_line(file, line)) {
		tail = strstr(line, " - ");
		found = tail &&
			sscanf(line, "%*s %*s %*s %511s %511s", ret_part,
			       ret_dir) == 2 &&
			sscanf(tail, " - %15s %*s %511s", type, options) == 2 &&
			!strcmp(type, v->type) &&
			(!*v->controller || in_list(options, v->controller));
	}
	if (file)
		fclose(file);
	if (found && !strcmp(ret_part, "/"))
		*ret_part = '\0';
	return found;
}

static uint64_t cache_of(const char *root, const char *dir,
			 const struct version *v)
{
	FILE *file = open_file(root, dir, "memory.stat");
	unsigned long long bytes;
	uint64_t all = 0;
	char name[64];

	while (file && fscanf(file, "%63s %llu", name, &bytes) == 2)
		if (!strcmp(name, v->cache[0]) || !strcmp(name, v->cache[1]))
			all += bytes;
	if (file)
		fclose(file);
	return all;
}

/* Makes @bound that of @dir where this leaves less. */
static void bind(const char *root, const char *dir, const char *const files[2],
		 uint64_t cache, struct lull_arena_cgroup_bound *bound)
{
	uint64_t limit, used = 0, room;

	if (!number(root, dir, files[0], &limit) || limit >= NO_LIMIT)
		return;
	number(root, dir, files[1], &used);
	used -= lull_min(used, cache);
	room = limit - lull_min(limit, used);
	if (room >= bound->room_bytes)
		return;
	bound->room_bytes = room;
	bound->limit_bytes = limit;
	bound->file = files[0];
	snprintf(bound->dir, sizeof(bound->dir), "%s", dir);
}

static void read_version(const char *root, const struct version *v,
			 struct lull_arena_cgroup *cgroup)
{
	char path[PATH_BYTES], part[PATH_BYTES], dir[PATH_BYTES];
	size_t len, skipped;
	uint64_t cache;

	if (!own_path(root, v, path) || !find_mount(root, v, part, dir))
		return;
	len = strlen(dir);
	skipped = strlen(part);
	if (!strncmp(path, part, skipped) &&
	    (!path[skipped] || path[skipped] == '/'))
		snprintf(dir + len, sizeof(dir) - len, "%s", path + skipped);
	/* Up to the folder of the mount. */
	for (;; *strrchr(dir, '/') = '\0') {
		cache = cache_of(root, dir, v);
		bind(root, dir, v->memory, cache, &cgroup->memory);
		bind(root, dir, v->swap, v->both ? cache : 0,
		     v->both ? &cgroup->both : &cgroup->swap);
		if (strlen(dir) <= len)
			break;
	}
}

void lull_arena_cgroup_read(const char *root,
			    struct lull_arena_cgroup *ret_cgroup)
{
	const struct lull_arena_cgroup_bound none = {
		.room_bytes = UINT64_MAX,
		.limit_bytes = UINT64_MAX,
	};
	size_t i;

	*ret_cgroup = (struct lull_arena_cgroup){ none, none, none };
	for (i = 0; i < LULL_ARRAY_SIZE(versions); i++)
		read_version(root, &versions[i], ret_cgroup);
}

static uint64_t room(const struct lull_arena_cgroup_bound *bound, uint64_t own)
{
	if (lull_add_overflow(bound->room_bytes, own, &own))
		own = UINT64_MAX;
	return lull_min(bound->limit_bytes, own);
}

uint64_t
lull_arena_cgroup_backing(const struct lull_arena_cgroup *cgroup,
			  uint64_t memory_bytes, uint64_t swap_bytes,
			  uint64_t own_bytes,
			  const struct lull_arena_cgroup_bound **ret_bound)
{
	uint64_t memory =
		lull_min(memory_bytes, room(&cgroup->memory, own_bytes));
	uint64_t swap = lull_min(swap_bytes, cgroup->swap.room_bytes);
	uint64_t both = room(&cgroup->both, own_bytes);

	*ret_bound = NULL;
	if (both < memory + swap)
		*ret_bound = &cgroup->both;
	else if (memory < memory_bytes)
		*ret_bound = &cgroup->memory;
	else if (swap < swap_bytes)
		*ret_bound = &cgroup->swap;
	return lull_min(both, memory + swap);
}
