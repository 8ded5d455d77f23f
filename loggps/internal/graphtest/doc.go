// Package graphtest makes random programs for tests. They always complete: operations
// depend only on what comes before them in an order of all messages.
package graphtest
