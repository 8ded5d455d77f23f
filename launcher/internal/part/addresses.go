package part

import (
	"context"

	"github.com/gopvas/gopvas/internal/node/job"
)

// FollowAddresses tells where ranks of this node are reached, and which receive no more, each time that this changes.
// It runs until ctx has ended: then the memory may be closed. It does not run on the goroutine of the supervisor, so it
// reads the ranks from the root block.
func FollowAddresses(ctx context.Context, root *job.Root, tell func([]Address)) {
	told := map[int]bool{} // of the ranks whose addresses were told: whether they receive no more
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
			a, ok := AddressOf(root, rank)
			if ends, known := told[rank]; ok && (!known || ends != a.Ends) {
				told[rank] = a.Ends
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
	at := root.Addresses(rank)
	return Address{Rank: rank, At: at, Ends: !root.MayReceive(rank)}, at != nil
}

// Note writes the addresses into the root block, where the first ones stay.
func (a Address) Note(root *job.Root, rank int) {
	if root.Addresses(rank) == nil {
		root.SetAddresses(rank, a.At...)
	}
	root.SetEnds(rank, a.Ends)
}
