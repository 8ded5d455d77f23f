package job

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/sys"
)

func setEnv(t *testing.T, rank, size, job string) {
	t.Helper()
	t.Setenv(EnvRank, rank)
	t.Setenv(EnvSize, size)
	t.Setenv(EnvJob, job)
}

func TestJoinWithoutJob(t *testing.T) {
	setEnv(t, "nonsense", "", "")
	p, err := Join()
	require.NoError(t, err)
	require.Nil(t, p)
}

func TestJoinByAddress(t *testing.T) {
	m, err := Create(Config{Ranks: 3, BTL: BTLPvas, CPUs: 2})
	require.NoError(t, err)
	defer m.Close()
	setEnv(t, "1", "3", fmt.Sprintf("addr:%#x", m.Addr()))
	p, err := Join()
	require.NoError(t, err)
	require.Equal(t, 1, p.Rank)
	require.Equal(t, 3, p.Size)
	require.NoError(t, p.Memory.Root().Claim(1, 7))
	require.NoError(t, p.Memory.Close())
	require.Equal(t, 7, m.Root().Pid(1), "the block is still mapped")
}

func TestJoinByDescriptor(t *testing.T) {
	m, err := Create(Config{Ranks: 2, BTL: BTLSM, CPUs: 2})
	require.NoError(t, err)
	defer m.Close()
	f, err := sys.DupCloexec(int(m.File().Fd()), "inherited")
	require.NoError(t, err)
	setEnv(t, "1", "2", "fd:"+strconv.Itoa(int(f.Fd())))
	p, err := Join()
	require.NoError(t, err)
	defer p.Memory.Close()
	require.Equal(t, 1, p.Rank)
	require.Error(t, f.Close(), "the inherited descriptor is closed")
	require.NoError(t, m.Root().Claim(0, 9))
	require.Equal(t, 9, p.Memory.Root().Pid(0))
}

// TestJoinRefuses: memory that is not there must give an error, not a fault.
func TestJoinRefuses(t *testing.T) {
	pvas, err := Create(Config{Ranks: 2, BTL: BTLPvas, CPUs: 2})
	require.NoError(t, err)
	defer pvas.Close()
	page := uintptr(os.Getpagesize())
	hidden, err := sys.Mmap(0, 16*page, sys.ProtNone, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer sys.Munmap(hidden, 16*page)
	zeros, err := sys.Mmap(0, 16*page, sys.ProtRead, sys.MapPrivate|sys.MapAnonymous, -1, 0)
	require.NoError(t, err)
	defer sys.Munmap(zeros, 16*page)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	blank, older := blockFile(t, func(b []byte) []byte { clear(b); return b }), blockFile(t, put32(8, 1))

	for _, c := range []struct{ name, size, job, want string }{
		{"unmapped address", "2", "addr:0x1000", "this process does not have the job's memory"},
		{"address beyond user space", "2", "addr:0xfffffffffffff000", "this process does not have the job's memory"},
		{"address that cannot be read", "2", fmt.Sprintf("addr:%#x", hidden),
			"this process does not have the job's memory"},
		{"address of something else", "2", fmt.Sprintf("addr:%#x", zeros), "this is no job memory"},
		{"other size", "3", fmt.Sprintf("addr:%#x", pvas.Addr()), "variables are those of another job"},
		{"other model", "2", fmt.Sprintf("fd:%d", dup(t, pvas.File())), "variables are those of another job"},
		{"closed descriptor", "2", "fd:1000000000", "pass descriptor 1000000000 on (pass_fds=[1000000000])"},
		{"other file", "2", fmt.Sprintf("fd:%d", null.Fd()),
			fmt.Sprintf("descriptor %d is not the job's memory", null.Fd())},
		{"file of zeros", "2", fmt.Sprintf("fd:%d", blank.Fd()),
			fmt.Sprintf("descriptor %d is not the job's memory", blank.Fd())},
		{"other version", "2", fmt.Sprintf("fd:%d", older.Fd()),
			"map memory pvas-job: version of the layout is 1, this program expects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setEnv(t, "0", c.size, c.job)
			p, err := Join()
			require.ErrorContains(t, err, c.want)
			require.Nil(t, p)
			require.Equal(t, strings.Contains(c.want, "descriptor"), strings.Contains(err.Error(), "pass_fds"))
		})
	}
	for _, short := range []error{syscall.ENOMEM, syscall.EMFILE} {
		require.Equal(t, short, notInherited(3, short))
	}
	_, err = null.Stat()
	require.NoError(t, err, "a descriptor that is not a job's stays open")
}

