package mem

import "github.com/gopvas/gopvas/btl"

// network is a module without memory, which the rank does not sleep in: see
// btl.Messages.Sleep.
type network struct{ btl.Messages }

// Network returns the module of a rank as that of a network: for a rank that sleeps in
// another module, on the same inbox.
func (w *World) Network(rank int) btl.Messages { return network{w.modules[rank]} }

// Poll implements btl.Messages. A message that stays in the queue may be late, and no other
// rank makes it come.
func (n network) Poll(max int, deliver func(*btl.Frame)) int {
	m := n.Messages.(*Module)
	got := m.Poll(max, deliver)
	if m.More() {
		m.world.root.Inbox(int(m.rank)).Signal()
	}
	return got
}

// Capabilities implements btl.Messages.
func (network) Capabilities() btl.Capabilities { return btl.Capabilities{} }

// Sleep is not to be called.
func (network) Sleep(func() bool, func()) error {
	misuse("Sleep of a network")
	return nil
}

// Wake is not to be called.
func (network) Wake() { misuse("Wake of a network") }
