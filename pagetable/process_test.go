package pagetable

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/edsrzf/mmap-go"
	"github.com/stretchr/testify/require"
)

// The test binary is its own helper process: started with this variable set it
// touches memory as told and waits. Its tables are then nobody else's.
const envToucher = "PAGETABLE_TEST_TOUCHER"

func TestMain(m *testing.M) {
	if os.Getenv(envToucher) != "" {
		toucher()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// region is how much memory the helper maps; less than a gigabyte, so that it
// lies in at most two.
const region = 64 * mib

// pattern is which of the region's pages the helper touches, counted from its
// first 2 MiB boundary.
type pattern struct{ Offset, Length, Step uint64 }

// mappings are the model's words for the same.
func (p pattern) mappings(base uint64) []Mapping {
	var ms []Mapping
	for at := p.Offset; at < p.Offset+p.Length; at += p.Step {
		ms = append(ms, Mapping{Start: base + at, End: base + at + PageSize})
	}
	return ms
}

// toucher maps a region, touches its first and last page, so that tables of the
// upper levels exist, reports its base, and touches the pattern when a line
// arrives on standard input. It ends when standard input does.
func toucher() {
	debug.SetGCPercent(-1) // a collection would touch pages of its own
	var p pattern
	if err := json.Unmarshal([]byte(os.Getenv(envToucher)), &p); err != nil {
		panic(err)
	}
	mem, err := mmap.MapRegion(nil, region+2*PTESpan, mmap.COPY, mmap.ANON, 0)
	if err != nil {
		panic(err)
	}
	start := uint64(reflect.ValueOf(mem).Pointer())
	base := (start + PTESpan - 1) / PTESpan * PTESpan
	mem = mem[base-start:]
	mem[0], mem[region-1] = 1, 1
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	// The first message is a rehearsal, so that most of what the runtime needs
	// for the second one has been touched.
	for range 2 {
		if err := out.Encode(base); err != nil {
			panic(err)
		}
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
	}
	for at := p.Offset; at < p.Offset+p.Length; at += p.Step {
		mem[at] = 1
	}
	if err := out.Encode(base); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, in)
}

// helper is a running toucher.
type helper struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
	base uint64
}

// startToucher starts a helper that ends with the test, and with this process.
func startToucher(t *testing.T, p pattern) *helper {
	t.Helper()
	env, err := json.Marshal(p)
	require.NoError(t, err)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envToucher+"="+string(env), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe() // its end is the helper's end, even if this process is killed
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &helper{t: t, cmd: cmd, in: in, out: json.NewDecoder(out)}
	t.Cleanup(h.stop)
	h.await()
	h.proceed()
	return h
}

