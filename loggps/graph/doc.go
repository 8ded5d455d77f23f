// Package graph holds what a parallel program does: the operations of each rank (sends,
// receives, computations) and which of them wait for which. A simulator turns it into
// times; the graph itself knows of none but the lengths of computations.
//
// The model is that of GOAL (Hoefler, Siebert, Lumsdaine, "Group Operation Assembly
// Language", 2009), with the nonblocking calls of MPI besides:
//
//	A requires B   A starts when B has completed
//	A irequires B  A starts when B has started
//	A awaits B     A, a Wait, completes no earlier than B
//
// Operations that no dependency orders may run in any order: the order in which they are
// added means nothing. Calls makes graphs of programs that call one thing after another.
//
// A graph does not change once it is built; several simulations may read it at once. An
// operation takes 32 bytes and a dependency 4.
package graph
