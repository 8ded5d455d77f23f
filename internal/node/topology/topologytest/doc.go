// Package topologytest makes machines of any shape for tests, as sysfs shows them.
package topologytest
