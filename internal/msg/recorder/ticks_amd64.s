#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+0(FP)
	RET

// func publishTicks(word *uint64, v uint64, next *trace.Record) uint64
TEXT ·publishTicks(SB), NOSPLIT, $0-32
	MOVQ	word+0(FP), BX
	MOVQ	v+8(FP), CX
	MOVQ	next+16(FP), AX
	MOVQ	CX, (BX)
	BYTE	$0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+24(FP)
	RET

// func returnAt(depth uint64) uintptr
//
// It follows depth frame pointers, the first of which is that of the caller. Nothing can
// interrupt it, so the stack stays where it is.
TEXT ·returnAt(SB), NOSPLIT, $0-16
	MOVQ	depth+0(FP), CX
	MOVQ	$0, ret+8(FP)
	MOVQ	BP, AX
	JMP	test
up:
	MOVQ	8(AX), DX
	MOVQ	0(AX), AX
	DECQ	CX
	JEQ	found
test:
	TESTQ	CX, CX
	JEQ	done
	TESTQ	AX, AX
	JNE	up
	RET
found:
	MOVQ	DX, ret+8(FP)
done:
	RET

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVQ	(TLS), AX
	MOVQ	AX, ret+0(FP)
	RET
