// Package backtrace names the places of the calls of a rank of C that has got a fatal signal. The rank starts pvasrun
// by another name for that, since nothing that allocates may run in it.
package backtrace
