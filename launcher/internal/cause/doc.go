// Package cause finds what is behind the end of a process: memory that has run out, a limit of the address space, a
// core dump. It looks at files of the kernel, and changes nothing.
package cause
