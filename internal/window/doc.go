// Package window has the semantics of one-sided communication (MPI 5.0, chapter 12) on bytes and layouts, for any face.
//
// # Memory
//
// Each rank knows where the memory of all others lies. In one address space it reads and writes all of it there.
// Between processes it maps memory that the window has allocated. Other memory only its owner can address: the others
// copy by calls of the system (package reach). So no operation on the node needs its target: each is complete when its
// call returns. A flush keeps the order of stores, which costs nothing on amd64.
//
// # Words that ranks share
//
// They lie in memory of the first rank of a node (control.go). These ranks write them:
//
//   - record.lock, of each target: any rank, by compare-and-swap. The upper half is the rank that holds the exclusive
//     lock, counted from 1; then the lower half is 0. Else the lower half is how many hold a shared one.
//   - head.everyone: any rank, by additions: how many have locked all targets.
//   - record.held: its rank alone, or for one of another node the targets: how many shared locks it holds, that of all
//     targets among them, and of one which it is. It counts a lock before it takes it, and until it has given it back.
//   - stripe.holder: any rank, by compare-and-swap from 0; its holder alone stores 0.
//   - stripe.singles: the holder of the stripe, which adds bits.
//   - record.waits, its bit (control.asleepBits) and then head.sleepers: a rank that is about to sleep, before it asks
//     for the last time.
//   - attached, of each rank of a dynamic window: that rank alone; turn tells readers of a change (regions.go).
//   - accessed, of each target, if calls are checked: any rank, under the lock of a stripe (conflict.go).
//
// To lock all targets is one addition. Such a rank looks at the lock of a target in each operation, and waits while
// that is exclusive. A rank that takes an exclusive lock looks at everyone after it has the lock. If that is not 0 it
// gives the lock back and waits. All are atomic operations in one total order. The first rank adds to everyone and then
// looks at the lock; the second one takes the lock and then looks at everyone. So at least one finds the other.
//
// A rank that gives a lock back changes its word first. Then it looks at head.sleepers, and if that is not 0 at the
// bits. A rank that sleeps has set its bit and added to head.sleepers before it has asked for the word. So one of them
// sees the other, and no wait is forgotten. The bit of a rank that has ended in its sleep stays, and costs
// notifications.
//
// If a rank ends while it holds a lock, the word names it, or its held is not 0. A rank that waits looks for ranks that
// have gone and hold what it waits for, and fails with a *fault.LostError.
//
// # Accumulates
//
// They are atomic for each element, among all that have one predefined type. Elements are changed under the lock of a
// stripe of memory, by the kernels of reductions; integers of which calls name one alone, by instructions of the
// processor. There is no lock of a window or a target. stripe.go says how both go together. Memory of another process
// that is not mapped has no instructions, nor for its owner.
//
// # Epochs
//
// A window has an access epoch, and an exposure epoch of Post. See epoch.go for the states. Post, Start, Complete and
// Wait are messages without bytes on a communicator of the window, Fence is its barrier. So these waits are those of
// messages: they end when a rank is lost, and the report of a hang knows them.
//
// # Several nodes
//
// Each node has words of its own, with records of all ranks of the window. Operations on a target of another node are
// requests (remote.go), which a goroutine of the target's process carries out (serve.go) by the words of its node. It
// takes the lock of the target in the name of the other rank: holder and held are that rank's. So whoever waits, on
// whatever node, learns which rank has gone. To lock all targets takes no message: the lock of one on another node is
// taken when it is first accessed.
//
// Not implemented: created and dynamic windows between processes of which one may not read the memory of another.
package window
