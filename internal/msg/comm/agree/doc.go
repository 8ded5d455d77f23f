// Package agree has ranks agree by messages: each brings a part, and all get the parts of all, or an error.
//
// The operations of package coll would not do. They want all members of a communicator, in one order: a communicator
// may be made by some of them, in any order, while others are in a collective operation. And here a rank that has gone
// must be an error for all, or some would have a communicator that others do not know of.
//
// What two ranks do not pass alike is an error for all, too: see Propose.
package agree
