// Package remote has operations on the memory of ranks of other nodes. They become requests (operation.go, request.go).
// The goroutine of the target's courier carries them out in their order (serve.go), and answers each. Put and
// accumulates without a result are over for this rank when their requests are copied; a flush waits for the answers.
// All others wait for theirs at once. The answers come to the goroutine of the courier here, which notes them and
// notifies the rank (ask.go).
package remote
