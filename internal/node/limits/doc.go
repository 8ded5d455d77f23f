// Package limits knows what limits of the system a job meets: how high each is, how much
// of it is taken, and what one rank needs. It is the one place that does: `pvasrun info`
// prints [Read]. [Job] and [Space] refuse with a *[Error] to start what would fail
// half-way: the failure would look like an arbitrary crash of some rank.
//
// What a rank needs is measured for an idle Go program with `pvasrun --report pagetable`.
// A program that starts threads or maps files needs more, a C program about as many areas
// and fewer threads.
//
// Not known here: limits of files and stacks that count for each process by itself.
package limits
