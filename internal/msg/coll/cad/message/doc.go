// Package message executes graphs (package cad) by messages. Between processes a SEND node is a message, a RECV node
// receives it. Only the rank that has issued the graph executes it: in its own calls, and on several nodes in a thread
// that watches the network while the rank computes (pml.Lone). Nothing of such a graph is
// shared, so it needs neither atomic operations nor shared memory. Blocking collectives are such graphs, and
// nonblocking ones.
//
// # What a message carries
//
// The tag has the low bits of the graph's number on the channel. It also numbers the pair of nodes among those of the
// two ranks. The mark has more bits of the graph's number, and the signature of the call. So each receiver finds out,
// at no cost, whether the sender has made the same call.
//
// # Faults
//
// A member fails if a peer has gone, an operator panics, or a length does not fit. It goes on with all its nodes, and
// marks its messages as spoilt from then on. Before each of these it sends a record with the failure. Thus nobody waits
// for a message that will not come. Each member that depends on lost data learns why. A wait for a rank that has gone
// ends at once, by the layer below.
//
// Members in different calls have graphs that do not fit: there is no message to wait for.
// So the first member that finds such a mismatch gives the graph up. Only the guard of
// --check (cad.Graph.Guarded) tells all members.
//
// Progress runs under the lock of the engine for messages, and so does all of this package but
// Run, Start and build.
package message
