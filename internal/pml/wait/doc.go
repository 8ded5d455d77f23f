// Package wait says who of a rank's goroutines waits for what, how long a wait looks before it sleeps, and what the
// root block tells others of it. It knows operations only as what a waiter is about (O): their owner completes them,
// and signals the waiters.
//
//   - Line: one waiter owns progress and sleeps for all, the others are parked.
//   - Pace: how many looks a wait makes, and whether it gives way to others after each.
//   - Notice: what the hang report and the supervisor are told.
//
// The lock is the caller's. It guards Line and Notice but where a method says otherwise.
package wait
