#include "textflag.h"

// func ticks() uint64
TEXT ·ticks(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+0(FP)
	RET

// func publishTicks(word *uint64, v uint64) uint64
TEXT ·publishTicks(SB), NOSPLIT, $0-24
	MOVQ	word+0(FP), BX
	MOVQ	v+8(FP), CX
	MOVQ	CX, (BX)
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	AX, ret+16(FP)
	RET
