// How functions of the library call Go. See entry.c.
#ifndef LIBMPI_ENTRY_H
#define LIBMPI_ENTRY_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define UPCALL_ARGS 6

// Where C and Go meet: coro.Context has the same fields.
struct context {
	uintptr_t c_sp, go_sp, go_bp, back, resume, guard;
	int64_t op;
	uintptr_t args;
	int64_t result;
	uintptr_t upcall, upcall_args[UPCALL_ARGS];
	uintptr_t handler, object;
	int64_t code;
	uintptr_t goroutine;
	uintptr_t (*exchange)(uintptr_t);
	uintptr_t inside, claimed, left; // see claim.c
};

// What an op can be besides the number of a function.
enum {
	OP_RETURN = -1,  // the function of an upcall has returned
	OP_CHANGED = -2, // a word of a window has changed; the argument is its handle
	OP_ARGUMENT = -3, // the function of an operator gets one more argument; arguments: its handle, that
	OP_FORTRAN = -4, // the function of an operator or error handler is of Fortran; the argument is its handle
	OP_WAITING = -5, // a word of a window is read again and again; the argument is the handle of the window
	OP_REPLACE = -7, // callbacks become others: see capi.ReplaceCallbacks
	OP_THREADS = -6, // threads call that MPI_Init has promised nothing; the argument is the op of the first such call
};

// What an upcall can be besides a function.
enum { LEAVE = 1 }; // the thread leaves the coroutine: it calls by cgo from then on

// CALLER is where the program goes on after the call of a function of the library.
#define CALLER ((int64_t)(intptr_t)__builtin_return_address(0))

// libmpi_fortran is CALLER of the subroutine of Fortran that is under way, 0: none. It has called the function of C.
// With MPI_THREAD_MULTIPLE it may be that of another thread: nobody looks at it then.
extern uintptr_t libmpi_fortran;

// libmpi_call calls function op of the interface. args are its arguments, one in each
// 64-bit slot. The slot before them is CALLER, or 0 if the program has not made the call. A
// function without arguments has NULL.
int64_t libmpi_call(int64_t op, const int64_t *args);

// libmpi_upcall calls a function of C with UPCALL_ARGS arguments; a function that has
// fewer does not look at the others.
uintptr_t libmpi_upcall(uintptr_t function, const uintptr_t *args);

// libmpi_world is what MPI_Comm_rank and MPI_Comm_size say of MPI_COMM_WORLD. The size is 0
// before MPI_Init and after MPI_Finalize.
extern struct world {
	int rank, size;
} libmpi_world;

// libmpi_tables is where C finds windows and types; see capi.Tables. There are no windows before MPI_Init, after
// MPI_Finalize, and in the child of a fork.
extern struct tables {
	struct window **windows;
	uint32_t *types;
	uint64_t *made; // types that the program has made
	int looks;      // at a word of a window in succession before that is a wait
} libmpi_tables;

// libmpi_is_main tells whether the calling thread is the one that has initialised MPI.
int libmpi_is_main(void);

// libmpi_other_threads tells whether the process may have threads beside the calling one and those that this library
// has made.
int libmpi_other_threads(void);

// libmpi_alone ends the process if it has another MPI library. See alone.c.
void libmpi_alone(void);

// libmpi_ending is called before MPI_Finalize begins.
void libmpi_ending(void);

// libmpi_flush writes what the program has buffered, in C and in Fortran, before an error ends the process. It takes no
// longer than a second: another thread may hold the lock of a file, or nobody reads it.
void libmpi_flush(void);

// libmpi_time is the time in seconds, the same on all ranks of the machine.
double libmpi_time(void);

// libmpi_elsewhere is libmpi_call for a thread without the coroutine.
int64_t libmpi_elsewhere(int64_t op, const int64_t *args);

// libmpi_back_in_c ends libmpi_call where Go has more to tell than a result: it calls the functions
// that Go wants called, and returns the result.
int64_t libmpi_back_in_c(struct context *);

// libmpi_fault_stack gives the thread a stack for handlers of signals, before it enters Go for the first time.
// libmpi_report_faults has fatal signals reported from then on. See faults.c.
void libmpi_fault_stack(void);
void libmpi_report_faults(int rank);

// libmpi_rank_told is the number by which messages name this rank.
int libmpi_rank_told(void);

// libmpi_described is what libmpi_report_faults needs to know besides, before it is called.
extern struct described {
	unsigned *state;      // the state of the rank in the root block: STATE_INIT and STATE_FAULTED are two
	uintptr_t base, size; // of the partitions of ranks first to last - 1; size 0: they share no memory
	long first, last;
} libmpi_described;

// libmpi_leave_at_end is called in a process that shares its memory with other ranks. See leave.c.
void libmpi_leave_at_end(void);

// libmpi_mine is the context of the thread that has the coroutine, NULL in all others.
extern __thread struct context *libmpi_mine __attribute__((tls_model("initial-exec")));

// libmpi_owned tells whether a thread has the coroutine. That thread sets it. It is changed under the lock of claim.c.
extern int libmpi_owned;

// libmpi_claimed is libmpi_call of the thread of the coroutine, and libmpi_call_over the end of it, if another thread
// has claimed it: see claim.c.
int64_t libmpi_claimed(int64_t op, const int64_t *args);
int64_t libmpi_call_over(struct context *);

// libmpi_leave has the calling thread leave the coroutine that it has. libmpi_end_call ends a call by it.
void libmpi_leave(struct context *);
void libmpi_end_call(struct context *);

// libmpi_second_thread is called by a thread to which MPI_Init has promised nothing, before its call op.
void libmpi_second_thread(int64_t op);

// libmpi_coroutine_ends prepares that the thread of the coroutine ends before the process does.
void libmpi_coroutine_ends(struct context *);

// In the assembly, as libmpi_call.
void libmpi_switch(struct context *);
void libmpi_first(struct context *, void *stack);

// libmpi_go_signals makes the runtime's handlers of signals those of the process, until
// libmpi_c_signals puts back those that there were.
void libmpi_go_signals(void);
void libmpi_c_signals(void);

#pragma GCC visibility pop

#endif
