// Package costs measures what the LogGPS model is fitted to: round trips, sends and exchanges between two ranks, and
// calls of collective operations, at one distance of the CPUs.
package costs
