// Package match decides which message goes to which receive. It is a state machine without time, bytes or transports.
// Its inputs: a receive is posted, a message comes, a probe asks, something is withdrawn. The answer says which message
// belongs to which receive. The scripts of package pml explain it by examples.
//
// A message belongs to a receive if the contexts are equal, the receive names the message's source or AnySource, and
// its tag or AnyTag. MPI 4.1 section 3.5 wants more than that:
//
//   - Of the receives that match an arriving message, the one posted first gets it.
//   - Of the messages that match a receive, those of one source are taken in the order in which they were sent
//     (non-overtaking). The BTL delivers them so.
//   - Which of two sources comes first is free. Here it is the one whose message arrived first, so a receive from
//     AnySource starves nobody.
//
// A receive that names its source stands in that source's queue, one that does not in the queue of wildcards. All
// carry a number in the order of posting, by which a message that finds a receive in both queues decides. A message
// stands in two queues, its source's and that of all arrivals. So the search is as long as the number of entries for
// one source (plus the wildcards) that have another tag.
//
// Invariant: no posted receive matches an unexpected message. For a receive looks at the unexpected messages before it
// is posted (Find, then Post). A message looks at the posted receives before it is added (Arrive, then Add). Both
// happen under the caller's lock.
package match
