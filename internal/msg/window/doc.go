// Package window has the semantics of one-sided communication (MPI 5.0, chapter 12) on bytes and layouts, for any face.
//
// # Memory
//
// Each rank knows where the memory of all others lies. In one address space it reads and writes all of it there.
// Between processes it maps memory that the window has allocated. Other memory only its owner can address: the others
// copy by calls of the system (package reach). So no operation on the node needs its target: each is complete when its
// call returns. A flush keeps the order of stores, which costs nothing on amd64.
//
// # Rooms
//
// Window finds places and moves bytes. What its calls may do in an epoch is for package epoch to say. Ranks exclude one
// another by the words of package lock. Package update does accumulates, package remote asks other nodes. Packages
// regions and check have what dynamic windows and checked calls need besides; what they share lies behind the words.
//
// # Epochs of active targets
//
// Post, Start, Complete and Wait are messages without bytes on a communicator of the window (signals.go), Fence is its
// barrier. So these waits are those of messages: they end when a rank is lost, and the report of a hang knows them.
//
// # Several nodes
//
// Each node has words of its own, with records of all ranks of the window. Operations on a target of another node are
// requests, which a goroutine of the target's process carries out by the words of its node. It takes the lock of the
// target in the name of the other rank: holder and held are that rank's. So whoever waits, on whatever node, learns
// which rank has gone. To lock all targets takes no message: the lock of one on another node is taken when it is first
// accessed.
//
// Not implemented: created and dynamic windows between processes of which one may not read the memory of another.
package window
