// Package part is what the leader of a job on several nodes and the supervisor of one of them tell each other. Package
// cluster carries it.
package part
