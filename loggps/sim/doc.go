// Package sim says when the operations of a graph happen on a machine with given
// parameters: a discrete-event simulation, deterministic, with two sets of rules.
//
// LogGPS, the default, follows the equations of package loggps. On a rank whose
// operations follow one another they hold to the bit. In general:
//
//   - Send takes its CPU for T1, and the message is at the receiver T2 later. For k > S it
//     takes it for o' only; when the acknowledgement is back, for o'+T1'.
//   - Recv begins when its CPU is free. When the message is there, it takes the CPU for
//     T3; the request of a rendezvous takes the receiver's CPU for 2o' before.
//   - Isend and Irecv take the CPU for o'. All the rest goes on by itself: equation (11)
//     has nobody pay for what happens between the call and Wait.
//   - Wait takes the CPU for o' and ends no earlier than what it awaits.
//   - Calc takes the CPU. Between operations that are ready the CPU is free for others.
//   - Messages to one rank share its bandwidth, unless Options.Unshared: see wire.go.
//   - Messages match in the order in which their first bytes arrive: between two ranks
//     over one link, in the order in which they were sent.
//
// LogGOPS follows LogGOPSim, whose finish times it reproduces: an arriving message takes
// the CPU whether or not its receive has begun, NICs have a gap between messages, the
// acknowledgement is free. Two things differ on purpose: dependencies between operations
// on different CPUs of a rank are honoured, and an empty message costs o, not o-O.
// LogGOPSim orders more than 16 operations that become ready at once by an unstable sort: here
// the order of the file stays.
//
// Where several events want one CPU, the one that was ready first goes first. Numbers of
// events decide between equal times, so a program has one result.
//
// An event is an operation or a message. A simulation takes 60 bytes an operation, with
// the 36 of the graph. It takes 8 more if it records what each operation waited for, and
// some 40 for each message that waits for a wire.
package sim
