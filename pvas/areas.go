package pvas

import (
	"os"
	"slices"
	"strings"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/linkage"
)

// Memory areas of a task with a C library besides its program and libraries: its stack
// with the small region and the rest of its partition, which borders on that of the next;
// and for a locale a file for each of its categories, and buffers.
const (
	areasOfTask   = 2
	areasOfLocale = 15
)

// Areas estimates how many memory areas a task of the program at path has when its
// main function begins: vm.max_map_count counts those of all tasks of a Space. The maps
// of the program's own later calls are not known. To learn its libraries it asks its dynamic
// linker, which does not run it.
func Areas(path string, env []string) (uint64, error) {
	prog, err := openProgram(path)
	if err != nil {
		return 0, err
	}
	defer prog.close()
	if prog.img.direct {
		return limits.AreasPerRank, nil
	}
	n := areasOfTask + prog.img.areas()
	if hasLocale(env) {
		n += areasOfLocale
	}
	if prog.interp == nil {
		return n, nil
	}
	n += prog.interp.areas()
	libraries, err := linkage.List(prog.ifile.Name(), path, env)
	if err != nil {
		return 0, &ImageError{path, err}
	}
	for _, library := range libraries {
		if library.File == "" {
			continue // of the kernel; or the dynamic linker will say that it is not there
		}
		f, img, err := openLibrary(library.File)
		if err != nil {
			return 0, err
		}
		_ = f.Close()
		n += img.areas()
	}
	return n, nil
}

// hasLocale reports whether an environment asks for a locale that lies in files.
func hasLocale(env []string) bool {
	return slices.ContainsFunc(env, func(setting string) bool {
		name, value, _ := strings.Cut(setting, "=")
		asks := name == "LANG" || strings.HasPrefix(name, "LC_")
		return asks && value != "" && value != "C" && value != "POSIX"
	})
}

// areas counts the mappings of an image that has been relocated.
func (img *image) areas() (n uint64) {
	for i := range img.segments {
		s := &img.segments[i]
		n++
		if s.fileSize > 0 && img.machine.pageUp(s.end()) > img.machine.pageUp(s.addr+s.fileSize) {
			n++ // its zeros
		}
	}
	return n + 1 // PT_GNU_RELRO splits one
}

// openLibrary plans a library. Unlike a program it need not be executable.
func openLibrary(path string) (*os.File, *image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, &ImageError{path, cause(err)}
	}
	st, err := f.Stat()
	if err == nil {
		var img *image
		if img, err = planLibrary(f, st.Size()); err == nil {
			return f, img, nil
		}
	}
	_ = f.Close()
	return nil, nil, &ImageError{path, cause(err)}
}

// planLibrary reads the segments of a library. Its entry point and the place of its
// headers do not matter.
func planLibrary(f *os.File, size int64) (*image, error) {
	p := here.planner(f, size)
	if err := p.readHeader(); err != nil {
		return nil, err
	}
	if err := p.planSegments(); err != nil {
		return nil, err
	}
	return p.img, nil
}
