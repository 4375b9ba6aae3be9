/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - the part of a point check that depends on the processor
 */
#ifndef LULL_PROVE_POINTS_H
#define LULL_PROVE_POINTS_H

#include "curve/group.h"

#define g1_points_scan_ifma LULL_CURVE_NAME(g1_points_scan_ifma)
#define g2_points_scan_ifma LULL_CURVE_NAME(g2_points_scan_ifma)
#define g_points_scan_ifma LULL_GROUP_LOCAL(points_scan_ifma)
#define g1_subgroup_scan_ifma LULL_CURVE_NAME(g1_subgroup_scan_ifma)
#define g2_subgroup_scan_ifma LULL_CURVE_NAME(g2_subgroup_scan_ifma)
#define g_subgroup_scan_ifma LULL_GROUP_LOCAL(subgroup_scan_ifma)

/*
 * Passes over sound points of [lo, hi) in eights, all canonical and on the
 * curve, and adds those at infinity to *nr_inf.  Returns where it stopped: at
 * the first eight with a fault, or where fewer than eight are left.  Only
 * where lull_cpu_has_ifma().
 */
size_t g1_points_scan_ifma(const uint8_t *points, size_t lo, size_t hi,
			   size_t *nr_inf);
size_t g2_points_scan_ifma(const uint8_t *points, size_t lo, size_t hi,
			   size_t *nr_inf);

/*
 * Passes over points of [lo, hi) in eights, which are canonical and on the
 * curve, and in the subgroup of order r or at infinity.  Returns where it
 * stopped: at the first eight with a point that is not or may not be, or where
 * fewer than eight are left.  Only where lull_cpu_has_ifma().
 */
size_t g1_subgroup_scan_ifma(const uint8_t *points, size_t lo, size_t hi);
size_t g2_subgroup_scan_ifma(const uint8_t *points, size_t lo, size_t hi);

#endif
