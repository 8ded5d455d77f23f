package testkit

import "syscall"

// adviceOfNothing returns the advice if a stopped thread is about to call madvise(0, 0, advice), else 0.
func adviceOfNothing(tid int) (int, error) {
	var r syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(tid, &r); err != nil || r.Orig_rax != syscall.SYS_MADVISE || r.Rdi|r.Rsi != 0 {
		return 0, err
	}
	return int(r.Rdx), nil
}
