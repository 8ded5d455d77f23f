// Package timed measures messages, layouts and collective operations by their length. Its rank programs have the loops
// of IMB and of the OSU benchmarks, column, struct, halo and transpose are data that does not lie in one piece, and
// Calls makes the calls whose recording is to be measured.
package timed
