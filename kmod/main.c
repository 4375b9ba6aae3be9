// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - load and unload lull_arena; the device; the table of commands
 *
 * Structures are copied in and out here and nowhere else.  A command gets its
 * structure in kernel memory, full size, with an unknown tail refused.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

struct workqueue_struct *lull_wq;

/**
 * struct command - a row of the table
 * @size: of the structure, as this module knows it
 * @on_device: may be used on the device
 * @on_arena: may be used on an arena fd
 * @has_outputs: in the structure, which must therefore be writable
 * @execute: does it
 *
 * The first version of a structure is also the least that is taken; when one
 * grows, a column with the old size joins this one.
 */
struct command {
	size_t size;
	bool on_device;
	bool on_arena;
	bool has_outputs;
	int (*execute)(struct lull_call *call);
};

/* clang-format off */
static const struct command commands[] = {
	[LULL_ARENA_CMD_CREATE] = {
		.size = sizeof(struct lull_arena_create),
		.on_device = true, .on_arena = false, .has_outputs = true,
		.execute = lull_arena_create },
	[LULL_ARENA_CMD_QUERY] = {
		.size = sizeof(struct lull_arena_query),
		.on_device = true, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_query },
	[LULL_ARENA_CMD_ACQUIRE] = {
		.size = sizeof(struct lull_arena_acquire),
		.on_device = false, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_acquire },
	[LULL_ARENA_CMD_RETIRE] = {
		.size = sizeof(struct lull_arena_retire),
		.on_device = false, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_retire },
	[LULL_ARENA_CMD_REVIVE] = {
		.size = sizeof(struct lull_arena_revive),
		.on_device = false, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_revive },
	[LULL_ARENA_CMD_RELEASE] = {
		.size = sizeof(struct lull_arena_release),
		.on_device = false, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_release },
	[LULL_ARENA_CMD_FLUSH] = {
		.size = sizeof(struct lull_arena_flush),
		.on_device = false, .on_arena = true, .has_outputs = true,
		.execute = lull_arena_flush },
	[LULL_ARENA_CMD_RESET] = {
		.size = sizeof(struct lull_arena_reset),
		.on_device = false, .on_arena = true, .has_outputs = false,
		.execute = lull_arena_reset },
};

/* clang-format on */

union any_command {
	struct lull_arena_create create;
	struct lull_arena_query query;
	struct lull_arena_acquire acquire;
	struct lull_arena_retire retire;
	struct lull_arena_revive revive;
	struct lull_arena_release release;
	struct lull_arena_flush flush;
	struct lull_arena_reset reset;
};

static const struct command *find_command(unsigned int number,
					  const struct lull_arena *arena)
{
	unsigned int nr = _IOC_NR(number);
	const struct command *command;

	if (nr >= ARRAY_SIZE(commands) || number != _IO(LULL_ARENA_TYPE, nr))
		return NULL;
	command = &commands[nr];
	if (arena ? !command->on_arena : !command->on_device)
		return NULL;
	return command;
}

/* Hand out the outputs, then the file: an fd that was installed is public. */
static int put_outputs(const struct lull_call *call, void __user *user,
		       size_t size)
{
	if (copy_to_user(user, call->cmd, size)) {
		if (call->ret_file) {
			put_unused_fd(call->ret_fd);
			fput(call->ret_file);
		}
		return -EFAULT;
	}
	if (call->ret_file)
		fd_install(call->ret_fd, call->ret_file);
	return 0;
}

static long run_command(struct lull_arena *arena, unsigned int number,
			unsigned long arg)
{
	const struct command *command = find_command(number, arena);
	void __user *user = (void __user *)arg;
	union any_command cmd = {};
	struct lull_call call = { .arena = arena, .cmd = &cmd };
	u32 size;
	int err, out;

	if (!command)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < command->size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&cmd, command->size, user, size);
	if (err)
		return err;
	/*
	 * A structure that cannot be written is found out before anything
	 * happens, not after: by writing what was read.  (Faulting it in by
	 * the core's helper would take mmap_lock every time.)  Only a caller
	 * that unmaps it meanwhile still gets EFAULT for what was done.
	 */
	if (command->has_outputs && copy_to_user(user, &cmd, command->size))
		return -EFAULT;
	err = command->execute(&call);
	if (!command->has_outputs || (err && !call.ret_outputs))
		return err;
	out = put_outputs(&call, user, command->size);
	return out ? out : err;
}

static long device_ioctl(struct file *file, unsigned int number,
			 unsigned long arg)
{
	return run_command(NULL, number, arg);
}

long lull_arena_ioctl(struct file *file, unsigned int number, unsigned long arg)
{
	return run_command(file->private_data, number, arg);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lull_arena",
	.fops = &device_fops,
	.mode = 0660,
};

static int __init lull_arena_init(void)
{
	int err;

	lull_wq = alloc_workqueue("lull_arena", WQ_UNBOUND | WQ_SYSFS, 0);
	if (!lull_wq)
		return -ENOMEM;
	err = lull_pool_init();
	if (err)
		goto destroy_wq;
	err = lull_shrink_init();
	if (err)
		goto drain_pool;
	device.groups = lull_sysfs_groups();
	if (IS_ERR(device.groups)) {
		err = PTR_ERR(device.groups);
		goto unregister_shrinker;
	}
	/* Last: from here on anybody may come in. */
	err = misc_register(&device);
	if (err)
		goto free_sysfs;
	return 0;

free_sysfs:
	lull_sysfs_free();
unregister_shrinker:
	lull_shrink_exit();
drain_pool:
	lull_pool_exit();
destroy_wq:
	destroy_workqueue(lull_wq);
	return err;
}

/* No arena is left: each holds a reference on the module. */
static void __exit lull_arena_exit(void)
{
	misc_deregister(&device);
	lull_sysfs_free();
	lull_shrink_exit();
	lull_pool_exit();
	destroy_workqueue(lull_wq);
}

module_init(lull_arena_init);
module_exit(lull_arena_exit);

MODULE_AUTHOR("the lull project");
MODULE_DESCRIPTION("Arenas of 2 MiB pages that are retired, not unmapped");
MODULE_LICENSE("GPL");
