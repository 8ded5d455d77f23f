#include "textflag.h"

// VECTORS(name, op) is func name(inout, in *byte, n int): inout = inout op in, for n bytes, a
// multiple of 32. Four vectors at once keep both load ports busy.
#define VECTORS(name, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	MOVQ    inout+0(FP), DI  \
	MOVQ    in+8(FP), SI     \
	MOVQ    n+16(FP), CX     \
	SUBQ    $128, CX         \
	JLT     rest             \
four:                        \
	VMOVDQU (DI), Y0         \
	VMOVDQU 32(DI), Y1       \
	VMOVDQU 64(DI), Y2       \
	VMOVDQU 96(DI), Y3       \
	op      (SI), Y0, Y0     \
	op      32(SI), Y1, Y1   \
	op      64(SI), Y2, Y2   \
	op      96(SI), Y3, Y3   \
	VMOVDQU Y0, (DI)         \
	VMOVDQU Y1, 32(DI)       \
	VMOVDQU Y2, 64(DI)       \
	VMOVDQU Y3, 96(DI)       \
	ADDQ    $128, DI         \
	ADDQ    $128, SI         \
	SUBQ    $128, CX         \
	JGE     four             \
rest:                        \
	ADDQ    $96, CX          \
	JLT     done             \
one:                         \
	VMOVDQU (DI), Y0         \
	op      (SI), Y0, Y0     \
	VMOVDQU Y0, (DI)         \
	ADDQ    $32, DI          \
	ADDQ    $32, SI          \
	SUBQ    $32, CX          \
	JGE     one              \
done:                        \
	VZEROUPPER               \
	RET

VECTORS(·addInt8, VPADDB)
VECTORS(·addInt16, VPADDW)
VECTORS(·addInt32, VPADDD)
VECTORS(·addInt64, VPADDQ)
VECTORS(·addFloat32, VADDPS)
VECTORS(·addFloat64, VADDPD)
VECTORS(·multiplyFloat32, VMULPS)
VECTORS(·multiplyFloat64, VMULPD)
