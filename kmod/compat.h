/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - what differs between the kernels that lull_arena is built for
 *
 * For the other files of kmod/, which contain no conditional on the kernel.
 * Kbuild looks for the words in the target's headers and defines
 * LULL_HAVE_*; version numbers are not asked, because distributions backport.
 */
#ifndef LULL_ARENA_COMPAT_H
#define LULL_ARENA_COMPAT_H

#include <linux/mm.h>
#include <linux/sched/coredump.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/swap.h>

#ifndef CONFIG_TRANSPARENT_HUGEPAGE
#error "lull_arena maps by PMD: it needs CONFIG_TRANSPARENT_HUGEPAGE"
#endif
#ifndef CONFIG_MMU
#error "lull_arena needs an MMU"
#endif

/* The first argument of ->setattr, which is not looked at. */
#ifdef LULL_HAVE_MNT_IDMAP
#define lull_idmap mnt_idmap
#else
#define lull_idmap user_namespace
#endif

/* vm_flags became read-only in 6.3. */
static inline void lull_vma_flags(struct vm_area_struct *vma, unsigned long set,
				  unsigned long clear)
{
#ifdef LULL_HAVE_VM_FLAGS_SET
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/*
 * Whether a fault would be given a page table rather than a PMD because this
 * process or this mapping asked for no huge pages.  Older kernels map what
 * the driver returns.
 */
static inline bool lull_vma_thp_disabled(struct vm_area_struct *vma)
{
#ifdef LULL_HAVE_VMA_THP_DISABLED
	return vma_thp_disabled(vma, vma->vm_flags);
#else
	return false;
#endif
}

/*
 * Pages that a shrinker freed count as progress of the reclaim that called
 * it: without this the kernel takes a working shrinker for an idle one, and
 * goes on to the OOM killer.
 */
static inline void lull_account_reclaimed(unsigned long nr_pages)
{
#ifdef LULL_HAVE_ACCOUNT_RECLAIMED
	mm_account_reclaimed_pages(nr_pages);
#else
	if (current->reclaim_state)
		current->reclaim_state->reclaimed_slab += nr_pages;
#endif
}

/* Shrinkers are allocated and registered in two steps from 6.7 on. */
static inline struct shrinker *lull_shrinker_alloc(void)
{
#ifdef LULL_HAVE_SHRINKER_ALLOC
	return shrinker_alloc(0, "lull_arena");
#else
	return kzalloc(sizeof(struct shrinker), GFP_KERNEL);
#endif
}

static inline int lull_shrinker_register(struct shrinker *shrinker)
{
#ifdef LULL_HAVE_SHRINKER_ALLOC
	shrinker_register(shrinker);
	return 0;
#else
	int err = register_shrinker(shrinker, "lull_arena");

	if (err)
		kfree(shrinker);
	return err;
#endif
}

static inline void lull_shrinker_free(struct shrinker *shrinker)
{
#ifdef LULL_HAVE_SHRINKER_ALLOC
	shrinker_free(shrinker);
#else
	unregister_shrinker(shrinker);
	kfree(shrinker);
#endif
}

#endif
