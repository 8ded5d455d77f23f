// Package consensus has the members of a communicator agree through memory that outlives its writers, whatever member
// dies when. It follows no paper: in shared memory with exact knowledge of the dead it needs no messages and no retry.
//
// # What is known of the dead
//
// The supervisor reaps a rank and then gives its end a number, from 1 on, in the order of the ends (job.Root.End). So
// who sees a number knows that the words of that rank are final. And one number E stands for a set of ranks that all
// see alike: those whose end has a number up to E.
//
// # The words
//
// Each member has a block of words for each communicator (Block). Only the member writes it, and anybody reads it. It
// has two words that are published last: the number of the agreement that the member has given its contribution for,
// and the number of the one that it has decided.
//
// # An agreement
//
//   - A1: a member gives its contribution.
//   - A2: it looks at the members below it, from member 0 on. If one has decided, it takes that decision, and is
//     through. If one has not, and had ended before that look, it goes on to the next. If one lives it waits.
//   - A3: a member that finds that all below it have ended without a decision decides. It looks at all members: each
//     has given its contribution, or had ended before the look. It waits for one that lives. Then it reads E, the
//     number of the last end, and publishes its decision: the AND of the contributions, E, and whether one is missing
//     that not all contributors have acknowledged.
//
// There is one decision. Say that members i < j both decide. Member j has seen the end of i, and then no decision of i,
// but the words of i were final by then: so i has not decided. What a dead member began needs nobody to finish it. It
// has published its decision, which all others find as they look at it first, or it has not, and then nobody has seen
// anything of it.
//
// It ends. The lowest member that lives waits only for contributions of members that live, and others only for it.
//
// All who are not in E have given a contribution: A3 has seen each of the others ended, and read E after that. So
// members can make a communicator of those that are not in E: they agree on them, and the leader's contribution is in
// the decision.
//
// # A member without memory
//
// A member that cannot make its own block, or map that of another one, leaves: it says in the root block that it writes
// no more, in this agreement and in all later ones, of any communicator. Its own calls return an error from then on. To
// the others that is like an end, as its words are final: Words.End returns Left. But it is in no E. So who decides
// names one that has given nothing in the decision, and all get an error.
//
// # Used again
//
// The words of a member have room for two agreements, by parity. A member gives its contribution for number n + 2 when
// it is through with n + 1. Then all who live have given theirs for n + 1, and are through with n.
//
// A block is used for another communicator when nobody looks at it any more. Its member has freed this one, and is
// through with all of its agreements, at least one. Each other member has ended, or has freed the communicator too. A
// member without a block has: it had one, since it has given a contribution. The owner changes the key first.
//
// # Who wakes whom
//
// The member in A3 stores whose contribution it waits for, and looks again. A member that has given its own wakes the
// lowest one that lives, if that waits for it. One of the two sees the other. Who decides wakes all. An end wakes all.
package consensus
