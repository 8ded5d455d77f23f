// Package backtrace names the places of calls of a rank of C: of all on its stack after a fatal signal, and of one that
// was refused. The rank starts pvasrun by another name for that: nothing that allocates may run in it after a signal,
// and ranks do not have the code that reads symbols.
package backtrace
