package part

import (
	"context"

	"github.com/gopvas/gopvas/internal/job"
)

// FollowAddresses tells where ranks of this node are reached, and which receive no more, each time that this changes.
// It runs until ctx has ended: then the memory may be closed. It does not run on the goroutine of the supervisor, so it
// reads the ranks from the root block.
func FollowAddresses(ctx context.Context, root *job.Root, tell func([]Address)) {
	told := map[int]Address{}
	for seen := uint32(0); ; {
		n, err := root.AwaitAddresses(ctx, seen)
		if err != nil {
			return
		}
		seen = n
		var list []Address
		for rank := range root.Ranks() {
			if root.Node(rank) != root.Here() {
				continue
			}
			if a, ok := AddressOf(root, rank); ok && told[rank] != a {
				told[rank] = a
				list = append(list, a)
			}
		}
		if list != nil {
			tell(list)
		}
	}
}

// AddressOf returns where a rank is reached, if that is known.
func AddressOf(root *job.Root, rank int) (a Address, ok bool) {
	at, ok := root.Address(rank)
	return Address{Rank: rank, Addr: at, Ends: !root.MayReceive(rank)}, ok
}

// Note writes the address into the root block, where the first one stays.
func (a Address) Note(root *job.Root, rank int) {
	if _, known := root.Address(rank); !known {
		root.SetAddress(rank, a.Addr)
	}
	root.SetEnds(rank, a.Ends)
}
