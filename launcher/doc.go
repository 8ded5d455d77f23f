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
// (events.go): a host that hangs, a reader of the output that has stopped
// reading, or a process that cannot be killed keeps no job from being ended.
//
// Each rank leads a process group of its own. Its environment tells it its rank,
// the number of ranks and where the memory of the job is (package job).
//
// The task model is that of the PVAS paper: the process manager creates the
// address space, spawns every rank, waits for all and destroys the space.
//
// Package launcher/cluster runs jobs on several nodes. It uses this package on each of them: see
// leader_orders.go and leader_notes.go. These rooms serve both:
//
//   - internal/host: the host, and the processes that it starts
//   - internal/output: the streams of ranks
//   - internal/fate: the end of a job
//   - internal/hang: the report of what ranks do
//
// Not implemented: restarting a failed rank, binding to NUMA nodes or sockets. A SIGSTOP to the supervisor does not
// pause the ranks: no process can catch it.
package launcher
