package testkit

import "syscall"

// adviceOfNothing returns the advice if a stopped thread is about to call madvise(0, 0, advice), else 0.
func adviceOfNothing(tid int) (int, error) {
	var r syscall.PtraceRegs
	err := syscall.PtraceGetRegs(tid, &r)
	if err != nil || r.Regs[8] != syscall.SYS_MADVISE || r.Regs[0]|r.Regs[1] != 0 {
		return 0, err
	}
	return int(r.Regs[2]), nil
}
