// Package corotest plays the C program of package coro in its tests: assembly that runs on a stack
// of its own, leaves all registers spoiled as C may, and calls Go again and again.
//
// A call adds one to Context.Op. Nothing is called back and no error is handled; cmd/libmpi has
// that.
package corotest
