// Package host starts the processes of a job. In one address space (pvas) the space host does, which is pvasrun
// executed again: package launcher asks it over a pair of sockets (control.go). Classic processes (sm) are started by a
// thread of the supervisor (thread.go). Host and guard kill what is left when the supervisor was killed.
package host
