// Package gone says which ranks have gone, and whom nothing can come from any more.
//
// A rank is gone when the supervisor has reaped it, however
// it ended, and then its messages are all in our queue. The engine sees the count of such ranks. When it has
// taken all messages of the rank out of the queue, nothing more can come from that rank: it is dead, and
// the operations that wait for it fail:
//
//   - a receive or probe that names it, also if it ended well: it sends no more;
//   - a send to it that was not announced yet (transfers underway learn it from the
//     module; messages copied to its queue are lost, as they would be a moment
//     later);
//   - a receive or probe from AnySource if the rank went without Finalize, since
//     its message may have been the one that was waited for.
//     If all other ranks of this one's world ended well, they fail likewise:
//     nobody is left to send. (Messages of a rank to itself do not count: a goroutine that
//     still wants to send one sends it before.) Where ranks of other worlds may send, too, the
//     circle of the context counts: see Among and missing. These receives fail when all ranks
//     that have gone are dead: until then a message that matches may be there.
//
// In a job that survives (job.Survives) each context has a circle. A receive from AnySource does not end when a
// rank of the circle fails, as it can complete by a message of another one. What ends is each wait for it, until the
// failure is acknowledged: see Pending and Acknowledge. MPI 5.0 has none of this; the proposals of the MPI Forum
// (issue 20) do.
package gone
