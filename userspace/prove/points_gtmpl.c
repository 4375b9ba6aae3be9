// SPDX-License-Identifier: Apache-2.0
/*
 * points_gtmpl.c - checks a range of points that came from outside
 */
#include "base/cpu.h"
#include "curve/pairing.h"
#include "prove/groth16_tmpl.h"
#include "prove/points.h"

#define g_points_check LULL_GROUP_LOCAL(points_check)
#define g_in_subgroup LULL_GROUP_LOCAL(in_subgroup)

static enum lull_points_fault point_fault(const struct g_affine *p,
					  bool subgroup)
{
	switch (g_affine_check(p)) {
	case LULL_POINT_COORDINATE:
		return LULL_POINTS_COORDINATE;
	case LULL_POINT_OFF_CURVE:
		return LULL_POINTS_CURVE;
	case LULL_POINT_OK:
		break;
	}
	return subgroup && !g_in_subgroup(p) ? LULL_POINTS_SUBGROUP
					     : LULL_POINTS_OK;
}

/* Passes over sound points in eights. */
static size_t scan(const uint8_t *points, size_t lo, size_t hi, bool subgroup,
		   size_t *nr_inf)
{
	size_t end, sound;

	end = g_points_scan_ifma(points, lo, hi, nr_inf);
	sound = subgroup ? g_subgroup_scan_ifma(points, lo, end) : end;
	if (sound == end)
		return end;
	/* Those at infinity behind it were counted, too. */
	*nr_inf = 0;
	return g_points_scan_ifma(points, lo, sound, nr_inf);
}

void g_points_check(const uint8_t *points, size_t lo, size_t hi, bool subgroup,
		    struct lull_points_report *ret_report)
{
	struct lull_points_report report = { 0 };
	struct g_affine p;
	size_t i = lo;

	if (lull_cpu_has_ifma())
		i = scan(points, lo, hi, subgroup, &report.nr_inf);
	for (; i < hi; i++) {
		memcpy(&p, points + i * sizeof(p), sizeof(p));
		if (g_affine_is_inf(&p)) {
			report.nr_inf++;
			continue;
		}
		report.fault = point_fault(&p, subgroup);
		report.index = i;
		if (report.fault != LULL_POINTS_OK)
			break;
	}
	*ret_report = report;
}
