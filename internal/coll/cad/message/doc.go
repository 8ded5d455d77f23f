// Package message executes graphs (package cad) by messages. Between processes a SEND node is a message, a RECV node
// receives it, and only the rank that has issued the graph executes it, in its own calls. Nothing of
// such a graph is shared, so it needs neither atomic operations nor shared memory. Blocking
// collectives and nonblocking ones are executed by this package.
//
// # What a message carries
//
// The tag has the low bits of the graph's number on the channel, and the number of the pair
// of nodes among those of the two ranks. The mark has more bits of the number, and the
// signature of the call. So each receiver finds out, at no cost, whether the sender has
// made the same call.
//
// # Faults
//
// A member for which something goes wrong (a peer has gone, an operator panics, a length
// does not fit) goes on with all its nodes, and from then on marks its messages as spoilt.
// Before each of these it sends a record with the failure. Thus nobody waits for a message
// that will not come, and each member that depends on lost data learns why. A wait for a
// rank that has gone ends at once, by the layer below.
//
// Members in different calls have graphs that do not fit: there is no message to wait for.
// So the first member that finds such a mismatch gives the graph up. Only the guard of
// --check (cad.Graph.Guarded) tells all members.
//
// Progress runs under the lock of the engine for messages, and so does all of this package but
// Run, Start and build.
package message
