// Package suci moves blocks (messages) of any size between the peers of a job, over UDP:
// exactly once, in order per source, destination and priority, complete or with an error.
//
// It follows "Suci" (Simple User level UDP Communication Interface, IPSJ SIG report):
// one socket reaches all peers, flow control is in user space where the program can see
// and steer it, and a sender sends again only what the receiver asks for. What was
// learnt since comes on top: selective acknowledgements, grants shared over all senders,
// probes for lost tails, priorities, pacing, and peers that prove a key. docs/suci.md
// describes the protocol.
//
//	e, err := suci.Open(suci.Options{Self: 1, Key: key})      // the paper's open
//	p, err := e.Destination(2, addr)                          // destination
//	err = p.Write(ctx, suci.Block{Data: data, Priority: 3})   // write
//	r, err := e.Read(ctx)                                     // read
//
// and besides: TryWrite and TryRead (write0, read0), Start (without a copy), Ready, Wait,
// QueueLength, Retransmit, SetPace (slow write), Flush, Flow, Options.OnChange; Next, Poll,
// Rest and Wake, for programs that also wait for something else. Expect
// has a long block received into the program's own buffer.
//
// An endpoint is one socket. A program with several network devices opens one endpoint
// for each; they may share a loop (Options.With), in which one sleep waits for all. It makes
// progress in the goroutine that waits for it; a goroutine of its own takes over when none does.
//
// Not there: multicast, link-local IPv6 addresses, other systems than Linux.
package suci
