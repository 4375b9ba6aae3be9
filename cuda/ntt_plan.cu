// SPDX-License-Identifier: Apache-2.0
/*
 * ntt_plan.cu - the shape of a transform and what its tables are
 *
 * For ntt.cu and the tests: host arithmetic only, nothing here needs a device.
 */
#include "inverse.cuh"
#include "ntt.cuh"

namespace lull
{

/* Rows of a pass by columns at most: 2^9 leave four columns, 128 bytes, to a
 * tile.  The first pass has as many wherever its factors are computed. */
static constexpr unsigned int columns_rows_log = computed_rows_log;

static_assert(ntt_direct_log_max >= tile_log + columns_rows_log - 1, "smaller first passes");

static void set_two(struct ntt_shape *s, unsigned int log_first)
{
	s->nr_passes = 2;
	s->log_rows[0] = log_first;
	s->log_rows[1] = s->log_n - log_first;
}

static void set_three(struct ntt_shape *s)
{
	unsigned int rest = s->log_n - columns_rows_log;
	unsigned int last = lull_max(columns_rows_log, rest - columns_rows_log);

	s->nr_passes = 3;
	s->log_rows[0] = columns_rows_log;
	s->log_rows[1] = rest - last;
	s->log_rows[2] = last;
}

struct ntt_shape ntt_shape_of(unsigned int log_n)
{
	struct ntt_shape s = {};
	unsigned int over, thirds, p, stride = log_n;

	LULL_ASSERT(log_n && log_n <= ntt_log_max);
	s.log_n = log_n;
	over = log_n > tile_log ? log_n - tile_log : 0;
	thirds = (over + round_log - 1) / round_log * round_log;
	if (!over) {
		s.nr_passes = 1;
		s.log_rows[0] = log_n;
	} else if (thirds <= columns_rows_log) {
		set_two(&s, thirds);
	} else {
		set_three(&s);
	}
	for (p = 0; p < s.nr_passes; p++) {
		stride -= s.log_rows[p];
		s.log_stride[p] = stride;
	}
	return s;
}

struct ntt_set_layout ntt_set_layout_of(const struct ntt_shape *shape, enum ntt_set set)
{
	struct ntt_set_layout l = {};
	unsigned int p;

