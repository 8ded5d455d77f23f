// Package fate decides what becomes of a job: which event ends it, how, and with which exit code. The supervisor of a
// node and the leader of several decide by the same rules. It also says which signals a process manager catches.
package fate
