//go:build !race

package testkit

// Race tells that the race detector is on.
const Race = false
