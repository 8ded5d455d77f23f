package pml_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/pml"
)

// ear is a listener that keeps what it is told.
type ear struct {
	notices []string
	early   []string
}

func (l *ear) Hear(from int, context uint32, n pml.Notice) {
	l.notices = append(l.notices, fmt.Sprint(from, context, n.Kind, n.Number, n.Word))
}

func (l *ear) Unexpected(from int, context uint32, tag int, m pml.Mark) {
	l.early = append(l.early, fmt.Sprint(from, context, tag, m.Number, m.Word))
}

// teller is a task that does something at once.
type teller func() error

const notices = 300 // more than there is room for

func (teller) Start() error              { return nil }
func (teller) Release()                  {}
func (teller) Lasting()                  {}
func (f teller) Progress() (bool, error) { return true, f() }

// inside does something under the engine's lock.
func inside(e *pml.Engine, f func(in pml.Inside) error) error {
	r, err := e.Begin(teller(func() error { return f(e.Inside()) }), 9)
	if err == nil {
		_, err = e.Wait(&r)
	}
	return err
}

// TestNotices: a rank hears what it is told in whatever call it is, in order, before the
// message that was sent afterwards, and is told of a message that it does not wait for.
func TestNotices(t *testing.T) {
	for _, kind := range kinds {
		for _, cpus := range []int{1, 8} {
			t.Run(fmt.Sprintf("%s/cpus=%d", kind.name, cpus), func(t *testing.T) {
				w := newWorld(t, 2, cpus, kind.opts)
				var heard ear
				w.engines[1].SetListener(&heard)
				w.run(func(e *pml.Engine, rank int) error {
					if rank == 0 {
						tell := inside(e, func(in pml.Inside) error {
							for i := range uint32(notices) {
								in.Tell(9, 1, pml.Notice{Kind: i, Number: 1<<31 - 1 - i, Word: 1<<63 + uint64(i)})
							}
							return nil
						})
						return errors.Join(tell, e.Send(1, 1, 0, nil, pml.Synchronous), inside(e, func(in pml.Inside) error {
							r, err := in.Isend(9, 1, 5, pml.Mark{Number: 1<<30 - 1, Word: 77}, []byte("end"))
							in.Leave(&r)
							return err
						}), e.Send(1, 1, 1, nil, pml.Synchronous))
					}
					if _, err := e.Recv(1, 0, 0, nil); err != nil { // something else
						return err
					}
					if len(heard.notices) != notices {
						return fmt.Errorf("heard %d notices", len(heard.notices))
					}
					if _, err := e.Probe(9, 0, 5); err != nil {
						return err
					}
					buf := make([]byte, 3)
					_, err := e.Recv(9, 0, 5, buf)
					if string(buf) != "end" {
						return fmt.Errorf("received %q, %w", buf, err)
					}
					_, err = e.Recv(1, 0, 1, nil)
					return err
				})
				for i, n := range heard.notices {
					require.Equal(t, fmt.Sprint(0, 9, i, 1<<31-1-i, uint64(1<<63)+uint64(i)), n)
				}
				require.Equal(t, []string{fmt.Sprint(0, 9, 5, 1<<30-1, 77)}, heard.early)
			})
		}
	}
}
