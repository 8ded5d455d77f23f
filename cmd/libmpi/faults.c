// Fatal signals.
//
// A rank that dies of a fault reports its number, the signal, the address, and the functions on its stack. MPI_Init
// installs handlers for the signals below, unless the program has its own. The handlers run on a stack of their own,
// because the stack of the thread may be full. Nothing is slower before a fault.
//
// The handler does only what is safe in a signal handler. The unwinder of the compiler, which is linked into the
// library, finds the tables of the code through the dynamic linker. The handler cannot read symbols. So it starts
// pvasrun (PVAS_BACKTRACE) with the file and offset of each call, and waits for it. If that fails it writes the offsets
// itself. Then the signal takes its default action: the exit status of the rank and its core dump are those of the
// fault.
//
// If several threads fault at the same time, the first one reports and the others wait until the process ends. A fault
// in the handler ends the process, because all signals are blocked there.
//
// The report may never end: pvasrun reads files, the reader of standard error may be stopped, and another thread that
// has faulted may have the lock of the dynamic linker. So a timer bounds it. When it expires first, pvasrun is killed,
// and the handler writes the offsets. When it expires again, or pvasrun was not running, the process ends.
//
// The handler notes in the root block that the rank has faulted: its last wait there is none any more. Ranks of one
// address space read each other's buffers, so a bad one may fault in another rank. Then the report says whose memory
// the address is in, or at least that it may be.
//
// Go code has no tables for the unwinder. If the thread runs Go in the coroutine, unwinding begins at the call by which
// C entered Go (entry_amd64.S, entry_arm64.S).

#define _GNU_SOURCE
#include "entry.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static int rank;

int libmpi_rank_told(void) { return rank; }

#if defined __x86_64__ || defined __aarch64__

#include <unwind.h>

enum { FRAMES = 48, TEXT = 16 << 10, RED_ZONE = 128, LIMIT = 10 /* seconds */ };

