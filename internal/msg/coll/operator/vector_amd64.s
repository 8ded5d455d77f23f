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
VECTORS(·multiplyInt16, VPMULLW)
VECTORS(·multiplyInt32, VPMULLD)
VECTORS(·multiplyFloat32, VMULPS)
VECTORS(·multiplyFloat64, VMULPD)
VECTORS(·minInt8, VPMINSB)
VECTORS(·minInt16, VPMINSW)
VECTORS(·minInt32, VPMINSD)
VECTORS(·minUint8, VPMINUB)
VECTORS(·minUint16, VPMINUW)
VECTORS(·minUint32, VPMINUD)
VECTORS(·maxInt8, VPMAXSB)
VECTORS(·maxInt16, VPMAXSW)
VECTORS(·maxInt32, VPMAXSD)
VECTORS(·maxUint8, VPMAXUB)
VECTORS(·maxUint16, VPMAXUW)
VECTORS(·maxUint32, VPMAXUD)
VECTORS(·andBits, VPAND)
VECTORS(·orBits, VPOR)
VECTORS(·xorBits, VPXOR)

// SEVERAL(name, first, op) is VECTORS of several instructions: op makes Y0 of inout in Y0 and in in Y1. It may use
// further registers, and what first has made before the loop.
#define SEVERAL(name, first, op) \
TEXT name(SB), NOSPLIT, $0-24 \
	MOVQ    inout+0(FP), DI  \
	MOVQ    in+8(FP), SI     \
	MOVQ    n+16(FP), CX     \
	first                    \
one:                         \
	VMOVDQU (DI), Y0         \
	VMOVDQU (SI), Y1         \
	op                       \
	VMOVDQU Y0, (DI)         \
	ADDQ    $32, DI          \
	ADDQ    $32, SI          \
	SUBQ    $32, CX          \
	JGT     one              \
	VZEROUPPER               \
	RET

// Bytes are multiplied as words: those at odd places after those at even ones.
#define LOWER_BYTES \
	VPCMPEQW Y15, Y15, Y15 \
	VPSRLW   $8, Y15, Y15
#define MULTIPLY_BYTES \
	VPMULLW Y1, Y0, Y2   \
	VPSRLW  $8, Y0, Y0   \
	VPSRLW  $8, Y1, Y1   \
	VPMULLW Y1, Y0, Y0   \
	VPSLLW  $8, Y0, Y0   \
	VPAND   Y15, Y2, Y2  \
	VPOR    Y2, Y0, Y0

SEVERAL(·multiplyInt8, LOWER_BYTES, MULTIPLY_BYTES)

// Integers of 8 bytes are compared. For that the sign of unsigned ones is turned over.
#define SIGNS64 \
	VPCMPEQD Y15, Y15, Y15 \
	VPSLLQ   $63, Y15, Y15
#define COMPARE_SIGNED \
	VPCMPGTQ Y1, Y0, Y2
#define COMPARE_UNSIGNED \
	VPXOR    Y15, Y0, Y3 \
	VPXOR    Y15, Y1, Y4 \
	VPCMPGTQ Y4, Y3, Y2
#define GREATER \
	VBLENDVPD Y2, Y0, Y1, Y0
#define LESS \
	VBLENDVPD Y2, Y1, Y0, Y0
#define MIN_SIGNED COMPARE_SIGNED; LESS
#define MAX_SIGNED COMPARE_SIGNED; GREATER
#define MIN_UNSIGNED COMPARE_UNSIGNED; LESS
#define MAX_UNSIGNED COMPARE_UNSIGNED; GREATER

SEVERAL(·minInt64, SIGNS64, MIN_SIGNED)
SEVERAL(·maxInt64, SIGNS64, MAX_SIGNED)
SEVERAL(·minUint64, SIGNS64, MIN_UNSIGNED)
SEVERAL(·maxUint64, SIGNS64, MAX_UNSIGNED)

// The processor takes its second number if one of two is no number, or both are 0. So both orders are tried, of which
// one takes what is no number, or -0, and the bits of both are joined. For the greater one all signs are turned over.
#define SIGNS32 \
	VPCMPEQD Y15, Y15, Y15 \
	VPSLLD   $31, Y15, Y15
#define LESSER(min) \
	min  Y1, Y0, Y2 \
	min  Y0, Y2, Y3 \
	VPOR Y2, Y3, Y0
#define NEGATE \
	VPXOR Y15, Y0, Y0
#define NEGATE_IN \
	VPXOR Y15, Y1, Y1
#define GREATER_OF(min) NEGATE; NEGATE_IN; LESSER(min); NEGATE

SEVERAL(·minFloat32, SIGNS32, LESSER(VMINPS))
SEVERAL(·minFloat64, SIGNS64, LESSER(VMINPD))
SEVERAL(·maxFloat32, SIGNS32, GREATER_OF(VMINPS))
SEVERAL(·maxFloat64, SIGNS64, GREATER_OF(VMINPD))

// Y14 is 0, and Y15 ones of each size.
#define ZERO \
	VPXOR    Y14, Y14, Y14 \
	VPCMPEQD Y15, Y15, Y15
#define ONES8 ZERO; VPABSB Y15, Y15
#define ONES16 ZERO; VPABSW Y15, Y15
#define ONES32 ZERO; VPABSD Y15, Y15
#define ONES64 ZERO; VPSRLQ $63, Y15, Y15
#define LOGICAL_AND(zero) \
	zero   Y14, Y0, Y0 \
	zero   Y14, Y1, Y1 \
	VPOR   Y1, Y0, Y0  \
	VPANDN Y15, Y0, Y0
#define LOGICAL_OR(zero) \
	VPOR   Y1, Y0, Y0  \
	zero   Y14, Y0, Y0 \
	VPANDN Y15, Y0, Y0
#define LOGICAL_XOR(zero) \
	zero  Y14, Y0, Y0 \
	zero  Y14, Y1, Y1 \
	VPXOR Y1, Y0, Y0  \
	VPAND Y15, Y0, Y0

SEVERAL(·and8, ONES8, LOGICAL_AND(VPCMPEQB))
SEVERAL(·and16, ONES16, LOGICAL_AND(VPCMPEQW))
SEVERAL(·and32, ONES32, LOGICAL_AND(VPCMPEQD))
SEVERAL(·and64, ONES64, LOGICAL_AND(VPCMPEQQ))
SEVERAL(·or8, ONES8, LOGICAL_OR(VPCMPEQB))
SEVERAL(·or16, ONES16, LOGICAL_OR(VPCMPEQW))
SEVERAL(·or32, ONES32, LOGICAL_OR(VPCMPEQD))
SEVERAL(·or64, ONES64, LOGICAL_OR(VPCMPEQQ))
SEVERAL(·exclusiveOr8, ONES8, LOGICAL_XOR(VPCMPEQB))
SEVERAL(·exclusiveOr16, ONES16, LOGICAL_XOR(VPCMPEQW))
SEVERAL(·exclusiveOr32, ONES32, LOGICAL_XOR(VPCMPEQD))
SEVERAL(·exclusiveOr64, ONES64, LOGICAL_XOR(VPCMPEQQ))
