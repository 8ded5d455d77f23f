#include "textflag.h"

// FOUR(name, op) is func name(out, a, b, c, d *byte, n int): out = (a op b) op (c op d), for n bytes, a multiple of 32.
// Two vectors at once keep both load ports busy.
#define FOUR(name, op) \
TEXT name(SB), NOSPLIT, $0-48 \
	MOVQ    out+0(FP), DI    \
	MOVQ    a+8(FP), SI      \
	MOVQ    b+16(FP), DX     \
	MOVQ    c+24(FP), R8     \
	MOVQ    d+32(FP), R9     \
	MOVQ    n+40(FP), CX     \
	XORQ    AX, AX           \
	SUBQ    $64, CX          \
	JLT     rest             \
two:                         \
	VMOVDQU (SI)(AX*1), Y0   \
	VMOVDQU 32(SI)(AX*1), Y1 \
	VMOVDQU (R8)(AX*1), Y2   \
	VMOVDQU 32(R8)(AX*1), Y3 \
	op      (DX)(AX*1), Y0, Y0   \
	op      32(DX)(AX*1), Y1, Y1 \
	op      (R9)(AX*1), Y2, Y2   \
	op      32(R9)(AX*1), Y3, Y3 \
	op      Y2, Y0, Y0       \
	op      Y3, Y1, Y1       \
	VMOVDQU Y0, (DI)(AX*1)   \
	VMOVDQU Y1, 32(DI)(AX*1) \
	ADDQ    $64, AX          \
	SUBQ    $64, CX          \
	JGE     two              \
rest:                        \
	ADDQ    $32, CX          \
	JLT     done             \
	VMOVDQU (SI)(AX*1), Y0   \
	VMOVDQU (R8)(AX*1), Y2   \
	op      (DX)(AX*1), Y0, Y0 \
	op      (R9)(AX*1), Y2, Y2 \
	op      Y2, Y0, Y0       \
	VMOVDQU Y0, (DI)(AX*1)   \
done:                        \
	VZEROUPPER               \
	RET

FOUR(·addFour32, VADDPS)
FOUR(·addFour64, VADDPD)
FOUR(·multiplyFour32, VMULPS)
FOUR(·multiplyFour64, VMULPD)
