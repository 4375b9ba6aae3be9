/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limbs_x86_64.S - Montgomery multiplication with MULX, ADCX and ADOX
 *
 * For mont.c.  Row by row: t += a b[i], then t += q m with q = t0 inv mod 2^64,
 * which makes t0 zero; the registers are renamed in place of a shift.  Low
 * halves travel on the carry flag, high halves on the overflow flag, so that
 * both chains run at once.  As the top bit of m is free, t never needs more
 * than one limb beyond n.  No branch and no address depends on a value.
 *
 *	rdi r   rsi a   rbx b   rcx m   r8 inv   rdx the multiplier of MULX
 *	rax, rbp the two halves of a product   r9 ... t
 */
#ifdef __x86_64__

	.text

/* \t0 += lo of rdx * \mem, \t1 += hi. */
.macro	MULADD mem, t0, t1
	mulx	\mem, %rax, %rbp
	adcx	%rax, \t0
	adox	%rbp, \t1
.endm

/* t = a b[0] */
.macro	FIRST_4 t0, t1, t2, t3, t4
	mov	(%rbx), %rdx
	mulx	(%rsi), \t0, \t1
	mulx	8(%rsi), %rax, \t2
	add	%rax, \t1
	mulx	16(%rsi), %rax, \t3
	adc	%rax, \t2
	mulx	24(%rsi), %rax, \t4
	adc	%rax, \t3
	adc	$0, \t4
.endm

/* t += a b[i]; \t4 is 0 before. */
.macro	ROW_4 off, t0, t1, t2, t3, t4
	mov	\off(%rbx), %rdx
	xor	%eax, %eax			/* both carries 0 */
	MULADD	(%rsi), \t0, \t1
	MULADD	8(%rsi), \t1, \t2
	MULADD	16(%rsi), \t2, \t3
	MULADD	24(%rsi), \t3, \t4
	mov	$0, %eax
	adcx	%rax, \t4
.endm

/* t = (t + q m), \t0 becomes 0. */
.macro	REDUCE_4 t0, t1, t2, t3, t4
	mov	\t0, %rdx
	imul	%r8, %rdx
	xor	%eax, %eax
	MULADD	(%rcx), \t0, \t1
	MULADD	8(%rcx), \t1, \t2
	MULADD	16(%rcx), \t2, \t3
	MULADD	24(%rcx), \t3, \t4
	mov	$0, %eax
	adcx	%rax, \t4
.endm

	.globl	lull_curve_mont_mul_4_adx
	.hidden	lull_curve_mont_mul_4_adx
	.type	lull_curve_mont_mul_4_adx, @function
	.p2align 5
lull_curve_mont_mul_4_adx:
	.cfi_startproc
	endbr64
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	push	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	mov	%rdx, %rbx

	FIRST_4		%r9, %r10, %r11, %r12, %r13
	REDUCE_4	%r9, %r10, %r11, %r12, %r13
	ROW_4	8,	%r10, %r11, %r12, %r13, %r9
	REDUCE_4	%r10, %r11, %r12, %r13, %r9
	ROW_4	16,	%r11, %r12, %r13, %r9, %r10
	REDUCE_4	%r11, %r12, %r13, %r9, %r10
	ROW_4	24,	%r12, %r13, %r9, %r10, %r11
	REDUCE_4	%r12, %r13, %r9, %r10, %r11

	/* t - m, and back to t where that borrows */
	mov	%r13, %rax
	sub	(%rcx), %rax
	mov	%r9, %rdx
	sbb	8(%rcx), %rdx
	mov	%r10, %rbp
	sbb	16(%rcx), %rbp
	mov	%r11, %rbx
	sbb	24(%rcx), %rbx
	cmovc	%r13, %rax
	cmovc	%r9, %rdx
	cmovc	%r10, %rbp
	cmovc	%r11, %rbx
	mov	%rax, (%rdi)
	mov	%rdx, 8(%rdi)
	mov	%rbp, 16(%rdi)
	mov	%rbx, 24(%rdi)

	pop	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	pop	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size	lull_curve_mont_mul_4_adx, .-lull_curve_mont_mul_4_adx

