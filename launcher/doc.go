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
// space and the ranks in it when the BTL is pvas; in both models it watches its
// control socket and, when the supervisor is gone, kills the processes that are left.
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
// A job on several nodes (RunNodes) has a leader, which the user starts. On each node it has an
// agent (NodeMain), which runs its part by Run: link.go, leader.go, agent.go. One srun starts
// all agents (slurm_start.go), and a PMI launcher has started them before (RunPMI: pmi.go). Then
// they connect to the leader: join.go, sealed.go. Instruments watch the ranks on each node, on
// clocks that the leader compares: instrument.go, clock.go.
//
// Not implemented: starting ranks of a running job (MPI 4.1 section 11), restarting a failed
// rank, binding to NUMA nodes or sockets. A SIGSTOP to the supervisor does not pause the ranks:
// no process can catch it.
package launcher
