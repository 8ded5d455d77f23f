// Package chaos attacks jobs: it starts pvasrun with all kinds of programs in
// both task models, does harm at a random moment from the first on (kills a rank,
// the space host, pvasrun, both together, or asks pvasrun to end), and judges what
// follows. What counts as a fault:
//
//	hang      pvasrun has not ended after Patience
//	left      a process of the job lives when pvasrun has ended
//	zombie    a process of the job that has ended and is not reaped while the job goes on
//	code      the exit code is not that of the cause
//	message   no line names who was hit, by which signal
//
// It is driven by its test. CI runs it for a minute, anybody for an hour:
//
//	go test ./internal/test/chaos -run TestChaos -count=1 -v -timeout 2h -chaos.time 1h
//	go test ./internal/test/chaos -run TestChaos -count=1 -v -chaos.jobs 1000 -chaos.seed 42
//	go test ./internal/test/chaos -run TestChaosOnNodes -count=1 -v -timeout 4h -chaos.nodes 1000
//
// The last line is for jobs on three nodes, which are namespaces with two devices each: links go down and
// up, and a rank, an agent, the leader or an ssh is killed. It needs root, iproute2 and sshd, and is skipped where
// they are missing. No file may be left, either.
//
// A seed gives the same jobs, kinds of harm and moments again; what the machine
// makes of them differs.
//
// Not implemented: harm to the kernel's resources (memory, descriptors, processes).
package chaos