// dup returns a descriptor that Join may close.
func dup(t *testing.T, f *os.File) int {
	t.Helper()
	d, err := sys.DupCloexec(int(f.Fd()), "dup")
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() }) // mostly fails: Join has closed it
	return int(d.Fd())
}

func getter(rank, size, job string) func(string) string {
	return func(name string) string {
		return map[string]string{EnvRank: rank, EnvSize: size, EnvJob: job}[name]
	}
}

func TestParseEnv(t *testing.T) {
	for _, c := range []struct {
		rank, size, job string
		want            *settings
	}{
		{"", "", "", nil},
		{"1", "2", "", nil},
		{"0", "1", "fd:3", &settings{rank: 0, size: 1, btl: BTLSM, fd: 3}},
		{"7", "8", "fd:2147483647", &settings{rank: 7, size: 8, btl: BTLSM, fd: 1<<31 - 1}},
		{"2", "65536", "addr:0x7f0000001000", &settings{rank: 2, size: MaxRanks, btl: BTLPvas, addr: 0x7f0000001000}},
	} {
		have, err := parseEnv(getter(c.rank, c.size, c.job))
		require.NoError(t, err)
		require.Equal(t, c.want, have)
	}
}

func TestParseEnvRefuses(t *testing.T) {
	const fd = "fd:3"
	for _, c := range []struct{ rank, size, job, name string }{
		{"0", "1", "3", EnvJob},
		{"0", "1", "fd", EnvJob},
		{"0", "1", "fd:", EnvJob},
		{"0", "1", "fd:-1", EnvJob},
		{"0", "1", "fd:+3", EnvJob},
		{"0", "1", "fd:3 ", EnvJob},
		{"0", "1", "fd:2147483648", EnvJob},
		{"0", "1", "FD:3", EnvJob},
		{"0", "1", "addr:", EnvJob},
		{"0", "1", "addr:0x", EnvJob},
		{"0", "1", "addr:0x0", EnvJob},
		{"0", "1", "addr:7f0000001000", EnvJob},
		{"0", "1", "addr:0x7f0000001001", EnvJob},
		{"0", "1", "addr:0x10000000000000000", EnvJob},
		{"0", "", fd, EnvSize},
		{"0", "0", fd, EnvSize},
		{"0", "-1", fd, EnvSize},
		{"0", "65537", fd, EnvSize},
		{"0", "99999999999999999999", fd, EnvSize},
		{"", "1", fd, EnvRank},
		{"65536", "1", fd, EnvRank},
		{"-1", "1", fd, EnvRank},
		{"x", "1", fd, EnvRank},
	} {
		have, err := parseEnv(getter(c.rank, c.size, c.job))
		require.Nil(t, have)
		var bad *EnvError
		require.ErrorAs(t, err, &bad, "%+v", c)
		require.Equal(t, c.name, bad.Name)
		require.Contains(t, err.Error(), "pvasrun")
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add("1", "2", "fd:3")
	f.Add("0", "8", "addr:0x7f1234567000")
	f.Add("-1", "0", "fd:")
	f.Fuzz(func(t *testing.T, rank, size, job string) {
		s, err := parseEnv(getter(rank, size, job))
		switch {
		case job == "":
			require.NoError(t, err)
			require.Nil(t, s)
		case err != nil:
			require.Nil(t, s)
		default:
			require.True(t, s.size >= 1 && s.size <= MaxRanks)
			require.True(t, s.rank >= 0 && s.rank < MaxRanks, "in a late world it may be above the size")
			require.True(t, s.btl == BTLSM && s.fd >= 0 || s.btl == BTLPvas && s.addr != 0)
		}
	})
}

func FuzzCheckHeader(f *testing.F) {
	good := heapRoot(1)
	initRoot(good, Config{Ranks: 1, BTL: BTLSM, CPUs: 1}, hugePage, hugePage)
	f.Add(good[:headerSize])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, head []byte) {
		h, err := checkHeader(head)
		if err != nil {
			require.Nil(t, h)
			return
		}
		require.True(t, h.ranks >= 1 && h.ranks <= MaxRanks)
		if size, err := h.fileSize(); err == nil {
			require.GreaterOrEqual(t, size, uint64(rootSize(int(h.ranks))))
		}
	})
}
