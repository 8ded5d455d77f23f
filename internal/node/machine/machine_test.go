package machine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/topology"
	"github.com/gopvas/gopvas/internal/node/topology/topologytest"
)

func TestMain(m *testing.M) {
	ProbeMain()
	os.Exit(m.Run())
}

// feature returns the named one.
func feature(t *testing.T, i Info, name string) Feature {
	t.Helper()
	for _, f := range i.Features {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no such feature", name)
	return Feature{}
}

func TestProbe(t *testing.T) {
	refused := fmt.Errorf("pvas: space: %w", syscall.EPERM)
	info := Probe(
		NamedProbe{Name: "one address space", Purpose: "--btl pvas", Run: func() error { return refused }, BTL: "pvas"},
		NamedProbe{Name: "nothing", Run: func() error { return nil }},
		NamedProbe{Name: "short of memory", Run: func() error { return syscall.ENOMEM }, BTL: "sm"},
	)
	require.Equal(t, "one address space", info.Features[0].Name, "the caller's probes come first")
	require.False(t, info.Features[0].OK)
	require.Equal(t, refused.Error(), info.Features[0].Error)
	require.Contains(t, info.Features[0].Meaning, "forbidden")
	require.True(t, info.Features[1].OK)

	require.Positive(t, info.CPU.Usable)
	require.NotEmpty(t, info.Kernel)
	require.Equal(t, os.Getpagesize(), info.PageSize)
	require.Len(t, info.Capacity, 2)
	require.Equal(t, refused.Error(), info.Capacity[0].Error, "no ranks of a model that is not there")
	require.Zero(t, *info.Capacity[0].Ranks)
	require.True(t, info.Features[2].Unknown)
	require.Empty(t, info.Capacity[1].Error, "what was not found out is not refused")
	require.NotEmpty(t, info.Shape.Domains)
	require.NotEmpty(t, info.Shape.Usable)
	require.NotEmpty(t, info.Limits)

	// Without these the project does not work at all, so nothing may hide them.
	for _, name := range []string{"memfd", "futex"} {
		f := feature(t, info, name)
		require.True(t, f.OK, "%s: %s", name, f.Error)
	}
	// The others depend on the machine; but a failure must be explained.
	for _, f := range info.Features {
		require.Equal(t, f.OK, f.Error == "", "%+v", f)
	}
}

// The probe of CMA must tell what the machine does, so it is asked twice: once
// as it is, and once where it cannot work.
func TestProbeCMA(t *testing.T) {
	err := probeCMA()
	if err != nil {
		var errno syscall.Errno
		require.ErrorAs(t, err, &errno, "only the kernel may say no: %v", err)
	}
	defer func() { armed = true }()
	armed = false
	require.ErrorIs(t, probeCMA(), errNotArmed)
}

func TestAnswer(t *testing.T) {
	var out bytes.Buffer
	require.Error(t, answer(strings.NewReader("short"), &out))

	// Page 0 of this process cannot be read, by anybody.
	in := append(binaryWord(uint64(os.Getpid())), binaryWord(0)...)
	require.NoError(t, answer(bytes.NewReader(in), &out))
	require.Equal(t, append(binaryWord(0), binaryWord(uint64(syscall.EFAULT))...), out.Bytes())
}

// binaryWord is v in the byte order of the probe's pipe.
func binaryWord(v uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b
}

func TestMeaning(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSYS, syscall.EPERM, syscall.EACCES, syscall.EINVAL,
		syscall.ENOMEM, syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE} {
		require.NotEmpty(t, meaning(fmt.Errorf("call: %w", errno)), errno.Error())
	}
	require.Empty(t, meaning(errors.New("no errno in it")))
}

func TestAnonHuge(t *testing.T) {
	const smaps = "1000-2000 rw-p 00000000 00:00 0\nSize: 4 kB\nAnonHugePages:      0 kB\n" +
		"200000-400000 rw-p 00000000 00:00 0 \nRss: 2048 kB\nAnonHugePages:   2048 kB\n"
	for addr, want := range map[uint64]uint64{0x1000: 0, 0x1fff: 0, 0x200000: 2048, 0x3fffff: 2048} {
		kib, err := anonHuge(bufio.NewScanner(strings.NewReader(smaps)), addr)
		require.NoError(t, err)
		require.Equal(t, want, kib, "%#x", addr)
	}
	_, err := anonHuge(bufio.NewScanner(strings.NewReader(smaps)), 0x400000)
	require.ErrorContains(t, err, "0x400000")
}

// sampleShape is that of a machine whose kernel shows no L3 caches and no dies.
func sampleShape() Shape {
	s := topologytest.Shape{Packages: 2, Nodes: 2, L3s: 2, Cores: 4, Threads: 2, Hidden: []string{"die_", "index3"}}
	root, usable := s.FS(), []int{0, 1, 2}
	root["proc/self/cgroup"] = file("0::/\n")
	root["proc/self/mountinfo"] = file("41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n")
	root["cg/cpuset.cpus.effective"] = file("0-2\n")
	return shapeOf(topology.Read(root, usable), root, func(string) string { return "" }, usable)
}

