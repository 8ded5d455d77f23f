// Command pvasrun starts the ranks of a job in one address space (or, as a
// fallback, as classic processes), measures what that costs, and says what this
// machine can do.
//
//	pvasrun -n 4 ./examples/hello
//	pvasrun -n 2 a : -n 3 b
//	pvasrun bench touch -n 8,16,32,64
//	pvasrun info
//	pvasrun completion bash
//
// pvasrun --help lists the flags. The table of commands is here; each family of
// commands has a package below internal, for flags and printing. The work is done
// by packages launcher, bench and internal/node/machine.
package main

import (
	"os"

	"github.com/gopvas/gopvas/bench"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/backtrace"
	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/internal/node/machine"
	"github.com/gopvas/gopvas/launcher"
)

func main() {
	// The same executable also is the space host of a job, a probe of info, and
	// the rank program of the benchmarks.
	if os.Args[0] == backtrace.Name {
		os.Exit(backtrace.Main(os.Args[1:]))
	}
	launcher.HostMain()
	machine.ProbeMain()
	if bench.RankMain(os.Args[1:]) || transport.NodeMain(os.Args[1:]) {
		return
	}
	cli.CatchQuit()
	backtrace.Offer()
	os.Exit(cli.Finish(execute(os.Args[1:])))
}
