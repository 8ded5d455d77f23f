// Package board is where the members of a team that share memory meet. The memory is of the team's first member,
// which allocates it at the first call, unless another team has reserved it.
//
// It has five things, each described in its file:
//
//   - The door (meet.go): members arrive in a call, and the last one releases the others. If their calls differ all
//     are told.
//   - The tree (tree.go, gather.go): the door of many members, and of those that run in several domains of caches or
//     memory. It also carries the bytes of short calls.
//   - Work (work.go): units that the members share, of a call that they have arrived in.
//   - The ring (ring.go): each member leaves a short block, and takes those of all others.
//   - Slots (slots.go): a member leaves its bytes, and goes on.
//
// await.go has what a member waits for, and lost.go which members will never come. What members share goes through
// package line, which counts for tests the cache lines that it costs.
//
// # Members that go
//
// Each member notes the last call that it has completed (slot.passed). A wait ends with cad.Lost if a member has gone
// that has not completed the call. It may not have arrived, or have died as the last arriver or in the middle of a
// unit. It will never complete the call, so all later calls of all members fail at once. A member that has completed
// the call and has left is not missed.
//
// # Calls that differ
//
// The arrivals carry a sum of signatures, so to compare calls costs nothing. Members in different calls may use
// different things of the board: some arrive while others wait for blocks of the ring or for a slot. These see the
// arrival and arrive as well, and the last arriver finds that the calls do not match.
package board
