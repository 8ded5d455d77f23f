// Package reach copies between bytes of this process and memory of any process of the node, which may have a layout. In
// other processes it does so by process_vm_readv and process_vm_writev: it finds out whether they are permitted. The
// owner of the memory takes no part, and keeps it until the call is over.
package reach
