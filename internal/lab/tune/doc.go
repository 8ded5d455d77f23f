// Package tune finds out which settings are faster on a machine than the defaults, and keeps them
// in a profile for the jobs that follow.
//
// Measure runs benchmarks of package bench. Each parameter is a length at which ranks change the
// way, such as the eager limit. At each of several lengths both ways run in turn. A way is
// faster if its slowest round is faster than the fastest round of the other one. Where the rounds
// overlap, the two are not told apart, and the default stays. So no noise moves a parameter.
//
// A Profile is a JSON file (Read, Write). It says of what machine and version it is, and keeps
// what was measured for each parameter. A job ignores one of another machine or version (Foreign).
// The defaults in package job are for users who have none.
//
// The package does not tune what a short measurement cannot decide: the block of the pipeline,
// which collective algorithm suits many nodes, and what programs that compute would gain.
package tune
