// Package suci has the commands that try the network between two nodes: key, serve, ping, bench and stat.
package suci
