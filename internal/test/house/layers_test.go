package house

import (
	"path"
	"slices"
	"strings"
)

const module = "github.com/gopvas/gopvas"

// layer says what a package may import from this repository. "x/..." stands for
// every package in a folder below x, not for x itself.
type layer struct {
	pkg     string
	imports []string
}

// layers are the house from the ground up. Two pillars stand on it that do not
// know each other: messages (mpi, comm, coll, pml, btl, shm) and processes (launcher,
// pvas). They meet in job. bench and cmd stand on both.
//
// Not listed per package: everything but examples may import internal/node/sys; a
// test may import any package made for tests, see forTests.
var layers = []layer{
	{"internal/node/sys", nil},
	{"internal/node/nofile", nil},
	{"internal/node/pmi", nil},
	{"internal/test/testkit", nil},
	{"internal/node/atomicfile", nil},
	{"internal/node/gocmd", nil},
	{"internal/test/house", nil},
	{"internal/test/rig", []string{"internal/node/netns", "internal/node/processes"}},
	{"internal/node/netns", nil},
	{"internal/node/limits", nil},
	{"internal/node/linkage", nil},
	{"internal/lab/median", nil},
	{"internal/lab/chart", nil},
	{"internal/node/areas", nil},
	{"internal/node/processes", []string{"internal/node/areas"}},
	{"internal/node/topology", []string{"internal/node/limits"}},
	{"internal/node/topology/topologytest", []string{"internal/node/topology"}},
	{"internal/node/machine", []string{"internal/node/areas", "internal/node/limits", "internal/node/topology"}},
	{"internal/node/exit", []string{"pvas"}},                             // its test only
	{"internal/test/chaos", []string{"pvas", "internal/node/processes"}}, // its test only
	{"internal/test/vm", nil},                                            // a script, and its test

	{"datatype", nil},
	{"mpi/fault", []string{"datatype"}},
	{"shm", nil},
	{"pagetable", []string{"internal/node/areas"}},
	{"internal/node/job", []string{"mpi/fault", "shm"}},
	{"internal/node/job/jobtest", []string{"internal/node/job"}},
	{"internal/msg/attendant", []string{"internal/node/job", "internal/node/processes"}},

	{"btl", []string{"datatype", "shm"}},
	{"internal/msg/numa", []string{"datatype", "btl", "internal/node/job"}},
	{"internal/msg/btl/net/landing", []string{"suci"}},
	{"internal/msg/btl/net/devices", []string{"internal/msg/btl/net/landing", "btl", "exchange", "internal/node/job",
		"suci"}},
	{"internal/msg/btl/net", []string{"internal/msg/btl/net/...", "mpi/fault", "btl", "exchange", "internal/node/job",
		"shm",
		"suci"}},
	{"internal/msg/btl/...", []string{"mpi/fault", "btl", "internal/msg/btl/...", "datatype", "internal/node/job",
		"internal/msg/numa",
		"shm"}},
	{"internal/msg/pml/list", nil},
	{"internal/msg/pml/flow", []string{"internal/msg/pml/list", "btl"}},
	{"internal/msg/pml/match", []string{"internal/msg/pml/list"}},
	{"internal/msg/pml/gone", []string{"mpi/fault", "internal/node/job", "internal/msg/pml/match"}},
	{"internal/msg/pml/route", []string{"btl"}},
	{"internal/msg/pml/wait", []string{"internal/msg/pml/list", "internal/node/job", "internal/node/sys", "shm"}},
	{"internal/msg/pml", []string{"mpi/fault", "internal/msg/pml/...", "btl", "datatype", "internal/node/job", "shm",
		"trace",
		"internal/msg/recorder"}},
	{"internal/msg/coll/cad", []string{"mpi/fault", "datatype", "btl", "internal/node/job", "shm"}},
	{"internal/msg/coll/cad/message", []string{"mpi/fault", "internal/msg/coll/cad", "internal/msg/pml", "btl",
		"internal/node/job"}},
	{"internal/msg/coll/cad/shared", []string{"mpi/fault", "internal/msg/coll/cad", "internal/msg/coll/cad/message",
		"internal/msg/pml",
		"btl", "internal/node/job", "internal/msg/numa", "shm", "trace", "internal/msg/recorder"}},
	{"internal/msg/coll/operator", []string{"internal/msg/coll/cad"}},
	{"internal/msg/coll/board/line", []string{"shm"}},
	{"internal/msg/coll/board", []string{"internal/msg/coll/board/line", "internal/msg/coll/cad", "internal/msg/pml",
		"btl",
		"internal/node/job", "shm"}},
	{"internal/msg/coll/order", []string{"internal/msg/coll/board/line", "internal/msg/coll/cad",
		"internal/msg/coll/operator"}},
	{"internal/msg/coll", []string{"mpi/fault", "datatype", "internal/msg/coll/board", "internal/msg/coll/board/line",
		"internal/msg/coll/cad", "internal/msg/coll/cad/...", "internal/msg/coll/operator", "internal/msg/coll/order",
		"internal/msg/pml",
		"btl", "internal/node/job", "internal/msg/numa", "trace", "internal/msg/recorder"}},
	{"internal/msg/coll/colltest", []string{"internal/msg/coll/cad", "internal/msg/pml", "btl", "internal/msg/btl/...",
		"internal/node/job", "shm"}},
	{"internal/msg/comm/agree", []string{"mpi/fault", "internal/msg/pml", "btl", "internal/node/job"}},
	{"internal/msg/comm/consensus", []string{"btl", "internal/node/job"}},
	{"internal/msg/comm/delays", nil},
	{"internal/msg/comm/entry", nil},
	{"internal/msg/comm/failures", []string{"internal/node/job"}},
	{"internal/msg/comm/kept", []string{"btl", "internal/node/job"}},
	{"internal/msg/comm", []string{"mpi/fault", "datatype", "internal/msg/comm/agree", "internal/msg/comm/entry",
		"internal/msg/comm/failures", "internal/msg/comm/consensus", "internal/msg/comm/delays",
		"internal/msg/comm/kept",
		"internal/msg/coll", "internal/msg/coll/cad", "internal/msg/coll/cad/shared", "internal/msg/pml", "btl",
		"internal/msg/btl/...", "internal/node/job", "internal/node/exit", "internal/msg/numa",
		"internal/msg/attendant", "shm", "trace",
		"internal/msg/recorder"}},
	{"internal/msg/reach", []string{"mpi/fault", "datatype", "internal/msg/comm", "internal/node/job"}},
	{"internal/msg/courier", []string{"internal/msg/btl/net/devices", "internal/msg/comm", "internal/node/job", "shm",
		"suci"}},
	// the last: its test
	{"internal/msg/file", []string{"mpi/fault", "datatype", "internal/msg/coll", "internal/msg/comm",
		"internal/msg/reach", "trace",
		"internal/node/job"}},
	{"internal/msg/window/epoch", nil},
	{"internal/msg/window/regions", []string{"datatype", "shm"}},
	{"internal/msg/window/lock", []string{"mpi/fault", "internal/msg/comm", "internal/node/job"}},
	{"internal/msg/window/update", []string{"internal/msg/window/lock", "datatype", "internal/msg/coll",
		"internal/msg/coll/operator",
		"internal/msg/reach"}},
	{"internal/msg/window/check", []string{"internal/msg/window/epoch", "internal/msg/window/lock", "datatype",
		"internal/msg/comm",
		"internal/node/job", "trace"}},
	{"internal/msg/window/remote", []string{"internal/msg/window/lock", "internal/msg/window/regions",
		"internal/msg/window/update",
		"mpi/fault", "datatype", "internal/msg/coll", "internal/msg/comm", "internal/msg/courier", "internal/node/job",
		"internal/msg/reach"}},
	{"internal/msg/window", []string{"internal/msg/window/...", "mpi/fault", "datatype", "btl", "internal/msg/coll",
		"internal/msg/coll/operator", "internal/msg/comm", "internal/msg/reach", "internal/node/job", "shm", "trace"}},
	{"mpi", []string{"mpi/debug", "mpi/fault", "internal/msg/comm", "internal/msg/file", "internal/msg/window",
		"datatype",
		"internal/msg/coll", "internal/msg/coll/cad", "internal/msg/coll/cad/shared", "internal/msg/coll/operator",
		"btl",
		"internal/msg/btl/...", "internal/node/job"}},
	{"mpi/debug", []string{"internal/msg/comm"}},
	{"mpi/mpitest", []string{"mpi", "internal/msg/comm", "launcher"}},
	{"mpi/observe", []string{"mpi", "internal/msg/comm", "internal/node/job"}},           // the last: its test only
	{"mpi/pool", []string{"mpi", "mpi/value", "internal/msg/comm", "internal/node/job"}}, // the last: its test only
	{"mpi/value", []string{"mpi", "internal/msg/comm", "internal/node/job"}},             // the last: its test only

	{"internal/capi/coro", nil},
	{"internal/capi/coro/corotest", nil},
	{"internal/test/toolchain", []string{"internal/capi/coro", "internal/node/nofile", "pvas"}}, // its test only
	{"internal/capi/api", nil},
	{"internal/capi/api/gen", []string{"internal/capi/api"}},
	{"internal/capi", []string{"mpi/fault", "internal/msg/comm", "internal/msg/file", "internal/msg/window", "datatype",
		"internal/msg/coll", "internal/msg/coll/operator", "internal/msg/coll/order", "btl",
		"internal/msg/btl/...", "internal/node/job", "internal/node/processes", "internal/node/topology",
		"internal/msg/recorder"}},
	{"cmd/libmpi", []string{"internal/capi", "internal/capi/coro", "internal/node/exit", "shm"}},
	{".", nil}, // the sources of cmd/libmpi
	{"internal/capi/install/runtime", []string{"internal/capi/install"}},
	{"internal/capi/install", []string{".", "internal/node/gocmd", "internal/node/linkage"}},
	{"internal/capi/programs", []string{"pvas"}}, // its tests only

	{"pvas", []string{"internal/node/areas", "internal/node/limits", "internal/node/linkage"}},
	{"launcher/internal/place", []string{"internal/node/topology"}},
	{"launcher/internal/part", []string{"internal/node/job", "internal/node/symbol"}},
	{"launcher/internal/output", []string{"internal/node/processes"}},
	{"launcher/internal/wire", []string{"launcher/internal/output"}},
	{"launcher/internal/neighbour", []string{"launcher/internal/part", "launcher/internal/wire", "internal/node/job"}},
	{"launcher/internal/hang", []string{"launcher/internal/output", "internal/node/job", "internal/node/atomicfile",
		"internal/node/processes", "internal/node/symbol"}},
	{"launcher/internal/fate", []string{"launcher/internal/hang", "launcher/internal/output", "internal/node/job"}},
	{"launcher/internal/program", []string{"launcher/internal/fate", "launcher/internal/output", "internal/node/gocmd",
		"internal/node/linkage"}},
	{"launcher/internal/host", []string{"launcher/internal/fate", "launcher/internal/wire", "pvas", "internal/node/job",
		"internal/node/areas", "internal/node/limits", "internal/node/nofile", "internal/node/processes"}},
	{"launcher/internal/desk", []string{"launcher/internal/neighbour", "launcher/internal/part", "internal/node/job"}},
	{"launcher/internal/roster", []string{"launcher/internal/host", "launcher/internal/part", "internal/node/job"}},
	{"launcher/internal/watch", []string{"launcher/internal/hang", "launcher/internal/part", "launcher/internal/roster",
		"internal/node/job", "internal/node/processes", "internal/node/symbol"}},
	{"launcher/internal/cause", []string{"internal/node/limits"}},
	{"launcher/internal/streams", []string{"launcher/internal/output", "launcher/internal/part"}},
	{"launcher/internal/launchertest", []string{"internal/node/limits", "internal/node/processes",
		"launcher/internal/fate",
		"pvas"}},
	{"launcher", []string{"launcher/internal/...", "pvas", "internal/node/job", "internal/node/limits",
		"internal/node/linkage",
		"internal/node/processes", "internal/node/topology"}},
	{"launcher/cluster", []string{"launcher", "launcher/internal/...", "pvas", "internal/node/job",
		"internal/node/limits",
		"internal/node/linkage", "internal/node/nofile", "internal/node/pmi", "internal/node/processes"}},

	{"loggps", nil}, // a library by itself
	{"loggps/graph", nil},
	{"loggps/internal/graphtest", []string{"loggps/graph"}},
	{"loggps/goal", []string{"loggps/graph"}},
	{"internal/lab/loggps/pattern", []string{"loggps/graph"}},
	{"loggps/fit", []string{"loggps", "internal/lab/median"}},
	{"loggps/sim", []string{"loggps", "loggps/graph", "loggps/goal", "internal/lab/loggps/pattern"}},
	{"loggps/explain", []string{"loggps", "loggps/graph", "loggps/goal", "internal/lab/loggps/pattern", "loggps/sim"}},
	{"internal/lab/loggps/waits", []string{"loggps", "loggps/graph", "internal/lab/loggps/pattern", "loggps/sim"}},
	{"loggps/show", []string{"loggps", "loggps/graph", "internal/lab/loggps/pattern", "loggps/sim", "loggps/explain"}},

	{"trace", nil},
	{"internal/msg/recorder", []string{"trace", "internal/node/job", "shm", "internal/node/processes"}},
	{"internal/lab/perfetto", []string{"trace"}},
	{"internal/node/symbol", []string{"trace"}},
	{"internal/lab/replay", []string{"trace", "loggps", "loggps/...", "internal/lab/loggps/..."}},
	{"exchange", nil}, // a library by itself

	// the last: its test only
	{"suci", []string{"suci/internal/protocol", "suci/internal/seal", "suci/internal/udp",
		"suci/internal/wire", "internal/node/netns"}},
	{"suci/internal/wire", nil},
	{"suci/internal/seal", nil},
	{"suci/internal/protocol", []string{"suci/internal/seal", "suci/internal/wire"}},
	{"suci/internal/udp", []string{"suci/internal/wire"}},

	{"internal/lab/bench/npb", []string{"mpi"}},
	{"internal/lab/bench/results", nil},
	{"internal/lab/bench/transport", []string{"internal/node/job", "internal/node/netns", "suci"}},
	{"internal/lab/bench/rankside", []string{"mpi"}},
	{"internal/lab/bench/meter", []string{"internal/node/areas", "internal/node/job", "launcher", "pagetable"}},
	{"internal/lab/bench/runner", []string{"internal/lab/bench/meter", "internal/lab/bench/rankside",
		"internal/node/job", "launcher",
		"launcher/cluster"}},
	// a room for each experiment
	{"internal/lab/bench/timed", []string{"internal/lab/bench/runner", "internal/lab/bench/rankside",
		"internal/lab/bench/results",
		"datatype", "internal/lab/median", "internal/msg/recorder", "launcher", "mpi"}},
	{"internal/lab/bench/memory", []string{"internal/lab/bench/runner", "internal/lab/bench/meter",
		"internal/lab/bench/rankside",
		"internal/lab/bench/results", "internal/node/job", "internal/lab/median", "launcher", "mpi", "pagetable"}},
	{"internal/lab/bench/nas", []string{"internal/lab/bench/runner", "internal/lab/bench/npb",
		"internal/lab/bench/rankside",
		"internal/lab/bench/results", "internal/lab/median", "mpi"}},
	{"internal/lab/bench/neighbors", []string{"internal/lab/bench/runner", "internal/lab/bench/rankside",
		"internal/lab/bench/results", "exchange", "internal/lab/median", "launcher", "launcher/cluster", "mpi",
		"mpi/debug"}},
	{"internal/lab/bench/costs", []string{"internal/lab/bench/runner", "internal/lab/bench/rankside",
		"internal/lab/median",
		"launcher", "loggps", "loggps/fit", "mpi"}},
	{"internal/lab/bench/overlap", []string{"internal/lab/bench/runner", "internal/lab/bench/rankside",
		"internal/lab/bench/results",
		"internal/lab/median", "launcher", "mpi", "mpi/debug"}},
	{"bench", []string{"internal/lab/bench/costs", "internal/lab/bench/memory", "internal/lab/bench/nas",
		"internal/lab/bench/neighbors", "internal/lab/bench/overlap", "internal/lab/bench/rankside",
		"internal/lab/bench/timed"}},
	{"internal/lab/bench/evaluation", []string{"bench", "internal/lab/bench/runner", "internal/lab/bench/memory",
		"internal/lab/bench/nas", "internal/lab/bench/neighbors", "internal/lab/bench/npb",
		"internal/lab/bench/overlap",
		"internal/lab/bench/results", "internal/lab/bench/timed", "internal/node/gocmd", "internal/node/job",
		"launcher"}}, // bench: its test
	{"internal/lab/bench/evaluation/cpubound", nil},
	{"internal/lab/bench/report", []string{"internal/lab/bench/runner", "internal/lab/bench/memory",
		"internal/lab/bench/overlap",
		"internal/lab/bench/results", "internal/lab/bench/transport", "internal/lab/chart", "internal/lab/median"}},
	{"internal/lab/tune", []string{"internal/lab/bench/runner", "internal/lab/bench/timed", "internal/node/job",
		"internal/node/atomicfile", "internal/node/machine", "internal/lab/median"}},
	// the command: a room for each family of commands, on what they share
	{"cmd/pvasrun/internal/cli", []string{"internal/lab/bench/runner", "internal/node/atomicfile", "internal/msg/coll",
		"internal/node/job", "internal/node/linkage", "launcher", "pagetable", "pvas", "trace"}},
	{"cmd/pvasrun/internal/settings", []string{"cmd/pvasrun/internal/cli", "internal/node/job", "internal/lab/tune",
		"launcher/cluster"}},
	{"cmd/pvasrun/internal/site", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"internal/lab/bench/runner", "internal/lab/bench/transport", "launcher/cluster"}},
	{"cmd/pvasrun/internal/recording", []string{"internal/msg/coll", "internal/node/job", "internal/msg/recorder",
		"launcher",
		"trace"}},
	{"internal/test/release", []string{"internal/capi/install", "internal/node/job"}},
	{"cmd/pvasrun/internal/options", []string{"internal/node/job", "launcher"}},
	{"cmd/pvasrun/internal/run", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/options",
		"cmd/pvasrun/internal/recording",
		"cmd/pvasrun/internal/settings", "internal/lab/bench/meter", "internal/node/atomicfile", "internal/msg/coll",
		"internal/msg/comm",
		"internal/node/job", "internal/node/limits", "internal/node/topology", "launcher", "launcher/cluster",
		"pagetable",
		"pvas", "trace"}},
	{"cmd/pvasrun/internal/bench", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"cmd/pvasrun/internal/site",
		"internal/lab/bench/...", "exchange", "internal/msg/coll", "internal/node/job", "internal/node/machine",
		"internal/lab/tune",
		"launcher/cluster", "loggps/show"}},
	{"cmd/pvasrun/internal/trace", []string{"cmd/pvasrun/internal/cli", "internal/lab/perfetto",
		"internal/node/symbol", "loggps/show", "trace"}},
	{"cmd/pvasrun/internal/model", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/recording",
		"cmd/pvasrun/internal/settings", "cmd/pvasrun/internal/site", "cmd/pvasrun/internal/trace",
		"internal/lab/bench/...", "exchange",
		"internal/lab/chart",
		"internal/msg/coll", "internal/node/job", "internal/lab/loggps/...", "internal/lab/median",
		"internal/node/topology",
		"internal/lab/replay", "launcher", "loggps", "loggps/...", "trace"}},
	{"cmd/pvasrun/internal/suci", []string{"cmd/pvasrun/internal/cli", "internal/lab/bench/transport", "suci"}},
	{"cmd/pvasrun/internal/setup", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"internal/node/atomicfile", "internal/capi/install", "internal/node/job", "internal/node/linkage",
		"internal/node/machine", "internal/lab/tune", "launcher/cluster", "pvas"}},
	{"cmd/pvasrun/internal/debug", []string{"cmd/pvasrun/internal/cli"}},
	{"cmd/pvasrun/internal/backtrace", []string{"cmd/pvasrun/internal/cli", "internal/node/job",
		"internal/node/symbol"}},
	{"cmd/pvasrun", []string{"cmd/pvasrun/internal/...", "bench", "internal/lab/bench/transport",
		"internal/node/machine",
		"launcher",
		// its tests
		"internal/lab/bench/...", "internal/node/linkage", "internal/lab/median", "internal/node/processes",
		"internal/lab/replay", "internal/lab/tune", "loggps", "loggps/...", "pvas", "trace"}},

	{"examples/gallery/internal/args", nil},
	{"examples/...", []string{"mpi", "mpi/pool", "mpi/value", "examples/gallery/internal/args"}},
	{"examples", []string{"pvas"}},           // their test only
	{"docs", []string{"internal/lab/chart"}}, // its figures, drawn by a test
}

