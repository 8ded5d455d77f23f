// Package coll is the blocking collective operations of MPI 4.1 chapter 6, and the
// neighbourhood exchanges of chapter 8.6, on bytes: a Team is the ranks that take part,
// Args is one call, Team.Run does it. The table in choice.go has all algorithms and
// decides among them.
//
// # Messages
//
// Where ranks do not share an address space, a collective is a graph of messages, copies
// and reductions (package cad), which this member issues and waits for. The same builders
// make the graphs of nonblocking operations. A graph is kept for the next call of the same
// shape (kept.go). Three algorithms for short calls are written by hand (steps.go): there
// a graph costs as much as the messages.
//
// # Direct
//
// In one address space no member needs to be sent anything: what a call does to the
// buffers of all members can be written down as a list of units of work (plan.go), and
// any member can do any unit, because it can read and write all buffers. Members meet
// at a board, which lies in shared memory:
//
//   - Each writes a notice, with the addresses of its buffers, and counts itself in
//     (head.arrivals).
//   - The last to arrive is the closer. It has the board to itself: it makes sure that
//     all mean the same call (by a sum of signatures, counted along with the arrivals,
//     so that it costs nothing), cuts the work into units, does them itself if it is
//     little work, and lets all go (head.released).
//   - Otherwise all take units until there are none left (lanes), each beginning in a
//     lane of its own: a member that is not running when there is work to do is not
//     waited for. Who does the last unit lets all go (head.finished).
//
// So a call makes each member sleep once, whatever the operation, and twice at most,
// and the bytes move once. A member with nothing to do does not leave earlier than
// the others: calls synchronise, all but short broadcasts among ranks that outnumber
// the CPUs (post.go). Operators are applied in the order of the members
// whoever does it, so that results have the same bits in every run.
//
// A few members that have a CPU each do short calls through pages instead: flat.go.
//
// # Members that go
//
// Each member notes the last call that it is through with (slot.passed). A wait ends
// with a *LostError if a member has gone without being through with the call: it may
// not have arrived, or have died as the closer or in the middle of a unit. As it will
// never be through, no later call of any member can come to an end either, and all of
// them fail at once. A member that is through and has left is not missed. Others may
// still be at the call when a member gives up, and write to its buffers: so a
// team keeps those reachable for good.
//
// # Calls that differ
//
// All members of a call have the same signature, a word (signature.go). It is compared in
// three places: at the board, in the messages of graphs, and, if calls are checked, in a
// round of messages before the call. Only the last finds all differences and tells all
// members. Without it a wrong program may wait forever, but writes to no memory that it was
// not lent. A member whose arguments are wrong stands for a signature of its own: the others
// learn that at the board or in the round, else they wait for it.
//
// # Not implemented
//
// Direct neighbourhood exchanges: they are messages.
package coll
