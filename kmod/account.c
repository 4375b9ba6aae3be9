// SPDX-License-Identifier: GPL-2.0-only
/*
 * account.c - who may have how much: the module's limit, one for each user,
 * RLIMIT_MEMLOCK, and the memory cgroup that pages are charged to
 *
 * All are the creator's, whoever calls ACQUIRE: the fd is passed around, and
 * what one has in one's name must not grow by somebody else's limits.  A page
 * is charged from ACQUIRE until it is freed, retired or not; the cgroup's
 * part is done by the page allocator (__GFP_ACCOUNT).
 */
#include <linux/capability.h>
#include <linux/moduleparam.h>
#include <linux/resource.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

#include "internal.h"

/* All arenas together; 0: no limit. */
unsigned long lull_limit_bytes;
module_param_named(limit_bytes, lull_limit_bytes, ulong, 0444);
MODULE_PARM_DESC(limit_bytes, "most that all arenas may have; 0: no limit");

/* The arenas of one user; CAP_SYS_RESOURCE exceeds it; 0: no limit. */
unsigned long lull_limit_bytes_per_uid;
module_param_named(limit_bytes_per_uid, lull_limit_bytes_per_uid, ulong, 0444);
MODULE_PARM_DESC(limit_bytes_per_uid,
		 "most that one user's arenas may have; 0: no limit");

/**
 * struct lull_user - a user who has arenas
 * @link: in users
 * @nr_arenas: how many; under users_lock
 * @user: has the count that RLIMIT_MEMLOCK goes by, which others add to
 * @nr_slots: charged
 */
struct lull_user {
	struct list_head link;
	unsigned long nr_arenas;
	struct user_struct *user;
	atomic_long_t nr_slots;
};

static DEFINE_MUTEX(users_lock);
static LIST_HEAD(users);
static atomic_long_t total_slots;

static struct lull_user *known_user(kuid_t uid)
{
	struct lull_user *user;

	lockdep_assert_held(&users_lock);
	list_for_each_entry(user, &users, link) {
		if (uid_eq(user->user->uid, uid))
			return user;
	}
	return NULL;
}

static struct lull_user *get_user_of(struct user_struct *owner)
{
	struct lull_user *spare, *user;

	spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	if (!spare)
		return NULL;
	mutex_lock(&users_lock);
	user = known_user(owner->uid);
	if (!user) {
		user = spare;
		spare = NULL;
		user->user = get_uid(owner);
		list_add(&user->link, &users);
	}
	user->nr_arenas++;
	mutex_unlock(&users_lock);
	kfree(spare);
	return user;
}

static void put_user_of(struct lull_user *user)
{
	bool last;

	mutex_lock(&users_lock);
	last = !--user->nr_arenas;
	if (last)
		list_del(&user->link);
	mutex_unlock(&users_lock);
	if (!last)
		return;
	WARN_ON_ONCE(atomic_long_read(&user->nr_slots));
	free_uid(user->user);
	kfree(user);
}

/* Note the creator: current's user, limits and cgroup. */
int lull_account_open(struct lull_arena *arena)
{
	arena->user = get_user_of(current_user());
	if (!arena->user)
		return -ENOMEM;
	arena->memcg = get_mem_cgroup_from_mm(current->mm);
	arena->cap_resource = capable(CAP_SYS_RESOURCE);
	arena->memlock_pages = capable(CAP_IPC_LOCK) ?
				       ULONG_MAX :
				       rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	return 0;
}

void lull_account_close(struct lull_arena *arena)
{
	mem_cgroup_put(arena->memcg);
	put_user_of(arena->user);
}

/* Add up to @nr times @unit to a count, as far as @max allows. */
static unsigned long take(atomic_long_t *count, unsigned long nr,
			  unsigned long unit, unsigned long max)
{
	long now = atomic_long_read(count);
	unsigned long got;

	do {
		unsigned long room = max > now ? (max - now) / unit : 0;

		got = min(nr, room);
		if (!got)
			return 0;
	} while (!atomic_long_try_cmpxchg(count, &now, now + got * unit));
	return got;
}

static unsigned long limit_slots(unsigned long bytes)
{
	return bytes ? bytes >> LULL_SLOT_SHIFT : LONG_MAX;
}

/**
 * lull_account_charge() - charge slots, as many as may be
 * @arena: to its creator
 * @nr: slots
 * @ret_cause: enum lull_arena_cause, when fewer than @nr
 *
 * Return: how many are charged; lull_account_uncharge() them.
 */
unsigned long lull_account_charge(struct lull_arena *arena, unsigned long nr,
				  u32 *ret_cause)
{
	struct lull_user *user = arena->user;
	unsigned long limit = limit_slots(READ_ONCE(lull_limit_bytes));
	unsigned long per_uid =
		limit_slots(READ_ONCE(lull_limit_bytes_per_uid));
	unsigned long memlock =
		min_t(unsigned long, arena->memlock_pages, LONG_MAX);
	unsigned long some, few, got;

	some = take(&total_slots, nr, 1, limit);
	if (arena->cap_resource)
		per_uid = LONG_MAX;
	few = take(&user->nr_slots, some, 1, per_uid);
	got = take(&user->user->locked_vm, few, LULL_SLOT_PAGES, memlock);
	atomic_long_sub(some - got, &total_slots);
	atomic_long_sub(few - got, &user->nr_slots);
	if (got < few)
		*ret_cause = LULL_ARENA_CAUSE_MEMLOCK;
	else if (few < some)
		*ret_cause = LULL_ARENA_CAUSE_LIMIT_UID;
	else if (some < nr)
		*ret_cause = LULL_ARENA_CAUSE_LIMIT;
	return got;
}

void lull_account_uncharge(struct lull_arena *arena, unsigned long nr)
{
	struct lull_user *user = arena->user;

	atomic_long_sub(nr * LULL_SLOT_PAGES, &user->user->locked_vm);
	atomic_long_sub(nr, &user->nr_slots);
	atomic_long_sub(nr, &total_slots);
}
