// Package wait has the goroutines of a rank that wait: for what, and what the root block tells others of it. It knows
// an operation only as what a waiter is about (O). The caller completes operations, and signals the waiters. How long
// the rank spins, and where it parks, is that of shm.Waiter.
//
//   - Line: one waiter owns progress and sleeps for all, the others are parked.
//   - Notice: what the hang report and the supervisor are told.
//
// The lock is the caller's. It guards Line and Notice, unless a method says otherwise.
package wait
