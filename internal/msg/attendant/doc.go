// Package attendant starts pvasrun from a process that it has not started: a job of one rank, which starts others.
//
// pvasrun maps the memory of the job, and is its supervisor from then on. The process itself stays as it is, so pvasrun
// watches it without being its parent. Each of the two ends the job at the other's end, however that came.
//
// Not implemented: one address space. The process has one already, so those that it starts have their own.
package attendant
