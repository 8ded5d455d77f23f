// Package landing has the buffers that long messages come to. The receiver of one grants it a landing: a buffer with a
// number. The sender cuts the bytes as it likes, and sends each piece as a block of suci to a place, which says landing
// and offset. So pieces come by any device, in any order, and the receiver need not know how the sender divides them.
// It only counts what has come.
//
// A piece may come twice: the sender gives a device up, and sends its pieces by another, while the first has delivered
// a part of one, or all of it. Until a block is whole its memory may hold anything: packets are received where the next
// ones of the block belong, before it is known what they are. So no block writes to bytes that are there already, or
// that another one is writing. It comes to memory of its own, which is copied when all others have ended. The buffer is
// not free before all blocks that fill it have ended.
package landing
