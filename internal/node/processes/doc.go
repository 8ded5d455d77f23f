// Package processes says what /proc shows of processes: who is whose parent, who has ended,
// their arguments and environment. A process may end at any time: then it is not found, or
// what is asked for is empty.
package processes
