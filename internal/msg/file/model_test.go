package file

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/datatype"
	"github.com/gopvas/gopvas/internal/msg/btl/mem"
	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/internal/node/job/jobtest"
	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/internal/test/testkit"
)

// ranks runs f as ranks, which are goroutines.
func ranks(t testing.TB, n int, f func(*comm.Comm) error) {
	t.Helper()
	root := jobtest.Create(t, job.Config{Ranks: n, BTL: job.BTLSM, CPUs: 2}).Root()
	w := mem.New(root, mem.Options{})
	jobtest.Ranks(t, root, func(rank int) error {
		c := comm.NewWorld(root, rank, w.Module(rank), comm.Settings{}, comm.Operators{})
		return errors.Join(f(c), c.Finalize())
	})
}

// access is what one rank does in one step.
type access struct {
	view   View
	start  int64 // elements
	data   []byte
	memory *datatype.Type // nil: one piece
	count  int64
}

// randomType makes a file type of some elements, whose displacements go up.
func randomType(r *rand.Rand, element *datatype.Type) *datatype.Type {
	var t *datatype.Type
	var err error
	switch r.IntN(6) {
	case 0:
		return element
	case 5: // it is repeated before its end
		if t, err = datatype.Vector(2, 1, 3, element); err == nil {
			t, err = datatype.Resized(t, 0, 2*element.Size())
		}
		if err != nil {
			panic(err)
		}
		return t
	case 1:
		block := 1 + r.Int64N(8)
		t, err = datatype.Vector(1+r.Int64N(6), block, block+r.Int64N(20), element)
	case 2:
		lengths, at, next := []int64{}, []int64{}, int64(0)
		for range 1 + r.IntN(5) {
			next += r.Int64N(9)
			n := 1 + r.Int64N(7)
			lengths, at, next = append(lengths, n), append(at, next), next+n
		}
		t, err = datatype.Indexed(lengths, at, element)
	case 3:
		part, at := []int64{1 + r.Int64N(3), 1 + r.Int64N(4)}, []int64{r.Int64N(3), r.Int64N(5)}
		t, err = datatype.Subarray([]int64{6, 9}, part, at, datatype.OrderC, element)
	case 4:
		t, err = datatype.Vector(2, 4096, 8192+r.Int64N(100), element)
	}
	if err != nil {
		panic(err)
	}
	lb, extent := t.Extent()
	if t, err = datatype.Resized(t, lb, extent+r.Int64N(3)*element.Size()*7); err != nil {
		panic(err)
	}
	return t
}

func randomAccess(r *rand.Rand, element *datatype.Type) access {
	a := access{view: View{Displacement: r.Int64N(300), Element: element, Type: randomType(r, element)}}
	a.start = r.Int64N(200)
	elements := r.Int64N(400)
	switch r.IntN(6) {
	case 0:
		elements = 0
	case 1:
		elements *= 20
	}
	a.data = make([]byte, elements*element.Size())
	for i := range a.data {
		a.data[i] = byte(r.IntN(256))
	}
	if a.count = elements; r.IntN(3) == 0 {
		a.memory, _ = datatype.Resized(element, 0, element.Size()+8)
	}
	return a
}

// buffer returns memory for an access, with the data in it if it is to be written.
func (a *access) buffer(with bool) comm.Buffer {
	if a.memory == nil {
		memory := make([]byte, len(a.data))
		if with {
			copy(memory, a.data)
		}
		return comm.Bytes(memory)
	}
	layout, err := a.memory.Times(a.count)
	if err != nil {
		panic(err)
	}
	_, extent := a.memory.Extent()
	memory := make([]byte, a.count*extent+1)
	b := comm.Buffer{Bytes: memory, Layout: &layout, Base: sys.AddrOf(memory)}
	if with {
		b.Unpack(a.data, 0)
	}
	return b
}

