// SPDX-License-Identifier: Apache-2.0
/*
 * storm_predict.c - flushes of one free phase, by formula
 *
 * For `lull bench storm`.  A munmap() or madvise() gathers what it takes out
 * of the page tables and flushes when the gathering is full and once at its
 * end.  A gathering holds about 9,700 entries; an entry is a page, of 4 KiB or
 * of 2 MiB.  Page tables that go as well are entries too, or since 6.14 are
 * gathered apart, 509 at a time.  Formulas hold as long as the kernel has
 * memory for the gathering, and on bare metal as in a guest that flushes like
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/base.h"
#include "bench/storm.h"

/* 8 + 19 * 510; since the batch is left one entry early 7 + 19 * 509. */
#define GATHER_ENTRIES_61 9698
#define GATHER_ENTRIES 9678
#define GATHER_TABLES 509
#define PAGES_PER_SLOT (STORM_SLOT_BYTES / STORM_PAGE_BYTES)

/* "about": what the kernel does on its own may add a few. */
#define ABOUT_PART 20

static bool kernel_is_before(unsigned int major, unsigned int minor)
{
	unsigned int is_major = 0, is_minor = 0;
	struct utsname uts;

	if (uname(&uts) ||
	    sscanf(uts.release, "%u.%u", &is_major, &is_minor) != 2)
		return false;
	return is_major < major || (is_major == major && is_minor < minor);
}

static size_t gather_entries(void)
{
	return kernel_is_before(6, 2) ? GATHER_ENTRIES_61 : GATHER_ENTRIES;
}

static bool tables_are_entries(void)
{
	return kernel_is_before(6, 14);
}

/* Slots of the run that begins with vector i; *ret_next is behind it. */
static size_t slots_of_run(const struct storm_plan *plan, size_t end, size_t i,
			   size_t *ret_next)
{
	size_t first = plan->offset[i] / STORM_SLOT_BYTES, last = first;

	for (; i < end && !plan->kept[i]; i++)
		last = (plan->offset[i] + plan->bytes[i] - 1) /
		       STORM_SLOT_BYTES;
	*ret_next = i;
	return last - first + 1;
}

/* Over all runs: a flush at each end and one for each full gathering. */
static uint64_t count_4k(const struct storm_plan *plan, bool tables)
{
	size_t entries = gather_entries(), share, i, slots;
	size_t of_slot = PAGES_PER_SLOT + (tables && tables_are_entries());
	uint64_t nr = 0;

	for (share = 0; share < plan->nr_shares; share++) {
		for (i = plan->first[share]; i < plan->first[share + 1];) {
			if (plan->kept[i]) {
				i++;
				continue;
			}
			slots = slots_of_run(plan, plan->first[share + 1], i,
					     &i);
			nr += 1 + slots * of_slot / entries;
			if (tables && !tables_are_entries())
				nr += slots / GATHER_TABLES;
		}
	}
	return nr;
}

static size_t count_slots(const struct storm_plan *plan)
{
	size_t share, i, nr = 0;

	for (share = 0; share < plan->nr_shares; share++) {
		for (i = plan->first[share]; i < plan->first[share + 1];) {
			if (plan->kept[i])
				i++;
			else
				nr += slots_of_run(plan, plan->first[share + 1],
						   i, &i);
		}
	}
	return nr;
}

/* Of process_madvise(), each with a flush of its own. */
static uint64_t count_calls(const struct storm_plan *plan, size_t runs)
{
	size_t of_share = lull_div_up(count_slots(plan), plan->nr_shares);
	size_t bytes = of_share * STORM_SLOT_BYTES;

	return lull_max(lull_div_up(runs, STORM_IOVECS_MAX),
			lull_div_up(bytes, STORM_VECTOR_BYTES_MAX)) *
	       plan->nr_shares;
}

static void say(struct storm_prediction *p, enum storm_kind kind,
		uint64_t flushes, const char *formula)
{
	p->kind = kind;
	p->flushes = flushes;
	snprintf(p->formula, sizeof(p->formula), "%s", formula);
}

void lull_bench_storm_predict(const struct storm_arm *arm,
			      const struct storm_plan *plan,
			      struct storm_prediction *ret_prediction)
{
	size_t runs = lull_bench_storm_nr_runs(plan, false);
	struct storm_prediction p = { 0 };

	switch (arm->law) {
	case STORM_LAW_ZERO:
		say(&p, STORM_EXACT, 0, "nothing is unmapped");
		break;
	case STORM_LAW_CALLS:
		say(&p, STORM_AT_LEAST, lull_bench_storm_nr_freed(plan),
		    "one a vector");
		break;
	case STORM_LAW_RUNS:
		say(&p, STORM_EXACT, runs, "one a run");
		break;
	case STORM_LAW_MERGED:
		say(&p, STORM_EXACT, lull_bench_storm_nr_runs(plan, true),
		    "one a run");
		break;
	case STORM_LAW_ONE:
		say(&p, STORM_EXACT, count_calls(plan, runs),
		    "one a call of 1,024 runs or 1 GiB");
		break;
	case STORM_LAW_RUNS_4K:
		say(&p, STORM_EXACT, count_4k(plan, false),
		    "a run: 1 + pages / entries");
		break;
	case STORM_LAW_RUNS_4K_TABLES:
		say(&p, STORM_EXACT, count_4k(plan, true),
		    tables_are_entries()
			    ? "a run: 1 + (pages + tables) / entries"
			    : "a run: 1 + pages / entries + tables / 509");
		break;
	case STORM_LAW_ALL_4K:
		say(&p, STORM_EXACT,
		    plan->nr_shares + count_slots(plan) * PAGES_PER_SLOT /
					      gather_entries(),
		    "1 + pages / entries");
		break;
	case STORM_LAW_LAZY_THP:
		say(&p, STORM_ABOUT, count_slots(plan) + runs,
		    "one a 2 MiB mapping and one a run");
		break;
	default:
		break;
	}
	*ret_prediction = p;
}

bool lull_bench_storm_holds(const struct storm_prediction *p, uint64_t flushes)
{
	uint64_t slack = p->flushes / ABOUT_PART;

	switch (p->kind) {
	case STORM_EXACT:
		return flushes == p->flushes;
	case STORM_AT_LEAST:
		return flushes >= p->flushes;
	case STORM_ABOUT:
		return flushes >= p->flushes - slack &&
		       flushes <= p->flushes + slack;
	default:
		return true;
	}
}

const char *lull_bench_storm_kind_name(enum storm_kind kind)
{
	static const char *const names[] = {
		[STORM_NO_FORMULA] = "none",
		[STORM_EXACT] = "exact",
		[STORM_AT_LEAST] = "at least",
		[STORM_ABOUT] = "about",
	};

	return names[kind];
}
