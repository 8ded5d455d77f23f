package coll

import (
	"encoding/binary"

	"github.com/gopvas/gopvas/btl"
)

// The packed algorithm, for Alltoall with short blocks of any lengths and layouts. It works as
// flat does, and each member packs its blocks into its page:
//
//	lengths   for each member: bytes sent to it, and bytes expected from it
//	blocks    for each other member, one behind the other
//
// If the blocks of a member do not fit into its page, that member goes to the board at once. The
// others see it arrive and follow (see flat.go), so all make the call by direct. They also do so
// if a length that is expected differs from the one that is sent. All members find that out,
// because they read the same pages.

const lengthsSize = 8 // of a member

// fitsPacked tells whether a call is irregular, and the board has pages.
func fitsPacked(t *Team, _ int) bool { return t.args.Irregular && t.paged() }

// packBlocks packs the blocks for the other members; false if they do not fit.
func (t *Team) packBlocks(p *page) bool {
	a := &t.args
	at := lengthsSize * t.Size
	for member := range t.Size {
		out := a.Send.PartOf(member)
		in := a.Recv.PartOf(member)
		n, wanted := out.Len(), in.Len()
		if n > pageData-at || wanted > pageData {
			return false
		}
		binary.LittleEndian.PutUint32(p.data[lengthsSize*member:], uint32(n))
		binary.LittleEndian.PutUint32(p.data[lengthsSize*member+4:], uint32(wanted))
		if member != t.Rank {
			out.Pack(p.data[at:at+n], 0)
			at += n
		}
	}
	return true
}

// sends returns how many bytes the page's member sends to another, and wants returns how many
// it wants from there.
func (p *page) sends(to int) int { return int(binary.LittleEndian.Uint32(p.data[lengthsSize*to:])) }

func (p *page) wants(from int) int {
	return int(binary.LittleEndian.Uint32(p.data[lengthsSize*from+4:]))
}

// agreeOnLengths tells whether all members want what is sent to them.
func (t *Team) agreeOnLengths(k uint64) bool {
	for from := range t.Size {
		p := t.page(from, k)
		for to := range t.Size {
			if p.sends(to) != t.page(to, k).wants(from) {
				return false
			}
		}
	}
	return true
}

// takePacked unpacks this member's blocks from the pages of call k.
func (t *Team) takePacked(k uint64) {
	a := &t.args
	for from := range t.Size {
		in := a.Recv.PartOf(from)
		if from == t.Rank {
			out := a.Send.PartOf(from)
			btl.Copy(&in, &out, 0, out.Len())
			continue
		}
		p := t.page(from, k)
		at := lengthsSize * t.Size
		for to := range t.Rank {
			if to != from {
				at += p.sends(to)
			}
		}
		in.Unpack(p.data[at:][:p.sends(t.Rank)], 0)
	}
}
