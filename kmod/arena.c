// SPDX-License-Identifier: GPL-2.0-only
/*
 * arena.c - an arena: made by CREATE, gone with its file
 *
 * Each has an inode of its own, on a pseudo filesystem: unmapping its address
 * space touches nobody else's mappings, and i_size covers its pages, without
 * which newer kernels map them by 4 KiB.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pseudo_fs.h>
#include <linux/slab.h>

#include "internal.h"

/* "lull" in ASCII: what statfs(2) says of an arena fd. */
#define LULL_ARENA_MAGIC 0x6c756c6c

/* Guards lull_arenas, and keeps what is on it alive. */
DEFINE_MUTEX(lull_arenas_lock);
LIST_HEAD(lull_arenas);
atomic_long_t lull_nr_arenas;
atomic64_t lull_total_slots;
atomic64_t lull_counters[LULL_NR_COUNTERS];
atomic_long_t lull_nr_state[LULL_NR_SLOT_STATES];

static atomic_t last_id;

static int init_fs(struct fs_context *context)
{
	return init_pseudo(context, LULL_ARENA_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type arena_fs = {
	.name = "lull_arena",
	.owner = THIS_MODULE,
	.init_fs_context = init_fs,
	.kill_sb = kill_anon_super,
};

/*
 * Mounted while there is an arena.  A mount for the module's whole life would
 * hold a reference on the module, and it could never be unloaded.
 */
static struct vfsmount *arena_mount;
static int arena_mount_count;

/* The size is the slot table's, and what the PMD mappings rely on. */
static int refuse_setattr(struct lull_idmap *idmap, struct dentry *dentry,
			  struct iattr *attr)
{
	return -EPERM;
}

static const struct inode_operations arena_iops = {
	.setattr = refuse_setattr,
};

void lull_arena_count(struct lull_arena *arena, enum lull_counter counter,
		      long by)
{
	atomic64_add(by, &arena->counters[counter]);
	atomic64_add(by, &lull_counters[counter]);
}

static void free_arena(struct lull_arena *arena)
{
	lull_account_close(arena);
	kvfree(arena->slots);
	kfree(arena);
}

static struct lull_arena *alloc_arena(const struct lull_arena_create *cmd)
{
	struct lull_arena *arena;
	int err = -ENOMEM;

	arena = kzalloc(sizeof(*arena), GFP_KERNEL_ACCOUNT);
	if (!arena)
		return ERR_PTR(-ENOMEM);
	arena->nr_slots = cmd->bytes >> LULL_SLOT_SHIFT;
	arena->slots = kvcalloc(arena->nr_slots, sizeof(*arena->slots),
				GFP_KERNEL_ACCOUNT);
	if (!arena->slots)
		goto free_struct;
	err = lull_account_open(arena);
	if (err)
		goto free_slots;
	arena->id = atomic_inc_return(&last_id);
	arena->create_flags = cmd->flags;
	arena->numa = cmd->numa;
	arena->node = cmd->node;
	arena->retire_max_bytes = cmd->retire_max_bytes;
	arena->retire_max_age_ms = cmd->retire_max_age_ms;
	arena->nr_state[LULL_SLOT_EMPTY] = arena->nr_slots;
	arena->nr_published[LULL_SLOT_EMPTY] = arena->nr_slots;
	INIT_LIST_HEAD(&arena->link);
	init_rwsem(&arena->lock);
	mutex_init(&arena->batch_lock);
	INIT_DELAYED_WORK(&arena->work, lull_batch_work);
	init_waitqueue_head(&arena->wait);
	return arena;

free_slots:
	kvfree(arena->slots);
free_struct:
	kfree(arena);
	return ERR_PTR(err);
}

static struct inode *alloc_inode_for(const struct lull_arena *arena)
{
	struct inode *inode = alloc_anon_inode(arena_mount->mnt_sb);

	if (IS_ERR(inode))
		return inode;
	/* A regular file, or fallocate(2) would not come through. */
	inode->i_mode = S_IFREG | 0600;
	inode->i_op = &arena_iops;
	/* Else every first write to a page would take time stamps. */
	inode->i_flags |= S_NOCMTIME;
	i_size_write(inode, (loff_t)arena->nr_slots << LULL_SLOT_SHIFT);
	/*
	 * NUMA balancing would unmap pages (and flush) to see who touches
	 * them, though ours can never move.  It leaves a mapping alone whose
	 * page cache could not be in the zone that policies govern
	 * (vma_migratable()).  There is no page cache here, so say DMA.
	 */
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL | __GFP_DMA);
	return inode;
}

/* The file of @arena, which it then owns. */
static struct file *open_arena(struct lull_arena *arena)
{
	struct file *file;
	int err;

	err = simple_pin_fs(&arena_fs, &arena_mount, &arena_mount_count);
	if (err)
		return ERR_PTR(err);
	arena->inode = alloc_inode_for(arena);
	if (IS_ERR(arena->inode)) {
		err = PTR_ERR(arena->inode);
		goto release_fs;
	}
	/* alloc_file_pseudo() takes none for f_op, but fput() drops one. */
	__module_get(THIS_MODULE);
	file = alloc_file_pseudo(arena->inode, arena_mount, "lull_arena",
				 O_RDWR, &lull_arena_fops);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto put_module;
	}
	file->private_data = arena;
	return file;

put_module:
	module_put(THIS_MODULE);
	iput(arena->inode);
release_fs:
	simple_release_fs(&arena_mount, &arena_mount_count);
	return ERR_PTR(err);
}

