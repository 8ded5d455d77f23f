package cause

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Process is one that has ended.
type Process struct {
	Pid    int
	Status syscall.WaitStatus
	Dir    string    // its working directory
	Began  time.Time // its start
	Shared bool      // its address space, by the other ranks
}

// Core says where the core dump of a process is; "": that is not known, or there is none.
func Core(p Process) string {
	if !p.Status.CoreDump() {
		return ""
	}
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err != nil {
		return ""
	}
	usesPid, _ := os.ReadFile("/proc/sys/kernel/core_uses_pid") // an error: it does not
	text := strings.TrimSpace(string(pattern))
	if command, ok := strings.CutPrefix(text, "|"); ok {
		return "its core dump went to " + strings.Fields(command + " ?")[0]
	}
	if strings.TrimSpace(string(usesPid)) == "1" && !strings.Contains(text, "%p") {
		text += ".%p"
	}
	what := "its core dump"
	if p.Shared {
		what = "the core dump, of the whole address space,"
	}
	glob := coreGlob(text, p.Pid)
	if !filepath.IsAbs(glob) {
		glob = filepath.Join(p.Dir, glob)
	}
	if file := newest(glob, p.Began); file != "" {
		return what + " is " + file
	}
	return ""
}

// coreGlob makes a pattern of file names of the kernel's pattern for core dumps. It puts in the process, and leaves
// open all else that the pattern names. An absolute pattern stays one.
func coreGlob(pattern string, pid int) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c != '%' {
			if strings.IndexByte(`*?[\`, c) >= 0 {
				out.WriteByte('\\')
			}
			out.WriteByte(c)
			continue
		}
		if i++; i == len(pattern) {
			break // as the kernel does
		}
		switch pattern[i] {
		case '%':
			out.WriteByte('%')
		case 'p':
			out.WriteString(strconv.Itoa(pid))
		default:
			out.WriteByte('*')
		}
	}
	return out.String()
}

// newest is the absolute name of the file of a pattern that was written last, and not before a time; "": there is none.
func newest(glob string, since time.Time) (file string) {
	files, _ := filepath.Glob(glob) // an error: the pattern is wrong, and there are none
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && !info.ModTime().Before(since.Truncate(time.Second)) {
			file, since = name, info.ModTime()
		}
	}
	if file == "" {
		return ""
	}
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}
