// Package pagetable measures what the address spaces of a job cost in page
// tables and memory, and computes what they should cost.
//
// It serves a claim of Shimada, Hori and Ishikawa, "Implementing Many-core Friendly MPI
// Intra-node Communication with New Task Model", IPSJ, 2015 (the PVAS paper), where it
// states the problem: N processes that map one another's memory need page tables that
// grow as N², N tasks in one address space need tables that grow as N. The measuring
// method is the one of its evaluation: read the machine's counters before the job, and again
// with every rank stopped right before Finalize; the difference is what the job
// costs.
//
// # Measuring
//
// [Process] reads one address space, [Job] the sum over the address spaces of a
// job, each counted once however many ranks live in it, and [System] the whole
// machine. [Report] puts samples taken at the start and at the end side by side
// with the model. All sizes are KiB, as in /proc.
//
// The two sources do not count the same things. VmPTE of a process is the sum
// of its PTE, PMD and PUD pages, exact at every moment. PageTables of
// /proc/meminfo counts every process of the machine and is lazy, see [System];
// whether it contains upper levels, the PGD pages and the kernel's own tables
// depends on the kernel version. Compare growth, not totals.
//
// # The model
//
// [Tables] counts the pages that x86-64's four levels of 512 entries need for a
// set of touched ranges. [Growth] is the same for ranges added to others.
// [Separate] and [Shared] apply it to N ranks that read all of one another's
// memory, as N processes and as one address space.
//
// Not modelled: five-level tables, page sizes other than 4 KiB and 2 MiB, tables
// that the kernel frees again.
package pagetable
