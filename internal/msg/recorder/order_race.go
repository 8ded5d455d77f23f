//go:build race

package recorder

// watched tells that the race detector looks on: it must see how a lane is published.
const watched = true
