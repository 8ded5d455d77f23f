package symbol

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/node/sys"
	"github.com/gopvas/gopvas/trace"
)

// Files reads each file once, when it is asked for. The zero value is ready for use.
type Files struct {
	read   map[build]*file // an empty one: it cannot be read
	errors []error         // why some cannot be read
}

// build is a file with the build id that it must have.
type build struct{ path, id string }

// anyBuild is no build id.
const anyBuild = "*"

// Call returns the place of a call, given the offset in the file of the instruction behind it. If it stands in a
// function that the compiler has put into another, it is the place in the first. A place that is not known is zero.
func (fs *Files) Call(path string, offset uint64) Place {
	f := fs.file(build{path, anyBuild})
	if at, ok := f.address(offset); ok {
		if frames := f.frames(at - 1); len(frames) > 0 {
			return frames[0]
		}
	}
	return Place{}
}

// Frames returns the place of an instruction, given its address as the symbols of the file have it. After it are those
// of the calls that the compiler has replaced by their functions, from the innermost on. The last place is in the
// function whose code it is. There are none if it is not known.
func (fs *Files) Frames(path string, address uint64) []Place {
	return fs.file(build{path, anyBuild}).frames(address)
}

// Resolve replaces the sites of a trace that are offsets of code by functions and lines, as far as
// these can be found. The error joins what stands in the way, once for each file; the other sites are
// there nevertheless.
func Resolve(t *trace.Trace) error {
	var fs Files
	for rank := range t.Ranks {
		r := &t.Ranks[rank]
		for number, c := range r.Code {
			if f := fs.file(build{c.Path, c.BuildID}); number < len(r.Sites) {
				r.Sites[number] = cmp.Or(f.site(c.Offset), r.Sites[number])
			}
		}
	}
	return errors.Join(fs.errors...)
}

// file returns what a file says, which is nothing if it cannot be read.
func (fs *Files) file(b build) *file {
	f, known := fs.read[b]
	if known {
		return f
	}
	f, err := open(b)
	if err != nil {
		f, fs.errors = &file{}, append(fs.errors, err)
	}
	if fs.read == nil {
		fs.read = map[build]*file{}
	}
	fs.read[b] = f
	return f
}

// open reads the symbols of a file.
func open(b build) (*file, error) {
	f, err := sys.OpenRegular(b.path)
	if err != nil {
		return nil, fmt.Errorf("symbol: %w: its calls are named by offsets", err)
	}
	defer f.Close()
	if now := trace.BuildID(f); b.id != anyBuild && now != b.id {
		return nil,
			fmt.Errorf(
				"symbol: %s: it is another build than the one that was recorded (%s, and then %s): its calls "+
					"are named by offsets",
				b.path, cmp.Or(now, "none"), cmp.Or(b.id, "none"))
	}
	return read(f, b.path)
}
