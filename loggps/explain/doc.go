// Package explain says why a simulated program takes its time: which parameters of the
// machine its critical path is made of, which operations cost most waiting, how much worse
// a parameter may get before the program becomes slower, and which eager limit S would
// remove the waiting of senders.
//
// Slopes come from counting along the critical path, so they hold as long as the path
// does: up to the next kink of the time as a function of the parameter. Difference checks
// a slope by simulating again. Tolerance and Limits simulate again and so know of kinks.
//
// With queues, where operations that do not depend on each other want the same CPU, a
// worse parameter can change their order and make a program faster.
package explain