static int check_create(const struct lull_arena_create *cmd)
{
	bool has_node = cmd->numa == LULL_ARENA_NUMA_PREFERRED ||
			cmd->numa == LULL_ARENA_NUMA_BIND;

	if (cmd->flags & ~(LULL_ARENA_CREATE_SECRET | LULL_ARENA_CREATE_SHARED))
		return -EOPNOTSUPP;
	if (cmd->numa > LULL_ARENA_NUMA_INTERLEAVE)
		return -EOPNOTSUPP;
	if (!cmd->bytes || !IS_ALIGNED(cmd->bytes, LULL_SLOT_BYTES) ||
	    cmd->bytes >> LULL_SLOT_SHIFT > LULL_SLOTS_MAX)
		return -EINVAL;
	if (has_node ? !lull_node_usable(cmd->node) : cmd->node)
		return -EINVAL;
	return 0;
}

int lull_arena_create(struct lull_call *call)
{
	struct lull_arena_create *cmd = call->cmd;
	struct lull_arena *arena;
	struct file *file;
	int err, fd;

	err = check_create(cmd);
	if (err)
		return err;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	arena = alloc_arena(cmd);
	if (IS_ERR(arena)) {
		err = PTR_ERR(arena);
		goto put_fd;
	}
	file = open_arena(arena);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto free_arena;
	}
	atomic_long_inc(&lull_nr_arenas);
	atomic64_add(arena->nr_slots, &lull_total_slots);
	mutex_lock(&lull_arenas_lock);
	list_add_tail(&arena->link, &lull_arenas);
	mutex_unlock(&lull_arenas_lock);
	cmd->fd = fd;
	call->ret_fd = fd;
	call->ret_file = file;
	return 0;

free_arena:
	free_arena(arena);
put_fd:
	put_unused_fd(fd);
	return err;
}

/*
 * A secret arena whose pages somebody still refers to (direct I/O of a
 * process that was killed) stays until it has zeroed the last of them.
 */
static void linger(struct work_struct *work)
{
	struct lull_arena *arena =
		container_of(work, struct lull_arena, work.work);

	if (!lull_slots_drop(arena, true)) {
		queue_delayed_work(lull_wq, &arena->work, LULL_BUSY_RETRY);
		return;
	}
	free_arena(arena);
	/*
	 * Whoever waits to unload waits for the reference, then destroys the
	 * queue, which waits for this function to return.
	 */
	module_put(THIS_MODULE);
}

/*
 * The last close: no descriptor, mapping or call is left.  The work may be
 * running, and reclaim may be in a batch: wait for both, then nobody else
 * knows the arena.
 */
static int arena_release(struct inode *inode, struct file *file)
{
	struct lull_arena *arena = file->private_data;
	bool secret = arena->create_flags & LULL_ARENA_CREATE_SECRET;

	mutex_lock(&lull_arenas_lock);
	list_del(&arena->link);
	mutex_unlock(&lull_arenas_lock);
	cancel_delayed_work_sync(&arena->work);
	atomic_long_dec(&lull_nr_arenas);
	atomic64_sub(arena->nr_slots, &lull_total_slots);
	if (lull_slots_drop(arena, secret)) {
		free_arena(arena);
	} else {
		__module_get(THIS_MODULE);
		INIT_DELAYED_WORK(&arena->work, linger);
		queue_delayed_work(lull_wq, &arena->work, LULL_BUSY_RETRY);
	}
	simple_release_fs(&arena_mount, &arena_mount_count);
	return 0;
}

const struct file_operations lull_arena_fops = {
	.owner = THIS_MODULE,
	.release = arena_release,
	.mmap = lull_arena_mmap,
	.get_unmapped_area = lull_arena_get_area,
	.unlocked_ioctl = lull_arena_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = lull_arena_poll,
	.fallocate = lull_arena_fallocate,
};
