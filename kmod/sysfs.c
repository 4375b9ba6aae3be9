// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs.c - /sys/class/misc/lull_arena: limits and bounds to set, counters to
 * read; one value a file
 *
 * Documentation/ABI/testing/sysfs-class-misc-lull_arena describes each.
 */
#include <linux/device.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "internal.h"

/* "node" and the digits of a 32-bit number. */
#define NODE_NAME_BYTES 16

/* A RETIRE beyond this starts a batch, in arenas that set none; 0: no bound. */
unsigned long lull_retire_max_bytes;
module_param_named(retire_max_bytes, lull_retire_max_bytes, ulong, 0444);
MODULE_PARM_DESC(retire_max_bytes, "most an arena keeps retired; 0: no bound");

/* What is retired longer goes, in arenas that set none; 0: no bound. */
unsigned int lull_retire_max_age_ms;
module_param_named(retire_max_age_ms, lull_retire_max_age_ms, uint, 0444);
MODULE_PARM_DESC(retire_max_age_ms,
		 "how long an arena keeps memory retired; 0: no bound");

/* Slots in use that a run goes across rather than flush twice. */
unsigned int lull_merge_gap;
module_param_named(merge_gap, lull_merge_gap, uint, 0444);
MODULE_PARM_DESC(merge_gap, "slots in use that a run may go across");

/* How long a RELEASE waits for others to share its flush. */
unsigned int lull_release_delay_ms = 100;
module_param_named(release_delay_ms, lull_release_delay_ms, uint, 0644);
MODULE_PARM_DESC(release_delay_ms, "how long RELEASE waits for others");

/**
 * struct value - a file
 * @attr: its name and functions
 * @which: the state, the counter or the node
 * @bytes: or the variable, of a size
 * @number: or of something else
 */
struct value {
	struct device_attribute attr;
	union {
		unsigned int which;
		unsigned long *bytes;
		unsigned int *number;
	};
};

static const struct value *to_value(struct device_attribute *attr)
{
	return container_of(attr, struct value, attr);
}

static ssize_t show_state(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	long nr = atomic_long_read(&lull_nr_state[to_value(attr)->which]);

	return sysfs_emit(buf, "%lu\n", nr * LULL_SLOT_BYTES);
}

static ssize_t show_counter(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	const struct value *value = to_value(attr);

	return sysfs_emit(buf, "%lld\n",
			  atomic64_read(&lull_counters[value->which]));
}

static ssize_t show_arenas(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&lull_nr_arenas));
}

static ssize_t show_retired(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	long nr = atomic_long_read(&lull_nr_state[LULL_SLOT_RETIRED]) +
		  atomic_long_read(&lull_nr_state[LULL_SLOT_TAKING]);

	return sysfs_emit(buf, "%lu\n", nr * LULL_SLOT_BYTES);
}

static ssize_t show_reserved(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%lu\n", lull_pool_slots() * LULL_SLOT_BYTES);
}

/* Arenas that follow the module's bounds look at them again. */
static void apply_bounds(void)
{
	struct lull_arena *arena;

	mutex_lock(&lull_arenas_lock);
	list_for_each_entry(arena, &lull_arenas, link) {
		down_write(&arena->lock);
		if (arena->nr_state[LULL_SLOT_RETIRED])
			lull_batch_kick(arena, 0);
		up_write(&arena->lock);
	}
	mutex_unlock(&lull_arenas_lock);
}

static ssize_t show_bytes(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "%lu\n", READ_ONCE(*to_value(attr)->bytes));
}

static ssize_t store_bytes(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	unsigned long bytes;
	int err = kstrtoul(buf, 0, &bytes);

	if (err)
		return err;
	WRITE_ONCE(*to_value(attr)->bytes, bytes);
	apply_bounds();
	return count;
}

static ssize_t show_number(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(*to_value(attr)->number));
}

static ssize_t store_number(struct device *dev, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	unsigned int number;
	int err = kstrtouint(buf, 0, &number);

	if (err)
		return err;
	WRITE_ONCE(*to_value(attr)->number, number);
	apply_bounds();
	return count;
}

/* The reserve: of all nodes, or of the one whose file this is. */
static ssize_t show_reserve(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	int node = (int)to_value(attr)->which;

	return sysfs_emit(buf, "%lu\n",
			  lull_pool_slots_target(node) * LULL_SLOT_BYTES);
}

