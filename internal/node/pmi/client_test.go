package pmi

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// server is a launcher of one process.
func server(t *testing.T, answers func(line string) string) (get func(string) string) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	near := os.NewFile(uintptr(pair[0]), "launcher")
	go func() {
		defer near.Close()
		for lines := bufio.NewScanner(near); lines.Scan(); {
			if _, err := io.WriteString(near, answers(lines.Text())); err != nil {
				return
			}
		}
	}()
	return func(name string) string {
		return map[string]string{"PMI_FD": strconv.Itoa(pair[1]), "PMI_RANK": "0", "PMI_SIZE": "1"}[name]
	}
}

// honest answers as launchers do.
func honest() func(string) string {
	values := map[string]string{}
	return func(line string) string {
		switch m := parse(line); m["cmd"] {
		case "init":
			return "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n"
		case "get_maxes":
			return "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=100\n"
		case "get_my_kvsname":
			return "cmd=my_kvsname kvsname=space\n"
		case "put":
			values[m["kvsname"]+m["key"]] = m["value"]
			return "cmd=put_result rc=0 msg=success\n"
		case "barrier_in":
			return "cmd=barrier_out\n"
		case "get":
			if value, ok := values[m["kvsname"]+m["key"]]; ok {
				return "cmd=get_result rc=0 msg=success value=" + value + "\n"
			}
			return "cmd=get_result rc=-1 msg=not_found\n"
		}
		return "cmd=finalize_ack\n"
	}
}

func TestClient(t *testing.T) {
	c, err := Open(server(t, honest()))
	require.NoError(t, err)
	require.NoError(t, c.Put("a", []byte("x =\n\x00")))
	require.ErrorContains(t, c.Put("b", make([]byte, 100)), "the launcher takes 99")
	require.NoError(t, c.Fence())
	value, err := c.Get("a")
	require.NoError(t, err)
	require.Equal(t, "x =\n\x00", string(value))
	_, err = c.Get("b")
	require.ErrorContains(t, err, "refused")
	require.NoError(t, c.Close())
}

func TestBadLaunchers(t *testing.T) {
	_, err := Open(func(string) string { return "" })
	require.ErrorIs(t, err, ErrNone)
	for answer, says := range map[string]string{
		"cmd=response_to_init rc=0 pmi_version=2\n": "speaks version",
		"cmd=response_to_init rc=-1\n":              "refused",
		"hello\n":                                   "and not response_to_init",
		strings.Repeat("x", 2*mostLine):             "buffer full",
		"\n":                                        "and not response_to_init",
	} {
		_, err := Open(server(t, func(string) string { return answer }))
		require.ErrorContains(t, err, says)
	}
	for name, value := range map[string]string{"PMI_FD": "x", "PMI_RANK": "1", "PMI_SIZE": "-1"} {
		get := server(t, honest())
		_, err := Open(func(s string) string {
			if s == name {
				return value
			}
			return get(s)
		})
		require.Error(t, err, name)
	}
}

// TestHydra runs this test in processes that mpiexec has started.
func TestHydra(t *testing.T) {
	if os.Getenv("PMI_FD")+os.Getenv("PMI_PORT") != "" {
		exchange(t)
		return
	}
	if _, err := exec.LookPath("mpiexec.hydra"); err != nil {
		t.Skip("mpiexec.hydra is not installed: it comes with MPICH")
	}
	for _, how := range [][]string{nil, {"-pmi-port"}} {
		out, err := exec.Command("mpiexec.hydra",
			append(how, "-n", "3", os.Args[0], "-test.run=^TestHydra$", "-test.v")...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, 3, strings.Count(string(out), "all of 3 are here"), "%s", out)
	}
}

func exchange(t *testing.T) {
	c, err := Open(os.Getenv)
	require.NoError(t, err)
	for round := range 3 {
		key := func(rank int) string { return fmt.Sprintf("round-%d-%d", round, rank) }
		require.NoError(t, c.Put(key(c.Rank), fmt.Append(nil, c.Rank)))
		require.NoError(t, c.Fence())
		for rank := range c.Size {
			value, err := c.Get(key(rank))
			require.NoError(t, err)
			require.Equal(t, strconv.Itoa(rank), string(value))
		}
	}
	fmt.Printf("all of %d are here\n", c.Size)
	require.NoError(t, c.Close())
}

func FuzzReplies(f *testing.F) {
	f.Add("cmd=response_to_init rc=0 pmi_version=1\ncmd=maxes vallen_max=9\ncmd=my_kvsname " +
		"kvsname=k\ncmd=get_result value=eA\n")
	f.Add("cmd=set size=2\ncmd=set rank=1\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := &Client{Size: 1}
		c.attach(&script{strings.NewReader(text)})
		if c.begin() == nil {
			_, _ = c.Get("key")
			_ = c.Put("key", nil)
			_ = c.Fence()
			_ = c.Close()
		}
	})
}

// script says what it will, whatever it is asked.
type script struct{ *strings.Reader }

func (*script) Write(b []byte) (int, error) { return len(b), nil }
func (*script) Close() error                { return nil }
