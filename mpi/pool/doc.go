// Package pool has ranks do tasks that differ in their time: a function is called for each of many inputs, wherever a
// rank is idle.
//
//	squares, err := pool.Map(world, inputs, func(n int) (int, error) { return n * n, nil })
//
// All ranks of the communicator make the same call, with the same function. Rank 0 has the inputs and gets the results;
// what others pass as inputs is not used. They do tasks until there are no more. Rank 0 deals them, several at a time
// if they are short, and does none as long as there is another rank. Inputs and results travel as package mpi/value
// says, in messages with the tag Tag of the communicator.
//
// An error of the function, or a panic, becomes a *TaskError; the other tasks are done. So does the error of an
// input or result that cannot be encoded, or decoded where it arrives. Errors travel as texts. Other errors end the
// call. With pvasrun --survive the tasks of ranks that fail are done by others, so a task may be done twice; if all
// fail rank 0 does the rest. The program does nothing for that, but rank 0 has to live.
package pool
