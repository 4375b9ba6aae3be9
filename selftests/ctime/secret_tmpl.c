// SPDX-License-Identifier: Apache-2.0
/*
 * secret_tmpl.c - no branch and no address depends on r, s or a witness value
 *
 * Each test runs this program again under valgrind with its secrets marked as
 * undefined memory: memcheck then reports every jump and every address that is
 * computed from them.  The first test leaks on purpose and must be reported.
 */
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define HAVE_MEMCHECK 1
#else
#define HAVE_MEMCHECK 0
#define VALGRIND_MAKE_MEM_UNDEFINED(addr, len) ((void)(addr), (void)(len))
#define VALGRIND_MAKE_MEM_DEFINED(addr, len) ((void)(addr), (void)(len))
#endif

#include "curve/mont.h"
#include "curve/pairing.h"
#include "../curve/field_random.h"

#define CHILD_VARIABLE "LULL_CTIME_CASE"
/* Set where the processor has ADX: valgrind runs it but does not say so. */
#define ADX_VARIABLE "LULL_CTIME_ADX"
/* What valgrind exits with when it has reported anything. */
#define EXIT_REPORTED 42
/* What the shell would say of a missing program. */
#define EXIT_NO_VALGRIND 127

static void hide(void *p, size_t bytes)
{
	VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
}

static void reveal(void *p, size_t bytes)
{
	VALGRIND_MAKE_MEM_DEFINED(p, bytes);
}

/* ---- what runs under valgrind --------------------------------------------- */

static void leak(void)
{
	volatile unsigned int counter = 0;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	hide(k, sizeof(k));
	if (k[0] & 1)
		counter = 1;
	(void)counter;
	reveal(k, sizeof(k));
}

static void scalar_field(void)
{
	struct fr a, b, t;
	limb_t plain[FR_LIMBS];

	random_fr(&a);
	random_fr(&b);
	hide(&a, sizeof(a));
	hide(&b, sizeof(b));
	fr_mul(&t, &a, &b);
	fr_sqr(&t, &t);
	fr_add(&t, &t, &a);
	fr_sub(&t, &t, &b);
	fr_dbl(&t, &t);
	fr_neg(&t, &t);
	fr_select(&t, 0 - (b.l[0] & 1), &a, &t);
	fr_inv(&t, &t);
	fr_to_plain(plain, &t);
	fr_from_plain(&t, plain);
	reveal(&t, sizeof(t));
	reveal(plain, sizeof(plain));
}

static void base_field(void)
{
	struct fp a, b, t;
	limb_t plain[FP_LIMBS];

	random_fp(&a);
	random_fp(&b);
	hide(&a, sizeof(a));
	hide(&b, sizeof(b));
	fp_mul(&t, &a, &b);
	fp_sqr(&t, &t);
	fp_add(&t, &t, &a);
	fp_sub(&t, &t, &b);
	fp_dbl(&t, &t);
	fp_neg(&t, &t);
	fp_select(&t, 0 - (b.l[0] & 1), &a, &t);
	fp_inv(&t, &t);
	fp_to_plain(plain, &t);
	fp_from_plain(&t, plain);
	reveal(&t, sizeof(t));
	reveal(plain, sizeof(plain));
}

static void extension_field(void)
{
	struct fp2 a, b, t;

	random_coordinates(&a, 2);
	random_coordinates(&b, 2);
	hide(&a, sizeof(a));
	hide(&b, sizeof(b));
	fp2_mul(&t, &a, &b);
	fp2_sqr(&t, &t);
	fp2_add(&t, &t, &a);
	fp2_sub(&t, &t, &b);
	fp2_neg(&t, &t);
	fp2_conj(&t, &t);
	fp2_mul_fp(&t, &t, &b.c0);
	fp2_select(&t, 0 - (b.c0.l[0] & 1), &a, &t);
	fp2_inv(&t, &t);
	reveal(&t, sizeof(t));
}