static const struct fatal {
	int number;
	const char *name;
} fatal[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
enum { FATAL = sizeof fatal / sizeof fatal[0] };

static char fault_stack[64 << 10] __attribute__((aligned(64)));
static const char *program, *reporter; // paths; NULL: not known
struct described libmpi_described;
enum { STATE_INIT = 1, STATE_FAULTED = 4 }; // of job.State

// Text that grows, and is cut where it would be too long.
static char text[TEXT];
static size_t length;

static void add(const char *s) {
	while (*s && length < TEXT - 1)
		text[length++] = *s++;
}

static void add_number(unsigned long n, unsigned base) {
	char digits[24], *d = digits + sizeof digits - 1;
	*d = 0;
	do
		*--d = "0123456789abcdef"[n % base];
	while (n /= base);
	add(base == 16 ? "0x" : "");
	add(d);
}

// begin_word begins a further string in the text, behind the end of the one before.
static char *begin_word(void) {
	if (length < TEXT - 1)
		text[length++] = 0;
	return text + length;
}

// readable asks the kernel whether memory can be read: the system call fails with EFAULT only if it cannot.
static int readable(uintptr_t at) {
	enum { NO_SUCH_HOW = 99 };
	return syscall(SYS_rt_sigprocmask, NO_SUCH_HOW, at & ~7ul, NULL, 8) == 0 || errno != EFAULT;
}

// The result of _Unwind_Find_FDE, of which only the size matters here.
struct bases {
	void *text, *data, *function;
};
extern const void *_Unwind_Find_FDE(void *pc, struct bases *);

// has_table tells whether the unwinder knows the code at an address.
static int has_table(uintptr_t pc) {
	struct bases b;
	return pc != 0 && _Unwind_Find_FDE((void *)pc, &b) != NULL;
}

#ifdef __x86_64__

typedef greg_t reg;
enum { SP = REG_RSP, PC = REG_RIP, REGS = NGREG };

static reg *registers(ucontext_t *c) { return c->uc_mcontext.gregs; }

// return_address takes the return address of a call that has come to no code: it is the last that was pushed.
static int return_address(reg *r) {
	const uintptr_t *sp = (const uintptr_t *)r[SP];
	if (!readable(r[SP]) || !has_table(*sp))
		return 0;
	r[PC] = (reg)*sp;
	r[SP] += 8;
	return 1;
}

// entered takes the registers that entry_amd64.S has pushed.
static int entered(reg *r, const reg *saved) {
	if (!has_table((uintptr_t)saved[6]))
		return 0;
	r[REG_R15] = saved[0], r[REG_R14] = saved[1], r[REG_R13] = saved[2], r[REG_R12] = saved[3];
	r[REG_RBX] = saved[4], r[REG_RBP] = saved[5], r[PC] = saved[6], r[SP] = (reg)(saved + 7);
	return 1;
}

#else

typedef unsigned long long reg;
enum { FP = 29, LR = 30, SP = 31, PC = 32, REGS = 33 }; // sp and pc lie behind the registers with numbers
_Static_assert(offsetof(mcontext_t, sp) == offsetof(mcontext_t, regs) + SP * sizeof(reg) &&
	       offsetof(mcontext_t, pc) == offsetof(mcontext_t, regs) + PC * sizeof(reg), "registers");

static reg *registers(ucontext_t *c) { return (reg *)((char *)&c->uc_mcontext + offsetof(mcontext_t, regs)); }

static int return_address(reg *r) {
	if (!has_table((uintptr_t)r[LR]))
		return 0;
	r[PC] = r[LR];
	return 1;
}

// entered takes the registers that entry_arm64.S has saved.
static int entered(reg *r, const reg *saved) {
	enum { FIRST = 19, SAVED = 20 };
	if (!has_table((uintptr_t)saved[1]))
		return 0;
	for (int i = FIRST; i < FP; i++)
		r[i] = saved[2 + i - FIRST];
	r[FP] = saved[0], r[LR] = r[PC] = saved[1], r[SP] = (reg)(uintptr_t)(saved + SAVED);
	return 1;
}

#endif

// to_caller replaces registers from which the unwinder cannot begin by those of the caller in C, if that is known. It
// does so after a call of a bad address, and in Go. It returns whether it has replaced them.
static int to_caller(reg *r) {
	const struct context *c = libmpi_mine;
	uintptr_t pc = (uintptr_t)r[PC];
	Dl_info info;
	if (has_table(pc))
		return 0;
	if (dladdr((void *)pc, &info) == 0) // no code at all
		return return_address(r);
	return c != NULL && readable(c->c_sp) && entered(r, (const reg *)c->c_sp);
}

// frames are the addresses of the calls, from the innermost on. A place is that of an instruction in the call; that of
// a frame which a signal has interrupted is the instruction itself.
static struct {
	uintptr_t start, pc[FRAMES]; // start: where the signal came; the unwinder begins with the frames of the handler
	int n, started;
	int replaced; // start is the return address of to_caller
} frames;

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *c, void *unused) {
	(void)unused;
	int before = 0;
	uintptr_t pc = _Unwind_GetIPInfo(c, &before);
	if (pc == 0 || frames.n == FRAMES)
		return _URC_END_OF_STACK;
	frames.started |= pc == frames.start;
	int interrupted = before && !(frames.replaced && frames.n == 1);
	if (frames.started)
		frames.pc[frames.n] = interrupted ? pc : pc - 1, frames.n++;
	return _URC_NO_REASON;
}

static void collect(reg *r) {
	reg saved[REGS];
	memcpy(saved, r, sizeof saved);
	frames.replaced = to_caller(r);
	if (frames.replaced || !has_table((uintptr_t)r[PC]))
		frames.pc[frames.n++] = (uintptr_t)saved[PC];
	frames.start = (uintptr_t)r[PC];
	if (has_table(frames.start))
		_Unwind_Backtrace(note_frame, NULL);
	memcpy(r, saved, sizeof saved);
}

