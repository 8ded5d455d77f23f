#include "textflag.h"

// Fields of coro.Context.
#define cSP 0
#define goSP 8
#define goBP 16
#define resumeAt 32
#define op 48

// func Entry() uintptr
TEXT ·Entry(SB), NOSPLIT, $0-8
	LEAQ	program<>(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// program is where Go jumps to, with the context in DI.
TEXT program<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ	cSP(DI), SP
	PUSHQ	BP // the stack is there to be written to
	POPQ	CX
	MOVQ	$0x5a5a5a5a5a5a5a5a, CX
	MOVQ	CX, AX
	MOVQ	CX, BX
	MOVQ	CX, DX
	MOVQ	CX, SI
	MOVQ	CX, R8
	MOVQ	CX, R9
	MOVQ	CX, R10
	MOVQ	CX, R11
	MOVQ	CX, R12
	MOVQ	CX, R13
	MOVQ	CX, R14
	MOVQ	CX, R15
	PCMPEQL	X0, X0
	PCMPEQL	X1, X1
	PCMPEQL	X2, X2
	PCMPEQL	X14, X14
	PCMPEQL	X15, X15
	INCQ	op(DI)
	MOVQ	SP, cSP(DI)
	MOVQ	goSP(DI), SP
	MOVQ	goBP(DI), BP
	JMP	resumeAt(DI)

// func Marking() bool
TEXT ·Marking(SB), NOSPLIT, $0-1
	CMPL	runtime·writeBarrier(SB), $0
	SETNE	ret+0(FP)
	RET
