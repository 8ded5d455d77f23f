#include "textflag.h"
#include "funcdata.h"

// Fields of Context, see context_unsafe.go. A test pins the offsets.
#define goSP 8
#define goBP 16
#define back 24
#define resumeAt 32
#define guard 40
#define exchange 160

// Fields of the runtime's g, see guard_unsafe.go.
#define g_stackLo 0
#define g_stackGuard 16
#define stackPreempt $-1314

// func Switch(ctx uintptr)
TEXT ·Switch(SB), NOSPLIT|NOFRAME, $0-8
	NO_LOCAL_POINTERS
	MOVQ	ctx+0(FP), DI
	MOVQ	SP, goSP(DI)
	MOVQ	BP, goBP(DI)
	LEAQ	·resume(SB), AX
	MOVQ	AX, resumeAt(DI)
	LEAQ	·exchangeG(SB), AX
	MOVQ	AX, exchange(DI)
	MOVQ	back(DI), AX
	JMP	AX

// func resume(ctx uintptr)
//
// C enters it by a jump, on the stack that Switch has left, as if the caller of Switch
// had called it: the return address and the argument are the same.
//
// It calls the dispatcher as Go calls functions: the argument and the result are in AX, the
// closure is in DX, the goroutine in R14, zero in X15. The frame has room for the
// argument. By a wrapper for assembly it takes 22 instructions more.
TEXT ·resume(SB), NOSPLIT, $16-8
	NO_LOCAL_POINTERS
	MOVQ	ctx+0(FP), AX
	MOVQ	(TLS), R14
	MOVQ	guard(AX), CX
	TESTQ	CX, CX
	JEQ	call
	CMPQ	g_stackGuard(R14), stackPreempt
	JNE	call
	CMPL	runtime·writeBarrier(SB), $0 // garbage is being looked for: obey
	JNE	call
	ADDQ	g_stackLo(R14), CX
	MOVQ	CX, g_stackGuard(R14)
call:
	XORPS	X15, X15
	MOVQ	·dispatcher(SB), DX
	MOVQ	(DX), CX
	CALL	CX
	TESTB	AX, AX
	JNE	stop
	// The stack may have moved meanwhile: note its place again.
	MOVQ	ctx+0(FP), DI
	LEAQ	ctx+0(FP), AX
	SUBQ	$8, AX
	MOVQ	AX, goSP(DI)
	MOVQ	0(BP), AX
	MOVQ	AX, goBP(DI)
	MOVQ	back(DI), AX
	JMP	AX
stop:
	RET

// func below(ctx uintptr)
TEXT ·below(SB), 0, $147456-8
	NO_LOCAL_POINTERS
	MOVQ	ctx+0(FP), AX
	MOVQ	AX, 0(SP)
	CALL	·Switch(SB)
	RET

// func Room()
TEXT ·Room(SB), 0, $262144-0
	RET

// func exchangeG()
TEXT ·exchangeG(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	TLS, CX
	MOVQ	0(CX)(TLS*1), AX
	MOVQ	DI, 0(CX)(TLS*1)
	RET

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVQ	(TLS), AX
	MOVQ	AX, ret+0(FP)
	RET
