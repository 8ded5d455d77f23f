package output

import (
	"io"
	"sync/atomic"
)

// A piece is a part of an input that several read. Each reader goes from one to the next.
//
// Who reads the input sets data and next, and then closes there; from then on nobody writes them. Each reader counts
// itself off left when it has passed the piece. The last one makes room for another.
type piece struct {
	there chan struct{}
	data  []byte // nil: the input is at its end
	next  *piece
	left  atomic.Int32
}

func newPiece(readers int) *piece {
	p := &piece{there: make(chan struct{})}
	p.left.Store(int32(readers))
	return p
}

const (
	pieceSize  = 32 << 10
	mostPieces = 2048 // that some reader has not passed
)

// Spread begins to copy an input to each of several, and closes them at its end. A slow one holds up the others when it
// is 64 MiB behind. One that takes no more does not.
func Spread(from io.Reader, to []io.WriteCloser) {
	room := make(chan struct{}, mostPieces)
	first := newPiece(len(to))
	for _, w := range to {
		go copyPieces(w, first, room)
	}
	go func(p *piece) {
		for err := error(nil); err == nil; {
			b, n := make([]byte, pieceSize), 0
			if n, err = from.Read(b); n > 0 {
				room <- struct{}{}
				p.data, p.next = b[:n], newPiece(len(to))
				close(p.there)
				p = p.next
			}
		}
		close(p.there)
	}(first)
}

func copyPieces(w io.WriteCloser, p *piece, room chan struct{}) {
	defer w.Close()
	takes := true
	for {
		<-p.there
		if p.data == nil {
			return
		}
		if takes {
			_, err := w.Write(p.data)
			takes = err == nil
		}
		if p.left.Add(-1) == 0 {
			<-room
		}
		p = p.next
	}
}
