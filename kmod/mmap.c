// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap.c - mappings of an arena: one PMD a slot, or nothing
 *
 * ->fault returns a page of the slot's own 2 MiB folio, locked, and the core
 * maps the whole folio by one PMD.  There is no mapping by 4 KiB: that would
 * flush the TLB once per 2 MiB when it goes, which is what arenas avoid.
 */
#include <linux/compat.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/page-flags.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "internal.h"
#include "trace.h"

/**
 * struct mapping - what a mapping remembers, shared by its parts
 * @users: VMAs; a munmap in the middle makes two of one
 * @mm: whose it is, compared only; alive as long as a VMA of it is here
 * @uid: who made it
 */
struct mapping {
	refcount_t users;
	const struct mm_struct *mm;
	kuid_t uid;
};

/*
 * Whose data an arena may hold: the user who first mapped or touched it since
 * CREATE or RESET.  A mapping that an earlier owner still has is refused here.
 */
static bool claim_arena(struct lull_arena *arena, kuid_t uid)
{
	lockdep_assert_held_write(&arena->lock);
	if (arena->create_flags & LULL_ARENA_CREATE_SHARED)
		return true;
	if (!arena->owned) {
		arena->owner = uid;
		arena->owned = true;
	}
	return uid_eq(arena->owner, uid);
}

/* Whether a fault may go on; a read lock decides but for the first one. */
static bool may_touch(struct lull_arena *arena, const struct mapping *mapping)
{
	bool ok;

	if (arena->create_flags & LULL_ARENA_CREATE_SHARED)
		return true;
	down_read(&arena->lock);
	ok = arena->owned && uid_eq(arena->owner, mapping->uid);
	up_read(&arena->lock);
	if (ok)
		return true;
	down_write(&arena->lock);
	ok = claim_arena(arena, mapping->uid);
	up_write(&arena->lock);
	return ok;
}

/*
 * The slot's folio, with a reference, if it may be mapped now.  RETIRED may:
 * the page is there, and the data too.
 */
static struct folio *get_folio(struct lull_arena *arena,
			       const struct lull_slot *slot, bool *ret_poison)
{
	struct folio *folio = NULL;

	down_read(&arena->lock);
	*ret_poison = slot->state == LULL_SLOT_POISON;
	if (slot->state == LULL_SLOT_LIVE || slot->state == LULL_SLOT_RETIRED) {
		folio = slot->folio;
		folio_get(folio);
	}
	up_read(&arena->lock);
	return folio;
}

/*
 * Look again, now with the folio locked.  A batch first makes a slot TAKING,
 * then locks and unlocks its folio, then unmaps.  So either we hold the folio
 * lock, which the core drops when the PMD is set, before the batch gets it,
 * and it unmaps what we map; or we see here that it was first.
 */
static bool still_there(struct lull_arena *arena, struct lull_slot *slot,
			const struct mapping *mapping, struct folio *folio)
{
	bool ok;

	down_read(&arena->lock);
	ok = slot->folio == folio && (slot->state == LULL_SLOT_LIVE ||
				      slot->state == LULL_SLOT_RETIRED);
	/* RESET may have handed the arena on since may_touch(). */
	if (!(arena->create_flags & LULL_ARENA_CREATE_SHARED))
		ok = ok && arena->owned && uid_eq(arena->owner, mapping->uid);
	if (ok)
		WRITE_ONCE(slot->touched, 1);
	up_read(&arena->lock);
	return ok;
}

/* Whether the core would set up a page table; counts it if so. */
static bool needs_page_table(struct lull_arena *arena,
			     struct vm_area_struct *vma, pmd_t pmd)
{
	if (pmd_none(pmd) && !lull_vma_thp_disabled(vma))
		return false;
	lull_arena_count(arena, LULL_PTE_FALLBACKS, 1);
	return true;
}

static vm_fault_t arena_fault(struct vm_fault *vmf)
{
	struct lull_arena *arena = vmf->vma->vm_file->private_data;
	const struct mapping *mapping = vmf->vma->vm_private_data;
	unsigned long at = vmf->pgoff >> LULL_SLOT_ORDER;
	struct lull_slot *slot;
	struct folio *folio;
	bool poison;
	pmd_t pmd;

	if (at >= arena->nr_slots)
		return VM_FAULT_SIGBUS;
	/* A child of fork, or a user whose data this is not. */
	if (!mapping || !may_touch(arena, mapping))
		return VM_FAULT_SIGBUS;
	lull_arena_count(arena, LULL_FAULTS, 1);
	/*
	 * Another thread may be first, before this or after.  What it maps
	 * between two looks would pass for a page table at the second.
	 */
	pmd = READ_ONCE(*vmf->pmd);
	if (pmd_trans_huge(pmd))
		return VM_FAULT_NOPAGE;
	if (needs_page_table(arena, vmf->vma, pmd))
		return VM_FAULT_SIGBUS;
	slot = &arena->slots[at];
	folio = get_folio(arena, slot, &poison);
	if (!folio)
		return poison ? VM_FAULT_HWPOISON : VM_FAULT_SIGBUS;
	folio_lock(folio);
	/* The core would look for a page cache to take a bad page out of. */
	poison = lull_folio_poisoned(folio);
	if (poison || !still_there(arena, slot, mapping, folio)) {
		folio_unlock(folio);
		folio_put(folio);
		return poison ? VM_FAULT_HWPOISON : VM_FAULT_SIGBUS;
	}
	trace_fault(arena, at, vmf->flags);
	vmf->page = folio_page(folio, vmf->pgoff & (LULL_SLOT_PAGES - 1));
	return VM_FAULT_LOCKED;
}

