package job

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestLayout pins the ABI of the root block. Whoever changes a number here raises
// LayoutVersion.
func TestLayout(t *testing.T) {
	require.EqualValues(t, 46, LayoutVersion)
	var h header
	var s settingsRecord
	var p holdBlock
	var b rankBlock
	for _, c := range []struct {
		field      string
		have, want uintptr
	}{
		{"constants", unsafe.Sizeof(h.constants), 1408},
		{"magic", unsafe.Offsetof(h.magic), 0},
		{"version", unsafe.Offsetof(h.version), 8},
		{"headerSize", unsafe.Offsetof(h.headerSize), 12},
		{"rankSize", unsafe.Offsetof(h.rankSize), 16},
		{"windows", unsafe.Offsetof(h.constants.windows), 20},
		{"ranks", unsafe.Offsetof(h.ranks), 24},
		{"btl", unsafe.Offsetof(h.btl), 28},
		{"cpus", unsafe.Offsetof(h.cpus), 32},
		{"flags", unsafe.Offsetof(h.flags), 36},
		{"pageSize", unsafe.Offsetof(h.pageSize), 40},
		{"traceSize", unsafe.Offsetof(h.traceSize), 44},
		{"segmentBase", unsafe.Offsetof(h.segmentBase), 48},
		{"segmentStride", unsafe.Offsetof(h.segmentStride), 56},
		{"places", unsafe.Offsetof(h.places), 240},
		{"universe", unsafe.Offsetof(h.universe), 244},
		{"id", unsafe.Offsetof(h.id), 248},
		{"settings", unsafe.Offsetof(h.settings), 256},
		{"firstLost", unsafe.Offsetof(h.firstLost), 1408},
		{"goneCount", unsafe.Offsetof(h.goneCount), 1412},
		{"late", unsafe.Offsetof(h.late), 1416},
		{"attendant", unsafe.Offsetof(h.attendant), 1420},
		{"number", unsafe.Offsetof(h.number), 1424},
		{"visitors", unsafe.Offsetof(h.visitors), 1428},
		{"pidSpace", unsafe.Offsetof(h.pidSpace), 1436},
		{"holds", unsafe.Offsetof(h.holds), 1472},
		{"early", unsafe.Offsetof(h.early), 1728},
		{"cma", unsafe.Offsetof(h.cma), 1732},
		{"withoutPages", unsafe.Offsetof(h.withoutPages), 1736},
		{"work.Ready", unsafe.Offsetof(h.work) + unsafe.Offsetof(h.work.Ready), 1792},
		{"work.Used", unsafe.Offsetof(h.work) + unsafe.Offsetof(h.work.Used), 1808},
		{"work.Resting", unsafe.Offsetof(h.work) + unsafe.Offsetof(h.work.Resting), 1856},
		{"work.Helping", unsafe.Offsetof(h.work) + unsafe.Offsetof(h.work.Helping), 1864},
		{"work.Polling", unsafe.Offsetof(h.work) + unsafe.Offsetof(h.work.Polling), 1872},
		{"nodes", unsafe.Offsetof(h.nodes), 64},
		{"node", unsafe.Offsetof(h.node), 68},
		{"near", unsafe.Offsetof(h.near), 72},
		{"all", unsafe.Offsetof(h.all), 76},
		{"key", unsafe.Offsetof(h.key), 80},
		{"devices", unsafe.Offsetof(h.devices), 112},
		{"addressNotes", unsafe.Offsetof(h.addressNotes), 1920},
		{"addressEvent", unsafe.Offsetof(h.addressEvent), 1924},
		{"look", unsafe.Offsetof(h.look), 1932},
		{"report", unsafe.Offsetof(h.report), 1936},
		{"header.revoked", unsafe.Offsetof(h.revoked), 1984},
		{"header", unsafe.Sizeof(h), 6080},

		{"settings.eagerLimit", unsafe.Offsetof(s.eagerLimit), 0},
		{"settings.ringBlock", unsafe.Offsetof(s.ringBlock), 4},
		{"settings.spin", unsafe.Offsetof(s.spin), 8},
		{"settings.singleCopy", unsafe.Offsetof(s.singleCopy), 12},
		{"settings.helpers", unsafe.Offsetof(s.helpers), 16},
		{"settings.flags", unsafe.Offsetof(s.flags), 20},
		{"settings.progress", unsafe.Offsetof(s.progress), 24},
		{"settings.coll", unsafe.Offsetof(s.coll), 64},
		{"settings.exchange", unsafe.Offsetof(s.exchange), 1088},
		{"settings.shareFrom", unsafe.Offsetof(s.shareFrom), 1104},
		{"settings.pipelineFrom", unsafe.Offsetof(s.pipelineFrom), 1108},
		{"settings.soloSpinning", unsafe.Offsetof(s.soloSpinning), 1112},
		{"settings.soloSleeping", unsafe.Offsetof(s.soloSleeping), 1116},
		{"settings.peerTimeout", unsafe.Offsetof(s.peerTimeout), 1120},
		{"settingsRecord", unsafe.Sizeof(s), 1152},

		{"holdBlock.reached", unsafe.Offsetof(p.reached), 0},
		{"holdBlock.reachedEvent", unsafe.Offsetof(p.reachedEvent), 4},
		{"holdBlock.released", unsafe.Offsetof(p.released), 64},
		{"holdBlock.releasedEvent", unsafe.Offsetof(p.releasedEvent), 68},
		{"holdBlock", unsafe.Sizeof(p), 128},

		{"rankBlock.pid", unsafe.Offsetof(b.pid), 0},
		{"rankBlock.state", unsafe.Offsetof(b.state), 4},
		{"rankBlock.mailbox", unsafe.Offsetof(b.mailbox), 8},
		{"rankBlock.early", unsafe.Offsetof(b.early), 16},
		{"rankBlock.graphs", unsafe.Offsetof(b.graphs), 24},
		{"rankBlock.answer", unsafe.Offsetof(b.answer), 32},
		{"rankBlock.links", unsafe.Offsetof(b.links), 40},
		{"rankBlock.ends", unsafe.Offsetof(b.ends), 44},
		{"rankBlock.world", unsafe.Offsetof(b.world), 48},
		{"rankBlock.share", unsafe.Offsetof(b.share), 64},
		{"share.Helper", unsafe.Offsetof(b.share.Helper), 4},
		{"rankBlock.partition", unsafe.Offsetof(b.partition), 128},
		{"rankBlock.partitionSize", unsafe.Offsetof(b.partitionSize), 136},
		{"rankBlock.arena", unsafe.Offsetof(b.arena), 144},
		{"rankBlock.exitHooks", unsafe.Offsetof(b.exitHooks), 152},
		{"rankBlock.small", unsafe.Offsetof(b.small), 160},
		{"rankBlock.smallSize", unsafe.Offsetof(b.smallSize), 168},
		{"rankBlock.agreements", unsafe.Offsetof(b.agreements), 56},
		{"rankBlock.gone", unsafe.Offsetof(b.gone), 176},
		{"rankBlock.program", unsafe.Offsetof(b.program), 180},
		{"rankBlock.pidOver", unsafe.Offsetof(b.pidOver), 184},
		{"rankBlock.domain", unsafe.Offsetof(b.domain), 188},
		{"rankBlock.windows", unsafe.Offsetof(b.windows), 192},
		{"windowSlot.length", unsafe.Offsetof(b.windows[0].length), 8},
		{"rankBlock.waiting", unsafe.Offsetof(b.waiting), 704},
		{"rankBlock.polls", unsafe.Offsetof(b.polls), 1304},
		{"rankBlock.underWay", unsafe.Offsetof(b.underWay), 1600},
		{"rankBlock.freed", unsafe.Offsetof(b.freed), 1616},
		{"rankBlock.inbox", unsafe.Offsetof(b.inbox), 1664},
		{"rankBlock.counters", unsafe.Offsetof(b.counters), 1728},
		{"rankBlock.calls", unsafe.Offsetof(b.calls), 2240},
		{"rankBlock.address", unsafe.Offsetof(b.address), 3264},
		{"addressBlock.world", unsafe.Offsetof(b.address.world), 4},
		{"worldBlock.place", unsafe.Offsetof(b.address.world.place), 16},
		{"addressBlock.at", unsafe.Offsetof(b.address.at), 24},
		{"socketBlock.port", unsafe.Offsetof(b.address.at[0].port), 16},
		{"rankBlock.devices", unsafe.Offsetof(b.devices), 3584},
		{"rankBlock.visitor", unsafe.Offsetof(b.visitor), 4096},
		{"rankBlock.kept", unsafe.Offsetof(b.kept), 4160},
		{"rankBlock.heap", unsafe.Offsetof(b.heap), 4168},
		{"rankBlock.letGo", unsafe.Offsetof(b.letGo), 4176},
		{"rankBlock", unsafe.Sizeof(b), 4224},

		{"waitingBlock.seq", unsafe.Offsetof(b.waiting.seq), 0},
		{"waitingBlock.op", unsafe.Offsetof(b.waiting.op), 4},
		{"waitingBlock.peer", unsafe.Offsetof(b.waiting.peer), 8},
		{"waitingBlock.tag", unsafe.Offsetof(b.waiting.tag), 12},
		{"waitingBlock.ctx", unsafe.Offsetof(b.waiting.ctx), 16},
		{"waitingBlock.more", unsafe.Offsetof(b.waiting.more), 20},
		{"waitingBlock.bytes", unsafe.Offsetof(b.waiting.bytes), 24},
		{"waitingBlock.since", unsafe.Offsetof(b.waiting.since), 32},
		{"waitingBlock.seen", unsafe.Offsetof(b.waiting.seen), 40},
		{"waitingBlock.call", unsafe.Offsetof(b.waiting.call), 48},
		{"waitingBlock.collective", unsafe.Offsetof(b.waiting.collective), 80},
		{"waitingBlock.place", unsafe.Offsetof(b.waiting.place), 368},
		{"waitingBlock.source", unsafe.Offsetof(b.waiting.source), 376},
		{"waitingBlock.refused", unsafe.Offsetof(b.waiting.refused), 472},
		{"waitingBlock", unsafe.Sizeof(b.waiting), 600},

		{"pollsBlock.asked", unsafe.Offsetof(b.polls.asked), 8},
		{"pollsBlock.name", unsafe.Offsetof(b.polls.name), 88},
		{"pollsBlock.open", unsafe.Offsetof(b.polls.open), 152},
		{"pollsBlock.place", unsafe.Offsetof(b.polls.place), 160},
		{"pollsBlock.call", unsafe.Offsetof(b.polls.call), 168},
		{"pollsBlock.source", unsafe.Offsetof(b.polls.source), 200},
		{"pollsBlock", unsafe.Sizeof(b.polls), 296},
	} {
		require.Equal(t, c.want, c.have, c.field)
	}
}

func TestMagicReadsAsText(t *testing.T) {
	m := uint64(layoutMagic)
	require.Equal(t, "\x01gopvasj", string(unsafe.Slice((*byte)(unsafe.Pointer(&m)), 8)))
}
