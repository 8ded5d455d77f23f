// The C half of the coroutine; the Go half is capi/coro. Offsets are those of struct context.
//
// Where Go goes on in C stands in the context, at 24. Each way into Go writes it anew: while a
// function of C runs for Go, that function may call Go, and return, before Go is told of its end.

	.macro	save reg
	push	\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm

// enter saves the registers that C keeps and goes to Go's stack, with the context in rdi. A jump to Go follows.
// Go jumps back to the label.
	.macro	enter label
	save	%rbp
	save	%rbx
	save	%r12
	save	%r13
	save	%r14
	save	%r15
	lea	\label(%rip), %rax
	mov	%rax, 24(%rdi)
	mov	%rsp, 0(%rdi)
	mov	8(%rdi), %rsp
	mov	16(%rdi), %rbp
	.endm

// restore undoes the pushes of enter.
	.macro	restore
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	.endm

	.text

// int64_t libmpi_call(int64_t op, const int64_t *args): see entry.h.
//
// Debuggers unwind from Go's stack to the jump, where the registers lie as the CFI says (pvasrun debug). That goes on
// at any address below a function of this name alone: it is the one of libgcc that changes stacks.
	.globl	libmpi_call
	.hidden	libmpi_call
	.type	libmpi_call, @function
libmpi_call:
	.cfi_startproc
	mov	libmpi_mine@gottpoff(%rip), %rax
	mov	%fs:(%rax), %rax
	test	%rax, %rax
	je	libmpi_elsewhere
	incq	168(%rax)		// inside
	cmpq	$0, 176(%rax)		// claimed: see claim.c
	jne	libmpi_claimed
	mov	%rdi, 48(%rax)
	mov	%rsi, 56(%rax)
	mov	%rax, %rdi
	enter	result
	.size	libmpi_call, .-libmpi_call
	.type	__morestack, @function
__morestack:
	jmp	*32(%rdi)
	.cfi_endproc
	.size	__morestack, .-__morestack

// Go jumps here when the call has ended, or wants an upcall, with the context in rdi.
result:
	mov	0(%rdi), %rsp
	restore
	mov	72(%rdi), %rax		// upcall
	or	128(%rdi), %rax		// handler
	jne	libmpi_back_in_c
	decq	168(%rdi)		// inside
	cmpq	$0, 176(%rdi)		// claimed
	jne	libmpi_call_over
	mov	64(%rdi), %rax
	ret

// void libmpi_switch(struct context *): continues Go until it jumps to C again.
	.globl	libmpi_switch
	.hidden	libmpi_switch
	.type	libmpi_switch, @function
libmpi_switch:
	.cfi_startproc
	enter	back
	jmp	*32(%rdi)
	.cfi_endproc
	.size	libmpi_switch, .-libmpi_switch

back:
	mov	0(%rdi), %rsp
	restore
	ret

// void libmpi_first(struct context *, void *stack): enters Go by cgo, on a stack that is
// the runtime's from then on. Go leaves it by the label, and returns in the end: then C goes on where it has last gone
// to Go.
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
	lea	back(%rip), %rax
	mov	%rax, 24(%rdi)
	mov	%rsp, 0(%rdi)
	mov	%rsi, %rsp
	mov	%rdi, %rbx
	call	libmpiServe@PLT
	mov	%rbx, %rdi		// the thread has left the coroutine
	jmp	*24(%rdi)
	.size	libmpi_first, .-libmpi_first

	.section .note.GNU-stack, "", @progbits
