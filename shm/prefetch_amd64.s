#include "textflag.h"

// func prefetchWrite(s *Slot)
TEXT ·prefetchWrite(SB), NOSPLIT, $0-8
	MOVQ	s+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET
