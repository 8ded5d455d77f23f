// Package shared executes graphs (package cad) in one address space, and has the engine of a rank, which gives those
// between processes to package message.
//
// build.go lays a graph out as an array of nodes of a cache line each, without pointers. layout.go: what ranks share,
// and why it can be read at any time. run.go issues a graph and tells when it is complete. match.go: how a SEND finds
// its RECV. execute.go: how a node that is ready is executed. steal.go: how nodes are handed to others. lost.go: what
// ends graphs that cannot be complete.
//
// # A node is executed once, and not early
//
// An executor is a thread that executes nodes. A node counts its predecessors down; the executor that counts to zero
// makes it ready, so one executor does. A COPY, CALC, CALL or JOIN that is ready is in one place: an executor's stack,
// its graph's queue, or its owner's stack. The executor that takes it from there has it alone. For a SEND and a RECV
// that are both ready the RECV's state decides (match.go). All that a node reads was written before its predecessors
// counted down. END is counted down last: no other node of the graph is touched after that. A late executor may still
// read words of the graph. These carry the number of the issue or are of no consequence.
package shared
