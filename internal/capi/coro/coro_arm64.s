#include "textflag.h"
#include "funcdata.h"

// Fields of Context, see context_unsafe.go. A test pins the offsets.
#define goSP 8
#define goBP 16
#define back 24
#define resumeAt 32
#define guard 40
#define goroutine 152
#define exchange 160

// Fields of the runtime's g, see guard_unsafe.go.
#define g_stackLo 0
#define g_stackGuard 16
#define stackPreempt -1314

// func Switch(ctx uintptr)
//
// C comes back by a jump to resume, on the stack that Switch has left, with the context in R0. A return address is in
// a register here, which C does not keep. So Switch has a frame with its own, and resume lies in it: what Go calls
// from there is called by Switch.
//
// The dispatcher is called as Go calls functions: the argument and the result are in R0, the closure is in R26, the
// goroutine in g. The frame has room for the argument.
TEXT ·Switch(SB), NOSPLIT, $16-8
	NO_LOCAL_POINTERS
	MOVD	ctx+0(FP), R0
	MOVD	$·exchangeG(SB), R1
	MOVD	R1, exchange(R0)
leave:
	MOVD	ctx+0(FP), R0
	MOVD	RSP, R1 // the stack may have moved since it was last noted
	MOVD	R1, goSP(R0)
	MOVD	R29, goBP(R0)
	ADR	resume, R1
	MOVD	R1, resumeAt(R0)
	MOVD	back(R0), R1
	JMP	(R1)
resume:
	MOVD	goroutine(R0), g
	MOVD	guard(R0), R1
	CBZ	R1, call
	MOVD	g_stackGuard(g), R2
	MOVD	$stackPreempt, R3
	CMP	R3, R2
	BNE	call
	MOVWU	runtime·writeBarrier(SB), R3
	CBNZ	R3, call // garbage is being looked for: obey
	MOVD	g_stackLo(g), R2
	ADD	R2, R1
	MOVD	R1, g_stackGuard(g)
call:
	MOVD	·dispatcher(SB), R26
	MOVD	(R26), R1
	CALL	(R1)
	TBZ	$0, R0, leave
	RET

// func below(ctx uintptr)
TEXT ·below(SB), 0, $147456-8
	NO_LOCAL_POINTERS
	MOVD	ctx+0(FP), R0
	MOVD	R0, 8(RSP)
	CALL	·Switch(SB)
	RET

// func Room()
TEXT ·Room(SB), 0, $262144-0
	RET

// func exchangeG()
//
// The two functions of the runtime change R0, R27 and g alone, of which C keeps the last two.
TEXT ·exchangeG(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R30, R10
	MOVD	g, R11
	MOVD	R27, R12
	MOVD	R0, R13
	BL	runtime·load_g(SB)
	MOVD	g, R14
	MOVD	R13, g
	BL	runtime·save_g(SB)
	MOVD	R14, R0
	MOVD	R12, R27
	MOVD	R11, g
	MOVD	R10, R30
	RET

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVD	g, ret+0(FP)
	RET
