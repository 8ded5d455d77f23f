package examples_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/pvas"
)

// A program of the gallery is read at one look.
func TestGalleryIsShort(t *testing.T) {
	programs, err := filepath.Glob("gallery/*/main.go")
	require.NoError(t, err)
	require.Len(t, programs, 10)
	for _, name := range programs {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 60, name)
	}
}

func TestGallery(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	// On a torus a glider is back at its place when it has gone around.
	glider := "010000000000\n001000000000\n111000000000\n" + strings.Repeat("000000000000\n", 9)
	texts := []string{"wordcount", "-top", "3"}
	for i := range 20 {
		texts = append(texts, file(fmt.Sprint("text", i), strings.Repeat("Ranks, in one ", 3)+strings.Repeat("in ", i)))
	}
	// Three squares, whose first corners come first.
	points := ""
	for _, d := range []int{-1, 1, -2, 2} {
		points += fmt.Sprintf("%d %d\n%d %d\n%d %d\n", d, d*d, 100+d, d*d, d, 100+d*d)
	}
	for _, p := range []struct {
		args []string
		want string
	}{
		{[]string{"halo", "-steps", "48", file("glider", glider)}, glider},
		{texts, "250 in\n60 one\n60 ranks\n"},
		{[]string{"kmeans", "-k", "3", file("points", points)}, "[(0+2.5i) (100+2.5i) (0+102.5i)]\n"},
		{[]string{"counter", "-below", "100000"}, "77031 takes 350 steps\n"},
		{[]string{"farm", "-below", "100000"}, "9592 primes; workers that have failed: 0\n"},
	} {
		t.Run(p.args[0], func(t *testing.T) {
			everywhere(t, func(t *testing.T, _ string, _ int, lines []string) {
				require.Equal(t, p.want, strings.Join(lines, "\n")+"\n")
			}, p.args...)
		})
	}
}

// What is wrong with the arguments, or in a file, is told in words.
func TestGalleryMistakes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("1 2\n3 x\n4 5\n"), 0o600))
	for _, c := range [][]string{
		{"want a number from 0 to 20000", "cg", "-rows", "99999999999"},
		{"want a number from 0 to 10000000", "nbody", "-n", "-1"},
		{"want a number from 0 to 10000000", "nbody", "-n", "99999999999"},
		{"there is no FILE\nusage: gzip [flags] FILE\n", "gzip"},
		{dir + " is no regular file", "gzip", dir},
		{"there is no BOARD\n", "halo"},
		{"there is no FILE\n", "samplesort"},
		{file + " has less than 8 bytes of the last integer", "samplesort", file},
		{"there is no FILE...\nusage: wordcount [flags] FILE...\n", "wordcount"},
		{file + ":2: want x y: ", "kmeans", file},
		{"flags come before " + file + ": -k\nusage: kmeans [flags] POINTS\n", "kmeans", file, "-k", "3"},
	} {
		args := append([]string{"--btl", "sm", "-n", "1", filepath.Join(built, c[1])}, c[2:]...)
		out, err := exec.Command(pvasrun, args...).CombinedOutput()
		require.Error(t, err, "%s", out)
		require.Contains(t, string(out), c[0])
		require.NotContains(t, string(out), "panic")
	}
	require.NoFileExists(t, dir+".gz")
}

func TestSamplesort(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys")
	keys := make([]int64, 20_000)
	for i := range keys {
		keys[i] = rand.Int64N(1000) - 500 // some many times
	}
	for _, keys := range [][]int64{nil, keys[:2], keys} {
		write := func() {
			text, err := binary.Append(nil, binary.NativeEndian, keys)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, text, 0o600))
		}
		write()
		everywhere(t, func(t *testing.T, _ string, _ int, _ []string) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			got := make([]int64, len(text)/8)
			_, err = binary.Decode(text, binary.NativeEndian, got)
			require.NoError(t, err)
			require.Equal(t, slices.Sorted(slices.Values(keys)), append([]int64(nil), got...))
			write()
		}, "samplesort", name)
	}
}

// What x[0] is by elimination of the whole matrix, the ranks find by conjugate gradients.
func TestCg(t *testing.T) {
	const rows, n = 13, 13 * 13
	a := make([][]float64, n) // the last column is the right-hand side, then the solution
	for i := range a {
		a[i] = make([]float64, n+1)
		a[i][i], a[i][n] = 4, 1
		for _, j := range []int{i - 1, i + 1, i - rows, i + rows} {
			if j >= 0 && j < n {
				a[i][j] = -1
			}
		}
	}
	for k := range slices.Backward(a) { // row 0 is left with its unknown alone
		for i := range k {
			for j, f := 0, a[i][k]/a[k][k]; j <= n; j++ {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	everywhere(t, only(fmt.Sprintf(`\d+ steps, and the first of 169 numbers is %.9f`, a[0][n]/a[0][0])),
		"cg", "-rows", "13")
}

func TestNbody(t *testing.T) {
	const n, steps = 11, 3
	random := rand.New(rand.NewPCG(1, 2))
	x, v := make([]complex128, n), make([]complex128, n)
	for i := range x {
		x[i] = complex(random.Float64(), random.Float64())
	}
	for range steps {
		for i := range x {
			for _, y := range x {
				v[i] += (y - x[i]) * complex(1e-4/math.Pow(cmplx.Abs(y-x[i])+0.01, 3), 0)
			}
		}
		for i := range x {
			x[i] += v[i] * 1e-4
		}
	}
	everywhere(t, func(t *testing.T, _ string, _ int, lines []string) {
		got := strings.Fields(strings.Trim(lines[0], "[]"))
		require.Len(t, got, n)
		for i, text := range got {
			y, err := strconv.ParseComplex(text, 128)
			require.NoError(t, err)
			require.InDelta(t, 0, cmplx.Abs(y-x[i]), 1e-8)
		}
	}, "nbody", "-n", fmt.Sprint(n), "-steps", fmt.Sprint(steps))
}

func TestGzip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	for _, text := range []string{"", strings.Repeat("all ranks of the job ", 60_000)} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		everywhere(t, func(t *testing.T, _ string, _ int, _ []string) {
			file, err := os.Open(name + ".gz")
			require.NoError(t, err)
			r, err := gzip.NewReader(file)
			require.NoError(t, err)
			got, err := io.ReadAll(r)
			require.NoError(t, errors.Join(err, file.Close(), os.Remove(file.Name())))
			require.Equal(t, text, string(got))
		}, "gzip", name)
	}
}

func TestCoupled(t *testing.T) {
	for _, btl := range []string{"sm", "pvas"} {
		if btl == "pvas" && pvas.Supported() != nil {
			continue // everywhere sees to it that CI supports it
		}
		job := func(ranks int, args ...string) *exec.Cmd {
			args = append([]string{"--btl", btl, "-n", fmt.Sprint(ranks), "--timeout", "60",
				filepath.Join(built, "coupled")}, args...)
			return exec.Command(pvasrun, args...)
		}
		serve := job(3)
		out, err := serve.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, serve.Start())
		port, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		got, err := job(2, "-connect", strings.TrimSpace(port), "-n", "1000000").CombinedOutput()
		require.NoError(t, err, "%s", got)
		require.Equal(t, "3 ranks of the other job say that pi is 3.141592654\n", string(got))
		require.NoError(t, serve.Wait())
	}
}
