// Package launcher is the process manager. It takes a job description, starts the
// ranks in one of the two task models, carries their input and output, and forwards
// signals. It sees that nothing of the job outlives it.
//
//	supervisor (Run)          space host (HostMain)         ranks
//	  starts, reaps  ---------> one address space  --------> pvas: clone
//	  supervisor                only keeps watch             sm: os/exec
//
// The supervisor stays outside the shared address space, so a wild store in a
// rank cannot hurt it; every rank is its child in both models and it alone
// reaps them. The host is this program executed again. It makes the address
// space and its ranks when the BTL is pvas. In both models it watches its control
// socket. When the supervisor is gone, the host kills the processes that are left.
//
// The supervisor serves signals, ends of processes and its timers in every state
// (dispatch.go, events.go): a host that hangs, a reader of the output that has stopped
// reading, or a process that cannot be killed keeps no job from being ended.
//
// Each rank leads a process group of its own. Its environment tells it its rank,
// the number of ranks and where the memory of the job is (package job).
//
// The task model is that of the PVAS paper: the process manager creates the
// address space, spawns every rank, waits for all and destroys the space.
//
// One goroutine owns the state of a job. It keeps that in rooms which know nothing of it, and are tested without
// processes: they are told what happens, and return what is to be done.
//
//   - internal/roster: the ranks, their worlds and their processes
//   - internal/watch: questions to ranks, and looks for deadlocks; on one node, and for the leader of several
//   - internal/desk: requests of ranks; internal/neighbour: the other jobs that it asks
//   - internal/streams: input and output of ranks, and messages
//   - internal/fate: the end of a job; internal/cause: what is behind the end of a rank
//
// What may block runs elsewhere: the starter starts ranks (starter.go), by internal/host or itself.
//
// Package launcher/cluster runs jobs on several nodes. It uses this package on each of them: see leader_orders.go.
// What the two say to each other is in internal/part. Whatever processes of pvasrun say goes over internal/wire.
//
// Not implemented: restarting a failed rank, binding to NUMA nodes or sockets. A SIGSTOP to the supervisor does not
// pause the ranks: no process can catch it.
package launcher
