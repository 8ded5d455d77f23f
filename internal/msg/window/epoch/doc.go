// Package epoch says which calls on a window are allowed (MPI 5.0, section 12.5): a rank has an access epoch, and an
// exposure epoch of Post. It is a state machine: it sends nothing, waits for nothing and shares nothing with other
// ranks. Package window does what a call does besides.
package epoch
