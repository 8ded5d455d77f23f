#include "textflag.h"

// The compiler has no long double, the processor has: 80 bits, of which FMOVX moves 10 bytes.

// func addExtended(inout, in *byte, n int)
TEXT ·addExtended(SB), NOSPLIT, $0-24
	MOVQ inout+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	JMP  next

one:
	FMOVX  (DI), F0
	FMOVX  (SI), F0
	FADDDP F0, F1
	FMOVXP F0, (DI)
	ADDQ   $16, DI
	ADDQ   $16, SI
	DECQ   CX

next:
	TESTQ CX, CX
	JNE   one
	RET

// func multiplyExtended(inout, in *byte, n int)
TEXT ·multiplyExtended(SB), NOSPLIT, $0-24
	MOVQ inout+0(FP), DI
	MOVQ in+8(FP), SI
	MOVQ n+16(FP), CX
	JMP  next

one:
	FMOVX  (DI), F0
	FMOVX  (SI), F0
	FMULDP F0, F1
	FMOVXP F0, (DI)
	ADDQ   $16, DI
	ADDQ   $16, SI
	DECQ   CX

next:
	TESTQ CX, CX
	JNE   one
	RET