.macro	FIRST_6 t0, t1, t2, t3, t4, t5, t6
	mov	(%rbx), %rdx
	mulx	(%rsi), \t0, \t1
	mulx	8(%rsi), %rax, \t2
	add	%rax, \t1
	mulx	16(%rsi), %rax, \t3
	adc	%rax, \t2
	mulx	24(%rsi), %rax, \t4
	adc	%rax, \t3
	mulx	32(%rsi), %rax, \t5
	adc	%rax, \t4
	mulx	40(%rsi), %rax, \t6
	adc	%rax, \t5
	adc	$0, \t6
.endm

.macro	ROW_6 off, t0, t1, t2, t3, t4, t5, t6
	mov	\off(%rbx), %rdx
	xor	%eax, %eax
	MULADD	(%rsi), \t0, \t1
	MULADD	8(%rsi), \t1, \t2
	MULADD	16(%rsi), \t2, \t3
	MULADD	24(%rsi), \t3, \t4
	MULADD	32(%rsi), \t4, \t5
	MULADD	40(%rsi), \t5, \t6
	mov	$0, %eax
	adcx	%rax, \t6
.endm

.macro	REDUCE_6 t0, t1, t2, t3, t4, t5, t6
	mov	\t0, %rdx
	imul	%r8, %rdx
	xor	%eax, %eax
	MULADD	(%rcx), \t0, \t1
	MULADD	8(%rcx), \t1, \t2
	MULADD	16(%rcx), \t2, \t3
	MULADD	24(%rcx), \t3, \t4
	MULADD	32(%rcx), \t4, \t5
	MULADD	40(%rcx), \t5, \t6
	mov	$0, %eax
	adcx	%rax, \t6
.endm

	.globl	lull_curve_mont_mul_6_adx
	.hidden	lull_curve_mont_mul_6_adx
	.type	lull_curve_mont_mul_6_adx, @function
	.p2align 5
lull_curve_mont_mul_6_adx:
	.cfi_startproc
	endbr64
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	push	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	push	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	push	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	mov	%rdx, %rbx

	FIRST_6		%r9, %r10, %r11, %r12, %r13, %r14, %r15
	REDUCE_6	%r9, %r10, %r11, %r12, %r13, %r14, %r15
	ROW_6	8,	%r10, %r11, %r12, %r13, %r14, %r15, %r9
	REDUCE_6	%r10, %r11, %r12, %r13, %r14, %r15, %r9
	ROW_6	16,	%r11, %r12, %r13, %r14, %r15, %r9, %r10
	REDUCE_6	%r11, %r12, %r13, %r14, %r15, %r9, %r10
	ROW_6	24,	%r12, %r13, %r14, %r15, %r9, %r10, %r11
	REDUCE_6	%r12, %r13, %r14, %r15, %r9, %r10, %r11
	ROW_6	32,	%r13, %r14, %r15, %r9, %r10, %r11, %r12
	REDUCE_6	%r13, %r14, %r15, %r9, %r10, %r11, %r12
	ROW_6	40,	%r14, %r15, %r9, %r10, %r11, %r12, %r13
	REDUCE_6	%r14, %r15, %r9, %r10, %r11, %r12, %r13

	mov	%r15, %rax
	sub	(%rcx), %rax
	mov	%r9, %rdx
	sbb	8(%rcx), %rdx
	mov	%r10, %rbp
	sbb	16(%rcx), %rbp
	mov	%r11, %rbx
	sbb	24(%rcx), %rbx
	mov	%r12, %rsi
	sbb	32(%rcx), %rsi
	mov	%r13, %r8
	sbb	40(%rcx), %r8
	cmovc	%r15, %rax
	cmovc	%r9, %rdx
	cmovc	%r10, %rbp
	cmovc	%r11, %rbx
	cmovc	%r12, %rsi
	cmovc	%r13, %r8
	mov	%rax, (%rdi)
	mov	%rdx, 8(%rdi)
	mov	%rbp, 16(%rdi)
	mov	%rbx, 24(%rdi)
	mov	%rsi, 32(%rdi)
	mov	%r8, 40(%rdi)

	pop	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	pop	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	pop	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	pop	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size	lull_curve_mont_mul_6_adx, .-lull_curve_mont_mul_6_adx

#endif

	.section .note.GNU-stack, "", @progbits
