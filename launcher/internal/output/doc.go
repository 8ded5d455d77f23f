// Package output carries the standard streams of ranks: pipes that are read line by line to the destinations that all
// share, the input of a terminal, and messages that must not keep their sender waiting.
package output
