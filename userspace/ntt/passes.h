/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes.h - the three passes over memory that every transform is made of
 *
 * For the files of ntt/ and their tests.  An array of n = R C elements is seen
 * as R rows of C columns (Documentation/internals/ntt.rst).  One pass works on
 * the columns, eight to a task, the other two on the rows or on the columns
 * again; passes_tmpl.c and passes_ifma_tmpl.c are twins of one source.
 */
#ifndef LULL_NTT_PASSES_H
#define LULL_NTT_PASSES_H

#include "arena/arena.h"
#include "base/workers.h"
#include "curve/fr.h"

struct lull_error;

/* Columns or rows that a task works on, in the lanes of a vector. */
#define NTT_LANES 8
/* Levels that a row or column can have: of a domain of 2^32, 16. */
#define NTT_LOG_MAX 16
/* A vector of them in either twin: eight times five limbs of 52 bits, each in
 * 64, take the most. */
#define NTT_LANES_BYTES_MAX 320
/* A task's tiles: the columns of three arrays and their twiddles. */
#define NTT_TILES ((size_t)4)

#define fr_passes_portable LULL_CURVE_NAME(fr_passes_portable)
#define fr_passes_ifma LULL_CURVE_NAME(fr_passes_ifma)
#define fr_domain_build LULL_CURVE_NAME(fr_domain_build)
#define fr_domain_increment LULL_CURVE_NAME(fr_domain_increment)

/* The tables of a domain, in the order in which they lie in its block.  B, m
 * are powers of two; rev(i) reverses the bits of i, an index below R. */
enum ntt_table {
	NTT_INVERSE, /* C/2: at b, w_n^-rev', rev' of b's bits below n/2 */
	NTT_CYCLIC,  /* C: at m + j, w_2m^j, j < m */
	NTT_COSET,   /* C: at m + j, inc^(n/2m) w_2m^j */
	NTT_COLUMN,  /* C: w_n^-column */
	NTT_ROW,     /* R: w_n^rev(row) */
	NTT_SHIFT,   /* R: inc^rev(row) */
	NTT_FIXED,   /* enum ntt_fixed */
	NTT_NR_TABLES,
};

enum ntt_fixed {
	NTT_ONE,   /* 1 */
	NTT_INV_N, /* 1/n */
	NTT_OUT,   /* -1/n, so that a residue times n becomes a plain integer */
	NTT_NR_FIXED,
};

/**
 * struct ntt_job - one pass over up to three arrays
 * @domain: whose
 * @v: the arrays, of n elements
 * @nr: how many
 * @scratch: NTT_TILES tiles of R vectors for each slot
 * @inverse: rows: transform back
 * @forward: rows: transform forth; after a way back, on the coset
 * @product: columns back: v[2] is v[0] v[1] first
 * @quotient: columns forth: last v[0] becomes v[0] v[1] - v[2], plain; without
 *	a third array v[0] v[1]
 */
struct ntt_job {
	const struct fr_domain *domain;
	struct fr *v[3];
	unsigned int nr;
	unsigned char *scratch;
	bool inverse;
	bool forward;
	bool product;
	bool quotient;
};

/**
 * struct fr_passes - one twin
 * @twiddle_bytes: one entry of a table
 * @lanes_bytes: one vector of NTT_LANES elements in scratch
 * @out_doublings: the entry of NTT_OUT is made from plain -2^@out_doublings / n
 * @prepare: Montgomery residues into the entries of a table
 * @columns_inverse: columns back, then times w_n^(-row column)
 * @rows: each row back, forth or both, and the twiddles of the columns
 * @columns_forward: columns forth, then canonical or the quotient
 */
struct fr_passes {
	size_t twiddle_bytes;
	size_t lanes_bytes;
	unsigned int out_doublings;
	void (*prepare)(void *dst, const struct fr *src, size_t nr);
	void (*columns_inverse)(void *job, size_t task, unsigned int slot);
	void (*rows)(void *job, size_t task, unsigned int slot);
	void (*columns_forward)(void *job, size_t task, unsigned int slot);
};

extern const struct fr_passes fr_passes_portable;
extern const struct fr_passes fr_passes_ifma;

/**
 * struct fr_domain - a domain; read-only once built
 * @passes: the twin that its tables are for
 * @log_n: n = 2^log_n
 * @log_rows: R = 2^log_rows
 * @log_columns: C = 2^log_columns, R or 2 R
 * @table: by enum ntt_table
 * @block: owns them
 */
struct fr_domain {
	const struct fr_passes *passes;
	unsigned int log_n;
	unsigned int log_rows;
	unsigned int log_columns;
	const void *table[NTT_NR_TABLES];
	struct lull_vec block;
};

/* fr_domain_create() for a given twin and any shift @inc of the coset. */
int fr_domain_build(unsigned int log2_n, const struct fr_passes *passes,
		    const struct fr *inc, struct lull_arena *arena,
		    struct fr_domain **ret_domain, struct lull_error *reterr);
/* snarkjs's shift: w_2n, or g^2 where there is none. */
void fr_domain_increment(unsigned int log2_n, struct fr *ret_inc);

/* The low @bits bits of @x in reverse. */
static inline size_t ntt_reverse(size_t x, unsigned int bits)
{
	size_t r = 0;

	while (bits--) {
		r = r << 1 | (x & 1);
		x >>= 1;
	}
	return r;
}

#endif
