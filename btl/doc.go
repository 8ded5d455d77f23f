// Package btl is the byte transfer layer: the contract between what wants bytes
// moved from rank to rank and the ways in which that can be done. A way is a
// module; there is one per task model (btl/pvasbtl for one address space, btl/sm
// for separate processes). Those above do not know which they run on, and a
// module does not know what the bytes mean.
//
// Package btl/btltest is the conformance suite; every module passes it.
//
// Memory is what makes memory of one rank addressable by another, Messages what
// carries messages; a Module has both. Frame and Transfer say what arrives and how
// a long message moves.
package btl
