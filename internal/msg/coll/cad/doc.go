// Package cad executes collective algorithms as graphs of operations. The graph of each rank
// lies in memory that every rank can read, and a copy from any buffer to any buffer is one
// memcpy. So any rank, or a helper thread of any rank, can progress any rank's graph. KACC did
// this in the kernel; this package needs none of that: Nomura and Ishikawa, "Design and Implementation of Kernel-level
// Asynchronous MPI Collective Communications", IPSJ SIG report (the KACC paper). CAD is its
// Collective Algorithm Design.
//
//	g := cad.NewGraph()                // a link of a chain
//	recv := g.Recv(buf, rank-1)
//	send := g.Send(buf, rank+1)
//	g.Connect(cad.Start, recv)
//	g.Connect(recv, send)
//	g.Connect(send, cad.End)
//	request, err := engine.Issue(channel, g) // of package shared
//	...                                // computes; others progress the chain
//	_, err = request.Wait()
//
// # Rooms
//
// Here is what a graph is (graph.go), and which graphs are refused (check.go). guard.go: how all members compare their
// calls before they do anything. reuse.go: graphs that stay built. op.go: operators that others can apply. fault.go:
// what can go wrong. channel.go: which ranks issue graphs together.
//
// Package shared executes graphs in one address space, and has the engine of a rank. Package message executes those
// between processes: their SEND and RECV nodes are messages.
//
// # Faults
//
// A graph has a fault if an operator panics, if a SEND and its RECV differ in length, or if
// two graphs stand for different calls. The fault is noted in the graph, and passed on to the
// graphs that get data from it. The nodes go on, but for CALL nodes, which are left out. So all graphs come to an
// end, and those that depend on lost data say so. In one address space a node without a counterpart ends with a fault
// when the first pair meets, or the other graph is complete. If a member has gone, or a rank that was executing nodes,
// the graphs cannot end. Then the whole channel is broken, for all its members, now and later.
//
// # Prior art
//
// LibNBC and Open MPI's libnbc progress rounds of operations by calls of their owner or
// a thread per process; MPICH's gentran has vertices with counters of dependencies, also
// for their owner; oneCCL has workers per rank; fflib offloads schedules. Daps and
// CAB-MPI steal messages between processes that share an address space by PiP. Here
// whole graphs that users build are progressed, by waiting ranks, with fewer helpers
// than ranks, and operators of the user run on any rank.
//
// # Not implemented
//
// Cancelling a graph that was issued. Nodes with wildcards: which nodes meet is fixed.
package cad
