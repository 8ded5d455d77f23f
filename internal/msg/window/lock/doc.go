// Package lock has the words that the ranks of a window share, and what is done by them: the lock of each target, that
// of all targets, and the stripes that keep accumulates atomic. Whoever changes a word wakes those that wait for it.
//
// # Words that ranks share
//
// They lie in memory of the first rank of a node (words.go). These ranks write them:
//
//   - record.lock, of each target: any rank, by compare-and-swap. The upper half is the rank that holds the exclusive
//     lock, counted from 1; then the lower half is 0. Else the lower half is how many hold a shared one.
//   - head.everyone: any rank, by additions: how many have locked all targets.
//   - record.held: its rank alone, or for one of another node the targets: how many shared locks it holds, that of all
//     targets among them, and of one which it is. It counts a lock before it takes it, and until it has given it back.
//   - stripe.holder: any rank, by compare-and-swap from 0; its holder alone stores 0.
//   - stripe.singles: the holder of the stripe, which adds bits.
//   - record.waits, its bit (Words.asleepBits) and then head.sleepers: a rank that is about to sleep, before it asks
//     for the last time.
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
// In a job that survives it takes back what the word names: it puts 0 in place of that rank, by compare-and-swap, so
// that one of many does. A rank that has gone stores nothing any more. What it had half accumulated stays so. A lock
// that it had beside others is not taken back: held was counted before the word was, so nobody knows whether the word
// counts it. Then who wants the lock alone gets the error.
package lock
