// Package loggps is the LogGPS model of message passing: what a message costs, given
// a few parameters of the machine and the two sizes at which the protocol switches.
//
// It follows Ino, Fujimoto, Hagihara, "LogGPS: Modeling Message-passing Protocols in
// High-level Communication Libraries" (2001). Formulas carry the numbers of the paper:
//
//	k <= s      one packet, sent at once (eager)
//	s < k <= S  several packets, sent at once
//	k > S       rendezvous: the sender waits for the receiver's acknowledgement
//
// Times are float64 nanoseconds, sizes are bytes, slopes are nanoseconds per byte.
//
// The library stands alone: it knows neither mpi nor what jobs are made of. Its parts:
//
//	loggps          parameters, formulas, presets, machines of several links, JSON
//	loggps/fit      parameters from measured round trips
//	loggps/graph    the operations of a parallel program and their dependencies
//	loggps/goal     graphs in the text format GOAL
//	loggps/sim      the times of a graph, by discrete-event simulation
//	loggps/explain  why a graph takes its time, and what would change it
//	loggps/show     a page of HTML with what ranks do over time
//
// What the model leaves out: contention in the network, the state of caches, noise.
package loggps
