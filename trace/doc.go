// Package trace is the format of what a job has recorded with pvasrun --trace: what each
// rank did, when, and which message of one rank is which of another.
//
//	t, err := trace.Open("job.trace")
//	for rank, r := range t.Ranks {
//		for _, e := range r.Events {
//			fmt.Println(rank, e.Start, e.End, e.Kind, e.Peer, e.Bytes)
//		}
//	}
//
// What is larger than memory is left in its file by OpenOnDisk, and read by Trace.Events and Trace.Rank.
//
// # Events
//
// A rank's events are in the order in which they were written. A call is written when it
// returns, so what happens in a call stands before it. All times are nanoseconds since the job's
// memory was made, on one clock for all ranks. Of a job on several nodes they are nanoseconds
// since its leader told the nodes to start: Join. Meta.ClockErrorNS says how well their clocks agree.
//
//   - A call of the program has a start and an end. A blocking send or receive names its
//     message (Event.Message). A nonblocking call names its request, a wait the request or the
//     number of requests that it took: these stand before it as Taken.
//   - The k-th message that a rank has sent to another one has the number k, from 1 on, for both:
//     Send or Sent at the sender, Recv or Received at the receiver.
//   - Collective calls have the number of the call on the communicator (Event.Request). The messages
//     that they are made of are Sent and Received within them, with Inside set.
//   - Calls name their place in the program (Event.Site): in Go the line, else the file and the
//     offset of the code (Code).
//   - Computation is what lies between calls. Where it has lasted, a CPU event at its end
//     tells how much CPU time the process had had by then.
//
// # File
//
// All numbers are little endian. A file begins with 16 bytes: the magic "gopvastr", the version
// (uint32) and zeros. Blocks follow, each with a header of 24 bytes and a payload:
//
//	uint32 type     1 meta, 2 events, 3 clock, 4 end; others are skipped
//	uint32 rank     of events the rank, and in the high 16 bits the lane: 0 what the rank does,
//	                1 what it executes of graphs; of clock the node; else 0
//	uint32 length   of the payload in bytes
//	uint32 sum      CRC-32C of the header with a sum of 0, and the payload
//	uint64 first    of events: how many records of the lane come before
//
// Meta is the first block: JSON, see Meta. End is the last, JSON too, see End; a file without it
// was cut off. Clock is a pair of uint64: ticks, and nanoseconds of the leader's clock at that
// moment. Two of them say how fast ticks go. Events are records of 32 bytes:
//
//	uint64 kind (low 8 bits), start in ticks since Meta.Base (high 56 bits)
//	uint32 ticks from start to end, or the request of a message
//	uint32 bytes
//	uint16 context: number in the lane's table; 0: none
//	uint16 site: likewise
//	int32  tag
//	uint16 peer
//	uint16 flags: in the highest four bits the number of the thread or goroutine, 15 for all others
//	uint32 number: of message, request or call
//
// A record of kind 255 belongs to the next one: the second word has bits 32 to 63 of its ticks
// and of its bytes. Kind 254 gives a number of the tables a meaning: flags 1 a context, flags 2
// a site, flags 3 a site whose text is the offset in hexadecimal, the build id or "-", and the path of
// the file; the number in the last word, the context in the tag; bytes is the length of a text, which
// follows in as many records as it needs.
//
// # Not here
//
// How a rank writes events is in internal/msg/recorder, what a model can do with them in
// internal/lab/replay.
package trace