/* The kernels by name: under valgrind the program is given the C ones. */
static void kernels(void)
{
	limb_t a[LIMBS_MAX], b[LIMBS_MAX], r[LIMBS_MAX];

	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	random_scalar(a);
	random_scalar(b);
	hide(a, sizeof(a));
	hide(b, sizeof(b));
	lull_curve_mont_mul_4_c(r, a, b, fr_r, CURVE_CONST(FR_INV));
#ifdef __x86_64__
	if (getenv(ADX_VARIABLE))
		lull_curve_mont_mul_4_adx(r, a, b, fr_r, CURVE_CONST(FR_INV));
#endif
#if LULL_CURVE_ID == LULL_ID_bls12_381
	lull_curve_mont_mul_6_c(r, a, b, fp_p, CURVE_CONST(FP_INV));
#ifdef __x86_64__
	if (getenv(ADX_VARIABLE))
		lull_curve_mont_mul_6_adx(r, a, b, fp_p, CURVE_CONST(FP_INV));
#endif
#endif
	reveal(r, sizeof(r));
}

static void multiple_g1(void)
{
	struct g1_xyzz r;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	hide(k, sizeof(k));
	g1_mul(&r, &g1_generator, k);
	reveal(&r, sizeof(r));
}

static void multiple_g2(void)
{
	struct g2_xyzz r;
	limb_t k[FR_LIMBS];

	random_scalar(k);
	hide(k, sizeof(k));
	g2_mul(&r, &g2_generator, k);
	reveal(&r, sizeof(r));
}

/* ---- the parent ----------------------------------------------------------- */

static void (*const cases[])(void) = {
	leak,	 scalar_field, base_field,  extension_field,
	kernels, multiple_g1,  multiple_g2,
};

static void exec_case(unsigned int nr)
{
	char self[256], value[16];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char exit_option[32];

	if (len < 0)
		_exit(EXIT_NO_VALGRIND);
	self[len] = '\0';
	snprintf(value, sizeof(value), "%u", nr);
	snprintf(exit_option, sizeof(exit_option), "--error-exitcode=%d",
		 EXIT_REPORTED);
	setenv(CHILD_VARIABLE, value, 1);
	if (lull_curve_has_adx())
		setenv(ADX_VARIABLE, "1", 1);
	/* The report of a leak stays out of the TAP stream. */
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(EXIT_NO_VALGRIND);
	execlp("valgrind", "valgrind", "-q", exit_option, self, (char *)NULL);
	_exit(EXIT_NO_VALGRIND);
}

static void run_case(unsigned int nr, bool leaks)
{
	int status = 0;
	pid_t pid;

#if !HAVE_MEMCHECK
	SKIP("built without valgrind/memcheck.h");
#endif
#ifdef LULL_VERIFY
	SKIP("contracts are checked by branches in this build");
#endif
#ifdef LULL_MONT_SANITIZED
	SKIP("valgrind does not run sanitized programs");
#endif
	fflush(stdout);
	pid = fork();
	ASSERT_TRUE(pid >= 0);
	if (!pid)
		exec_case(nr);
	ASSERT_TRUE(waitpid(pid, &status, 0) == pid);
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == EXIT_NO_VALGRIND)
		SKIP("no valgrind");
	EXPECT_EQ(leaks ? EXIT_REPORTED : 0, WEXITSTATUS(status));
}

TEST(a_leak_is_reported)
{
	run_case(0, true);
}

TEST(scalar_field_is_silent)
{
	run_case(1, false);
}

TEST(base_field_is_silent)
{
	run_case(2, false);
}

TEST(extension_field_is_silent)
{
	run_case(3, false);
}

TEST(kernels_are_silent)
{
	run_case(4, false);
}

TEST(g1_mul_is_silent)
{
	run_case(5, false);
}

TEST(g2_mul_is_silent)
{
	run_case(6, false);
}

int main(void)
{
	const char *value = getenv(CHILD_VARIABLE);
	unsigned long nr;

	if (!value)
		return test_main();
	nr = strtoul(value, NULL, 10);
	if (nr >= LULL_ARRAY_SIZE(cases))
		return EXIT_FAILURE;
	cases[nr]();
	return 0;
}