	l.log_low = shape->log_n / 2;
	for (p = 0; p < shape->nr_passes; p++) {
		l.rounds[p] = l.nr;
		l.nr += round_tables_size(shape->log_rows[p]);
		if (p + 1 == shape->nr_passes)
			break;
		l.boundary[p] = l.nr;
		if (ntt_has_direct(shape, p)) {
			l.nr += (size_t)1 << (shape->log_rows[p] + shape->log_stride[p]);
			continue;
		}
		l.nr += (size_t)1 << l.log_low;
		l.high = l.nr;
		l.nr += (size_t)1 << (shape->log_n - l.log_low);
		l.powers = l.nr;
		l.nr += set == NTT_SET_COSET ? (size_t)1 << shape->log_rows[p] : 0;
	}
	l.first = l.nr;
	l.nr += set == NTT_SET_COSET ? 2 * round_size : 0;
	return l;
}

/* So that every set begins at a whole line of the second cache. */
static size_t set_bytes(const struct ntt_shape *shape, enum ntt_set set)
{
	constexpr size_t line = 256;

	return lull_align_up(ntt_set_layout_of(shape, set).nr * 32, line);
}

size_t ntt_domain_bytes(unsigned int log_n, unsigned int sets)
{
	struct ntt_shape shape = ntt_shape_of(log_n);
	size_t bytes = 0;

	for (unsigned int i = 0; i < NTT_NR_SETS; i++)
		bytes += sets >> i & 1 ? set_bytes(&shape, (enum ntt_set)i) : 0;
	return bytes;
}

template <class F>
static fe<F> root_of(bool inverse, unsigned int log_n)
{
	fe<F> r;

	for (unsigned int i = 0; i < F::nr_words; i++)
		r.l[i] = inverse ? F::root_inv(i) : F::root(i);
	for (unsigned int i = log_n; i < F::two_adicity; i++)
		r = mul(r, r);
	return r;
}

template <class F>
fe<F> ntt_shift(unsigned int log_n)
{
	fe<F> r;

	if (log_n < F::two_adicity)
		return root_of<F>(false, log_n + 1);
	for (unsigned int i = 0; i < F::nr_words; i++)
		r.l[i] = F::shift(i);
	return r;
}

/* 1/n, Montgomery */
template <class F>
static fe<F> inverse_n(unsigned int log_n)
{
	fe<F> n = fe<F>::one();

	for (unsigned int i = 0; i < log_n; i++)
		n = dbl(n);
	return inverse_power(n);
}

template <class F>
static ntt_roots<F> roots_of(bool inverse)
{
	/* 1/2 and the eighth root. */
	fe<F> half = inverse_n<F>(1);
	fe<F> w = root_of<F>(inverse, 3), w_inv = root_of<F>(!inverse, 3);
	ntt_roots<F> r;

	r.i = mul(w, w);
	r.c = mul(half, add(w, w_inv));
	r.s = mul(half, sub(w, w_inv));
	return r;
}

template <class F>
static void put_table(ntt_table_list<F> *list, const ntt_table_spec<F> &common, enum ntt_table what,
		      size_t offset, size_t nr)
{
	ntt_table_spec<F> *t = &list->table[list->nr];

	LULL_ASSERT(list->nr < ntt_tables_max);
	*t = common;
	t->what = what;
	t->nr = nr;
	list->offset[list->nr++] = offset;
}

/* Of pass p; common has the rest. */
template <class F>
static void put_boundary(ntt_table_list<F> *list, const struct ntt_shape *shape,
			 const struct ntt_set_layout *l, const ntt_table_spec<F> &common,
			 unsigned int p, bool coset)
{
	size_t rows = (size_t)1 << shape->log_rows[p];

	if (ntt_has_direct(shape, p)) {
		put_table(list, common, NTT_DIRECT, l->boundary[p], rows << shape->log_stride[p]);
		return;
	}
	put_table(list, common, NTT_LOW, l->boundary[p], (size_t)1 << l->log_low);
	put_table(list, common, NTT_HIGH, l->high, (size_t)1 << (shape->log_n - l->log_low));
	if (coset)
		put_table(list, common, NTT_POWERS, l->powers, rows);
}

template <class F>
void ntt_list_tables(const struct ntt_shape *shape, enum ntt_set set, ntt_table_list<F> *ret_list,
		     ntt_roots<F> *ret_roots)
{
	struct ntt_set_layout l = ntt_set_layout_of(shape, set);
	bool inverse = set == NTT_SET_INVERSE, coset = set == NTT_SET_COSET;
	ntt_table_spec<F> t = {};
	fe<F> h = coset ? ntt_shift<F>(shape->log_n) : fe<F>::one();

	ret_list->nr = 0;
	*ret_roots = roots_of<F>(inverse);
	t.log_n = shape->log_n;
	t.log_low = l.log_low;
	t.w = root_of<F>(inverse, shape->log_n);
	for (unsigned int p = 0; p < shape->nr_passes; p++) {
		bool by_rows = p + 1 == shape->nr_passes;

		t.log_rows = shape->log_rows[p];
		t.log_stride = shape->log_stride[p];
		/* The coset's shift enters with the rows and with the factors. */
		t.h = by_rows ? h : fe<F>::one();
		put_table(ret_list, t, NTT_ROUNDS, l.rounds[p], round_tables_size(t.log_rows));
		t.h = h;
		if (!by_rows)
			put_boundary(ret_list, shape, &l, t, p, coset);
	}
	if (!coset)
		return;
	t.scale = inverse_n<F>(shape->log_n);
	put_table(ret_list, t, NTT_FIRST, l.first + round_size, round_size);
	t.scale = to_plain(t.scale);
	put_table(ret_list, t, NTT_FIRST, l.first, round_size);
}

template <class F>
ntt_pass<F> ntt_pass_of(const struct ntt_domain<F> &d, enum ntt_set set, unsigned int p)
{
	const struct ntt_set_layout *l = &d.layout[set];
	const fe<F> *base = d.set[set];
	ntt_pass<F> r = {};

	LULL_ASSERT(base && p < d.shape.nr_passes);
	r.log_n = d.shape.log_n;
	r.log_rows = d.shape.log_rows[p];
	r.log_stride = d.shape.log_stride[p];
	r.rounds = base + l->rounds[p];
	r.roots = d.roots[set];
	if (p + 1 == d.shape.nr_passes)
		return r;
	if (ntt_has_direct(&d.shape, p)) {
		r.boundary.direct = base + l->boundary[p];
		return r;
	}
	LULL_ASSERT(!p && r.log_rows == computed_rows_log);
	r.boundary.low = base + l->boundary[p];
	r.boundary.high = base + l->high;
	r.boundary.powers = set == NTT_SET_COSET ? base + l->powers : NULL;
	r.boundary.log_low = l->log_low;
	return r;
}

/* Everything of a domain but the contents of its tables. */
template <class F>
void ntt_domain_place(unsigned int log_n, unsigned int sets, void *memory,
		      struct ntt_domain<F> *ret_domain)
{
	struct ntt_domain<F> *d = ret_domain;
	unsigned char *at = (unsigned char *)memory;

	*d = {};
	d->shape = ntt_shape_of(log_n);
	d->inv_n = inverse_n<F>(log_n);
	for (unsigned int i = 0; i < NTT_NR_SETS; i++) {
		if (!(sets >> i & 1))
			continue;
		d->layout[i] = ntt_set_layout_of(&d->shape, (enum ntt_set)i);
		d->set[i] = (const fe<F> *)at;
		d->roots[i] = roots_of<F>(i == NTT_SET_INVERSE);
		at += set_bytes(&d->shape, (enum ntt_set)i);
	}
}

template fe<bn254_fr> ntt_shift<bn254_fr>(unsigned int);
template fe<bls12_381_fr> ntt_shift<bls12_381_fr>(unsigned int);
template void ntt_list_tables(const struct ntt_shape *, enum ntt_set, ntt_table_list<bn254_fr> *,
			      ntt_roots<bn254_fr> *);
template void ntt_list_tables(const struct ntt_shape *, enum ntt_set,
			      ntt_table_list<bls12_381_fr> *, ntt_roots<bls12_381_fr> *);
template ntt_pass<bn254_fr> ntt_pass_of(const struct ntt_domain<bn254_fr> &, enum ntt_set,
					unsigned int);
template ntt_pass<bls12_381_fr> ntt_pass_of(const struct ntt_domain<bls12_381_fr> &, enum ntt_set,
					    unsigned int);
template void ntt_domain_place(unsigned int, unsigned int, void *, struct ntt_domain<bn254_fr> *);
template void ntt_domain_place(unsigned int, unsigned int, void *,
			       struct ntt_domain<bls12_381_fr> *);

} /* namespace lull */
