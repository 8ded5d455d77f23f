// Package reach copies between bytes of this process and memory of other processes of the node, which may have a
// layout. The calls are process_vm_readv and process_vm_writev: the package finds out whether they are permitted. The
// owner of the memory takes no part, and keeps it until the call is over.
package reach