/*
 * Maps nothing around a fault: there is nothing smaller than a PMD.  That it
 * is there lets newer kernels call ->fault under the VMA lock alone.
 */
static vm_fault_t map_no_pages(struct vm_fault *vmf, pgoff_t start, pgoff_t end)
{
	return 0;
}

/* A cut inside a slot would split its PMD. */
static int may_split(struct vm_area_struct *vma, unsigned long address)
{
	return IS_ALIGNED(address, LULL_SLOT_BYTES) ? 0 : -EINVAL;
}

/* The core moves the page tables back. */
static int refuse_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

/*
 * A VMA was split (then it is the same process), or it was copied by fork:
 * VM_DONTCOPY does not prevent that once madvise(MADV_DOFORK) cleared it.  A
 * copy has no rights to a private arena: its faults raise SIGBUS.
 */
static void mapping_open(struct vm_area_struct *vma)
{
	const struct lull_arena *arena = vma->vm_file->private_data;
	struct mapping *mapping = vma->vm_private_data;

	if (!mapping)
		return;
	if (vma->vm_mm != mapping->mm &&
	    !(arena->create_flags & LULL_ARENA_CREATE_SHARED))
		vma->vm_private_data = NULL;
	else
		refcount_inc(&mapping->users);
}

static void mapping_close(struct vm_area_struct *vma)
{
	struct mapping *mapping = vma->vm_private_data;

	if (mapping && refcount_dec_and_test(&mapping->users))
		kfree(mapping);
}

static const struct vm_operations_struct arena_vm_ops = {
	.open = mapping_open,
	.close = mapping_close,
	.may_split = may_split,
	.mremap = refuse_mremap,
	.fault = arena_fault,
	.map_pages = map_no_pages,
};

static int check_mapping(const struct lull_arena *arena,
			 struct vm_area_struct *vma)
{
	u64 pages = vma_pages(vma), end;

	if (in_compat_syscall())
		return -EOPNOTSUPP;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	if (!IS_ALIGNED(vma->vm_start | vma->vm_end, LULL_SLOT_BYTES) ||
	    !IS_ALIGNED(vma->vm_pgoff, LULL_SLOT_PAGES))
		return -EINVAL;
	if (check_add_overflow((u64)vma->vm_pgoff, pages, &end) ||
	    end >> LULL_SLOT_ORDER > arena->nr_slots)
		return -EINVAL;
	return 0;
}

int lull_arena_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct lull_arena *arena = file->private_data;
	struct mapping *mapping;
	bool ours;
	int err;

	err = check_mapping(arena, vma);
	if (err)
		return err;
	/* Else each touch would raise SIGBUS: say so now. */
	if (lull_vma_thp_disabled(vma))
		return -EOPNOTSUPP;
	mapping = kmalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return -ENOMEM;
	refcount_set(&mapping->users, 1);
	mapping->mm = vma->vm_mm;
	mapping->uid = current_euid();
	down_write(&arena->lock);
	ours = claim_arena(arena, mapping->uid);
	up_write(&arena->lock);
	if (!ours) {
		kfree(mapping);
		return -EPERM;
	}
	/*
	 * Not VM_PFNMAP, VM_MIXEDMAP or VM_IO: these are pages with reference
	 * counts, which can be pinned, and are freed by the last reference.
	 */
	lull_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
		       VM_MAYEXEC);
	vma->vm_private_data = mapping;
	vma->vm_ops = &arena_vm_ops;
	return 0;
}

/* An address of 2 MiB; a hint is rounded, a fixed address is not. */
unsigned long lull_arena_get_area(struct file *file, unsigned long address,
				  unsigned long length, unsigned long pgoff,
				  unsigned long flags)
{
	if (!(flags & MAP_FIXED))
		address = ALIGN(address, LULL_SLOT_BYTES);
	return thp_get_unmapped_area(file, address, length, pgoff, flags);
}

/**
 * lull_arena_mappings() - how many mappings show part of a run
 * @arena: which
 * @first: slot
 * @nr: slots
 *
 * Unmapping the run flushes once for each.  The tree of mappings is the
 * core's; its own way to search it is not exported, so all are looked at.
 */
unsigned int lull_arena_mappings(struct lull_arena *arena, unsigned long first,
				 unsigned long nr)
{
	struct address_space *mapping = arena->inode->i_mapping;
	unsigned long begin = first << LULL_SLOT_ORDER;
	unsigned long end = (first + nr) << LULL_SLOT_ORDER;
	unsigned int count = 0;
	struct rb_node *node;

	i_mmap_lock_read(mapping);
	for (node = rb_first_cached(&mapping->i_mmap); node;
	     node = rb_next(node)) {
		struct vm_area_struct *vma =
			rb_entry(node, struct vm_area_struct, shared.rb);

		if (vma->vm_pgoff < end &&
		    vma->vm_pgoff + vma_pages(vma) > begin)
			count++;
	}
	i_mmap_unlock_read(mapping);
	return count;
}
