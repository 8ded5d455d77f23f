//go:build race

package testkit

// Race tells that the race detector is on: a test takes ten times as long, and tests of a
// large space of inputs try fewer of them.
const Race = true

// Spin is how often the ranks of a job in a test look before they sleep, as job.Settings has it.
// A look takes ten times as long as usual, and there are more ranks than CPUs: so they are few.
const Spin = 1000
