#include "textflag.h"

// Fields of coro.Context.
#define cSP 0
#define goSP 8
#define goBP 16
#define resumeAt 32
#define op 48

// func Entry() uintptr
TEXT ·Entry(SB), NOSPLIT, $0-8
	MOVD	$program<>(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// program is where Go jumps to, with the context in R0.
TEXT program<>(SB), NOSPLIT|NOFRAME, $0
	MOVD	cSP(R0), R1
	MOVD	R1, RSP
	MOVD	R29, -16(RSP) // the stack is there to be written to
	MOVD	$0x5a5a5a5a5a5a5a5a, R1
	MOVD	R1, R2
	MOVD	R1, R3
	MOVD	R1, R4
	MOVD	R1, R5
	MOVD	R1, R6
	MOVD	R1, R7
	MOVD	R1, R8
	MOVD	R1, R9
	MOVD	R1, R10
	MOVD	R1, R11
	MOVD	R1, R12
	MOVD	R1, R13
	MOVD	R1, R14
	MOVD	R1, R15
	MOVD	R1, R16
	MOVD	R1, R19
	MOVD	R1, R20
	MOVD	R1, R21
	MOVD	R1, R22
	MOVD	R1, R23
	MOVD	R1, R24
	MOVD	R1, R25
	MOVD	R1, R26
	MOVD	R1, R27
	MOVD	R1, g
	MOVD	R1, R29
	MOVD	R1, R30
	FMOVD	R1, F0
	FMOVD	R1, F8
	FMOVD	R1, F15
	FMOVD	R1, F31
	MOVD	op(R0), R1
	ADD	$1, R1
	MOVD	R1, op(R0)
	MOVD	RSP, R1
	MOVD	R1, cSP(R0)
	MOVD	goSP(R0), R1
	MOVD	R1, RSP
	MOVD	goBP(R0), R29
	MOVD	resumeAt(R0), R17
	JMP	(R17)

// func Marking() bool
TEXT ·Marking(SB), NOSPLIT, $0-1
	MOVWU	runtime·writeBarrier(SB), R0
	CMP	$0, R0
	CSET	NE, R0
	MOVB	R0, ret+0(FP)
	RET
