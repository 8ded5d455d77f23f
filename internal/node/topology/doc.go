// Package topology reads the shape of a machine as the kernel shows it in sysfs: packages, dies, NUMA nodes and
// their distances, the CPUs that share an L3 cache, cores and their hardware threads.
//
// Nothing is derived from names of processors. What the kernel does not show is [Unknown], or missing: in a container
// without sysfs a [Machine] has CPUs and nothing else. CPUs that are offline are no part of it.
//
// A domain is a set of CPUs that share something. The sets need not nest: an L3 cache may span NUMA nodes (sub-NUMA
// clusters), and a NUMA node several L3 caches.
package topology
