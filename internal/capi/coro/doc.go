// Package coro lets a thread of C call Go by changing stacks.
//
// A call by cgo is exact for the scheduler: the thread takes a slot of GOMAXPROCS (a P) when
// it enters Go and gives it back when it leaves. That costs 50 ns in a loop. After a
// millisecond in C it costs microseconds, because the runtime has taken the P away and both
// the P and sysmon must be woken. Here the thread enters Go once, by cgo, and then changes
// between the stack of C and the stack of that goroutine. A call costs some 10 ns at any time.
//
// # What the runtime sees
//
// A goroutine, locked to its thread, that has called the assembly function Switch and is there
// for a long time. Switch jumps to C. The registers that Go keeps are dead there: no Go code
// is live on this thread but frames that wait for Switch to return. C comes back by a jump to
// resume, which calls the dispatcher with the goroutine's stack and returns to C again. Calls
// and returns stay paired on each of the stacks, so the predictions of the CPU hold.
//
// The stack of the goroutine is empty below Switch while C runs. It may grow and move while
// the dispatcher runs. resume notes its new place before it jumps to C. No address of it is
// kept elsewhere.
//
// resume calls the dispatcher as compiled Go calls a closure: on amd64 with the argument and the result in AX, the
// closure in DX, the goroutine in R14 and zero in X15. Go does not promise that. It has held since Go 1.17;
// a version in which it does not hold fails TestServe and every C program of the tests (capi/programs).
//
// On arm64 a call leaves its return address in a register, so Switch keeps it in a frame, and resume is a place
// in Switch. All else is the same.
//
// The stack of the system (g0), on which the runtime runs its own code, begins where the
// thread has entered Go. C must not overwrite that place, so the thread enters Go on a stack
// that is used for nothing else.
//
// # Who may do what
//
// One thread has a Context. It alone calls Serve, and it alone enters by it. All fields are
// plain memory of that thread; nothing needs an order. Other threads of the process call Go
// by cgo, after Serve has ended. While the first thread is in C, another one can end Serve in its place: it takes the
// goroutine for its own (exchangeG), enters by the Context, and has the dispatcher return true. The runtime knows a
// thread by what exchangeG changes alone: Go code then runs on the other thread, with the stacks and the record (M) of
// the first. Nothing is left of that when Serve has returned to C.
//
// The thread keeps its P while C runs. Others that want to run Go need a P of their own, and the
// world cannot be stopped before the thread calls again. Where the thread has the only
// P, nobody wants that: garbage is collected within its calls.
//
// The runtime asks a goroutine for its P when it has run for 10 ms, time in C included. The
// goroutine would obey at the beginning of its next call, which costs two changes of
// threads. With one P nobody waits for it but the collector of garbage, and resume withdraws the request: see
// Guard. While a collection is underway, which the write barrier tells, the goroutine obeys. The collector has no
// other time on this P than that of requests and of allocations, and calls seldom allocate. It would not get
// to its end, and the write barrier would slow down all calls that follow. So a collection that is begun in a
// call ends some tens of requests later, however little the calls allocate.
//
// The signal by which the runtime asks too (SIGURG) would interrupt system calls of C, so
// the library leaves it ignored. Faults in C must not reach the runtime's handler
// either: it takes the thread for one that runs Go.
//
// # Handlers of signals
//
// A handler of the program runs on the stack on which the signal finds its thread, unless it was set with SA_ONSTACK.
// Within a call that is the goroutine's, or that of the system. The kernel does not grow a stack of Go: what it and the
// handler write beyond its end is memory of others. So these stacks are larger than Go would have them: a handler
// may use 128 KiB. The goroutine of the coroutine never has less; that of a thread that calls by cgo gets as much at
// each call (Room), and may lose it to the collector in a long one. What is not touched takes no memory.
//
// On arm64 the frame of a signal begins where functions of Go keep the frame pointer of their caller: in the word
// below the stack pointer. The library is built with a runtime that uses none: see capi/install.
//
// # Calls from Go to C
//
// A function of C must run on the stack of C: it may need much stack, and may call Go again. So the
// goroutine calls Switch again, deeper in its stack, with a request in the Context. C calls the
// function and reports its end by a call that makes the dispatcher return true; then Switch
// returns. Calls of Go by the function are served meanwhile from the deeper frame.
//
// Not implemented: other machines than amd64 and arm64 (Supported says so).
package coro
