// Package pvasbtl is the byte transfer layer of ranks that share one address
// space, as the BTL of the PVAS paper (see package pvas): a peer's bytes are read and written where they lie, so
// Attach is arithmetic, and costs no page of tables and no mapping.
//
// Memory to give out comes from the arena that the space host has reserved in the
// rank's partition. The arena is inaccessible at
// first and is opened from its start upwards as it is needed, so that what a rank
// shares lies in one piece: one mapping, and as few table pages as can be. What is given out from 2 MiB on lies on huge
// pages where the user wants that (section 6.2 of the paper): on reserved ones it needs no table page of its own. Heaps
// have none, but what the kernel makes transparent: the runtime of a program maps them itself, over whatever was there.
//
// # Foreign addresses in Go pointers
//
// Slices returned by Attach may point into the Go heap of another rank, that is
// into memory of another Go runtime in the same address space. The garbage
// collector of this rank looks an address up in its own table of heap arenas (64
// MiB each, wholly reserved by the runtime that uses it), finds that it is none of
// its own, and leaves it alone: it neither keeps the peer's memory alive nor
// disturbs it. Keeping it alive is the peer's part.
package pvasbtl
