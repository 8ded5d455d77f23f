// Package watch watches the ranks of one node: it asks them what they do, finds where in the program they are, and
// looks for deadlocks. It neither prints nor ends anything. Each of its methods for an event returns steps, which the
// supervisor takes.
package watch
