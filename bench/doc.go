// Package bench holds the benchmarks that pvasrun brings along: rank programs
// that measure, and drivers that run them under the launcher, once in each task
// model, and return what was found.
//
// pvasrun is its own rank program: a driver starts the same executable again
// with an argument that says so, and RankMain, which main calls first, takes over
// there. So nothing needs to be built to measure.
//
// Each experiment is a package below internal/lab/bench: timed (messages, layouts and
// collective operations), memory (page tables), overlap, neighbors (exchanges over
// several devices), nas, costs (what the LogGPS model is fitted to). evaluation makes
// all of them into that of the paper. They stand on runner, which runs the contestants
// in turn, installed MPIs among them, and on rankside, what their rank programs share.
package bench