// add_place adds the file of an address and the offset as its symbols have it.
static void add_place(uintptr_t pc) {
	Dl_info info;
	struct link_map *map = NULL;
	if (dladdr1((void *)pc, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) {
		add_number(pc, 16);
		return;
	}
	add(map->l_name[0] ? map->l_name : program ? program : info.dli_fname);
	add("+");
	add_number(pc - map->l_addr, 16);
}

// in_library tells whether code is of this library.
static int in_library(uintptr_t pc) {
	Dl_info there, here;
	return dladdr((void *)pc, &there) != 0 && dladdr((void *)&libmpi_described, &here) != 0 &&
	       there.dli_fbase == here.dli_fbase;
}

// add_owner says which other rank the memory at an address may be of.
static void add_owner(uintptr_t at, uintptr_t pc) {
	const struct described *d = &libmpi_described;
	if (d->size == 0 || d->last - d->first < 2)
		return;
	long owner = d->first + (long)((at - d->base) / d->size);
	if (at >= d->base && owner < d->last) {
		if (owner != rank) {
			add(" in the memory of rank ");
			add_number((unsigned long)owner, 10);
		}
	} else if (in_library(pc)) {
		add(" (in this call, the buffer of this rank or of a peer, which it reads and writes in one address space)");
	}
}

// add_cause adds the rank, the signal and its address or sender.
static void add_cause(int number, const siginfo_t *info, const reg *r) {
	uintptr_t at = (uintptr_t)info->si_addr, sp = (uintptr_t)r[SP];
	add("rank ");
	add_number((unsigned long)rank, 10);
	add(" (pid ");
	add_number((unsigned long)getpid(), 10);
	add(") has got ");
	for (int i = 0; i < FATAL; i++)
		add(fatal[i].number == number ? fatal[i].name : "");
	if (info->si_code <= 0) {
		if (info->si_pid != getpid()) {
			add(" from process ");
			add_number((unsigned long)info->si_pid, 10);
		}
	} else if (info->si_code == SI_KERNEL) {
		add(" at an unknown address (it is not canonical, or the instruction is privileged)");
	} else {
		add(" at address ");
		add_number(at, 16);
		add_owner(at, (uintptr_t)r[PC]);
		if (number == SIGSEGV && ((at < sp && at >= sp - RED_ZONE) || !readable(sp)))
			add(": stack overflow; raise --stack-size or ulimit -s");
	}
	add(":");
}

// What the timer's handler needs: the fatal signal, and the process of pvasrun that runs; 0: none. A process is not
// killed after it was waited for: its number may be another's by then.
static volatile int fatal_number;
static volatile pid_t printing;

// print_named starts pvasrun, which prints the report with names. It returns whether that has worked. pvasrun gets no
// variables: with an LD_AUDIT some C libraries (2.36) cannot start a program that loads no library.
static int print_named(char **words) {
	char *none = NULL;
	if (reporter == NULL)
		return 0;
	pid_t child = vfork();
	if (child == 0) {
		execve(reporter, words, &none);
		_exit(127);
	}
	if (child < 0)
		return 0;
	printing = child;
	siginfo_t end;
	while (waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	printing = 0;
	int status = -1;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// end_by ends the process by a signal whose number the fault has, from a handler that has blocked it.
static void end_by(int number) {
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t set;
	sigaction(number, &plain, NULL);
	sigemptyset(&set);
	sigaddset(&set, number);
	syscall(SYS_tgkill, getpid(), gettid(), number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

// expire is the handler of the timer.
static void expire(int signal, siginfo_t *info, void *unused) {
	(void)signal, (void)unused;
	int error = errno;
	if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &fatal_number)
		return;
	if (printing == 0)
		end_by(fatal_number);
	kill(printing, SIGKILL);
	errno = error;
}

// bound_time starts the timer, whose signal comes to this thread. The thread has blocked all signals.
static void bound_time(int number) {
	struct sigaction own = {.sa_sigaction = expire, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX};
	struct itimerspec often = {{LIMIT, 0}, {LIMIT, 0}};
	int timer;
	sigset_t set;
	fatal_number = number;
	event.sigev_value.sival_ptr = (void *)&fatal_number;
	event._sigev_un._tid = gettid();
	sigfillset(&own.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	if (sigaction(SIGRTMAX, &own, NULL) < 0 || syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		return;
	syscall(SYS_timer_settime, timer, 0, &often, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

// print writes the text. What a full pipe does not take in time is left out: the timer ends the process.
static void print(const char *s, size_t n) {
	while (n > 0) {
		ssize_t done = write(STDERR_FILENO, s, n);
		if (done < 0 && errno != EINTR)
			return;
		if (done > 0)
			s += done, n -= (size_t)done;
	}
}

// report prints the cause and the frames. Each word of the text is one line.
static void report(int number, const siginfo_t *info, reg *r) {
	static char *words[FRAMES + 3] = {"pvasrun-backtrace"};
	int n = 1;
	collect(r);
	words[n++] = text;
	add_cause(number, info, r);
	for (int i = 0; i < frames.n; i++) {
		words[n++] = begin_word();
		add_place(frames.pc[i]);
	}
	if (print_named(words))
		return;
	for (size_t i = 0; i < length; i++)
		if (text[i] == 0)
			text[i] = '\n';
	text[length++] = '\n';
	print(text, length);
}

static void die(int number, siginfo_t *info, void *interrupted) {
	static int reporting;
	struct sigaction plain = {.sa_handler = SIG_DFL};
	if (__atomic_exchange_n(&reporting, 1, __ATOMIC_SEQ_CST))
		for (;;)
			pause();
	unsigned *state = libmpi_described.state, before = STATE_INIT;
	if (state != NULL)
		__atomic_compare_exchange_n(state, &before, STATE_FAULTED, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	bound_time(number);
	report(number, info, registers(interrupted));
	sigaction(number, &plain, NULL);
	// A fault happens again when the handler returns. What was sent is sent again.
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), gettid(), number);
}

// of_fortran tells whether a handler is that of the Fortran runtime, which is replaced: it does not name the rank, and
// cannot run if the stack is full.
static int of_fortran(const struct sigaction *a) {
	Dl_info info;
	int known = dladdr((void *)a->sa_handler, &info) != 0 && info.dli_fname != NULL;
	return known && strstr(info.dli_fname, "/libgfortran.so") != NULL;
}

void libmpi_fault_stack(void) {
	stack_t old, own = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
	if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
		sigaltstack(&own, NULL);
}

// own_program returns the path of the program. In one address space the kernel has that of pvasrun. Elsewhere a script
// or a debugger may have started the process: PVAS_PROGRAM names that one.
static const char *own_program(void) {
	static char path[4096];
	if (libmpi_described.size == 0 && readlink("/proc/self/exe", path, sizeof path - 1) > 0)
		return path;
	const char *p = getenv("PVAS_PROGRAM");
	return p ? strdup(p) : NULL;
}

void libmpi_report_faults(int number) {
	rank = number;
	const char *r = getenv("PVAS_BACKTRACE");
	program = own_program();
	reporter = r && *r ? strdup(r) : NULL;
	for (int i = 0; i < FATAL; i++) {
		struct sigaction old, own = {.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
		sigfillset(&own.sa_mask);
		if (sigaction(fatal[i].number, NULL, &old) == 0 && (old.sa_handler == SIG_DFL || of_fortran(&old)))
			sigaction(fatal[i].number, &own, NULL);
	}
}

#else // the registers of other machines are not known here

void libmpi_fault_stack(void) {}
void libmpi_report_faults(int number) { rank = number; }

#endif
