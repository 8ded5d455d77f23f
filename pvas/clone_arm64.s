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

#define SYS_clone 220
#define SYS_exit_group 94
#define SYS_futex 98
#define FUTEX_WAKE 1

#define stateReady 2

#define ISH 0xb // of all CPUs of the machine

// func cloneTask(flags, stack uintptr, pidfd *int32, state uintptr, s *script) (pid, errno uintptr)
//
// As in clone_amd64.s. A system call takes its number in R8 and leaves all registers alone but R0. The
// thread-local storage of the call is its fourth argument here, the state word its fifth.
//
// The parent reads what the script has noted once it has read the state word. The kernel clears that by a plain
// store, so a store of the child needs a barrier behind it to be seen first.
//
// Registers of the child: R19 script, R20 next call, R21 calls left.
TEXT ·cloneTask(SB), NOSPLIT, $0-56
	MOVD flags+0(FP), R0
	MOVD stack+8(FP), R1
	MOVD pidfd+16(FP), R2
	MOVD ZR, R3
	MOVD state+24(FP), R4
	MOVD s+32(FP), R19
	MOVD $SYS_clone, R8
	SVC
	CBZ R0, child
	CMN $4095, R0
	BCS cloneFailed
	MOVD R0, pid+40(FP)
	MOVD ZR, errno+48(FP)
	RET
cloneFailed:
	NEG R0, R0
	MOVD ZR, pid+40(FP)
	MOVD R0, errno+48(FP)
	RET

child:
	MOVD script_calls(R19), R20
	MOVD script_count(R19), R21
nextCall:
	CBZ R21, start
	MOVD call_nr(R20), R8
	MOVD (call_args+0)(R20), R0
	MOVD (call_args+8)(R20), R1
	MOVD (call_args+16)(R20), R2
	MOVD (call_args+24)(R20), R3
	MOVD (call_args+32)(R20), R4
	MOVD (call_args+40)(R20), R5
	SVC
	CMN $4095, R0
	BCS callFailed
	ADD $call_size, R20
	SUB $1, R21
	B nextCall

callFailed:
	NEG R0, R0
	MOVD R0, script_errno(R19)
	MOVD script_count(R19), R1
	SUB R21, R1
	ADD $1, R1
	MOVD R1, script_failed(R19)
	DMB $ISH // orders the stores above before that of the kernel
	MOVD $127, R0
	MOVD $SYS_exit_group, R8
	SVC
	BRK

start:
	// Everything still needed goes into registers: once the parent sees the
	// state word the script is gone. The program is entered by R17, as branches to code with
	// landing pads are.
	MOVD script_entry(R19), R17
	MOVD script_state(R19), R0
	MOVD $1, R1
	MOVD R1, script_done(R19)
	DMB $ISH // orders the store before the next one, and before that of the kernel
	MOVD $stateReady, R1
	MOVW R1, (R0)
	MOVD $FUTEX_WAKE, R1
	MOVD $0x7fffffff, R2
	MOVD $SYS_futex, R8
	SVC
	// R0 must be 0: the ABI lets it carry a function to run at exit.
	MOVD ZR, R0
	MSR R0, FPSR
	MOVD ZR, R1
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	MOVD ZR, R5
	MOVD ZR, R6
	MOVD ZR, R7
	MOVD ZR, R8
	MOVD ZR, R9
	MOVD ZR, R10
	MOVD ZR, R11
	MOVD ZR, R12
	MOVD ZR, R13
	MOVD ZR, R14
	MOVD ZR, R15
	MOVD ZR, R16
	MOVD ZR, R18_PLATFORM
	MOVD ZR, R19
	MOVD ZR, R20
	MOVD ZR, R21
	MOVD ZR, R22
	MOVD ZR, R23
	MOVD ZR, R24
	MOVD ZR, R25
	MOVD ZR, R26
	MOVD ZR, R27
	MOVD ZR, g
	MOVD ZR, R29
	MOVD ZR, R30
	JMP (R17)
