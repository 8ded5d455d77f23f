// The C half of the coroutine; the Go half is capi/coro. Offsets are those of struct context.

	.text

// void libmpi_switch(struct context *): continues Go until it jumps to libmpi_back, which
// returns to the caller of libmpi_switch.
	.globl	libmpi_switch
	.hidden	libmpi_switch
	.type	libmpi_switch, @function
libmpi_switch:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
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
	mov	%rsp, 0(%rdi)
	mov	8(%rdi), %rsp
	mov	16(%rdi), %rbp
	jmp	*32(%rdi)
	.cfi_endproc
	.size	libmpi_switch, .-libmpi_switch

// Go jumps here, with the context in rdi.
	.globl	libmpi_back
	.hidden	libmpi_back
	.type	libmpi_back, @function
libmpi_back:
	mov	0(%rdi), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret
	.size	libmpi_back, .-libmpi_back

// void libmpi_first(struct context *, void *stack): enters Go by cgo, on a stack that is
// the runtime's from then on. Go leaves it by libmpi_back.
	.globl	libmpi_first
	.hidden	libmpi_first
	.type	libmpi_first, @function
libmpi_first:
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, 0(%rdi)
	mov	%rsi, %rsp
	call	libmpiServe@PLT
	ud2			// Go serves until the process ends
	.size	libmpi_first, .-libmpi_first

	.section .note.GNU-stack, "", @progbits
