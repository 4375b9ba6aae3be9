/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.cuh - every device buffer of a key and of its proofs, with overlays
 *
 * For key.cu and stages.cu.  The plan is arithmetic on the host: it is made, checked
 * against the budget and printed before anything is allocated.
 *
 * One block holds what stays with the key:
 *
 *	[ A ][ B1 ][ B2 ][ L ][ H ][ matrices ][ tables of the domain ][ of the
 *	coefficients, of an assigned key ][ bits of A ][ bits of B ]
 *
 * where a section is there as a table of points and shifted copies, as points
 * alone, or, when it is streamed from pinned host memory, not at all.  Of
 * matrices that are streamed, only the coefficients that all rows share are
 * there.
 *
 * Each proof at a time has a block (a seat) with what is made of its witness
 * before it computes:
 *
 *	[ witness ][ ones ][ others ][ map ][ scratch to make lists ]
 *
 * and there is a block to compute in, or one for each proof:
 *
 *	[ a, then the scalars of H ][ lane 0 ][ lane 1 ][ lane 2 ]
 *
 * A lane is what stages that run one after another overlay:
 *
 *	lane 0	[ b ][ scratch of classes, SpMV or the quotient ]
 *		     [ scratch of SpMV ][ 2 blocks of matrices  ]
 *		[ scratch of a sum                          ... ][ 2 buffers ]
 *	others	[ scratch of a sum ]
 *
 * With room there are three lanes, which run beside each other: SpMV, quotient
 * and H; A, B1 and L; B2.  Otherwise there is lane 0 alone.  The buffers are
 * for tables of streamed chunks.  Blocks of streamed matrices take turns in
 * room that only the quotient has use for, so they cost nothing; where that has
 * none, for a folded key, they have some MiB of their own.
 *
 * An assigned key has points in A, B1 and B2 for some wires alone, and each proof
 * says by bitmaps for which.  Of other keys, those that have points at infinity in
 * A or in B for more than an eighth of the wires are laid out without these, as
 * far as they are not streamed, and the bitmaps are the key's.  The wires' values
 * are gathered, and A and B have lists of their own:
 *
 *	[ witness ][ ones ][ others ][ bits of A ][ bits of B ]
 *	[ values of A ][ ones ][ others ][ the same of B ][ map ][ scratch ]
 *
 * In a small budget they are gathered when their sum comes, which is before the
 * quotient of an assigned key and after any other's, and overlay what that works
 * on:
 *
 *	lane 0	[ b ][ scratch of classes or the quotient      ]
 *		[ values of A or B ][ scratch of lists or a sum ][ 2 buffers ]
 *
 * with one pair of lists, which is made anew for each.
 *
 * A witness that comes packed (witness.cu) has its map there, and until its values
 * are made the places of groups over its ones and the full-size values over its
 * others.  An assigned key's never does.
 *
 * L is the sum over private wires alone.  Its table begins with a point at
 * infinity for each public wire, so that the lists of the witness's ones and
 * others are lists of its points too.
 */
#ifndef LULL_CUDA_LAYOUT_CUH
#define LULL_CUDA_LAYOUT_CUH

#include "curve.cuh"
#include "dense.cuh"

