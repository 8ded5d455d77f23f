// Package rig makes one Linux machine a small cluster, for tests: nodes with a network of
// their own, sshd, and Slurm.
//
// A node is a set of namespaces (network, mounts, processes, IPC, host name) with an init of
// its own. It is called n0, n1, ..., and has the address 10.77.0.1, 10.77.0.2, .... All nodes
// hang on one switch, whose ports can be taken down. They share all files but /run and
// /dev/shm, as the nodes of a cluster share a network file system.
//
// # Cleaning up
//
// All of a rig is inside one more set of namespaces, the rack. Its init waits for the end of
// a pipe that this process holds. When this process ends, however it does, the kernel ends the
// init, then all processes of the rack, and with them networks and mounts. No network is
// named, and all files of the rig lie in a tmpfs of the rack. So nothing can be left.
//
// Not implemented: rates, delays, cgroups.
package rig
