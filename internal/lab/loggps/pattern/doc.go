// Package pattern makes graphs of well-known algorithms: collectives by name, and some
// whole programs. A collective is added to the calls of each of its members, so it can
// stand in the middle of a program.
package pattern
