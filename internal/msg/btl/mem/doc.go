// Package mem is a byte transfer layer whose ranks are goroutines of one process:
// for tests of what stands on top of package btl. It keeps the contract of
// btl.Module and no more, so that code which relies on more fails here:
//
//   - Room is as short as a test likes (queue, credit, offers), and messages may
//     arrive late. All of it is deterministic but for the order in which the
//     goroutines run.
//   - Payload that is used after its time is destroyed: an inline payload after
//     deliver has returned, any other after Release.
//   - Misuse panics: a frame released twice, accepted twice, or not in the way it
//     came; a transfer asked after its end.
//   - The message methods write to an unguarded word, so the race detector finds
//     callers that do not exclude one another.
//
// Speed is no aim, but a message allocates nothing once the pools have grown.
//
// Not implemented: Direct, transfers that the sender helps with.
package mem
