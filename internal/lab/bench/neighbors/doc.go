// Package neighbors measures exchanges with neighbors through several network devices of several nodes, beside the
// formula of package exchange.
package neighbors
