package testkit

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// pool has the kernel's numbers of reserved pages of 2 MiB.
const pool = "/sys/kernel/mm/hugepages/hugepages-2048kB"

// spare is how many more pages there should be than a test needs. A pvasrun info of another package's test takes one
// for a moment.
const spare = 4

// ReservedPages skips the test where fewer than n reserved pages of 2 MiB are free, and none can be added, as root may.
// What it adds is given back at the end of the test. The test has LockPages. ReservedPages returns how many pages there
// are: more than that are never free.
func ReservedPages(t *testing.T, n int) (total int) {
	t.Helper()
	if err := LockPages(t); err != nil {
		t.Skipf("no reserved pages of 2 MiB: %v", err)
	}
	free := pages(t, "free_hugepages")
	if free >= n+spare {
		return pages(t, "nr_hugepages")
	}
	before := pages(t, "nr_hugepages") - pages(t, "surplus_hugepages") // in use, and given back after that
	all := filepath.Join(pool, "nr_hugepages")
	set := func(n int) error { return os.WriteFile(all, []byte(strconv.Itoa(n)), 0) }
	err := set(before + n + spare - free)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, set(before)) })
	}
	if free = pages(t, "free_hugepages"); free < n {
		t.Skipf("%d reserved pages are free, of %d: %v", free, n, cmp.Or(err, errors.New("memory is in pieces")))
	}
	total = pages(t, "nr_hugepages")
	t.Logf("%s is %d, and %d again after this test", all, total, before)
	return total
}

// LockPages has tests of all packages that may take reserved pages run one after the other: it returns when no other
// one runs, and the test has the lock until its end. The error is that the kernel has no such pages.
func LockPages(t *testing.T) error {
	t.Helper()
	lock, err := os.Open(pool)
	if err != nil {
		return err
	}
	t.Cleanup(func() { lock.Close() })
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	return nil
}

func pages(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pool, name))
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	return n
}

// PageSize returns the size in bytes of the pages at an address of this process.
func PageSize(t *testing.T, addr uintptr) int {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var start, end uintptr
		var kib int
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &start, &end); n == 2 {
			inside = start <= addr && addr < end
		} else if n, _ := fmt.Sscanf(lines.Text(), "KernelPageSize: %d kB", &kib); n == 1 && inside {
			return kib << 10
		}
	}
	t.Fatalf("there is no memory at %#x", addr)
	return 0
}
