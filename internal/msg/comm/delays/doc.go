// Package delays has a rank of a test wait before its calls, so that ranks meet in orders that a quiet machine seldom
// shows. A generator that begins with a seed and the number of the rank says how long: the n-th call of a rank waits as
// long in each run. What the scheduler of the system does besides, no seed repeats.
package delays
