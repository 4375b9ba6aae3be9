// SPDX-License-Identifier: Apache-2.0
/*
 * domain_tmpl.c - the tables of a domain: some 5 sqrt(2 n) twiddles
 *
 * For ntt_tmpl.c and the passes.  Each table is a few geometric progressions.
 */
#include <stdlib.h>

#include "base/cpu.h"
#include "base/error.h"
#include "ntt/ntt.h"
#include "ntt/passes.h"

static const struct fr root = { CURVE_CONST(FR_ROOT) };
static const struct fr root_inv = { CURVE_CONST(FR_ROOT_INV) };

/* r = a^(2^times) */
static void square_times(struct fr *r, const struct fr *a, unsigned int times)
{
	*r = *a;
	while (times--)
		fr_sqr(r, r);
}

/* w_n for n = 2^log_n, or its inverse from root_inv. */
static void root_of(struct fr *r, const struct fr *from, unsigned int log_n)
{
	square_times(r, from, CURVE_CONST(FR_TWO_ADICITY) - log_n);
}

void fr_domain_increment(unsigned int log2_n, struct fr *ret_inc)
{
	static const struct fr shift = { CURVE_CONST(FR_SHIFT) };

	if (log2_n < CURVE_CONST(FR_TWO_ADICITY))
		root_of(ret_inc, &root, log2_n + 1);
	else
		*ret_inc = shift;
}

static void rows_and_columns(unsigned int log_n, unsigned int *ret_log_rows,
			     unsigned int *ret_log_columns)
{
	*ret_log_rows = log_n / 2;
	*ret_log_columns = log_n - log_n / 2;
}

static size_t table_entries(unsigned int log_n, enum ntt_table which)
{
	unsigned int log_rows, log_columns;

	rows_and_columns(log_n, &log_rows, &log_columns);
	switch (which) {
	case NTT_INVERSE:
		return (size_t)1 << (log_columns - 1);
	case NTT_CYCLIC:
	case NTT_COSET:
	case NTT_COLUMN:
		return (size_t)1 << log_columns;
	case NTT_ROW:
	case NTT_SHIFT:
		return (size_t)1 << log_rows;
	case NTT_FIXED:
	default:
		return NTT_NR_FIXED;
	}
}

static size_t all_entries(unsigned int log_n)
{
	size_t sum = 0;
	int i;

	for (i = 0; i < NTT_NR_TABLES; i++)
		sum += table_entries(log_n, (enum ntt_table)i);
	return sum;
}

/* t[i] = start step^i */
static void progression(struct fr *t, size_t nr, const struct fr *start,
			const struct fr *step)
{
	size_t i;

	t[0] = *start;
	for (i = 1; i < nr; i++)
		fr_mul(&t[i], &t[i - 1], step);
}

/* t[i] = base^rev(i) for the log bits of i */
static void progression_reversed(struct fr *t, unsigned int log,
				 const struct fr *base)
{
	struct fr q;
	size_t m, i;
	unsigned int bit;

	t[0] = fr_one;
	for (bit = 0; bit < log; bit++) {
		m = (size_t)1 << bit;
		square_times(&q, base, log - 1 - bit);
		for (i = 0; i < m; i++)
			fr_mul(&t[m + i], &t[i], &q);
	}
}

/* t[m + j] = inc^(n/2m) w_2m^j for every m below 2^log; t[0], unused, is 1. */
static void levels(struct fr *t, unsigned int log, const struct fr *inc,
		   unsigned int log_n)
{
	struct fr start, step;
	unsigned int bit;

	t[0] = fr_one;
	for (bit = 0; bit < log; bit++) {
		square_times(&start, inc, log_n - bit - 1);
		root_of(&step, &root, bit + 1);
		progression(t + ((size_t)1 << bit), (size_t)1 << bit, &start,
			    &step);
	}
}

static void fixed(struct fr *t, unsigned int log_n, unsigned int out_doublings)
{
	struct fr inv, out;

	fr_from_u64(&inv, (uint64_t)1 << log_n);
	fr_inv(&inv, &inv);
	fr_to_plain(out.l, &inv);
	fr_neg(&out, &out);
	while (out_doublings--)
		fr_dbl(&out, &out);
	t[NTT_ONE] = fr_one;
	t[NTT_INV_N] = inv;
	t[NTT_OUT] = out;
}

