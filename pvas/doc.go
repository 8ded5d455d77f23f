// Package pvas is the task model: programs run as separate processes inside
// one partitioned address space.
//
// It carries the three calls of the PVAS paper into user space, with no kernel
// patch and no privilege: Create makes an address space of partitions
// (pvas_create), Spawn runs a program in one of them (pvas_spawn), Destroy
// removes it (pvas_destroy). The paper is Shimada, Hori and Ishikawa, "Implementing
// Many-core Friendly MPI Intra-node Communication with New Task Model", IPSJ, 2015; the
// calls are its task model. See docs/architecture.md.
//
// The address space is the caller's own. A task is a process made by
// clone(CLONE_VM): it has its own pid, descriptors, working directory, signal
// handlers and globals, and shares nothing but memory. Every pointer means the
// same in every task.
//
//	space, err := pvas.Create(pvas.Config{Tasks: 2})
//	task, err := space.Spawn(pvas.TaskSpec{
//		Path: "./prog", Args: []string{"prog"}, Env: os.Environ(), Partition: 0,
//		Stdout: os.Stdout, Stderr: os.Stderr,
//	})
//	status, err := task.Wait()
//	err = space.Destroy()
//
// Programs must be position independent (PIE): Go programs built with
// -buildmode=pie, and any other PIE, dynamic or static, unchanged.
//
// Not implemented: other machines than amd64 and arm64 (Supported says so), memory that
// returns before Destroy, keeping a task's own mmap calls inside its partition
// (the paper's kernel does that; here the kernel places them anywhere in the
// shared space), scripts, sanitizer and race-detector builds, set-uid files.
package pvas
