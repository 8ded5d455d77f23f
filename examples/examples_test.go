// Package examples_test runs every example in both task models.
package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/test/testkit"
	"github.com/gopvas/gopvas/pvas"
)

// The command, and the folder with the examples as programs: pvasrun that is given the source
// of one would build it for each job.
var pvasrun, built string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "examples-test")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	pvasrun, built = filepath.Join(dir, "pvasrun"), dir
	if out, err := exec.Command("go", "build", "-buildmode=pie", "-o", dir, "../cmd/pvasrun",
		"./...").CombinedOutput(); err != nil {
		fmt.Printf("build pvasrun and the examples: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// everywhere runs an example with 1, 2, 3 and 5 ranks in both task models, or, unless Long, with 1, 3 and 5 by turns.
func everywhere(t *testing.T, check func(t *testing.T, btl string, n int, lines []string), example ...string) {
	counts := []int{1, 3, 5}
	if testkit.Long() {
		counts = append(counts, 2)
	}
	for i, n := range counts {
		for _, btl := range testkit.Turn(i, "sm", "pvas") {
			if err := pvas.Supported(); btl == "pvas" && err != nil {
				require.Empty(t, os.Getenv("CI"), "CI must support one address space: %v", err)
				continue
			}
			t.Run(fmt.Sprintf("btl=%s/ranks=%d", btl, n), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				args := append([]string{"--btl", btl, "-n", fmt.Sprint(n), "--timeout", "60",
					filepath.Join(built, example[0])}, example[1:]...)
				cmd := exec.Command(pvasrun, args...)
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				require.NoError(t, cmd.Run(), "%s", &stderr)
				require.Empty(t, stderr.String())
				check(t, btl, n, strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n"))
			})
		}
	}
}

func TestHello(t *testing.T) {
	format := regexp.MustCompile(`^rank (\d) of (\d), pid (\d+), partition (0x[0-9a-f]+|none)$`)
	everywhere(t, func(t *testing.T, btl string, n int, lines []string) {
		require.Len(t, lines, n)
		ranks, pids, partitions := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, l := range lines {
			m := format.FindStringSubmatch(l)
			require.NotNil(t, m, l)
			require.Equal(t, fmt.Sprint(n), m[2])
			ranks[m[1]], pids[m[3]], partitions[m[4]] = true, true, true
		}
		require.Len(t, ranks, n)
		require.Len(t, pids, n, "every rank is a process of its own")
		if btl == "sm" {
			require.Equal(t, map[string]bool{"none": true}, partitions)
		} else {
			require.Len(t, partitions, n)
		}
	}, "hello")
}

func TestPeek(t *testing.T) {
	everywhere(t, func(t *testing.T, btl string, n int, lines []string) {
		require.Len(t, lines, 1)
		switch {
		case n == 1:
			require.Contains(t, lines[0], "two")
		case btl == "sm":
			require.Contains(t, lines[0], "address space")
		default:
			require.Regexp(t, `^rank 0, pid \d+, reads at 0x[0-9a-f]+: hello from the heap of rank 1, pid \d+$`,
				lines[0])
		}
	}, "peek")
}

// only checks the one line of an example that verifies itself, in which %d is the number
// of ranks.
func only(line string) func(t *testing.T, btl string, n int, lines []string) {
	return func(t *testing.T, btl string, n int, lines []string) {
		require.Len(t, lines, 1)
		require.Regexp(t, "^"+strings.ReplaceAll(line, "%d", fmt.Sprint(n))+"$", lines[0])
	}
}

func TestGauss(t *testing.T) {
	for _, args := range [][]string{{"-n", "61"}, {"-n", "64", "-block", "4", "-ahead=false"},
		{"-n", "3", "-block", "5"}} {
		everywhere(t,
			only(
				`gauss: n = \d+, blocks of \d+, \d x \d ranks: the triangles make the matrix; [0-9.]+ ms, \d+ Mflop/s`),
			append([]string{"gauss"}, args...)...)
	}
}

func TestLu(t *testing.T) {
	for _, args := range [][]string{{"-n", "64"}, {"-n", "208", "-wait"}} {
		everywhere(t, only(`lu: \d+ rows by %d ranks: right; \d+ Mflop/s`), append([]string{"lu"}, args...)...)
	}
}

func TestFrame(t *testing.T) {
	everywhere(t, func(t *testing.T, _ string, n int, lines []string) {
		for rank := range n {
			require.Contains(t, lines, fmt.Sprintf("rank %d is through", rank))
		}
	}, "frame")
	var stderr bytes.Buffer
	cmd := exec.Command(pvasrun, "--btl", "sm", "-n", "3", "--timeout", "60", filepath.Join(built, "frame"), "fail")
	cmd.Stderr = &stderr
	require.Error(t, cmd.Run())
	require.Equal(t, 3, cmd.ProcessState.ExitCode())
	require.Contains(t, stderr.String(), "rank 0 gives up")
}

func TestPi(t *testing.T) {
	everywhere(t, only(`%d ranks say that pi is 3\.141592654`), "pi")
}

// Five of eight workers die, and their tasks are done by others.
func TestFarm(t *testing.T) {
	fiveDie(t, "farm", `^78498 primes; workers that have failed: 5\n$`)
}

// Five of nine ranks die, and the others begin again where they were.
func TestEndure(t *testing.T) {
	everywhere(t, only(`pi is 3\.14159265, in 1 runs, with %d of %d ranks at the end`), "endure")
	fiveDie(t, "endure", `^pi is 3\.14159265, in \d runs, with 4 of 9 ranks at the end\n$`)
}

// TestOutlive: the plate has the same bits with any number of ranks, and when five of them die.
func TestOutlive(t *testing.T) {
	found := map[string]bool{}
	sum := regexp.MustCompile(`: the sum of their bits is ([0-9a-f]{16}), with (\d) of (\d) ranks at the end$`)
	everywhere(t, func(t *testing.T, _ string, _ int, lines []string) {
		require.Len(t, lines, 1)
		m := sum.FindStringSubmatch(lines[0])
		require.NotNil(t, m, lines[0])
		require.Equal(t, m[2], m[3], "nobody dies")
		found[m[1]] = true
	}, "outlive")
	require.Len(t, found, 1)
	for bits := range found {
		fiveDie(t, "outlive", `^120 x 120 cells, 300 steps: the sum of their bits is `+bits+
			`, with 4 of 9 ranks at the end\n$`)
	}
}

// fiveDie runs a program of nine ranks, five of which die. want is what it prints.
func fiveDie(t *testing.T, name, want string) {
	for _, btl := range []string{"sm", "pvas"} {
		if btl == "pvas" && pvas.Supported() != nil {
			continue // everywhere sees to it that CI supports it
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(pvasrun, "--survive", "--btl", btl, "-n", "9", "--timeout", "60",
			filepath.Join(built, name), "-die", "5")
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), "%s", &stderr)
		require.Regexp(t, want, stdout.String())
		require.Equal(t, 5, strings.Count(stderr.String(), "the job goes on"), "%s", &stderr)
	}
}

func TestDotproduct(t *testing.T) {
	everywhere(t, only(`dot product of 100003 elements on %d ranks: -?\d+, as by one alone`),
		"dotproduct", "-n", "100003")
}

func TestTranspose(t *testing.T) {
	for _, n := range []string{"0", "3", "301"} {
		everywhere(t, only(`transposed a `+n+` x `+n+` matrix on %d ranks in \S+: every element is in its place`),
			"transpose", "-n", n)
	}
}

func TestHeat(t *testing.T) {
	file := filepath.Join(t.TempDir(), "heat.png")
	everywhere(t, func(t *testing.T, btl string, n int, lines []string) {
		require.Len(t, lines, 1)
		require.Regexp(t, `^heat: 50 x 50 cells, 200 steps on \d x \d ranks: the same bits as by one alone; see `,
			lines[0])
		f, err := os.Open(file)
		require.NoError(t, err)
		img, err := png.Decode(f)
		require.NoError(t, errors.Join(err, f.Close(), os.Remove(file)))
		require.Equal(t, image.Rect(0, 0, 400, 400), img.Bounds())
		brightness := func(x, y int) uint32 {
			r, g, b, _ := img.At(x, y).RGBA()
			return r + g + b
		}
		require.Greater(t, brightness(200, 200), brightness(380, 20), "the middle is warmer than the corner")
		require.Greater(t, brightness(4, 200), brightness(396, 200), "the left edge is heated")
	}, "heat", "-cells", "50", "-steps", "200", "-o", file)
	everywhere(t, only("heat: 5 x 5 cells, 7 steps on . x . ranks: the same bits as by one alone"),
		"heat", "-cells", "5", "-steps", "7", "-o", "")
}

func TestFFT3D(t *testing.T) {
	everywhere(t, only(`transformed 32 x 32 x 32 numbers on %d ranks in .*: relative error \d\.\de-\d\d`),
		"fft3d", "-n", "32")
}

func sorted(text string) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines)
	return lines
}
