// SPDX-License-Identifier: Apache-2.0
/*
 * scalars_tmpl.c - a witness's values are checked, sorted and converted while
 * they land, by every loader, as one after the other would be
 */
#include "curve/field_random.h"
#include "load/variants.h"
#include "prove/landing.h"

#define NR_VALUES 5000
#define OFFSET 76 /* where circom's witnesses have them */
#define VALUE_BYTES sizeof(struct fr)
#define FILE_BYTES (OFFSET + NR_VALUES * VALUE_BYTES)

#if LULL_CURVE_ID == LULL_ID_bn254
#define CURVE LULL_CURVE_BN254
#define CURVE_TEXT "BN254"
#else
#define CURVE LULL_CURVE_BLS12_381
#define CURVE_TEXT "BLS12-381"
#endif

static struct fr values[NR_VALUES];

/* A plain value: a bit mostly, as witnesses are, and every edge. */
static void draw(struct fr *value)
{
	memset(value, 0, sizeof(*value));
	if (test_random() % 3)
		value->l[0] = test_random() & 1;
	else
		random_fr(value);
}

static struct test_file write_values(void)
{
	struct test_file file = make_file(31, OFFSET);

	if (pwrite(file.source.fd, values, sizeof(values), OFFSET) !=
	    (ssize_t)sizeof(values))
		abort();
	file.source.bytes = FILE_BYTES;
	return file;
}

struct landed {
	struct place place;
	struct lull_landing landing;
	uint8_t classes[NR_VALUES];
};

static int load_values(struct lull_loader *loader, const struct test_file *file,
		       bool montgomery, struct landed *landed,
		       struct lull_error *error)
{
	struct lull_file_extent extent;
	struct lull_load load = { .extents = &extent,
				  .nr_extents = 1,
				  .land = lull_landing_scalars,
				  .arg = &landed->landing,
				  .secret = true };

	memset(&landed->landing, 0, sizeof(landed->landing));
	memset(landed->classes, 0xee, sizeof(landed->classes));
	landed->landing.facts = lull_curve_facts(CURVE);
	landed->landing.montgomery = montgomery;
	landed->landing.classes = landed->classes;
	landed->place = make_place(test_arena(), sizeof(values), 12);
	extent = extent_of(file, OFFSET, sizeof(values), &landed->place);
	extent.kind = LULL_EXTENT_SCALARS;
	extent.unit_bytes = VALUE_BYTES;
	return lull_loader_read(loader, &load, error);
}

static void expect_landed(struct landed *landed, bool montgomery)
{
	size_t nr_of[LULL_NR_SCALAR_CLASSES] = { 0 }, i, wrong = 0;
	enum lull_scalar_class class;
	struct fr want, got;

	for (i = 0; i < NR_VALUES; i++) {
		class = fr_is_zero(&values[i]) ? LULL_SCALAR_ZERO
			: values[i].l[0] == 1 && limbs_is_zero(values[i].l + 1,
							       FR_LIMBS - 1)
				? LULL_SCALAR_ONE
				: LULL_SCALAR_OTHER;
		nr_of[class]++;
		want = values[i];
		if (montgomery)
			fr_from_plain(&want, values[i].l);
		memcpy(&got, landed->place.to + i * VALUE_BYTES, sizeof(got));
		wrong += landed->classes[i] != class || !fr_equal(&want, &got);
	}
	EXPECT_EQ(0, wrong);
	for (i = 0; i < LULL_NR_SCALAR_CLASSES; i++) {
		EXPECT_EQ(nr_of[i], landed->landing.nr_of[i]);
		EXPECT_TRUE(nr_of[i] > 0);
	}
	expect_margins(&landed->place);
}

TEST(values_land)
{
	static struct landed landed;
	struct lull_loader *loader;
	struct lull_error error;
	struct test_file file;
	size_t v, i;

	for (i = 0; i < NR_VALUES; i++)
		draw(&values[i]);
	file = write_values();
	for (v = 0; v < NR_VARIANTS; v++) {
		loader = open_variant(v);
		ASSERT_TRUE(loader != NULL);
		for (i = 0; i < 2; i++) {
			EXPECT_EQ(LULL_OK, load_values(loader, &file, i,
						       &landed, &error));
			expect_landed(&landed, i);
			lull_arena_retire(&landed.place.vec);
		}
		lull_loader_close(loader);
	}
	end_file(&file);
}

/* r itself, all ones, and two of them: the first is told. */
TEST(values_that_are_too_large)
{
	static const size_t at[] = { 0, 1, 125, 126, 2499, NR_VALUES - 1 };
	static struct landed landed;
	struct lull_loader *loader;
	struct lull_error error;
	struct test_file file;
	char msg[256];
	size_t v, i;

	for (i = 0; i < LULL_ARRAY_SIZE(at); i++) {
		for (v = 0; v < NR_VALUES; v++)
			draw(&values[v]);
		memcpy(values[at[i]].l, fr_r, sizeof(fr_r));
		memset(&values[lull_min(at[i] + 700, NR_VALUES - 1)], 0xff,
		       sizeof(values[0]));
		file = write_values();
		snprintf(msg, sizeof(msg),
			 "test.bin: offset 0x%zx: value %zu of %d: expected "
			 "below r of " CURVE_TEXT,
			 OFFSET + at[i] * VALUE_BYTES, at[i], NR_VALUES);
		for (v = 0; v < NR_VARIANTS; v++) {
			loader = open_variant(v);
			ASSERT_TRUE(loader != NULL);
			EXPECT_EQ(LULL_RANGE, load_values(loader, &file, true,
							  &landed, &error));
			EXPECT_STREQ(msg, error.msg);
			lull_arena_retire(&landed.place.vec);
			lull_loader_close(loader);
		}
		end_file(&file);
	}
}

TEST_MAIN
