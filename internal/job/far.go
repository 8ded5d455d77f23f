package job

// FarSends is what a rank has sent to other nodes and does not know to have arrived. As long as there
// is something, no deadlock is proved: it may arrive, and the network may come back.
type FarSends struct {
	UnderWay int64 // bytes, but for short messages of a rank with one device
	Silent   int   // a rank that does not answer on the last device that it was reached by, plus one; 0: none
	Device   int   // that one
}

// AddUnderWay notes that a rank has so many bytes more, or fewer, under way. The rank calls it.
func (r *Root) AddUnderWay(rank, bytes int) { r.block(rank).underWay.Add(int64(bytes)) }

// SetSilent notes FarSends.Silent and Device. The rank calls it.
func (r *Root) SetSilent(rank, silent, device int) {
	r.block(rank).unanswered.Store(uint64(device)<<32 | uint64(uint32(silent)))
}

// FarSends returns what a rank has noted. One that has gone is not silent.
func (r *Root) FarSends(rank int) FarSends {
	b := r.block(rank)
	word := b.unanswered.Load()
	f := FarSends{UnderWay: max(0, b.underWay.Load()), Silent: int(uint32(word)), Device: int(word >> 32)}
	if f.Silent > r.Ranks() || f.Silent > 0 && r.Gone(f.Silent-1) {
		f.Silent, f.Device = 0, 0
	}
	return f
}

func (f FarSends) any() bool { return f.UnderWay > 0 || f.Silent > 0 }
