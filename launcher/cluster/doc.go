// Package cluster runs jobs on several nodes. The pvasrun that the user starts is the leader (Run). On each node it has
// an agent (NodeMain), which runs its part of the job as package launcher does any job.
//
//	leader --- orders ---> agent --- part ---> supervisor of the node's ranks
//	       <-- notes ----
//
// The link of the two is the standard input and output of the command that starts the agent, ssh: link.go, messages.go.
// One srun starts all agents (slurm_start.go), and a PMI launcher has started them before (RunPMI: pmi.go). Then they
// connect to the leader: join.go, sealed.go. Instruments watch the ranks on each node, on clocks that the leader
// compares: instrument.go. Ranks add others: leader_late.go, leader_ends.go.
//
// Not implemented: starting a node again that was lost.
package cluster
