// SPDX-License-Identifier: Apache-2.0
/*
 * slot.c - a GPU's NUMA node is that of its own slot
 *
 * The device is opened with a host that notes which slot is asked for.  Skips
 * where there is no GPU.
 */
#include "cuda/gpu.h"

#define NODE 5

static char asked[64];

static int note_slot(const char *slot)
{
	snprintf(asked, sizeof(asked), "%s", slot);
	return NODE;
}

static const struct lull_backend_host noting = {
	.node_of_slot = note_slot,
};

/* "0000:3B:00.0": where sysfs has a folder, if it is no emulated device. */
static void expect_slot(unsigned int gpu)
{
	unsigned int domain, bus, device, function;
	char want[64], left;
	uint64_t (*emulated)(void);

	EXPECT_EQ(4, sscanf(asked, "%x:%x:%x.%x%c", &domain, &bus, &device,
			    &function, &left));
	if (!find_emulated("emulated_registered_bytes", &emulated))
		return;
	snprintf(want, sizeof(want), "FFFF:A%u:00.0", gpu);
	EXPECT_STREQ(want, asked);
}

TEST(the_node_of_its_slot)
{
	const struct lull_set_opts opts = { 0 };
	struct lull_set *set = gpu_open(&opts);
	struct lull_device_opts device_opts = { .host = &noting };
	const struct lull_backend *backend;
	struct lull_error error;
	char text[LULL_BACKEND_TEXT_BYTES];
	void *device = NULL;
	unsigned int nr;

	if (!set)
		return;
	backend = set->devices[0].backend;
	nr = backend->probe(text);
	for (; device_opts.gpu < nr; device_opts.gpu++) {
		ASSERT_EQ(LULL_OK,
			  backend->open(&device_opts, &device, &error));
		EXPECT_EQ(NODE, backend->node(device));
		expect_slot(device_opts.gpu);
		backend->close(device);
	}
	lull_set_close(set);
}

TEST_MAIN
