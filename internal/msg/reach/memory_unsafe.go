package reach

import "github.com/gopvas/gopvas/internal/node/sys"

// Whole returns n bytes of the stream from an offset on, if they are in one piece that this process can address.
func (m *Memory) Whole(from, n int64) ([]byte, bool) {
	if m.Process != nil || m.Layout != nil {
		return nil, false
	}
	return sys.Bytes(m.Base+uintptr(from), int(n)), true
}
