// Package place decides on which CPUs the ranks of a node run. It says which domain each rank is dealt to (map), which
// cores of that domain are its own, and how far it may move (bind).
//
// The rules, in this order:
//
//   - Ranks are dealt to the domains in turn, as long as there are cores; neighbours go to one core after another.
//   - A rank's cores lie in one L3 domain, or at least in one NUMA node, where that leaves room for all.
//   - Each rank has cores of its own. Where there are too few, it has hardware threads of its own.
//   - Where there are too few of these, too, ranks share them in blocks of neighbours.
//
// A domain that is not known is taken as wide as the next larger one that is known, at last as the machine. Where cores
// are not known, each CPU is one.
package place
