// Package streams has the standard input, output and error of the ranks of one node, and the messages of the supervisor
// among them. Package output has the parts.
package streams
