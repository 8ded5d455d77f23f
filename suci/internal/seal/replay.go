package seal

// replayWords is the size of the window in words; a packet that is later than
// 64*(replayWords-1) packets sent after it counts as a replay.
const replayWords = 33

// replay remembers which of the latest counters have come. The word of a counter is
// reused in a ring; words between the old and the new highest counter are cleared.
type replay struct {
	highest uint64
	bits    [replayWords]uint64
}

func (r *replay) fresh(counter uint64) bool {
	switch {
	case counter == 0:
		return false
	case counter > r.highest:
		return true
	case r.highest/64-counter/64 >= replayWords-1:
		return false
	}
	return r.bits[counter/64%replayWords]&(1<<(counter%64)) == 0
}

func (r *replay) mark(counter uint64) {
	if counter > r.highest {
		first, last := r.highest/64+1, counter/64
		if last-r.highest/64 > replayWords {
			first = last - replayWords + 1
		}
		for w := first; w <= last; w++ {
			r.bits[w%replayWords] = 0
		}
		r.highest = counter
	}
	r.bits[counter/64%replayWords] |= 1 << (counter % 64)
}
