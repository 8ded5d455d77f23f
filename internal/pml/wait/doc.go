// Package wait has the goroutines of a rank that wait: for what, how many looks each makes before it sleeps, and what
// the root block tells others of it. It knows an operation only as what a waiter is about (O). The caller completes
// operations, and signals the waiters.
//
//   - Line: one waiter owns progress and sleeps for all, the others are parked.
//   - Pace: how many looks a wait makes, and whether it gives way to others after each.
//   - Notice: what the hang report and the supervisor are told.
//
// The lock is the caller's. It guards Line and Notice, unless a method says otherwise.
package wait
