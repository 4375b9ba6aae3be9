// SPDX-License-Identifier: Apache-2.0
/*
 * field.cu - field.cuh, inverse.cuh and fp2.cuh against the C library, on the
 * host and on the device
 *
 * The host's code is the device's with the carry in a variable, so most faults
 * show without a GPU; the device's tests are skipped where there is none.
 */
#include "cuda/device.h"
#include "cuda/ref.h"
#include "fp2.cuh"
#include "harness.h"

using namespace lull;

#define NR 4096

struct op_mul {
	template <class E> LULL_HD E operator()(const E &a, const E &b) const
	{
		return mul(a, b);
	}
};

/* On the host mul() is another function than on the device. */
struct op_mul_rows {
	template <class E> LULL_HD E operator()(const E &a, const E &b) const
	{
		return mul_rows(a, b);
	}
};

/* Of the two ways in Fp2 mul() takes one, by field. */
struct op_mul_karatsuba {
	template <class E> LULL_HD E operator()(const E &a, const E &b) const
	{
		return mul_karatsuba(a, b);
	}
};

struct op_sqr {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return sqr(a);
	}
};

struct op_add {
	template <class E> LULL_HD E operator()(const E &a, const E &b) const
	{
		return add(a, b);
	}
};

struct op_sub {
	template <class E> LULL_HD E operator()(const E &a, const E &b) const
	{
		return sub(a, b);
	}
};

struct op_neg {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return neg(a);
	}
};

struct op_inverse_var {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return inverse_var(a);
	}
};

struct op_inverse_power {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return inverse_power(a);
	}
};

struct op_from_plain {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return from_plain(a);
	}
};

struct op_to_plain {
	template <class E> LULL_HD E operator()(const E &a, const E &) const
	{
		return to_plain(a);
	}
};

template <class E, class Op>
static __global__ void apply(E *r, const E *a, const E *b, unsigned int nr)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		r[i] = Op()(a[i], b[i]);
}

template <class E>
static void apply_on_device(void (*kernel)(E *, const E *, const E *,
					   unsigned int),
			    E *r, const E *a, const E *b)
{
	E *mem = (E *)device_alloc(3 * NR * sizeof(E));

	device_put(mem, a, NR * sizeof(E));
	device_put(mem + NR, b, NR * sizeof(E));
	kernel<<<NR / 128, 128>>>(mem + 2 * NR, mem, mem + NR, NR);
	device_done();
	device_get(r, mem + 2 * NR, NR * sizeof(E));
	device_free(mem);
}

/* Compares Op with ref on NR random pairs, on one side. */
template <class E, class Op>
static void compare(bool on_device, const char *what, void (*random)(void *),
		    cuda_ref_op ref)
{
	static E a[NR], b[NR], got[NR];
	unsigned int i;

	for (i = 0; i < NR; i++) {
		random(&a[i]);
		random(&b[i]);
	}
	memset((void *)got, 0xcc, sizeof(got));
	if (on_device)
		apply_on_device<E>(apply<E, Op>, got, a, b);
	for (i = 0; i < NR; i++) {
		E want;

		if (!on_device && i >= NR / 16)
			break;
		if (!on_device)
			got[i] = Op()(a[i], b[i]);
		ref(&want, &a[i], &b[i]);
		if (memcmp((void *)&want, (void *)&got[i], sizeof(want))) {
			printf("# %s, element %u\n", what, i);
			EXPECT_MEMEQ(&want, &got[i], sizeof(want));
			return;
		}
	}
}

template <class E>
static __global__ void apply_mul_diff(E *r, const E *a, const E *b,
				      unsigned int nr)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		r[i] = mul_diff(a[i], b[i], a[nr - 1 - i], b[nr - 1 - i]);
}

/* Of four elements: a pair from the front and one from the end. */
template <class E>
static void compare_mul_diff(bool on_device, const char *what,
			     const struct cuda_ref_field *f)
{
	static E a[NR], b[NR], got[NR];

	for (unsigned int i = 0; i < NR; i++) {
		f->random(&a[i]);
		f->random(&b[i]);
	}
	memset((void *)got, 0xcc, sizeof(got));
	if (on_device)
		apply_on_device<E>(apply_mul_diff<E>, got, a, b);
	for (unsigned int i = 0; i < (on_device ? NR : NR / 16); i++) {
		unsigned int j = NR - 1 - i;
		E ab, cd, want;

		if (!on_device)
			got[i] = mul_diff_rows(a[i], b[i], a[j], b[j]);
		f->mul(&ab, &a[i], &b[i]);
		f->mul(&cd, &a[j], &b[j]);
		f->sub(&want, &ab, &cd);
		if (memcmp((void *)&want, (void *)&got[i], sizeof(want))) {
			printf("# a b - c d, %s, element %u\n", what, i);
			EXPECT_MEMEQ(&want, &got[i], sizeof(want));
			return;
		}
	}
}

template <class E>
static void compare_ring(bool on_device, const char *what,
			 const struct cuda_ref_field *f)
{
	compare<E, op_mul>(on_device, what, f->random, f->mul);
	compare<E, op_sqr>(on_device, what, f->random, f->sqr);
	compare<E, op_add>(on_device, what, f->random, f->add);
	compare<E, op_sub>(on_device, what, f->random, f->sub);
	compare<E, op_neg>(on_device, what, f->random, f->neg);
	compare<E, op_inverse_power>(on_device, what, f->random, f->inv);
	compare<E, op_inverse_var>(on_device, what, f->random, f->inv);
}

template <class C>
static void compare_curve(bool on_device, const struct cuda_ref *ref)
{
	using fr = fe<typename C::fr>;
	using fp = fe<typename C::fp>;
	using fp2 = fe2<typename C::fp>;

	compare_ring<fr>(on_device, "Fr", &ref->fr);
	compare_ring<fp>(on_device, "Fp", &ref->fp);
	compare_ring<fp2>(on_device, "Fp2", &ref->fp2);
	compare<fr, op_mul_rows>(on_device, "Fr", ref->fr.random, ref->fr.mul);
	compare<fp, op_mul_rows>(on_device, "Fp", ref->fp.random, ref->fp.mul);
	compare<fp2, op_mul_rows>(on_device, "Fp2", ref->fp2.random,
				  ref->fp2.mul);
	compare<fp2, op_mul_karatsuba>(on_device, "Fp2", ref->fp2.random,
				       ref->fp2.mul);
	compare_mul_diff<fp>(on_device, "Fp", &ref->fp);
	compare_mul_diff<fp2>(on_device, "Fp2", &ref->fp2);
	compare<fr, op_from_plain>(on_device, "Fr", ref->fr.random,
				   ref->fr.from_plain);
	compare<fr, op_to_plain>(on_device, "Fr", ref->fr.random,
				 ref->fr.to_plain);
	compare<fp, op_from_plain>(on_device, "Fp", ref->fp.random,
				   ref->fp.from_plain);
	compare<fp, op_to_plain>(on_device, "Fp", ref->fp.random,
				 ref->fp.to_plain);
}

TEST(host_bn254)
{
	compare_curve<bn254>(false, &cuda_ref_bn254);
}

TEST(host_bls12_381)
{
	compare_curve<bls12_381>(false, &cuda_ref_bls12_381);
}

TEST(device_bn254)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_curve<bn254>(true, &cuda_ref_bn254);
}

TEST(device_bls12_381)
{
	if (!device_is_there())
		SKIP("NO GPU: nothing of the device was tested");
	compare_curve<bls12_381>(true, &cuda_ref_bls12_381);
}

TEST_MAIN