// sample is a report with something of everything.
func sample() Info {
	number := func(n uint64) *uint64 { return &n }
	return Info{
		CPU: CPU{Model: "Model X", Usable: 4, Line: 64, L1D: 32 << 10, L2: 1280 << 10, L3: 48 << 20,
			Features: []string{"ERMS", "AVX2"}},
		Shape:  sampleShape(),
		Kernel: "6.18.0", Arch: "amd64", PageSize: 4096,
		HugePages: HugePages{Enabled: "madvise", Defrag: "defer",
			Reserved: []ReservedPages{{SizeKiB: 1048576, Count: 0}, {SizeKiB: 2048, Count: 7}}},
		Limits: []limits.Limit{
			{Name: "vm.max_map_count", Value: number(65530), Used: 64, PerRank: 27,
				Ranks: number(2424), OneSpace: true},
			{Name: "RLIMIT_NPROC", PerRank: 6, Note: "does not apply to root"},
			{Name: "made up", PerRank: 1, Error: "open /x: permission denied"},
		},
		Capacity: []limits.Capacity{{BTL: "pvas", Ranks: number(2424), Limit: "vm.max_map_count"}, {BTL: "sm"},
			{BTL: "other", Ranks: number(0), Error: "not there"}},
		Features: []Feature{
			{Name: "memfd", Purpose: "memory of a job", OK: true},
			{Name: "CMA", Purpose: "one copy", Error: "process_vm_readv: operation not permitted",
				Meaning: "forbidden"},
			{Name: "huge pages", Purpose: "--huge-pages", Error: "no smaps", Unknown: true},
		},
	}
}

func TestFaultsTakeTurns(t *testing.T) {
	for release, want := range map[string]bool{"5.14.0-427.el9": true, "6.1.0-30-amd64": true, "6.3": true,
		"6.4.0": false, "6.18.44-fc-v857": false, "10.0.1": false, "": false, "unknown": false} {
		require.Equal(t, want, faultsTakeTurns(release), release)
	}
}

func TestWriteText(t *testing.T) {
	want := strings.TrimPrefix(`
CPU            Model X, 4 usable
Caches         L1d 32 KiB, L2 1280 KiB, L3 48 MiB, line 64 bytes
CPU features   ERMS AVX2
Kernel         Linux 6.18.0, amd64, pages of 4 KiB
Huge pages     transparent: madvise, defrag: defer, shared memory: unknown
               reserved, of 1 GiB: 0
               reserved, of 2 MiB: 7
Shape          2 sockets, 2 NUMA nodes, L3 domains unknown, 4 cores, 8 CPUs
Binding        an equal share of the cores for each rank, unless ranks outnumber CPUs: they are a cpuset, 0-2 of 8

Socket  die      NUMA node  L3 domain  cores  CPUs     usable
0       unknown  0          unknown    2      0-1,4-5  0-1
1       unknown  1          unknown    2      2-3,6-7  2

NUMA node  memory     distance to each
0          16384 MiB  10 32
1          16384 MiB  32 10

Limit                             value         used     per rank     ranks
vm.max_map_count                  65530           64           27      2424  one address space only
RLIMIT_NPROC                  unlimited            0            6       any  does not apply to root
made up                         unknown            0            1       any  open /x: permission denied
btl pvas: up to 2424 ranks (vm.max_map_count)
btl sm: no limit on the number of ranks
btl other: no ranks: not there

Feature                        used for
memfd                  yes     memory of a job
CMA                    no      one copy: process_vm_readv: operation not permitted
                               forbidden
huge pages             unknown --huge-pages: no smaps
`, "\n")
	var b strings.Builder
	require.NoError(t, sample().WriteText(&b))
	require.Equal(t, want, b.String())
	b.Reset()
	require.NoError(t, Info{}.WriteText(&b), "an empty report does no harm")
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(sample())
	require.NoError(t, err)
	var back Info
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, sample(), back)
	require.Contains(t, string(text), `"name":"RLIMIT_NPROC","value":null,"used":0,"per_rank":6,"ranks":null`)
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{
		-1: "unknown", 0: "unknown", 1: "1 bytes", 1 << 10: "1 KiB", 1536: "1536 bytes",
		3 << 20: "3 MiB", 1 << 30: "1 GiB",
	} {
		require.Equal(t, want, size(n))
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestReadHugePages(t *testing.T) {
	h := readHugePages(fstest.MapFS{
		"sys/kernel/mm/hugepages/README":                           file("not a page size"),
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages":    file("7\n"),
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": file("0\n"),
		"sys/kernel/mm/transparent_hugepage/enabled":               file("always [madvise] never\n"),
		"sys/kernel/mm/transparent_hugepage/defrag":                file("defer\n"),
	})
	require.Equal(t, HugePages{
		Enabled:  "madvise",
		Defrag:   "defer",
		Reserved: []ReservedPages{{SizeKiB: 1048576, Count: 0}, {SizeKiB: 2048, Count: 7}},
	}, h)
	require.Equal(t, HugePages{Reserved: []ReservedPages{}}, readHugePages(fstest.MapFS{}))
}
