// Package failures is what a process knows of the ranks of its job that have failed, in a list that only grows. So a
// program can acknowledge some of them by their number: what it has not seen it does not acknowledge.
package failures
