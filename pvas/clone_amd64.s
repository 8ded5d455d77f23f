#include "textflag.h"

// Offsets into the script structure of clone_unsafe.go; a test compares
// them with the Go compiler's.
#define script_calls 0
#define script_count 8
#define script_entry 16
#define script_state 24
#define script_failed 32
#define script_errno 40
#define script_done 48

#define call_size 56
#define call_nr 0
#define call_args 8

#define SYS_clone 56
#define SYS_exit_group 231
#define SYS_futex 202
#define FUTEX_WAKE 1

#define stateReady 2

// func cloneTask(flags, stack uintptr, pidfd *int32, state uintptr, s *script) (pid, errno uintptr)
//
// The child shares all memory with its parent but has the stack, so it may run
// no Go code: no goroutine, no stack growth, no lock, no write barrier. It runs
// the loop below on its own stack with all signals blocked, and leaves through
// a jump to its program or through exit_group.
//
// Registers of the child: R12 script, R13 next call, BX calls left.
TEXT ·cloneTask(SB), NOSPLIT, $0-56
	MOVQ flags+0(FP), DI
	MOVQ stack+8(FP), SI
	MOVQ pidfd+16(FP), DX
	MOVQ state+24(FP), R10
	MOVQ s+32(FP), R12
	XORQ R8, R8 // thread-local storage
	MOVQ $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JZ child
	CMPQ AX, $0xfffffffffffff001
	JCC cloneFailed
	MOVQ AX, pid+40(FP)
	MOVQ $0, errno+48(FP)
	RET
cloneFailed:
	NEGQ AX
	MOVQ $0, pid+40(FP)
	MOVQ AX, errno+48(FP)
	RET

child:
	MOVQ script_calls(R12), R13
	MOVQ script_count(R12), BX
nextCall:
	TESTQ BX, BX
	JZ start
	MOVQ call_nr(R13), AX
	MOVQ (call_args+0)(R13), DI
	MOVQ (call_args+8)(R13), SI
	MOVQ (call_args+16)(R13), DX
	MOVQ (call_args+24)(R13), R10
	MOVQ (call_args+32)(R13), R8
	MOVQ (call_args+40)(R13), R9
	SYSCALL // clobbers RCX and R11 only
	CMPQ AX, $0xfffffffffffff001
	JCC callFailed
	ADDQ $call_size, R13
	DECQ BX
	JMP nextCall

callFailed:
	NEGQ AX
	MOVQ AX, script_errno(R12)
	MOVQ script_count(R12), AX
	SUBQ BX, AX
	INCQ AX
	MOVQ AX, script_failed(R12)
	MOVL $127, DI
	MOVQ $SYS_exit_group, AX
	SYSCALL // the kernel clears the state word and wakes the parent
	INT $3

start:
	// Everything still needed goes into registers: once the parent sees the
	// state word the script is gone.
	MOVQ script_entry(R12), R13
	MOVQ script_state(R12), DI
	MOVQ $1, script_done(R12)
	MOVL $stateReady, AX
	XCHGL AX, (DI) // orders the stores above before it
	MOVQ $FUTEX_WAKE, SI
	MOVQ $0x7fffffff, DX
	MOVQ $SYS_futex, AX
	SYSCALL
	// RDX must be 0: the ABI lets it carry a function to run at exit.
	XORQ AX, AX
	XORQ BX, BX
	XORQ CX, CX
	XORQ DX, DX
	XORQ SI, SI
	XORQ DI, DI
	XORQ BP, BP
	XORQ R8, R8
	XORQ R9, R9
	XORQ R10, R10
	XORQ R11, R11
	XORQ R12, R12
	XORQ R14, R14
	XORQ R15, R15
	JMP R13
