package testkit

// Spin is how often ranks look before they sleep, as job.Settings has it, in tests whose ranks are
// goroutines. It is few: they are more than there are CPUs, and so only take turns from each other.
const Spin = 1000
