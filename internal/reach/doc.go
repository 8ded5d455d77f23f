// Package reach copies to and from the memory of other processes of the node by calls of the system
// (process_vm_readv, process_vm_writev), from layout to bytes and back. It finds out whether that is permitted. The
// owner of the memory takes no part, and keeps it until the call is over.
package reach
