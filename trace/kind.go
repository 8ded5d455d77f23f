package trace

import "fmt"

// Kind is what an event is about.
type Kind uint8

// Calls of the program. They have a start and an end.
const (
	None     Kind = iota
	Init          // of the rank, to the end of it
	Finalize      //
	Send          // Peer, Tag, Bytes, Message
	Recv          // what was received: Peer, Tag, Bytes, Message
	Isend         // Request; its message is Sent
	Irecv         // Request; its message is Received. Bytes is the size of the buffer
	Start         // of a persistent request: Request
	Begin         // of a nonblocking collective, or a graph: Request
	Wait          // Request, 0: nothing to wait for
	WaitAll       // Request is the number of Taken before it
	WaitAny       // likewise
	Test          // likewise; only those that have found something
	Probe         // of any kind; only those that have found something

	Barrier       // collectives: Bytes of this rank, Tag is the algorithm, Peer the root,
	Bcast         // Request the number of the call on the communicator
	Reduce        //
	Allreduce     //
	ReduceScatter //
	Scan          //
	Exscan        //
	Gather        //
	Scatter       //
	Allgather     //
	Alltoall      //
	Neighbor      // all that go among neighbours

	FileOpen     // calls on files: Bytes read or written
	FileClose    //
	FileView     //
	FileSync     //
	FileRead     // by this rank alone
	FileWrite    //
	FileReadAll  // collective
	FileWriteAll //

	WinPut        // operations on windows: Peer, Bytes
	WinGet        //
	WinAccumulate // of any kind, and compare and swap
	WinFence      // calls that begin, end or order epochs on windows
	WinPost       //
	WinStart      //
	WinComplete   //
	WinWait       //
	WinLock       // of one rank, Peer, or of all
	WinUnlock     //
	WinFlush      //

	lastCall
)

// What happens at one time: Start and End are the same.
const (
	// Sent: a message has left, and is noted then: Peer, Tag, Bytes, Message, Request of a nonblocking send
	Sent     Kind = iota + 64
	Received      // a message is there: likewise, Request of a nonblocking receive
	Done          // what Begin or Start has begun is complete: Request
	Taken         // a wait or test has taken the result of a request: Request
	CPU           // Bytes is the CPU time of the process so far, in ns
	Lost          // Bytes events are missing here: the buffer was full
	Stall         // has a start: the rank waited for space in the buffer; it is not the program's
	// has a start: a node of a graph was executed: Tag its number, Bytes, Peer the rank and Message the number of its
	// graph
	Node
)

// Records that are not events.
const (
	named Kind = 254
	wide  Kind = 255
)

var kindNames = map[Kind]string{
	Init: "init", Finalize: "finalize", Send: "send", Recv: "recv", Isend: "isend", Irecv: "irecv",
	Start: "start", Begin: "begin", Wait: "wait", WaitAll: "waitall", WaitAny: "waitany", Test: "test", Probe: "probe",
	Barrier: "barrier", Bcast: "bcast", Reduce: "reduce", Allreduce: "allreduce", ReduceScatter: "reduce_scatter",
	Scan: "scan", Exscan: "exscan", Gather: "gather", Scatter: "scatter", Allgather: "allgather", Alltoall: "alltoall",
	Neighbor: "neighbor",
	FileOpen: "file_open", FileClose: "file_close", FileView: "file_view", FileSync: "file_sync",
	FileRead: "file_read", FileWrite: "file_write", FileReadAll: "file_read_all", FileWriteAll: "file_write_all",
	WinPut: "win_put", WinGet: "win_get", WinAccumulate: "win_accumulate", WinFence: "win_fence", WinPost: "win_post",
	WinStart: "win_start", WinComplete: "win_complete", WinWait: "win_wait", WinLock: "win_lock",
	WinUnlock: "win_unlock", WinFlush: "win_flush",
	Sent: "sent", Received: "received", Done: "done", Taken: "taken", CPU: "cpu", Lost: "lost", Stall: "stall",
	Node: "node",
}

// String returns the name of the kind.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Call tells whether it is a call of the program.
func (k Kind) Call() bool { return k > None && k < lastCall }

// Collective tells whether it is a blocking collective call, but for those on files and windows.
func (k Kind) Collective() bool { return k >= Barrier && k <= Neighbor }

// File tells whether it is a call on a file.
func (k Kind) File() bool { return k >= FileOpen && k <= FileWriteAll }

// Epoch tells whether it is a call that begins, ends or orders epochs on windows.
func (k Kind) Epoch() bool { return k >= WinFence && k <= WinFlush }

// Outside tells whether it is a call on a file or a window. To a model what it does is computation, but for the calls
// that it is made of.
func (k Kind) Outside() bool { return k >= FileOpen && k < lastCall }

// Compound tells whether it is a call that is made of calls, which are recorded, too.
func (k Kind) Compound() bool { return k == Init || k == Finalize || k == Neighbor || k.Outside() }

// lasts tells whether events of the kind have a duration.
func (k Kind) lasts() bool { return k.Call() || k == Stall || k == Node }

// Flags say more of an event.
type Flags uint16

// The flags.
const (
	// The protocol takes the lowest bits.
	protocolMask Flags = 7

	AnySource   Flags = 1 << (iota + 2) // the receive would have taken any source
	AnyTag                              // any tag
	Synchronous                         // the send waits for the receive
	Persistent                          // the request is a persistent one
	Inside                              // a step of a collective or a graph, not of the program
	Queued                              // the send had to wait for space at the receiver
	Failed                              // the call returned an error
	NoPeer                              // the call was with no rank
	Estimated                           // the start, or the end of a receive, is an estimate
)

// The thread of an event takes the highest bits.
const threadShift = 12

// Threads is how many threads, or goroutines, of a rank are told apart. The last number stands for all others.
const Threads = 16

// Thread returns the number of the thread that was recorded.
func (f Flags) Thread() int { return int(f >> threadShift) }

// OfThread returns the flags of a thread.
func OfThread(n int) Flags { return Flags(n) << threadShift }

// Protocol is the way of a message.
type Protocol uint8

// The ways of messages.
const (
	Unknown    Protocol = iota
	Eager               // copied, and the send is over
	Rendezvous          // offered: the send is over when the receiver has the bytes
	Self                // to the rank itself
)

var protocolNames = [...]string{"unknown", "eager", "rendezvous", "self"}

// String returns the name of the protocol.
func (p Protocol) String() string {
	if int(p) < len(protocolNames) {
		return protocolNames[p]
	}
	return fmt.Sprintf("Protocol(%d)", uint8(p))
}

// By returns the flags of a protocol.
func By(p Protocol) Flags { return Flags(p) & protocolMask }

// Protocol returns the way of the message.
func (f Flags) Protocol() Protocol { return Protocol(f & protocolMask) }
