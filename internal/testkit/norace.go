//go:build !race

package testkit

// Race tells that the race detector is on.
const Race = false

// Spin is how often the ranks of a job in a test look before they sleep, as job.Settings has it:
// as often as ever.
const Spin = 0
