// The C half of the coroutine, as in entry_amd64.S, which has the comments. Registers that C keeps are x19 to x30 and
// the lower halves of v8 to v15. The context is in x0 where Go and C meet.

	.macro	save one, other, at
	stp	\one, \other, [sp, \at]
	.cfi_rel_offset \one, \at
	.cfi_rel_offset \other, \at + 8
	.endm

// frame saves the registers; faults.c knows where.
	.macro	frame
	sub	sp, sp, 160
	.cfi_adjust_cfa_offset 160
	save	x29, x30, 0
	save	x19, x20, 16
	save	x21, x22, 32
	save	x23, x24, 48
	save	x25, x26, 64
	save	x27, x28, 80
	save	d8, d9, 96
	save	d10, d11, 112
	save	d12, d13, 128
	save	d14, d15, 144
	.endm

// leave notes where Go goes on in C.
	.macro	leave label
	adr	x9, \label
	str	x9, [x0, 24]
	mov	x9, sp
	str	x9, [x0, 0]
	.endm

	.macro	enter label
	frame
	leave	\label
	ldr	x9, [x0, 8]
	ldr	x29, [x0, 16]
	mov	sp, x9
	.endm

	.macro	restore
	ldr	x9, [x0, 0]
	mov	sp, x9
	ldp	d14, d15, [sp, 144]
	ldp	d12, d13, [sp, 128]
	ldp	d10, d11, [sp, 112]
	ldp	d8, d9, [sp, 96]
	ldp	x27, x28, [sp, 80]
	ldp	x25, x26, [sp, 64]
	ldp	x23, x24, [sp, 48]
	ldp	x21, x22, [sp, 32]
	ldp	x19, x20, [sp, 16]
	ldp	x29, x30, [sp], 160
	.endm

	.text

// int64_t libmpi_call(int64_t op, const int64_t *args): see entry.h.
	.globl	libmpi_call
	.hidden	libmpi_call
	.type	libmpi_call, @function
libmpi_call:
	.cfi_startproc
	adrp	x9, :gottprel:libmpi_mine
	ldr	x9, [x9, :gottprel_lo12:libmpi_mine]
	mrs	x10, tpidr_el0
	ldr	x10, [x10, x9]
	cbz	x10, elsewhere
	ldr	x11, [x10, 168]		// inside
	add	x11, x11, 1
	str	x11, [x10, 168]
	ldr	x11, [x10, 176]		// claimed
	cbnz	x11, claimed
	stp	x0, x1, [x10, 48]
	mov	x0, x10
	enter	result
	.size	libmpi_call, .-libmpi_call
	.type	__morestack, @function
__morestack:
	ldr	x16, [x0, 32]
	br	x16
	.cfi_endproc
	.size	__morestack, .-__morestack

elsewhere:
	b	libmpi_elsewhere
claimed:
	b	libmpi_claimed

// Go jumps here when the call has ended, or wants an upcall.
result:
	restore
	ldr	x9, [x0, 72]		// upcall
	ldr	x10, [x0, 128]		// handler
	orr	x9, x9, x10
	cbnz	x9, more
	ldr	x9, [x0, 168]		// inside
	sub	x9, x9, 1
	add	x10, x0, 168
	stlr	x9, [x10]		// after all that Go has written
	ldr	x10, [x0, 176]		// claimed
	cbnz	x10, over
	ldr	x0, [x0, 64]
	ret
more:
	b	libmpi_back_in_c
over:
	b	libmpi_call_over

// void libmpi_switch(struct context *): continues Go until it jumps to C again.
	.globl	libmpi_switch
	.hidden	libmpi_switch
	.type	libmpi_switch, @function
libmpi_switch:
	.cfi_startproc
	enter	back
	ldr	x16, [x0, 32]
	br	x16
	.cfi_endproc
	.size	libmpi_switch, .-libmpi_switch

back:
	restore
	ret

// void libmpi_first(struct context *, void *stack): enters Go by cgo, on a stack that is the runtime's from then on.
	.globl	libmpi_first
	.hidden	libmpi_first
	.type	libmpi_first, @function
libmpi_first:
	.cfi_startproc
	frame
	leave	back
	.cfi_undefined x30		// unwinding ends here
	mov	sp, x1
	mov	x19, x0
	bl	libmpiServe
	mov	x0, x19			// the thread has left the coroutine
	ldr	x16, [x0, 24]
	br	x16
	.cfi_endproc
	.size	libmpi_first, .-libmpi_first

	.section .note.GNU-stack, "", @progbits
