package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// parsed are the Go files of this repository.
var parsed = sync.OnceValues(func() ([]source, error) { return parse(os.DirFS("../../..")) })

// repository is the root of this repository, and its Go files.
func repository(t *testing.T) (string, []source) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "go.mod"))
	files, err := parsed()
	require.NoError(t, err)
	// If the walk went wrong, every rule would hold of nothing.
	paths := map[string]bool{}
	for _, f := range files {
		paths[f.path] = true
	}
	require.True(t, paths["internal/test/house/house_test.go"], "this file was not found")
	require.True(t, paths["internal/node/sys/doc.go"], "internal/node/sys was not found")
	return root, files
}

// report fails the test once for each violation.
func report(t *testing.T, bad []string) {
	t.Helper()
	for _, b := range bad {
		t.Error(b)
	}
}

func TestImportsPointDown(t *testing.T) {
	_, files := repository(t)
	report(t, checkLayers(layers, files))
	report(t, checkAllowances(layers, files))
}

func TestUnsafeStaysInUnsafeFiles(t *testing.T) {
	_, files := repository(t)
	report(t, checkUnsafe(files))
}

func TestOneDoorToTheKernel(t *testing.T) {
	_, files := repository(t)
	report(t, checkKernel(files))
	report(t, checkSharedMappings(files))
}

func TestCgoIsForTheLibrary(t *testing.T) {
	_, files := repository(t)
	report(t, checkCgo(files))
}

func TestPackagesHaveComments(t *testing.T) {
	_, files := repository(t)
	report(t, checkComments(files))
}

func TestLengths(t *testing.T) {
	_, files := repository(t)
	report(t, checkLengths(files))
}

// What a program or a test has left in the tree is easily committed by mistake.
func TestFilesAreNotLarge(t *testing.T) {
	const most = 512 << 10
	root, _ := repository(t)
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("this is no clone: git ls-files: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	require.Contains(t, names, "go.mod")
	for _, name := range names {
		if i, err := os.Lstat(filepath.Join(root, name)); err == nil && i.Size() > most {
			t.Errorf("%s: %d bytes, more than %d", name, i.Size(), most)
		}
	}
}

func TestLinks(t *testing.T) {
	root, _ := repository(t)
	bad, err := checkLinks(os.DirFS(root))
	require.NoError(t, err)
	report(t, bad)
}
