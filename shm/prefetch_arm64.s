#include "textflag.h"

// func PrefetchWrite(w *atomic.Uint64)
TEXT ·PrefetchWrite(SB), NOSPLIT, $0-8
	MOVD	w+0(FP), R0
	PRFM	(R0), PSTL1KEEP
	RET
