// Package file has the semantics of MPI-IO (MPI 5.0, chapter 14) on bytes and layouts, for any face.
//
// # Views
//
// A view is a displacement and a file type, which is repeated up to the largest offset: a layout of package
// datatype. What a rank reads or writes is a range of the packed stream of that layout. So a position is a number
// of bytes in the stream, and to find its place in the file takes O(depth + log blocks) steps.
//
// # Two ways to move bytes
//
// Both work for any number of parties. A party is the range of one rank's stream, with the memory for it.
//
//   - Pieces (pieces.go): the kernel reads and writes the memory of the program. Pieces that follow one another in
//     the file are one system call, whatever rank they belong to.
//   - Windows (window.go): a part of the file is assembled in a buffer, and read or written whole. That is faster
//     where pieces are short. Before a window with holes is written it is read.
//
// # Collective calls exchange no data
//
// All ranks tell one another where their data lies in memory and in the file (publish.go). The range of the file
// that they touch is cut into domains. A rank that has nothing to do claims the next one, and moves all bytes of it
// for all ranks (collective.go): in one address space in the peers' memory, between processes by process_vm_readv and
// process_vm_writev. A domain has one owner among the ranks of the file. A window with holes is locked, for ranks that
// have opened the file another time. Reads and writes of long pieces gain nothing by that: then each rank moves its
// own.
//
// Ranks that cannot reach one another's memory exchange bytes by messages, and each has a share of the file
// (phases.go). Not so in a file system whose nodes cache: a rank would not see what another one has written for it.
//
// # Errors
//
// A collective call begins with an offer of each rank, which names the call. So ranks that make different ones hear of
// it, and are in step again. All agree on whether a call has succeeded before any of them returns (agree.go). An error
// is a *fault.FileError.
package file
