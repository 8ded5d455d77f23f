// Package roster is the table of the ranks of one node: of the worlds that they belong to, and of their processes. It
// starts and reaps none: the supervisor does, and notes it here. So a script can drive it.
package roster
