// Package debug is pvasrun debug: gdb for a rank, with the names of its libraries in one address space, and with the
// frames of C below those of Go.
package debug
