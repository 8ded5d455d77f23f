// Package pml is point-to-point management: it matches messages with receives,
// chooses how each message travels, and keeps the requests of operations that are
// underway. It knows bytes and not types, ranks and contexts and not communicators;
// package comm makes communicators of it, on which the faces stand.
//
//	e := pml.New(job, rank, module)
//	r, err := e.Irecv(context, pml.AnySource, 7, buf)
//	...
//	err = e.Send(context, 1, 7, data, pml.Standard)
//	...
//	status, err := r.Wait()
//	...
//	err = e.Close()
//
// It implements chapter 3 of MPI 4.1 as far as that is not about datatypes: matching
// and order (3.5), the standard and the synchronous mode (3.4), nonblocking and
// persistent operations (3.7, 3.9). It also implements probes and matched probes (3.8),
// cancelling of receives (3.8.4) and ProcNull (3.10). The rule of MPI 4.1 section 11.6 for
// MPI_THREAD_MULTIPLE holds: any goroutine may call anything, and one that waits
// does not keep the others from going on.
//
// The pieces, from below: package route says by which module a peer is reached. Match decides which message belongs to
// which receive, and flow how a message travels and which transfers are asked. Gone knows from whom nothing can come.
// The protocol does what these decide; it has no lock and waits for nothing. Its scripts, in testdata, are the place to
// begin: eager, rendezvous, wildcard, probe, lost. Tasks are operations made of others, which other packages bring
// along. Package wait says which goroutine makes progress when several wait, and what others are told of its wait.
// Engine has the lock and drives all this: wait.go is a wait from its first look to its sleep.
//
// # Costs
//
// A short message takes one lock at each end, none after Threads.One, and allocates nothing; nor does any
// other once the pools of operations and messages have grown to the number that the program
// has underway at one time. Short unexpected messages a rank sends to itself are
// copied to the heap if they are longer than 256 bytes. Matching is a search among
// the receives posted for a source, or the messages unexpected from it, that ends at
// the first with the right tag.
//
// Buffers escape to the heap: a peer may read what a program passes, and Go's stacks move.
//
// # Not implemented
//
// Buffered and ready mode (MPI 4.1 section 3.4), cancelling of sends to others (deprecated
// there), partitioned communication (chapter 4). Progress is made only in calls, but for tasks
// over nodes: see Attend.
package pml
