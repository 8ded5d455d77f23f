package pagetable

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const statusText = `Name:	VmPTE: 7 kB
Umask:	0022
State:	S (sleeping)
VmPeak:	    3060 kB
VmSize:	    3052 kB
VmRSS:	    1684 kB
VmPTE:	      48 kB
VmSwap:	       0 kB
Threads:	1
`

func TestParseStatus(t *testing.T) {
	var u Usage
	require.NoError(t, parseStatus([]byte(statusText), &u))
	require.Equal(t, Usage{VmPTE: 48, VmSize: 3052}, u)

	bad := map[string]string{
		"zombie has no memory": "Name:\tx\nState:\tZ (zombie)\n",
		"missing":              "VmSize: 1 kB\n",
		"empty":                "",
		"no unit":              "VmSize: 1\nVmPTE: 2 kB\n",
		"other unit":           "VmSize: 1 MB\nVmPTE: 2 kB\n",
		"negative":             "VmSize: -1 kB\nVmPTE: 2 kB\n",
		"too large":            "VmSize: 9223372036854775808 kB\nVmPTE: 2 kB\n",
		"not a number":         "VmSize: x kB\nVmPTE: 2 kB\n",
		"twice":                "VmSize: 1 kB\nVmPTE: 2 kB\nVmSize: 1 kB\n",
	}
	for name, text := range bad {
		require.ErrorIs(t, parseStatus([]byte(text), &u), errFormat, name)
	}
	require.EqualError(t, parseStatus([]byte("VmSize: 1 kB\n"), &u), "field VmPTE: missing: unexpected format")
}

func TestParseRollup(t *testing.T) {
	text := "55c8e63ab000-7ffc75bf2000 ---p 00000000 00:00 0     [rollup]\n" +
		"Rss:                1708 kB\nPss:                 472 kB\nPss_Dirty:           112 kB\n"
	var u Usage
	require.NoError(t, parseRollup([]byte(text), &u))
	require.Equal(t, Usage{RSS: 1708, PSS: 472}, u)
}

func TestParseMeminfo(t *testing.T) {
	text := "MemTotal: 24684096 kB\nMemFree: 24538608 kB\nMemAvailable: 24451664 kB\nAnonPages: 11752 kB\n" +
		"Shmem: 8788 kB\nShmemHugePages: 5 kB\nPageTables: 1696 kB\nSecPageTables: 3 kB\nHugePages_Total: 0\n"
	var m Memory
	require.NoError(t, parseMeminfo([]byte(text), &m))
	require.Equal(t, Memory{PageTables: 1696, MemAvailable: 24451664, MemFree: 24538608, AnonPages: 11752, Shmem: 8788},
		m)
}

func TestParseMaps(t *testing.T) {
	const private, shared = "10000-12000 rw-p 00000000 00:00 0 [heap]\n",
		"7f0000000000-7f0000201000 rw-s 00000000 00:01 7  /memfd:x (deleted)\n"
	for text, want := range map[string]Usage{
		"": {}, private: {Areas: 1}, shared: {Areas: 1, Shared: 2052},
		shared + private + shared:                                     {Areas: 3, Shared: 4104},
		private + strings.TrimSuffix(shared, "\n"):                    {Areas: 2, Shared: 2052},
		"ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]": {Areas: 1},
		strings.Repeat(private, 100_000):                              {Areas: 100_000},
	} {
		got := Usage{Areas: 5}
		require.NoError(t, parseMaps(strings.NewReader(text), &got))
		require.Equal(t, want, got)
		require.NoError(t, parseMaps(iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(text))), &got))
		require.Equal(t, want, got, "read byte by byte")
	}
	require.Error(t, parseMaps(strings.NewReader("1000-2000 rw\n"), &Usage{}))
	cause := errors.New("broken")
	require.ErrorIs(t, parseMaps(iotest.ErrReader(cause), &Usage{}), cause)
}

// fuzzFields checks what holds for every parser: an error or sane values, and
// the same again for the same input.
func fuzzFields[T comparable](f *testing.F, parse func([]byte, *T) error, values func(T) []int64) {
	f.Fuzz(func(t *testing.T, text []byte) {
		var a, b T
		err := parse(text, &a)
		if err != nil {
			require.ErrorIs(t, err, errFormat)
			return
		}
		for _, v := range values(a) {
			require.GreaterOrEqual(t, v, int64(0))
		}
		require.NoError(t, parse(append([]byte("Unknown: x\n"), text...), &b), "an unknown line in front")
		require.Equal(t, a, b)
	})
}

// seedFile adds a file of this machine's /proc to the corpus.
func seedFile(f *testing.F, path string) {
	text, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(text)
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(statusText))
	f.Add([]byte("VmSize: 1 kB\nVmPTE: 2 kB"))
	seedFile(f, "/proc/self/status")
	fuzzFields(f, parseStatus, func(u Usage) []int64 { return []int64{u.VmPTE, u.VmSize} })
}

func FuzzParseRollup(f *testing.F) {
	seedFile(f, "/proc/self/smaps_rollup")
	fuzzFields(f, parseRollup, func(u Usage) []int64 { return []int64{u.RSS, u.PSS} })
}

func FuzzParseMeminfo(f *testing.F) {
	seedFile(f, "/proc/meminfo")
	fuzzFields(f, parseMeminfo, func(m Memory) []int64 {
		return []int64{m.PageTables, m.MemAvailable, m.MemFree, m.AnonPages, m.Shmem}
	})
}
