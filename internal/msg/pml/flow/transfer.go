package flow

import (
	"github.com/gopvas/gopvas/btl"
	"github.com/gopvas/gopvas/internal/msg/pml/list"
)

// Transfer is the part of an operation that this package needs. It is in one list at most.
type Transfer[O any] struct {
	node list.Node[Transfer[O]]
	of   *O
	by   btl.Transfer // nil: it waits for room at its peer
}

// Init says once what the transfer is a part of.
func (t *Transfer[O]) Init(of *O) { t.node.Of, t.of = t, of }

// ask asks the transfer, which is in no list, for progress. If it is done, it ends what the transfer is a part of.
func (t *Transfer[O]) ask(end func(*O, error)) bool {
	done, err := t.by.Progress()
	if done {
		t.by = nil
		end(t.of, err)
	}
	return done
}

// drop ends all transfers of a list with an error.
func drop[O any](l *list.List[Transfer[O]], err error, end func(*O, error)) {
	for t := l.Pop(); t != nil; t = l.Pop() {
		t.by = nil
		end(t.of, err)
	}
}
