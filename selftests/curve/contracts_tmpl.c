// SPDX-License-Identifier: Apache-2.0
/*
 * contracts_tmpl.c - a broken contract ends a VERIFY build
 *
 * Each case runs in a child, which must die by abort(3); the same call with
 * good arguments must not.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "curve/tower.h"
#include "field_random.h"

struct operands {
	struct fp bad_fp;
	struct fr bad_fr;
};

static struct operands ops;

/* The modulus in place of 0: the smallest value that is not canonical. */
static void set_operands(bool broken)
{
	memset(&ops, 0, sizeof(ops));
	if (!broken)
		return;
	memcpy(ops.bad_fp.l, fp_p, sizeof(ops.bad_fp.l));
	memcpy(ops.bad_fr.l, fr_r, sizeof(ops.bad_fr.l));
}

static void fp_add_first(void)
{
	struct fp r;

	fp_add(&r, &ops.bad_fp, &fp_one);
}

static void fp_add_second(void)
{
	struct fp r;

	fp_add(&r, &fp_one, &ops.bad_fp);
}

static void fp_sub_first(void)
{
	struct fp r;

	fp_sub(&r, &ops.bad_fp, &fp_one);
}

static void fp_neg_operand(void)
{
	struct fp r;

	fp_neg(&r, &ops.bad_fp);
}

static void fp_mul_first(void)
{
	struct fp r;

	fp_mul(&r, &ops.bad_fp, &fp_one);
}

static void fp_mul_second(void)
{
	struct fp r;

	fp_mul(&r, &fp_one, &ops.bad_fp);
}

static void fr_add_first(void)
{
	struct fr r;

	fr_add(&r, &ops.bad_fr, &fr_one);
}

static void fr_sub_second(void)
{
	struct fr r;

	fr_sub(&r, &fr_one, &ops.bad_fr);
}

static void fr_mul_first(void)
{
	struct fr r;

	fr_mul(&r, &ops.bad_fr, &fr_one);
}

static void fr_mul_second(void)
{
	struct fr r;

	fr_mul(&r, &fr_one, &ops.bad_fr);
}

static void fp2_add_imaginary(void)
{
	struct fp2 r = { fp_one, ops.bad_fp };

	fp2_add(&r, &r, &fp2_one);
}

static void (*const cases[])(void) = {
	fp_add_first, fp_add_second, fp_sub_first,	fp_neg_operand,
	fp_mul_first, fp_mul_second, fr_add_first,	fr_sub_second,
	fr_mul_first, fr_mul_second, fp2_add_imaginary,
};

/* The signal that ended the case, or 0. */
static int run_case(void (*fn)(void), bool broken)
{
	int status = 0, null;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		/* assert(3) speaks; this time nobody needs to hear it. */
		null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			dup2(null, STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		set_operands(broken);
		fn();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(broken_contracts_abort)
{
	size_t i;

#ifndef LULL_CONTRACTS
	SKIP("contracts are checked by VARIANT=verify");
#endif
	for (i = 0; i < LULL_ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(SIGABRT, run_case(cases[i], true));
		EXPECT_EQ(0, run_case(cases[i], false));
	}
}

TEST_MAIN
