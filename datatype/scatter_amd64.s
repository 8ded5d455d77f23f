//go:build !race

#include "textflag.h"

// func scatter8(to uintptr, toStride int64, from uintptr, fromStride, count int64)
//
// R8 is where the word that is ahead words behind goes to. A prefetch of an address where no
// memory is does nothing.
TEXT ·scatter8(SB), NOSPLIT|NOFRAME, $0-40
	MOVQ to+0(FP), DI
	MOVQ toStride+8(FP), BX
	MOVQ from+16(FP), SI
	MOVQ fromStride+24(FP), DX
	MOVQ count+32(FP), CX
	MOVQ BX, R8
	SHLQ $4, R8 // 16 words ahead
	ADDQ DI, R8

loop:
	MOVQ (SI), AX
	BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x08 // PREFETCHW (R8)
	MOVQ AX, (DI)
	ADDQ DX, SI
	ADDQ BX, DI
	ADDQ BX, R8
	DECQ CX
	JNZ  loop
	RET
