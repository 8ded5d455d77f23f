// Package route says by which module of the BTL a rank reaches each peer. A peer is reached by one module, which both
// of them use for each other: it carries the messages in both directions, and so their order. Most jobs have one
// module for all peers. Then there is no table, and messages go to the module at once.
//
// A rank sleeps in its first module alone. The others are polled with it, also in the sleep, and say by the rank's
// inbox that there is something to look at: see btl.Messages.Sleep.
//
// The caller's lock guards a Table. Methods say where they need none.
package route
