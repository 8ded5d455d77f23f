package meter

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An area of smaps, with the fields that count.
func smapsArea(head, pss, anonymous string) string {
	return head + "\nSize:       4 kB\nPss:        " + pss + " kB\nPss_Dirty:  9 kB\nAnonymous:  " + anonymous +
		" kB\nTHPeligible:    0\nVmFlags: rd wr mr mw me ac sd\n"
}

var smapsText = smapsArea("100000-110000 r-xp 00000000 08:01 5 /bin/x y", "7", "0") +
	smapsArea("110000-120000 r--p 00010000 08:01 5 /bin/x y", "100", "90") + // relocated, and then protected
	smapsArea("120000-130000 rw-p 00020000 08:01 5 /bin/x y", "30", "28") +
	smapsArea("130000-140000 rw-p 00000000 00:00 0 ", "8", "8") + // its zeros
	smapsArea("140000-150000 rw-p 00000000 00:00 0 ", "64", "64") +
	smapsArea("200000-210000 rw-s 00000000 00:01 6 /memfd:pvas-job (deleted)", "3", "0") +
	smapsArea("210000-220000 rw-p 00000000 00:00 0 ", "16", "16") + // behind shared memory: not its zeros
	smapsArea("300000-310000 rw-p 00000000 00:00 0 [stack]", "20", "20")

func TestKinds(t *testing.T) {
	k, err := parseSmaps(strings.NewReader(smapsText))
	require.NoError(t, err)
	require.Equal(t, Kinds{Files: 7 + 10 + 2, Data: 90 + 28 + 8, Other: 64 + 16 + 20, Shared: 3}, k)

	k, err = kindsOf([]int{os.Getpid()})
	require.NoError(t, err)
	require.Positive(t, min(k.Files, k.Data, k.Other))
	_, err = kindsOf([]int{-1})
	require.ErrorContains(t, err, "process -1")
	_, err = parseSmaps(strings.NewReader("Pss: 3\n"))
	require.Error(t, err)
}

func TestKindsText(t *testing.T) {
	var b strings.Builder
	m := Measurement{Kinds: Kinds{Files: 640, Data: 64_000, Other: 96_000, Shared: 128}}
	m.Ranks = 64
	require.NoError(t, m.WriteKinds(&b))
	require.Equal(t, strings.Join([]string{
		"PSS KiB by kind           total     per rank",
		"as in files                 640         10.0",
		"own data                  64000       1000.0",
		"heap, stack               96000       1500.0",
		"shared                      128          2.0",
		"",
	}, "\n"), b.String())
	b.Reset()
	require.NoError(t, Measurement{}.WriteKinds(&b))
	require.Empty(t, b.String())
}

func FuzzParseSmaps(f *testing.F) {
	f.Add(smapsText)
	f.Fuzz(func(t *testing.T, text string) {
		if k, err := parseSmaps(strings.NewReader(text)); err != nil {
			require.Zero(t, k)
		}
	})
}