// places are the offsets in the file of the bytes of an access, byte by byte, as the standard defines them.
func (a *access) places() []int64 {
	one, err := a.view.Type.Times(1)
	if err != nil {
		panic(err)
	}
	_, extent := a.view.Type.Extent()
	var within []int64
	segments := make([]datatype.Segment, 1000)
	n, _ := datatype.Segments(segments, &one, 0, 0)
	for _, s := range segments[:n] {
		for i := range int64(s.Len) {
			within = append(within, int64(s.Addr)+i)
		}
	}
	size := a.view.Type.Size()
	list := make([]int64, len(a.data))
	for i := range list {
		pos := a.start*a.view.Element.Size() + int64(i)
		list[i] = a.view.Displacement + pos/size*extent + within[pos%size]
	}
	return list
}

// model is what the file has to hold. Where several ranks write the same byte in one step it may be of any of them.
type model struct{ bytes []byte }

func (m *model) grow(n int64) {
	if int64(len(m.bytes)) < n {
		m.bytes = append(m.bytes, make([]byte, n-int64(len(m.bytes)))...)
	}
}

// step checks the file after the ranks have written, and takes on what it holds.
func (m *model) step(all []access, file []byte) error {
	may := make([][]byte, len(all)) // by rank: what it writes, and whether it does
	for i := range all {
		places := all[i].places()
		if len(places) == 0 {
			continue
		}
		end := slices.Max(places) + 1
		m.grow(end)
		may[i] = make([]byte, 2*end)
		for k, at := range places {
			may[i][2*at], may[i][2*at+1] = all[i].data[k], 1
		}
	}
	if len(file) != len(m.bytes) {
		return fmt.Errorf("the file has %d bytes, not %d", len(file), len(m.bytes))
	}
	for at, v := range file {
		written, right := false, false
		for _, w := range may {
			if 2*at < len(w) && w[2*at+1] != 0 {
				written, right = true, right || w[2*at] == v
			}
		}
		if !right && (written || m.bytes[at] != v) {
			return fmt.Errorf("byte %d is %d, before %d, written: %v", at, v, m.bytes[at], written)
		}
	}
	copy(m.bytes, file)
	return nil
}

// expect returns what an access reads, and how many bytes lie before the end of the file.
func (m *model) expect(a *access) []byte {
	var got []byte
	for _, at := range a.places() {
		if at >= int64(len(m.bytes)) {
			break
		}
		got = append(got, m.bytes[at])
	}
	return got
}

// waysOfTest are how ranks reach one another's memory: all are goroutines here, so any can be had.
var waysOfTest = []string{"in place", "by calls", "not", "in place on a node", "by calls on a node"}

// pretend has the file move bytes in one of these ways.
func (f *File) pretend(way string, nodes []int) error {
	f.direct, f.reach = strings.HasPrefix(way, "in place"), way != "not"
	if !strings.HasSuffix(way, "on a node") {
		return nil
	}
	f.nodes = nodes
	return f.serve()
}

// randomNodes puts ranks on nodes: by rank, the first one on its node.
func randomNodes(r *rand.Rand, n int) (nodes []int) {
	first := map[int]int{}
	for rank := range n {
		node := r.IntN(3)
		if _, ok := first[node]; !ok {
			first[node] = rank
		}
		nodes = append(nodes, first[node])
	}
	return nodes
}

// TestModel: views, memory and accesses at random, against a list of bytes.
func TestModel(t *testing.T) {
	for round := range testkit.Rounds(40) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			seed := testkit.Seed(t)
			r := rand.New(rand.NewPCG(seed, uint64(round)))
			n, way, window := 1+r.IntN(5), r.IntN(len(waysOfTest)), []int64{1 << 10, 10000, windowSize}[r.IntN(3)]
			nodes := randomNodes(r, n)
			t.Logf("%d ranks, %s, nodes %v", n, waysOfTest[way], nodes)
			wrong := r.IntN(4) == 0
			name := filepath.Join(t.TempDir(), "file")
			m := &model{}
			steps := 12
			plan := make([][]access, steps)
			for i := range plan {
				element := []*datatype.Type{datatype.Byte, datatype.Int32, datatype.Float64}[r.IntN(3)]
				for range n {
					plan[i] = append(plan[i], randomAccess(r, element))
				}
			}
			mode := ReadWrite
			if wrong {
				mode |= Append
			}
			ranks(t, n, func(c *comm.Comm) error {
				f, err := Open(c, name, mode|Create, nil, nil)
				if err != nil {
					return err
				}
				if err := f.pretend(waysOfTest[way], nodes); err != nil {
					return err
				}
				f.mover.window = window
				for i, all := range plan {
					if err := f.play(i, all, m, name); err != nil {
						return errors.Join(fmt.Errorf("step %d: %w", i, err), f.Close())
					}
				}
				return f.Close()
			})
		})
	}
}

