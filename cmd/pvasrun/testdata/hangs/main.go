// Command hangs is a rank program of cases. Without arguments it lists them, a line each: kind, name, ranks.
//
//	hangs hang NAME     never ends: its ranks wait for what nobody does
//	hangs mismatch NAME  never ends, or ends with an error: its ranks make calls that do not fit
//	hangs race NAME     ends, whatever comes of it: goroutines of a rank race
//	hangs right NAME    ends well, after some ranks have waited as long as HANGS_LONG says
package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

// testCase is a program of some ranks.
type testCase struct {
	name  string
	ranks int
	run   func(w *mpi.Comm) error
}

var kinds = map[string][]testCase{"hang": hangs, "right": rights, "mismatch": mismatches, "race": races}

func main() {
	if len(os.Args) < 3 {
		for kind, cases := range kinds {
			for _, c := range cases {
				fmt.Println(kind, c.name, c.ranks)
			}
		}
		return
	}
	cases := kinds[os.Args[1]]
	i := slices.IndexFunc(cases, func(c testCase) bool { return c.name == os.Args[2] })
	mpi.Run(cases[i].run)
}

// long is how long a rank keeps others waiting.
func long() time.Duration {
	d, err := time.ParseDuration(os.Getenv("HANGS_LONG"))
	if err != nil {
		return time.Second
	}
	return d
}

const (
	short  = 8
	bulky  = 1 << 20 // leaves by rendezvous
	manyOf = 4096    // short messages: more than a receiver takes in unasked
)

func next(w *mpi.Comm) int     { return (w.Rank() + 1) % w.Size() }
func previous(w *mpi.Comm) int { return (w.Rank() + w.Size() - 1) % w.Size() }

func recv(w *mpi.Comm, src, tag int) error {
	_, err := mpi.Recv(w, make([]byte, bulky), src, tag)
	return err
}

func send(w *mpi.Comm, n, dst, tag int) error { return mpi.Send(w, make([]byte, n), dst, tag) }

// first has rank 0 do one thing, and the others another.
func first(zero, others func(w *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return zero(w)
		}
		return others(w)
	}
}
