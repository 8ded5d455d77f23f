package cluster

import "fmt"

// NodeError is an error on, or with, a node.
type NodeError struct {
	Node string
	Err  error
	Code int // exit code for the command
}

func (e *NodeError) Error() string { return fmt.Sprintf("launcher: node %s: %v", e.Node, e.Err) }

// Unwrap returns the cause.
func (e *NodeError) Unwrap() error { return e.Err }

// JobCode returns the exit code for the command: see launcher.ExitCode.
func (e *NodeError) JobCode() int { return e.Code }