// play is one step of one rank: it writes, the first rank checks the file, it reads.
func (f *File) play(i int, all []access, m *model, name string) error {
	a := &all[f.ranks.Rank()]
	if err := f.SetView(a.view, nil, nil); err != nil {
		return err
	}
	do, place := f.DoAll, At(a.start)
	if i%3 == 2 {
		do = f.Do
	}
	if i%4 == 3 {
		place = Own
		if err := f.SeekTo(a.start, FromStart); err != nil {
			return err
		}
	}
	if n, err := do(&Access{Write: true, Place: place, Memory: a.buffer(true)}); err != nil || n != len(a.data) {
		return fmt.Errorf("write: %d of %d bytes: %w", n, len(a.data), err)
	}
	if err := f.agree(nil); err != nil {
		return err
	}
	if f.ranks.Rank() == 0 {
		bytes, err := os.ReadFile(name)
		if err == nil {
			err = m.step(all, bytes)
		}
		if err != nil {
			return err
		}
	}
	if err := f.agree(nil); err != nil {
		return err
	}
	a = &all[(f.ranks.Rank()+1)%len(all)] // what another one has written
	if err := f.SetView(a.view, nil, nil); err != nil {
		return err
	}
	a = &access{view: a.view, start: a.start + int64(i%2), data: make([]byte, len(a.data)+8*(i%3)*1), memory: a.memory,
		count: a.count + int64(8*(i%3))/a.view.Element.Size()}
	return f.reads(a, m, do)
}

// reads reads, and compares with the model.
func (f *File) reads(a *access, m *model, do func(*Access) (int, error)) error {
	want := m.expect(a)
	b := a.buffer(false)
	n, err := do(&Access{Place: At(a.start), Memory: b})
	if err != nil || n != len(want) {
		return fmt.Errorf("read: %d of %d bytes: %w", n, len(want), err)
	}
	got := make([]byte, n)
	b.Pack(got, 0)
	if !slices.Equal(got, want) {
		return errors.New("read: the bytes are wrong")
	}
	return nil
}

// TestErrorsAreSaidOnce: an error names the call, the file, the offset and the cause, each once.
func TestErrorsAreSaidOnce(t *testing.T) {
	dir := t.TempDir()
	ranks(t, 2, func(c *comm.Comm) error {
		f, err := Open(c, filepath.Join(dir, "f"), ReadWrite|Create, nil, nil)
		if err != nil {
			return err
		}
		err = f.wrap("write", errors.Join(at(4096, syscall.ENOSPC), nil))
		want := fmt.Sprintf("file: write %q at offset 4096: no space left on device: "+
			"free some space, or write elsewhere", f.name)
		if text, _, placed := strings.Cut(err.Error(), " (model_test.go:"); text != want || !placed {
			return fmt.Errorf("%q is not %q, and a place", err, want)
		}
		return f.Close()
	})
}

// TestReadsPastTheEnd: all ranks read the same bytes, which end before their buffers do.
func TestReadsPastTheEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	text := make([]byte, 4096)
	for i := range text {
		text[i] = byte(i*7 + 1)
	}
	require.NoError(t, os.WriteFile(name, text, 0o600))
	for _, length := range []int{5000, 8192, 200_000} {
		ranks(t, 3, func(c *comm.Comm) error {
			f, err := Open(c, name, ReadOnly, nil, nil)
			if err != nil {
				return err
			}
			f.direct = true
			b := make([]byte, length)
			n, err := f.DoAll(&Access{Place: Own, Memory: comm.Bytes(b)})
			if err != nil || n != len(text) || !slices.Equal(b[:n], text) {
				return fmt.Errorf("%d bytes, right: %v: %w", n, slices.Equal(b[:min(n, len(text))], text), err)
			}
			return f.Close()
		})
	}
}
