package job

import (
	"os"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// A Domain says which part of its node a rank runs in: CPUs that share an L3 cache, and a NUMA node. It is what the
// launcher has bound the rank to, so it holds as long as the rank does not bind itself elsewhere. A number is
// Unknown (-1) where the machine does not tell, or where the rank may run in several. That of the NUMA node is Unknown,
// too, where there is one only. A rank of another node has none.
//
// L3 domains are counted, NUMA nodes have the kernel's numbers. Either may contain the other.
type Domain struct{ L3, NUMA int }

// Unknown is the number of a domain that is not known.
const Unknown = -1

// NoDomain is the domain of a rank of which nothing is known.
var NoDomain = Domain{Unknown, Unknown}

// Each number is a half of a word, plus one, so that a new block knows nothing.
const (
	domainBits = 16
	domainMost = 1<<domainBits - 2
)

func (d Domain) pack() uint32 {
	half := func(n int) uint32 {
		if n < 0 || n > domainMost {
			return 0
		}
		return uint32(n + 1)
	}
	return half(d.L3) | half(d.NUMA)<<domainBits
}

// Domain returns where a rank runs. It is known before the first rank of its world starts, and does not change.
func (r *Root) Domain(rank int) Domain {
	w := r.block(rank).domain.Load()
	return Domain{int(w&(1<<domainBits-1)) - 1, int(w>>domainBits) - 1}
}

// SetDomains is called by the supervisor before the first of some ranks starts: those of this node, from a number on.
func (r *Root) SetDomains(first int, domains []Domain) {
	for i, d := range domains {
		r.block(first + i).domain.Store(d.pack())
	}
}

// MemoryNode returns the NUMA node that the memory of a rank lies on. It is Unknown if the rank is bound to none, or if
// there is no other.
func (r *Root) MemoryNode(rank int) int { return r.Domain(rank).NUMA }

// here returns the ranks of this node.
func (c *Config) here() (ranks []int) {
	for rank := range c.Ranks {
		if c.Nodes == nil || c.Nodes[rank] == c.Node {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// settle has the block of each rank lie on the rank's NUMA node, as far as pages divide them; the header is with the
// first. What all ranks poll there changes seldom, so each has it in its caches, and a copy a node would save nothing.
// Nothing of the memory has been touched yet. Where the kernel refuses it lies where it is touched first.
func (c *Config) settle(mem []byte) {
	page, base := os.Getpagesize(), sys.AddrOf(mem)
	settled := 0 // bytes, whole pages
	for i, rank := range c.here() {
		end := min(int(roundUp(uint64(rootSize(rank+1)), uint64(page))), len(mem))
		if i >= len(c.Domains) || end <= settled {
			continue
		}
		if node := c.Domains[i].NUMA; node != Unknown {
			_ = sys.MemoryOn(base+uintptr(settled), uintptr(end-settled), node)
		}
		settled = end
	}
}
