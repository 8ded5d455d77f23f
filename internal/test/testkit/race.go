//go:build race

package testkit

// Race tells that the race detector is on: a test takes ten times as long, and tests of a
// large space of inputs try fewer of them.
const Race = true
