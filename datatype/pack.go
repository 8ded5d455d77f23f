package datatype

import (
	"runtime"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Pack copies the packed stream from offset on to dst, until dst is full or the stream
// ends. base is the address of displacement zero. It returns the number of bytes.
func Pack(dst []byte, l *Layout, base uintptr, offset int64) int {
	n := l.clamp(offset, int64(len(dst)))
	if n == 0 {
		return 0
	}
	e := engine{from: l.words}
	from := l.part(base, offset)
	e.copy(&part{shape: shape{size: n}, addr: sys.HeapAddr(dst)}, &from, n)
	runtime.KeepAlive(dst)
	return int(n)
}

// Unpack copies src to the packed stream from offset on, until src or the stream ends. base
// is the address of displacement zero. It returns the number of bytes.
func Unpack(src []byte, l *Layout, base uintptr, offset int64) int {
	n := l.clamp(offset, int64(len(src)))
	if n == 0 {
		return 0
	}
	e := engine{to: l.words}
	to := l.part(base, offset)
	e.copy(&to, &part{shape: shape{size: n}, addr: sys.HeapAddr(src)}, n)
	runtime.KeepAlive(src)
	return int(n)
}

// Copy copies n bytes of the packed stream, from offset on, from one layout to another, or
// as many as both have. It returns the number of bytes.
func Copy(to *Layout, toBase uintptr, from *Layout, fromBase uintptr, offset, n int64) int64 {
	n = min(to.clamp(offset, n), from.clamp(offset, n))
	if n > 0 {
		e := engine{to: to.words, from: from.words}
		d, s := to.part(toBase, offset), from.part(fromBase, offset)
		e.copy(&d, &s, n)
	}
	return n
}

// clamp is how many of n bytes from offset on the packed stream has.
func (l *Layout) clamp(offset, n int64) int64 {
	if offset < 0 || offset >= l.Size() {
		return 0
	}
	return max(0, min(n, l.Size()-offset))
}