static ssize_t store_reserve(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	int node = (int)to_value(attr)->which;
	unsigned long bytes;
	int err = kstrtoul(buf, 0, &bytes);

	if (!err)
		err = lull_pool_resize(node, bytes >> LULL_SLOT_SHIFT);
	return err ? err : count;
}

/* clang-format off */
#define STATE(name, state) { __ATTR(name, 0444, show_state, NULL), { .which = state } }
#define COUNTER(name, counter) { __ATTR(name, 0444, show_counter, NULL), { .which = counter } }
#define COMPUTED(name, show) { __ATTR(name, 0444, show, NULL), { } }
#define BYTES(name, var) { __ATTR(name, 0644, show_bytes, store_bytes), { .bytes = &(var) } }
#define NUMBER(name, var) { __ATTR(name, 0644, show_number, store_number), { .number = &(var) } }

static struct value values[] = {
	BYTES(limit_bytes, lull_limit_bytes),
	BYTES(limit_bytes_per_uid, lull_limit_bytes_per_uid),
	BYTES(retire_max_bytes, lull_retire_max_bytes),
	NUMBER(retire_max_age_ms, lull_retire_max_age_ms),
	NUMBER(merge_gap, lull_merge_gap),
	{ __ATTR(reserve_bytes, 0644, show_reserve, store_reserve),
	  { .which = NUMA_NO_NODE } },
	COMPUTED(arenas, show_arenas),
	COMPUTED(retired_bytes, show_retired),
	COMPUTED(reserved_bytes, show_reserved),
	STATE(live_bytes, LULL_SLOT_LIVE),
	STATE(busy_bytes, LULL_SLOT_BUSY),
	STATE(poisoned_bytes, LULL_SLOT_POISON),
	COUNTER(batches, LULL_BATCHES),
	COUNTER(runs, LULL_RUNS),
	COUNTER(flushes, LULL_FLUSHES),
	COUNTER(ranges_retired, LULL_RANGES_RETIRED),
	COUNTER(ranges_revived, LULL_RANGES_REVIVED),
	COUNTER(ranges_fresh, LULL_RANGES_FRESH),
	COUNTER(pte_fallbacks, LULL_PTE_FALLBACKS),
};

/* clang-format on */

static struct attribute *value_attrs[ARRAY_SIZE(values) + 1];
static const struct attribute_group value_group = { .attrs = value_attrs };

/**
 * struct node_files - the folder of a node
 * @reserve: its file
 * @attrs: a list of that one
 * @group: the folder
 * @name: of the folder
 */
struct node_files {
	struct value reserve;
	struct attribute *attrs[2];
	struct attribute_group group;
	char name[NODE_NAME_BYTES];
};

static struct node_files *nodes;
static const struct attribute_group **groups;

static void fill_node(struct node_files *files, int node)
{
	files->reserve = (struct value){
		__ATTR(reserve_bytes, 0644, show_reserve, store_reserve),
		{ .which = node },
	};
	sysfs_attr_init(&files->reserve.attr.attr);
	files->attrs[0] = &files->reserve.attr.attr;
	snprintf(files->name, sizeof(files->name), "node%d", node);
	files->group.name = files->name;
	files->group.attrs = files->attrs;
}

/**
 * lull_sysfs_groups() - the files, for the device to be made with
 *
 * Return: the list, or an ERR_PTR; lull_sysfs_free() afterwards.  Nodes that
 * get memory later have no folder.
 */
const struct attribute_group **lull_sysfs_groups(void)
{
	unsigned int nr_nodes = num_node_state(N_MEMORY), i;
	int node;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		sysfs_attr_init(&values[i].attr.attr);
		value_attrs[i] = &values[i].attr.attr;
	}
	nodes = kcalloc(nr_nodes, sizeof(*nodes), GFP_KERNEL);
	groups = kcalloc(nr_nodes + 2, sizeof(*groups), GFP_KERNEL);
	if (!nodes || !groups) {
		lull_sysfs_free();
		return ERR_PTR(-ENOMEM);
	}
	groups[0] = &value_group;
	i = 0;
	for_each_node_state(node, N_MEMORY) {
		/* One came online since we counted. */
		if (i == nr_nodes)
			break;
		fill_node(&nodes[i], node);
		groups[i + 1] = &nodes[i].group;
		i++;
	}
	return groups;
}

void lull_sysfs_free(void)
{
	kfree(groups);
	kfree(nodes);
}
