// Package replay turns what a job has recorded (package trace) into a graph of operations that
// loggps/sim can run: on other machines, with other eager limits.
//
//	t, err := trace.Open("job.trace")
//	r, err := replay.New(t, replay.Options{})
//	result, err := sim.Run(r.Graph, sim.Options{Machine: machine})
//
// # What becomes of a call
//
//   - What lies between two calls is a computation. Where the CPU time of the process was
//     recorded, it is no longer than that: a rank that had lost its CPU has not computed.
//   - A message keeps its receive: it gets a tag of its own. So a receive from any source gets
//     what it got in the job.
//   - A nonblocking call is awaited by the wait, or the successful test, that has taken its result.
//     Tests that have found nothing are part of the computation.
//   - Each goroutine, or thread, is a chain of calls of its own: see thread.go.
//   - A collective call whose messages were recorded is those messages, in their order. Between
//     them it computes: until a message leaves, and after the last one has come. That is known
//     only if each rank had a CPU. A call in shared memory has no messages, and becomes a named
//     algorithm of package loggps/pattern. So does a call on several nodes in which only some
//     members had messages.
//     What a call by that algorithm takes as a whole may have been measured (Options.Operations). Then
//     its members wait for one another by messages that cost nothing, and each computes for that long.
//   - A message that was not received in the job is received at the end. A receive whose message
//     is not in the trace is left out.
//   - A nonblocking collective call becomes the messages that were recorded of it where they were
//     made, or else the algorithm when it is waited for.
//
// What is left out: probes, windows, and the time of calls, which the model predicts.
package replay
