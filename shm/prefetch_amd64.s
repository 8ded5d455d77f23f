#include "textflag.h"

// func PrefetchWrite(w *atomic.Uint64)
TEXT ·PrefetchWrite(SB), NOSPLIT, $0-8
	MOVQ	w+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET
