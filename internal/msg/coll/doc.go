// Package coll is the blocking collective operations of MPI 4.1 chapter 6, and the
// neighbourhood exchanges of chapter 8.6, on bytes: a Team is the ranks that take part,
// Args is one call, Team.Run does it. The table in choice.go has all algorithms and
// decides among them.
//
// # Messages
//
// A collective can be a graph of messages, copies and reductions (package cad). This member
// issues it and waits for it. The same builders make the graphs of nonblocking operations.
// A graph is used again for the next call of the same shape (graph_cache.go).
//
// Short nonblocking calls that need all members are no graphs where these share memory (short.go).
//
// # Boards
//
// Where the members share memory they meet at a board (package board):
//
//   - The ring (flat.go): a few members with a CPU each leave short vectors, and each reads those of all.
//   - The tree (domains.go): members are many, or bound to several domains of caches or memory. Short vectors go up a
//     tree of these, and results down.
//   - Slots (ahead.go): who gives short bytes leaves them, and goes on when it has what it needs: at once the root of a
//     broadcast and of a scatter, the others of a gather and of a reduction. In scans it needs what lower ranks give.
//     Nobody synchronises.
//   - Work (direct.go): all arrive, and share what there is to do. A barrier is no more than arrivals.
//
// # Direct
//
// In one address space any member can read and write the buffers of all. So a call can be
// written down as a list of units of work (plan.go), and any member can do any unit. Members
// arrive at the board. The last arriver then has the board to itself:
//
//   - It makes sure that all make the same call. The arrivals carry a sum of signatures, so
//     that this costs nothing.
//   - It cuts the work into units, and does them itself if there is little to do.
//   - Else it opens lanes of units. All members take units until there are none left, each
//     first from a lane of its own. The member that does the last unit releases all.
//     So nobody waits for a member that is not running.
//
// A member sleeps once in a call, twice at most, and the bytes move once. Operators are
// applied in the order of package order, in all algorithms, so that the bits do not depend on which it is.
//
// # Levels
//
// The members of a team on several nodes meet in steps: within each node, at a board where
// there is one, and between the leaders of the nodes by messages (levels.go). What all
// members of a node want crosses the network once. Long blocks that one member alone wants
// go straight to it.
//
// # Who waits for whom
//
// Short is up to 4 KiB, and what fits into slots or a ring. By the standard any call may wait for all, and a barrier
// must. "Data" is what the call needs. The column of Open MPI (4.1) was measured with 8 ranks on one node, 8 B and
// 64 KiB: who returns while one has not called. Its messages up to the eager limit wait for nobody.
//
//	call                       length  data             Open MPI         one address space       between processes
//	Bcast, Scatter: root       short   nobody           nobody           a free slot             a free slot
//	                           long    nobody           whom it sends to all, until all is done  its children
//	Bcast, Scatter: others     short   the root         its parent       the root                the root
//	                           long    the root         its parent       all                     its parent
//	Gather: root               any     all              all              all                     all
//	Gather: others             short   nobody           its children     a free slot             a free slot
//	                           long    nobody           children, root   all                     the root
//	Gatherv, Scatterv          short   as the others    as the others    all                     the root
//	                           long    as the others    the root in turn all                     the root
//	Reduce: others             short   nobody           its children     a free slot             a free slot
//	                           long    nobody           children, parent all                     children, parent
//	Scan, Exscan               short   lower ranks      the rank before  lower ranks             lower ranks
//	                           long    lower ranks      both neighbours  all                     lower ranks, takers
//	Allreduce, Allgather,      any     all              all              all                     all
//	Alltoall, Reduce_scatter
//	of neighbours              any     its neighbours   its neighbours   its neighbours          its neighbours
//
// Over domains the root of a Bcast is its domain's source, and the first member of another domain is that of the
// others there. A short Reduce then waits for all, in the tree. The first calls of a
// team go by messages, as in Open MPI: see ahead.go. A long call in one address space waits for all since the members
// share its work, and since others use the buffers of each until its end.
//
// # Members that go
//
// A wait ends with a *LostError if a member has gone that has not done its part. When a member gives up, others may
// still write to its buffers: the team holds on to these for good.
//
// # Calls that differ
//
// All members of a call have the same signature, a word (signature.go). It is compared in
// three places: at the board, in the messages of graphs, and, if calls are checked, in a
// round of messages before the call. Only that round finds all differences and tells all
// members: one that has left its bytes and gone on learns of nothing.
// Without it a wrong program may wait forever: between processes one member may
// wait at the board while another waits for messages, and the hang report names both calls.
// But no member writes to memory outside of the buffers of a call.
//
// # Calls that are refused
//
// All that one member can find wrong with a call it finds before it does anything for it (Team.prepare). A call that is
// refused counts as this call: the member takes part in it as one that has failed before (standin.go). If calls are
// checked all learn of the refusal and its cause. cad/message/refusal.go has the rule.
//
// # Not implemented
//
// Direct neighbourhood exchanges: they are messages.
package coll