// forTests tells whether a package exists for tests only: internal/test/testkit, internal/test/rig, the
// BTL whose ranks are goroutines, and those named after what they test, such as
// btl/btltest.
func forTests(pkg string) bool {
	return pkg == "internal/test/testkit" || pkg == "internal/test/rig" || pkg == "internal/msg/btl/mem" ||
		strings.HasSuffix(path.Base(pkg), "test")
}

// matches tells whether a package is meant by a pattern of the table.
func matches(pattern, pkg string) bool {
	if parent, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(pkg, parent+"/")
	}
	return pattern == pkg
}

// layerOf finds the line of a package in the table.
func layerOf(table []layer, pkg string) (layer, bool) {
	i := slices.IndexFunc(table, func(l layer) bool { return matches(l.pkg, pkg) })
	if i < 0 {
		return layer{}, false
	}
	return table[i], true
}

// mayImport tells whether a file of package from may import package to, both
// relative to the module.
func mayImport(table []layer, from, to string, test bool) bool {
	l, ok := layerOf(table, from)
	switch {
	case !ok:
		return false
	case from == to: // a test of the package from outside
		return test
	case to == "internal/node/sys":
		return !matches("examples/...", from)
	case forTests(to):
		return test || forTests(from)
	}
	return slices.ContainsFunc(l.imports, func(p string) bool { return matches(p, to) })
}

