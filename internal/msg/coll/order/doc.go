// Package order has the one order in which reductions combine what the members of a call give. So the bits of a result
// depend on the data and on the number of members alone.
//
// # T
//
// T(P) is for P members. These lie in aligned blocks of 2^j: block b of 2^j has the members b*2^j to (b+1)*2^j-1 that
// there are. A block of one member has what that one gives. A longer block is its left half combined with its right
// half, in that order. Where the right half has no members the left one passes up. For P = 2^k these are the bits of
// recursive doubling.
//
// A prefix of r members is T(r). A left half is full wherever its right half has members. So the blocks of a prefix
// are blocks of all.
//
// # Two ways
//
// An Evaluator has the vectors of all members in memory. It keeps a stack of blocks, of which each is longer than the
// next, and combines the last two whenever they have become halves of a block. That takes log2(P) vectors; so long ones
// go in pieces, and the stack stays in the first cache.
//
// In graphs of messages the halves of a block meet: see Halves.
//
// An operator that is exact (cad.Op.Exact) has the same bits in any order, and goes the shortest way.
package order
