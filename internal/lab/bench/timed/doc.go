// Package timed measures messages, layouts and collective operations by their length. Its rank programs have the loops
// of IMB and of the OSU benchmarks. The data of column, struct, halo and transpose does not lie in one piece. Calls
// makes the calls whose recording is to be measured.
package timed
