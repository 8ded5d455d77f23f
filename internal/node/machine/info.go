package machine

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/limits"
)

// Info is everything that is known about this machine. Limits and features that
// could not be found out say so in their Error.
type Info struct {
	CPU       CPU               `json:"cpu"`
	Shape     Shape             `json:"shape"`
	Kernel    string            `json:"kernel"` // release, such as 6.18.44
	Arch      string            `json:"arch"`   // as GOARCH
	PageSize  int               `json:"page_size"`
	HugePages HugePages         `json:"huge_pages"`
	Limits    []limits.Limit    `json:"limits"`
	Capacity  []limits.Capacity `json:"capacity"` // one per BTL
	Features  []Feature         `json:"features"`
}

// HugePages are the kernel's settings of pages above the normal size. A setting
// the kernel does not have is empty.
type HugePages struct {
	Enabled string `json:"enabled"` // transparent ones in anonymous memory: always, madvise or never
	Defrag  string `json:"defrag"`  // whether a page fault may wait for one to be put together
	Shmem   string `json:"shmem"`   // transparent ones in shared memory: always, within_size, advise, never, ...

	// Reserved are the pages set aside for hugetlbfs.
	Reserved []ReservedPages `json:"reserved"`
}

// ReservedPages is the pool of one page size.
type ReservedPages struct {
	SizeKiB uint64 `json:"size_kib"`
	Count   uint64 `json:"count"`
}

// Probe examines the machine. It runs the given probes and then its own, one
// after the other. Its own take some milliseconds, start one short-lived child
// process, which it waits for, and leave nothing behind.
func Probe(probes ...NamedProbe) Info {
	root := os.DirFS("/")
	bounds, capacity := limits.Read()
	probes = append(probes[:len(probes):len(probes)], ownProbes()...)
	features := runProbes(probes)
	refuse(capacity, probes, features)
	return Info{
		CPU:       detectCPU(root),
		Shape:     readShape(root, os.Getenv),
		Kernel:    readSetting(root, "proc/sys/kernel/osrelease"),
		Arch:      runtime.GOARCH,
		PageSize:  os.Getpagesize(),
		HugePages: readHugePages(root),
		Limits:    bounds,
		Capacity:  capacity,
		Features:  features,
	}
}

// Kernel returns the release of the kernel, such as 6.18.44.
func Kernel() string { return readSetting(os.DirFS("/"), "proc/sys/kernel/osrelease") }

// faultsTakeTurns tells whether page faults take the lock of the address space, by the release of a kernel. Nothing
// depends on it, and no call tells.
func faultsTakeTurns(release string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor)
	return n == 2 && (major < 6 || major == 6 && minor < 4)
}

// readHugePages collects the settings under /sys/kernel/mm.
func readHugePages(root fs.FS) HugePages {
	const transparent = "sys/kernel/mm/transparent_hugepage/"
	h := HugePages{
		Enabled:  chosen(readSetting(root, transparent+"enabled")),
		Defrag:   chosen(readSetting(root, transparent+"defrag")),
		Shmem:    chosen(readSetting(root, transparent+"shmem_enabled")),
		Reserved: []ReservedPages{},
	}
	const pools = "sys/kernel/mm/hugepages"
	entries, _ := fs.ReadDir(root, pools) // none: a kernel without hugetlbfs
	for _, e := range entries {
		size, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(e.Name(), "hugepages-"), "kB"), 10, 64)
		if err != nil {
			continue
		}
		count, err := strconv.ParseUint(readSetting(root, pools+"/"+e.Name()+"/nr_hugepages"), 10, 64)
		if err == nil {
			h.Reserved = append(h.Reserved, ReservedPages{SizeKiB: size, Count: count})
		}
	}
	return h
}

// chosen is the word in brackets of a setting such as "always [madvise] never".
func chosen(setting string) string {
	_, rest, ok := strings.Cut(setting, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return setting
	}
	return word
}

// readSetting returns the content of a file without the newline, empty if it
// cannot be read.
func readSetting(root fs.FS, name string) string {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
