#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	MRS	CNTVCT_EL0, R0
	MOVD	R0, ret+0(FP)
	RET

// func publishTicks(word *uint64, v uint64, next *trace.Record) uint64
TEXT ·publishTicks(SB), NOSPLIT, $0-32
	MOVD	word+0(FP), R1
	MOVD	v+8(FP), R2
	MOVD	next+16(FP), R3
	STLR	R2, (R1) // after all stores before it
	PRFM	(R3), PSTL1KEEP
	MRS	CNTVCT_EL0, R0
	MOVD	R0, ret+24(FP)
	RET

// func returnAt(depth uint64) uintptr
//
// It follows depth frame pointers, the first of which is that of the caller. Nothing can
// interrupt it, so the stack stays where it is.
TEXT ·returnAt(SB), NOSPLIT, $0-16
	MOVD	depth+0(FP), R1
	MOVD	ZR, ret+8(FP)
	MOVD	R29, R0
	B	test
up:
	MOVD	8(R0), R2
	MOVD	0(R0), R0
	SUB	$1, R1
	CBZ	R1, found
test:
	CBZ	R1, done
	CBNZ	R0, up
	RET
found:
	MOVD	R2, ret+8(FP)
done:
	RET

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVD	g, ret+0(FP)
	RET