static void fill(struct fr *t, const struct fr_domain *d, enum ntt_table which,
		 const struct fr *inc)
{
	struct fr w, w_inv;

	root_of(&w, &root, d->log_n);
	root_of(&w_inv, &root_inv, d->log_n);
	switch (which) {
	case NTT_INVERSE:
		root_of(&w_inv, &root_inv, d->log_columns);
		progression_reversed(t, d->log_columns - 1, &w_inv);
		break;
	case NTT_CYCLIC:
		levels(t, d->log_columns, &fr_one, d->log_n);
		break;
	case NTT_COSET:
		levels(t, d->log_columns, inc, d->log_n);
		break;
	case NTT_COLUMN:
		progression(t, (size_t)1 << d->log_columns, &fr_one, &w_inv);
		break;
	case NTT_ROW:
		progression_reversed(t, d->log_rows, &w);
		break;
	case NTT_SHIFT:
		progression_reversed(t, d->log_rows, inc);
		break;
	case NTT_FIXED:
	default:
		fixed(t, d->log_n, d->passes->out_doublings);
		break;
	}
}

/* Each table is made at the end of the block's worth of residues and then
 * prepared into its place. */
static void fill_all(struct fr_domain *d, struct fr *tmp, const struct fr *inc)
{
	unsigned char *p = d->block.ptr;
	size_t nr;
	int i;

	for (i = 0; i < NTT_NR_TABLES; i++) {
		nr = table_entries(d->log_n, (enum ntt_table)i);
		fill(tmp, d, (enum ntt_table)i, inc);
		d->passes->prepare(p, tmp, nr);
		d->table[i] = p;
		p += nr * d->passes->twiddle_bytes;
	}
}

int fr_domain_build(unsigned int log2_n, const struct fr_passes *passes,
		    const struct fr *inc, struct lull_arena *arena,
		    struct fr_domain **ret_domain, struct lull_error *reterr)
{
	struct lull_vec tmp = { 0 };
	struct fr_domain *d;
	size_t bytes;
	int err;

	LULL_ASSERT(log2_n && log2_n <= CURVE_CONST(FR_TWO_ADICITY));
	d = calloc(1, sizeof(*d));
	if (!d)
		return lull_fail(reterr, LULL_NOMEM,
				 "ntt: no memory for a domain of 2^%u", log2_n);
	d->passes = passes;
	d->log_n = log2_n;
	rows_and_columns(log2_n, &d->log_rows, &d->log_columns);
	bytes = table_entries(log2_n, NTT_CYCLIC) + NTT_NR_FIXED;
	err = lull_arena_carve(arena, bytes * sizeof(struct fr), 0,
			       "ntt: twiddles", &tmp, reterr);
	if (err)
		goto free_domain;
	bytes = all_entries(log2_n) * passes->twiddle_bytes;
	err = lull_arena_carve(arena, bytes, 0, "ntt: twiddles", &d->block,
			       reterr);
	if (err)
		goto retire_tmp;
	fill_all(d, tmp.ptr, inc);
	lull_arena_retire(&tmp);
	*ret_domain = d;
	return LULL_OK;

retire_tmp:
	lull_arena_retire(&tmp);
free_domain:
	fr_domain_destroy(d);
	return err;
}

void fr_domain_destroy(struct fr_domain *domain)
{
	if (!domain)
		return;
	lull_arena_retire(&domain->block);
	free(domain);
}

static const struct fr_passes *best_passes(void)
{
	return lull_cpu_has_ifma() ? &fr_passes_ifma : &fr_passes_portable;
}

int fr_domain_create(unsigned int log2_n, struct lull_arena *arena,
		     struct fr_domain **ret_domain, struct lull_error *reterr)
{
	struct fr inc;

	fr_domain_increment(log2_n, &inc);
	return fr_domain_build(log2_n, best_passes(), &inc, arena, ret_domain,
			       reterr);
}

size_t fr_domain_bytes(unsigned int log2_n)
{
	return all_entries(log2_n) * best_passes()->twiddle_bytes;
}