// local strips the module from an import path.
func local(importPath string) (pkg string, ok bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// checkLayers reports imports that point up or across, and packages without a
// place in the table.
func checkLayers(table []layer, files []source) []string {
	var bad []string
	for _, f := range files {
		pkg := path.Dir(f.path)
		if _, ok := layerOf(table, pkg); !ok {
			bad = append(bad, f.path+": package "+pkg+" has no line in internal/test/house/layers_test.go; add one")
			continue
		}
		for _, imported := range f.imports() {
			if to, ok := local(imported); ok && !mayImport(table, pkg, to, f.test()) {
				bad = append(bad, f.path+": "+pkg+" may not import "+to)
			}
		}
	}
	return bad
}

// checkAllowances reports lines of the table that allow what no package imports, and lines for no package.
func checkAllowances(table []layer, files []source) []string {
	used := map[string]bool{} // pattern of the line and of the import
	for _, f := range files {
		l, ok := layerOf(table, path.Dir(f.path))
		if !ok {
			continue
		}
		used[l.pkg] = true
		for _, imported := range f.imports() {
			to, _ := local(imported)
			for _, p := range l.imports {
				used[l.pkg+" "+p] = used[l.pkg+" "+p] || matches(p, to)
			}
		}
	}
	var bad []string
	for _, l := range table {
		if !used[l.pkg] {
			bad = append(bad, "internal/test/house/layers_test.go: there is no package "+l.pkg)
			continue
		}
		for _, p := range l.imports {
			if !used[l.pkg+" "+p] {
				bad = append(bad, "internal/test/house/layers_test.go: "+l.pkg+" does not import "+p)
			}
		}
	}
	return bad
}