// stop ends the helper; once is enough, twice does no harm.
func (h *helper) stop() {
	h.in.Close()
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// await blocks until the helper has reported.
func (h *helper) await() {
	h.t.Helper()
	require.NoError(h.t, h.out.Decode(&h.base))
}

// proceed lets the helper take its next step and waits for its report.
func (h *helper) proceed() {
	h.t.Helper()
	_, err := io.WriteString(h.in, "\n")
	require.NoError(h.t, err)
	h.await()
}

func (h *helper) usage() Usage {
	h.t.Helper()
	u, err := Process(h.cmd.Process.Pid)
	require.NoError(h.t, err)
	return u
}

// The model and the kernel agree to the page. The Go runtime of the helper may
// touch memory of its own meanwhile, which only ever adds a table page. So no
// try may show less than the model, and one of them must show exactly that: a
// model that is wrong cannot pass.
func TestModelAgainstKernel(t *testing.T) {
	if os.Getpagesize() != PageSize {
		t.Skipf("the model is of 4 KiB pages, this machine has %d bytes", os.Getpagesize())
	}
	tests := map[string]pattern{
		"one segment":           {2 * mib, 2 * mib, PageSize},
		"16 segments":           {2 * mib, 32 * mib, PageSize},
		"not aligned":           {3 * mib, 8 * mib, PageSize},
		"one page each 2 MiB":   {2 * mib, 60 * mib, 2 * mib},
		"one page each 64 KiB":  {4 * mib, 20 * mib, 64 * kib},
		"pages touched already": {0, PageSize, PageSize},
	}
	const tries = 20
	for name, p := range tests {
		t.Run(name, func(t *testing.T) {
			for try := 1; ; try++ {
				got, want := touchGrowth(t, p)
				require.GreaterOrEqual(t, got, want, "page tables, KiB")
				if got == want {
					return
				}
				require.Less(t, try, tries, "page tables, KiB: got %d each time, want %d", got, want)
			}
		})
	}
}

// touchGrowth returns by how many KiB the tables of a new helper grow when it
// touches the pattern, and what the model says.
func touchGrowth(t *testing.T, p pattern) (got, want int64) {
	h := startToucher(t, p)
	defer h.stop()
	before := h.usage()
	h.proceed()
	after := h.usage()
	if p.Offset > 0 { // pages not touched before; huge pages may bring in more
		pages := int64(p.Length / p.Step)
		require.GreaterOrEqual(t, after.RSS-before.RSS, pages*4*9/10, "RSS, KiB") // runtime may give back a little
		require.GreaterOrEqual(t, after.PSS-before.PSS, pages*4*9/10, "PSS, KiB")
	}
	touched := []Mapping{
		{Start: h.base, End: h.base + PageSize},
		{Start: h.base + region - PageSize, End: h.base + region},
	}
	growth := Growth(touched, p.mappings(h.base))
	return after.VmPTE - before.VmPTE, int64(growth.VmPTE())
}

// The sum of a job lies between the sums of its processes taken before and
// after it: an idle process never has less of these than it had.
func TestJob(t *testing.T) {
	p := pattern{2 * mib, 8 * mib, PageSize}
	a, b := startToucher(t, p), startToucher(t, p)
	pa, pb := a.cmd.Process.Pid, b.cmd.Process.Pid

	least := a.usage()
	least.add(b.usage())
	separate, err := Job([]int{pa, pb}, 2)
	require.NoError(t, err)
	shared, err := Job([]int{pa, pa}, 17)
	require.NoError(t, err)
	most := a.usage()
	one := most
	most.add(b.usage())

	require.Equal(t, 2, separate.Spaces)
	require.Equal(t, 2, separate.Ranks)
	between(t, least, separate.Usage, most)
	require.Equal(t, 1, shared.Spaces, "a pid given twice counts once")
	require.Equal(t, 17, shared.Ranks)
	between(t, Usage{VmPTE: 1, VmSize: 1, Areas: 1}, shared.Usage, one)
}

func between(t *testing.T, least, got, most Usage) {
	t.Helper()
	for _, v := range [][3]int64{
		{least.VmPTE, got.VmPTE, most.VmPTE},
		{least.VmSize, got.VmSize, most.VmSize},
		{int64(least.Areas), int64(got.Areas), int64(most.Areas)},
	} {
		require.LessOrEqual(t, v[0], v[1])
		require.LessOrEqual(t, v[1], v[2])
	}
}

func TestJobErrors(t *testing.T) {
	_, err := Job(nil, 1)
	require.EqualError(t, err, "pagetable: job of 1 ranks: no address space given")
	_, err = Job([]int{os.Getpid()}, 0)
	require.EqualError(t, err, "pagetable: job of 0 ranks: a job has at least one")
	_, err = Job([]int{os.Getpid(), -1}, 1)
	require.EqualError(t, err, "pagetable: process -1: not a process id")
}

func TestProcessErrors(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envToucher+"={}")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadAll(out) // standard input is /dev/null: it ends after its first report
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	_, err = Process(cmd.Process.Pid)
	require.ErrorIs(t, err, fs.ErrNotExist, "a process that has been waited for")
}

func TestSystem(t *testing.T) {
	m, err := System()
	require.NoError(t, err)
	for name, v := range map[string]int64{
		"PageTables": m.PageTables, "MemAvailable": m.MemAvailable, "MemFree": m.MemFree, "AnonPages": m.AnonPages,
	} {
		require.Positive(t, v, name)
	}
	if f, err := os.OpenFile("/proc/sys/vm/stat_refresh", os.O_WRONLY, 0); err == nil {
		f.Close()
		require.True(t, m.Folded, "stat_refresh may be written")
	} else {
		require.False(t, m.Folded)
	}
}
