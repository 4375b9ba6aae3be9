/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msm.cuh - multi-scalar multiplication on the device: the sum of k_i P_i
 *
 * For the backend and the benches.  The points of a key lie on the device in a
 * table with shifted copies, 2^s P_i for several s, made once; a run sorts the
 * scalars' signed digits by bucket, sums each bucket's points pairwise in
 * affine coordinates with shared inversions, and leaves on the host a few
 * points that msm_finish() adds up.  Documentation/internals/cuda.rst tells
 * why.  Nothing is allocated here: the caller gives a table and scratch of
 * the sizes that the plan names.  Time depends on the scalars.
 *
 * Calls in their order:
 *	msm_plan_make()				when a key is opened, no device
 *	msm_prepare<G>()			once per key
 *	msm_run<G>() or msm_run_sum<G>()	per proof, asynchronous
 *	msm_finish<G>()				after the stream's sync, host
 */
#ifndef LULL_CUDA_MSM_CUH
#define LULL_CUDA_MSM_CUH

#include "check.cuh"
#include "group.cuh"

namespace lull
{

/* A group trait: its curve, the field of its coordinates, its number. */
struct bn254_g1 {
	using curve = bn254;
	using coord = fe<bn254_fp>;
	static constexpr int group = 1;
};
struct bn254_g2 {
	using curve = bn254;
	using coord = fe2<bn254_fp>;
	static constexpr int group = 2;
};
struct bls12_381_g1 {
	using curve = bls12_381;
	using coord = fe<bls12_381_fp>;
	static constexpr int group = 1;
};
struct bls12_381_g2 {
	using curve = bls12_381;
	using coord = fe2<bls12_381_fp>;
	static constexpr int group = 2;
};

#define MSM_SCALAR_BYTES 32
#define MSM_WINDOWS_MAX 64
#define MSM_WINDOW_BITS_MAX 24
/* Sums that a run leaves on the host: one for each bit of a bucket's number,
 * per set of buckets. */
#define MSM_SUMS_MAX 448
/* A ref is the place of a point in its table and, on top, its sign. */
#define MSM_REF_NEG 0x80000000u /* bit 31 */

/* How the points of a bucket are summed. */
enum msm_method {
	MSM_AFFINE, /* pairwise, in affine coordinates, inversions shared */
	MSM_XYZZ,   /* one after the other in XYZZ: the twin */
};

/**
 * struct msm_shape - what a plan is for
 * @curve: which
 * @group: 1 or 2
 * @nr_points: points of the table
 * @nr_scalars: scalars of a run at most, all of full length; 0 for sums alone
 * @nr_units: points that msm_run_sum() takes at most
 * @table_bytes_max: what the table may take; less than the points themselves
 *	need gets a plan without copies
 * @scratch_bytes_max: what scratch should not exceed, or 0 for no bound; kept
 *	to where it can be
 * @nr_sms: multiprocessors of the device
 * @method: how
 * @window_bits: 0, or what the caller wants instead of the plan's choice
 * @part_sets: the same
 * @nr_levels: -1, or what the caller wants
 * @batch: 0, or what the caller wants
 */
struct msm_shape {
	enum lull_curve curve;
	int group;
	size_t nr_points;
	size_t nr_scalars;
	size_t nr_units;
	size_t table_bytes_max;
	size_t scratch_bytes_max;
	unsigned int nr_sms;
	enum msm_method method;
	unsigned int window_bits;
	unsigned int part_sets;
	int nr_levels;
	unsigned int batch;
};

/* The parts of a run's scratch, as offsets in bytes. */
struct msm_layout {
	size_t keys[2]; /* sort: keys in and out */
	size_t refs[2]; /* sort: refs in and out */
	size_t cub;	/* what CUB wants */
	size_t cub_bytes;
	size_t offsets;		 /* first ref of each bucket */
	size_t level_offsets[2]; /* the same on a level of the tree */
	size_t points[2];	 /* partial sums, affine, in planes */
	size_t points_stride[2]; /* values in a plane; no offset */
	size_t prefix;		 /* prefix products of a batch */
	size_t places;		 /* where a level's pairs stand */
	size_t buckets;		 /* XYZZ */
	size_t partial[2];	 /* sums of runs that cross a tile, XYZZ */
	size_t partial_keys[2];
	size_t lines; /* sums of rows and columns of the buckets */
	size_t sums;  /* what goes to the host */
	size_t bytes; /* all of it */
};

/**
 * struct msm_plan - how a multiplication is cut up
 * @shape: what it is for
 * @point_bytes: of an affine point
 * @nr_windows: W
 * @window_bits: bits of a window
 * @nr_wide: so many of the lowest windows have one bit more; only where there
 *	is one set
 * @nr_copies: shifted copies in the table; window w uses copy w / nr_sets
 * @nr_sets: sets of buckets, W / nr_copies rounded up
 * @set_buckets: buckets of one set: digits +-1 .. +-set_buckets
 * @nr_buckets: of all sets
 * @part_sets: so many sets are filled and summed before the next ones: they
 *	share no bucket, and scratch is a part's
 * @part_buckets: of these
 * @key_bits: bits that the sort looks at
 * @nr_refs: refs of a run at most
 * @part_refs: refs of a part at most
 * @chunk_refs: refs of a part that go through the tree at once
 * @nr_levels: levels of the pairwise tree
 * @unit_levels: the same for msm_run_sum()
 * @nr_threads: of the grid of a level, at most
 * @batch: pairs of one thread that share an inversion with their block's
 * @row_bits: the buckets of a set as a matrix: 2^row_bits columns
 * @column_bits: and 2^column_bits rows
 * @table_bytes: of the table
 * @scratch: of a run
 */
struct msm_plan {
	struct msm_shape shape;
	size_t point_bytes;
	unsigned int nr_windows;
	unsigned int window_bits;
	unsigned int nr_wide;
	unsigned int nr_copies;
	unsigned int nr_sets;
	uint32_t set_buckets;
	uint32_t nr_buckets;
	unsigned int part_sets;
	uint32_t part_buckets;
	unsigned int key_bits;
	size_t nr_refs;
	size_t part_refs;
	size_t chunk_refs;
	unsigned int nr_levels;
	unsigned int unit_levels;
	unsigned int nr_threads;
	unsigned int batch;
	unsigned int row_bits;
	unsigned int column_bits;
	size_t table_bytes;
	struct msm_layout scratch;
};

/**
 * msm_plan_make - cut a multiplication up; pure arithmetic
 * @shape: what for
 * @ret_plan: the cuts
 * @reterr: filled on failure
 *
 * Return: LULL_OK; LULL_USAGE for a shape without sense; LULL_UNSUPPORTED for
 * one whose points, units or refs of a part do not fit in 31 bits.
 */
int msm_plan_make(const struct msm_shape *shape, struct msm_plan *ret_plan,
		  struct lull_error *reterr);

struct msm_grid {
	unsigned int blocks, threads;
};

/**
 * msm_tree_grid - the grid of a level of the tree
 * @plan: of msm_plan_make(); @point_bytes and @shape.nr_sms are read
 * @nr_outputs: of the level, or a bound of them
 *
 * Return: one block a multiprocessor where each of its threads has several pairs,
 * smaller ones otherwise; never more than @plan->nr_threads threads for a level of
 * that plan.
 */
struct msm_grid msm_tree_grid(const struct msm_plan *plan, size_t nr_outputs);

/**
 * msm_plan_few - the same for a few scalars of a table that is there
 * @plan: the table's
 * @nr_scalars: how many at most
 * @ret_plan: with the table's bytes: takes its points and none of the copies, so
 *	its windows are what suits the scalars
 * @reterr: filled on failure
 *
 * Return: as msm_plan_make().
 */
int msm_plan_few(const struct msm_plan *plan, size_t nr_scalars, struct msm_plan *ret_plan,
		 struct lull_error *reterr);

/* What a run over so many scalars takes by the model, in products of the
 * coordinates' field. */
double msm_plan_cost(const struct msm_plan *plan, size_t nr_scalars);

/* The first bit of window w. */
LULL_HD unsigned int msm_window_start(const struct msm_plan &plan, unsigned int w)
{
	return w * plan.window_bits + (w < plan.nr_wide ? w : plan.nr_wide);
}

/* How far copy i is shifted: 2^that times the points. */
LULL_HD unsigned int msm_copy_shift(const struct msm_plan &plan, unsigned int i)
{
	return msm_window_start(plan, i * plan.nr_sets);
}

/* What scalars are. */
enum msm_scalars {
	MSM_PLAIN,	/* integers below r */
	MSM_MONTGOMERY, /* elements of Fr */
};

/* What a run leaves in the caller's pinned host memory. */
template <class G>
struct msm_sums {
	xyzz<typename G::coord> sum[MSM_SUMS_MAX];
};

/**
 * msm_prepare - make the shifted copies of a table
 * @plan: its plan
 * @table: plan->table_bytes on the device, aligned to 256; the first
 *	nr_points affine points are the caller's, Montgomery, on their curve,
 *	infinity allowed; the rest is written
 * @stream: asynchronous on it
 * @reterr: filled on failure
 */
template <class G>
int msm_prepare(const struct msm_plan *plan, void *table, cudaStream_t stream,
		struct lull_error *reterr);

/**
 * msm_run - sum of scalars[i] points[i] over a list of i
 * @plan: the table's plan
 * @table: as msm_prepare() left it
 * @scalars: on the device, 32 bytes each, aligned to 16
 * @kind: what they are
 * @index: on the device: which i, each below nr_points; or NULL for 0, 1, ...
 * @nr: how many i; at most the plan's nr_scalars
 * @scratch: plan->scratch.bytes on the device, aligned to 256; left holding
 *	traces of the scalars
 * @sums: pinned host memory; its first msm_nr_sums(plan) points are written
 * @stream: asynchronous on it
 * @reterr: filled on failure
 *
 * Points have order r: scalars above r / 2 are folded.
 */
template <class G>
int msm_run(const struct msm_plan *plan, const void *table, const void *scalars,
	    enum msm_scalars kind, const uint32_t *index, size_t nr, void *scratch,
	    struct msm_sums<G> *sums, cudaStream_t stream, struct lull_error *reterr);

/* Points that msm_run() writes. */
unsigned int msm_nr_sums(const struct msm_plan *plan);

/**
 * msm_run_sum - sum of the points named by refs
 * @refs: on the device: places in the table, each below nr_points, with
 *	MSM_REF_NEG where the point is to be subtracted
 * @nr: how many; at most the plan's nr_units
 * @sum: pinned host memory, one point
 *
 * The rest as msm_run().
 */
template <class G>
int msm_run_sum(const struct msm_plan *plan, const void *table, const uint32_t *refs, size_t nr,
		void *scratch, xyzz<typename G::coord> *sum, cudaStream_t stream,
		struct lull_error *reterr);

/* A kernel, which CUDA can be asked about. */
template <class G>
const void *msm_kernel(void);

/* Launches those of the kernels that have most on their stacks, without anything to
 * do: CUDA takes device memory for stacks when a kernel first needs more than those
 * before it. */
template <class G>
int msm_take_stacks(cudaStream_t stream, struct lull_error *reterr);

/* The sum that msm_run() left, on the host; after the stream's sync. */
template <class G>
xyzz<typename G::coord> msm_finish(const struct msm_plan *plan, const struct msm_sums<G> *sums);

} /* namespace lull */

#endif
