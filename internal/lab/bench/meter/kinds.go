package meter

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/areas"
)

// Kinds is the PSS of address spaces by what it is, in KiB.
type Kinds struct {
	Files  int64 // pages of programs and libraries as they are in the files: text, constants, tables
	Data   int64 // pages of theirs that are the process' own: relocated, written, zeros from the start
	Other  int64 // private memory without a file: heaps, stacks, what runtimes keep
	Shared int64 // shared memory
}

// kindsOf reads the kinds of address spaces together, of each by one of its processes.
func kindsOf(spaces []int) (sum Kinds, err error) {
	for _, pid := range spaces {
		f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "smaps"))
		if err != nil {
			return Kinds{}, fmt.Errorf("process %d: %w", pid, err)
		}
		k, err := parseSmaps(f)
		f.Close()
		if err != nil {
			return Kinds{}, fmt.Errorf("process %d: smaps: %w", pid, err)
		}
		sum = Kinds{sum.Files + k.Files, sum.Data + k.Data, sum.Other + k.Other, sum.Shared + k.Shared}
	}
	return sum, nil
}

// WriteKinds writes the memory by kind for people; nothing if it is not known.
func (m Measurement) WriteKinds(w io.Writer) error {
	if m.Kinds == (Kinds{}) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %14s %12s\n", "PSS KiB by kind", "total", "per rank")
	for _, row := range []struct {
		name string
		kib  int64
	}{
		{"as in files", m.Kinds.Files}, {"own data", m.Kinds.Data}, {"heap, stack", m.Kinds.Other},
		{"shared", m.Kinds.Shared},
	} {
		fmt.Fprintf(&b, "%-16s %14d %12.1f\n", row.name, row.kib, float64(row.kib)/float64(m.Ranks))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// parseSmaps adds up what smaps says of each area. A line is that of an area, or one of the fields of the last area.
func parseSmaps(r io.Reader) (k Kinds, err error) {
	var last, here areas.Area
	var pss, own int64 // of here
	zeros := false     // here is of a program or library, though no file lies behind it
	end := func() {
		switch {
		case here.End == 0:
		case here.Shared():
			k.Shared += pss
		case zeros:
			k.Data += pss
		case ofFile(here):
			own = min(own, pss)
			k.Data, k.Files = k.Data+own, k.Files+pss-own
		default:
			k.Other += pss
		}
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		switch {
		case !strings.HasSuffix(name, ":"):
			end()
			last, pss, own = here, 0, 0
			if here, err = areas.Parse(lines.Text()); err != nil {
				return Kinds{}, err
			}
			zeros = here.Path == "" && here.Start == last.End && ofFile(last) && writable(last) && writable(here)
		case name == "Pss:":
			pss, err = kib(value)
		case name == "Anonymous:":
			own, err = kib(value)
		}
		if err != nil {
			return Kinds{}, err
		}
	}
	if lines.Err() != nil {
		return Kinds{}, lines.Err()
	}
	end()
	return k, nil
}

// ofFile tells whether an area is a private one of a file.
func ofFile(a areas.Area) bool { return strings.HasPrefix(a.Path, "/") && !a.Shared() }

func writable(a areas.Area) bool { return a.Access[1] == 'w' }

// kib parses a number of KiB.
func kib(value string) (n int64, err error) {
	_, err = fmt.Sscanf(value, "%d kB", &n)
	return n, err
}