namespace lull
{

enum section_id { SECTION_A, SECTION_B1, SECTION_B2, SECTION_L, SECTION_H, NR_SECTIONS };

constexpr unsigned int nr_lanes_max = 3;
/* Two proofs fill the device: one's sums and the other's way up and down. */
constexpr unsigned int nr_seats_max = 2;
constexpr unsigned int nr_works_max = nr_seats_max;

/* The key's, a seat's, and one to compute in. */
enum block_id { BLOCK_KEY, BLOCK_SEAT, BLOCK_WORK, NR_BLOCKS };

/* A range of a block. */
struct part {
	uint64_t at, bytes;
	enum block_id block;
};

/**
 * struct list - values, and which of them are ones
 * @nr: how many
 * @used: some section needs it
 * @of_key: which wires it is about is the key's to say, not the proof's
 * @bits: which wires' values they are; empty for all.  In the key's block or a
 *	seat's, as @of_key says
 * @values: plain
 * @ones: places of ones
 * @others: places of values that are neither 0 nor 1
 */
struct list {
	size_t nr;
	bool used;
	bool of_key;
	struct part bits;
	struct part values, ones, others;
};

/**
 * struct section - the points of one sum
 * @points: in the key's file, at any alignment
 * @nr_missing: points at infinity that stand before them
 * @nr: how many, those among them; 0 where an assigned key has none
 * @sum: functions of its group
 * @list: whose values; unused for H
 * @lane: whose stages it is one of
 * @streamed: not on the device
 * @copies_max: of its table
 * @plan: of the sum, or of the sum of one chunk
 * @last_plan: of the last chunk
 * @few_plan: of the sum over a list of no more than @few_max others
 * @few_max: 0 where that has no plan of its own
 * @chunk: points of a chunk; all when it is not streamed
 * @nr_chunks: how many
 * @table: in the key's block
 */
struct section {
	const uint8_t *points;
	size_t nr_missing;
	size_t nr;
	const struct sum_ops *sum;
	enum list_id list;
	unsigned int lane;
	bool streamed;
	unsigned int copies_max;
	struct msm_plan plan, last_plan, few_plan;
	size_t few_max;
	size_t chunk;
	unsigned int nr_chunks;
	struct part table;
};

/**
 * struct matrices_bytes - what the layout must know of a key's matrices
 * @dictionary: coefficients that stay on the device in any case
 * @rows: all rows
 * @row_max: a block of rows, at least
 * @scratch: of a product
 */
struct matrices_bytes {
	uint64_t dictionary, rows, row_max, scratch;
};

/**
 * struct layout - the plan
 * @arrays: the key
 * @curve: its functions
 * @nr_sms: of the device
 * @sections: by enum section_id
 * @spmv: sizes of the matrices
 * @matrices_streamed: not on the device
 * @block_bytes: room for a block of streamed matrices
 * @nr_blocks: into which they were cut; for the description
 * @nr_seats: proofs at a time
 * @nr_works: blocks to compute in
 * @nr_lanes: 1 or nr_lanes_max
 * @scratch_max: bytes that a sum's scratch should keep to; 0 for no bound
 * @matrices: in the key's block
 * @tables: of the domain, in the key's block
 * @coefs: tables of an assigned key's quotient, in the key's block
 * @lists: in a seat's block, but for values where @lists_shared
 * @lists_shared: of those that are not of all wires, there is room for the
 *	values and the places of one at a time
 * @list_scratch: to gather and to classify: the seat's, or a sum's
 * @map: classes of a witness that comes packed, in a seat's block; empty for an
 *	assigned key
 * @packed_max: with no more full-size values it does
 * @a: and later the scalars of H; in a block to compute in, as all that follow
 * @b: in lane 0
 * @scratch0: behind b: classes', SpMV's and the quotient's, and room for rows
 *	that come up
 * @matrix_buffers: two, in @scratch0, when the matrices are streamed
 * @sum_scratch: of each lane
 * @buffers: two, when a section is streamed
 * @bytes: of a block of each kind
 */
struct layout {
	struct lull_key_arrays arrays;
	const struct curve_ops *curve;
	unsigned int nr_sms;
	struct section sections[NR_SECTIONS];
	struct matrices_bytes spmv;
	bool matrices_streamed;
	uint64_t block_bytes;
	size_t nr_blocks;
	unsigned int nr_seats;
	unsigned int nr_works;
	unsigned int nr_lanes;
	uint64_t scratch_max;
	struct part matrices, tables, coefs;
	struct list lists[NR_LISTS];
	bool lists_shared;
	struct part list_scratch;
	struct part map;
	size_t packed_max;
	struct part a, b, scratch0;
	struct part matrix_buffers[2];
	struct part sum_scratch[nr_lanes_max];
	struct part buffers[2];
	uint64_t bytes[NR_BLOCKS];
};

/* A bit for each wire. */
uint64_t layout_bits_bytes(const struct layout *layout);
/* What all blocks take together. */
uint64_t layout_bytes(const struct layout *layout);
/* Of them, what only makes proofs faster: shifted copies, a second seat and a
 * second block to compute in, of as many seats and works as there came to be. */
uint64_t layout_optional_bytes(const struct layout *layout, unsigned int nr_seats,
			       unsigned int nr_works);
/* A seat's and one to compute in. */
uint64_t layout_proof_bytes(const struct layout *layout);

/*
 * What the key's resident sums take by the model, in products of the base field.
 * Of a witness it is not known yet how much is neither 0 nor 1: one of eight
 * counts as if all were, the others as if a few.
 */
double layout_cost(const struct layout *layout);

/* The best plan that the budget holds; LULL_NOMEM with the numbers of the
 * smallest, which is @ret_layout, when none does.  LULL_UNSUPPORTED for a key that
 * is too large for any device: nothing of it has gone up. */
int layout_make(const struct curve_ops *curve, const struct lull_key_arrays *arrays,
		const struct dense *dense, const struct matrices_bytes *spmv, unsigned int nr_sms,
		uint64_t budget_bytes, struct layout *ret_layout, struct lull_error *reterr);

/* Writes the plan as a line of text. */
void layout_describe(const struct layout *layout, char *text, size_t bytes);

} /* namespace lull */

#endif
