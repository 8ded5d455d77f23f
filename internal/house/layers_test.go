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
// Not listed per package: everything but examples may import internal/sys; a
// test may import any package made for tests, see forTests.
var layers = []layer{
	{"internal/sys", nil},
	{"internal/nofile", nil},
	{"internal/pmi", nil},
	{"internal/testkit", nil},
	{"internal/atomicfile", nil},
	{"internal/gocmd", nil},
	{"internal/house", nil},
	{"internal/rig", []string{"internal/netns", "internal/processes"}},
	{"internal/netns", nil},
	{"internal/limits", nil},
	{"internal/linkage", nil},
	{"internal/median", nil},
	{"internal/chart", nil},
	{"internal/areas", nil},
	{"internal/processes", []string{"internal/areas"}},
	{"internal/topology", []string{"internal/limits"}},
	{"internal/topology/topologytest", []string{"internal/topology"}},
	{"internal/machine", []string{"internal/areas", "internal/limits", "internal/topology"}},
	{"internal/exit", []string{"pvas"}},                        // its test only
	{"internal/chaos", []string{"pvas", "internal/processes"}}, // its test only
	{"internal/vm", nil},                                       // a script, and its test

	{"datatype", nil},
	{"mpi/fault", []string{"datatype"}},
	{"shm", nil},
	{"pagetable", []string{"internal/areas"}},
	{"internal/job", []string{"mpi/fault", "shm"}},
	{"internal/job/jobtest", []string{"internal/job"}},
	{"internal/attendant", []string{"internal/job", "internal/processes"}},

	{"btl", []string{"datatype", "shm"}},
	{"internal/numa", []string{"datatype", "btl", "internal/job"}},
	{"internal/btl/net/landing", []string{"suci"}},
	{"internal/btl/net/devices", []string{"internal/btl/net/landing", "btl", "exchange", "internal/job", "suci"}},
	{"internal/btl/net", []string{"internal/btl/net/...", "mpi/fault", "btl", "exchange", "internal/job", "shm",
		"suci"}},
	{"internal/btl/...", []string{"mpi/fault", "btl", "internal/btl/...", "datatype", "internal/job", "internal/numa",
		"shm"}},
	{"internal/pml/list", nil},
	{"internal/pml/flow", []string{"internal/pml/list", "btl"}},
	{"internal/pml/match", []string{"internal/pml/list"}},
	{"internal/pml/gone", []string{"mpi/fault", "internal/job", "internal/pml/match"}},
	{"internal/pml/route", []string{"btl"}},
	{"internal/pml/wait", []string{"internal/pml/list", "internal/job", "internal/sys", "shm"}},
	{"internal/pml", []string{"mpi/fault", "internal/pml/...", "btl", "datatype", "internal/job", "shm", "trace",
		"internal/trace/recorder"}},
	{"internal/coll/cad", []string{"mpi/fault", "datatype", "btl", "internal/job", "shm"}},
	{"internal/coll/cad/message", []string{"mpi/fault", "internal/coll/cad", "internal/pml", "btl", "internal/job"}},
	{"internal/coll/cad/shared", []string{"mpi/fault", "internal/coll/cad", "internal/coll/cad/message", "internal/pml",
		"btl", "internal/job", "internal/numa", "shm", "trace", "internal/trace/recorder"}},
	{"internal/coll/operator", []string{"internal/coll/cad"}},
	{"internal/coll/board/line", []string{"shm"}},
	{"internal/coll/board", []string{"internal/coll/board/line", "internal/coll/cad", "internal/pml", "btl",
		"internal/job", "shm"}},
	{"internal/coll/order", []string{"internal/coll/board/line", "internal/coll/cad", "internal/coll/operator"}},
	{"internal/coll", []string{"mpi/fault", "datatype", "internal/coll/board", "internal/coll/board/line",
		"internal/coll/cad", "internal/coll/cad/...", "internal/coll/operator", "internal/coll/order", "internal/pml",
		"btl", "internal/job", "internal/numa", "trace", "internal/trace/recorder"}},
	{"internal/coll/colltest", []string{"internal/coll/cad", "internal/pml", "btl", "internal/btl/...",
		"internal/job", "shm"}},
	{"internal/comm/agree", []string{"mpi/fault", "internal/pml", "btl", "internal/job"}},
	{"internal/comm/consensus", []string{"btl", "internal/job"}},
	{"internal/comm/delays", nil},
	{"internal/comm/entry", nil},
	{"internal/comm/failures", []string{"internal/job"}},
	{"internal/comm/kept", []string{"btl", "internal/job"}},
	{"internal/comm", []string{"mpi/fault", "datatype", "internal/comm/agree", "internal/comm/entry",
		"internal/comm/failures", "internal/comm/consensus", "internal/comm/delays", "internal/comm/kept",
		"internal/coll", "internal/coll/cad", "internal/coll/cad/shared", "internal/pml", "btl",
		"internal/btl/...", "internal/job", "internal/exit", "internal/numa", "internal/attendant", "shm", "trace",
		"internal/trace/recorder"}},
	{"internal/reach", []string{"mpi/fault", "datatype", "internal/comm", "internal/job"}},
	{"internal/courier", []string{"internal/btl/net/devices", "internal/comm", "internal/job", "shm", "suci"}},
	// the last: its test
	{"internal/file", []string{"mpi/fault", "datatype", "internal/coll", "internal/comm", "internal/reach", "trace",
		"internal/job"}},
	{"internal/window/epoch", nil},
	{"internal/window/regions", []string{"datatype", "shm"}},
	{"internal/window/lock", []string{"mpi/fault", "internal/comm", "internal/job"}},
	{"internal/window/update", []string{"internal/window/lock", "datatype", "internal/coll", "internal/coll/operator",
		"internal/reach"}},
	{"internal/window/check", []string{"internal/window/epoch", "internal/window/lock", "datatype", "internal/comm",
		"internal/job", "trace"}},
	{"internal/window/remote", []string{"internal/window/lock", "internal/window/regions", "internal/window/update",
		"mpi/fault", "datatype", "internal/coll", "internal/comm", "internal/courier", "internal/job",
		"internal/reach"}},
	{"internal/window", []string{"internal/window/...", "mpi/fault", "datatype", "btl", "internal/coll",
		"internal/coll/operator", "internal/comm", "internal/reach", "internal/job", "shm", "trace"}},
	{"mpi", []string{"mpi/debug", "mpi/fault", "internal/comm", "internal/file", "internal/window", "datatype",
		"internal/coll", "internal/coll/cad", "internal/coll/cad/shared", "internal/coll/operator", "btl",
		"internal/btl/...", "internal/job"}},
	{"mpi/debug", []string{"internal/comm"}},
	{"mpi/mpitest", []string{"mpi", "internal/comm", "launcher"}},
	{"mpi/observe", []string{"mpi", "internal/comm", "internal/job"}},           // the last: its test only
	{"mpi/pool", []string{"mpi", "mpi/value", "internal/comm", "internal/job"}}, // the last: its test only
	{"mpi/value", []string{"mpi", "internal/comm", "internal/job"}},             // the last: its test only

	{"internal/capi/coro", nil},
	{"internal/capi/coro/corotest", nil},
	{"internal/toolchain", []string{"internal/capi/coro", "internal/nofile", "pvas"}}, // its test only
	{"internal/capi/api", nil},
	{"internal/capi/api/gen", []string{"internal/capi/api"}},
	{"internal/capi", []string{"mpi/fault", "internal/comm", "internal/file", "internal/window", "datatype",
		"internal/coll", "internal/coll/operator", "internal/coll/order", "btl",
		"internal/btl/...", "internal/job", "internal/processes", "internal/topology", "internal/trace/recorder"}},
	{"cmd/libmpi", []string{"internal/capi", "internal/capi/coro", "internal/exit", "shm"}},
	{".", nil}, // the sources of cmd/libmpi
	{"internal/capi/install/runtime", []string{"internal/capi/install"}},
	{"internal/capi/install", []string{".", "internal/gocmd", "internal/linkage"}},
	{"internal/capi/programs", []string{"pvas"}}, // its tests only

	{"pvas", []string{"internal/areas", "internal/limits", "internal/linkage"}},
	{"launcher/internal/place", []string{"internal/topology"}},
	{"launcher/internal/part", []string{"internal/job", "internal/trace/symbol"}},
	{"launcher/internal/output", []string{"internal/processes"}},
	{"launcher/internal/wire", []string{"launcher/internal/output"}},
	{"launcher/internal/neighbour", []string{"launcher/internal/part", "launcher/internal/wire", "internal/job"}},
	{"launcher/internal/hang", []string{"launcher/internal/output", "internal/job", "internal/atomicfile",
		"internal/processes", "internal/trace/symbol"}},
	{"launcher/internal/fate", []string{"launcher/internal/hang", "launcher/internal/output", "internal/job"}},
	{"launcher/internal/program", []string{"launcher/internal/fate", "launcher/internal/output", "internal/gocmd",
		"internal/linkage"}},
	{"launcher/internal/host", []string{"launcher/internal/fate", "launcher/internal/wire", "pvas", "internal/job",
		"internal/areas", "internal/limits", "internal/nofile", "internal/processes"}},
	{"launcher/internal/desk", []string{"launcher/internal/neighbour", "launcher/internal/part", "internal/job"}},
	{"launcher/internal/roster", []string{"launcher/internal/host", "launcher/internal/part", "internal/job"}},
	{"launcher/internal/watch", []string{"launcher/internal/hang", "launcher/internal/part", "launcher/internal/roster",
		"internal/job", "internal/processes", "internal/trace/symbol"}},
	{"launcher/internal/cause", []string{"internal/limits"}},
	{"launcher/internal/streams", []string{"launcher/internal/output", "launcher/internal/part"}},
	{"launcher/internal/launchertest", []string{"internal/limits", "internal/processes", "launcher/internal/fate",
		"pvas"}},
	{"launcher", []string{"launcher/internal/...", "pvas", "internal/job", "internal/limits", "internal/linkage",
		"internal/processes", "internal/topology"}},
	{"launcher/cluster", []string{"launcher", "launcher/internal/...", "pvas", "internal/job", "internal/limits",
		"internal/linkage", "internal/nofile", "internal/pmi", "internal/processes"}},

	{"loggps", nil}, // a library by itself
	{"loggps/graph", nil},
	{"loggps/internal/graphtest", []string{"loggps/graph"}},
	{"loggps/goal", []string{"loggps/graph"}},
	{"internal/loggps/pattern", []string{"loggps/graph"}},
	{"loggps/fit", []string{"loggps", "internal/median"}},
	{"loggps/sim", []string{"loggps", "loggps/graph", "loggps/goal", "internal/loggps/pattern"}},
	{"loggps/explain", []string{"loggps", "loggps/graph", "loggps/goal", "internal/loggps/pattern", "loggps/sim"}},
	{"internal/loggps/waits", []string{"loggps", "loggps/graph", "internal/loggps/pattern", "loggps/sim"}},
	{"loggps/show", []string{"loggps", "loggps/graph", "internal/loggps/pattern", "loggps/sim", "loggps/explain"}},

	{"trace", nil},
	{"internal/trace/recorder", []string{"trace", "internal/job", "shm", "internal/processes"}},
	{"internal/trace/perfetto", []string{"trace"}},
	{"internal/trace/symbol", []string{"trace"}},
	{"internal/trace/replay", []string{"trace", "loggps", "loggps/...", "internal/loggps/..."}},
	{"exchange", nil}, // a library by itself

	// the last: its test only
	{"suci", []string{"suci/internal/protocol", "suci/internal/seal", "suci/internal/udp",
		"suci/internal/wire", "internal/netns"}},
	{"suci/internal/wire", nil},
	{"suci/internal/seal", nil},
	{"suci/internal/protocol", []string{"suci/internal/seal", "suci/internal/wire"}},
	{"suci/internal/udp", []string{"suci/internal/wire"}},

	{"internal/bench/npb", []string{"mpi"}},
	{"internal/bench/results", nil},
	{"internal/bench/transport", []string{"internal/job", "internal/netns", "suci"}},
	{"internal/bench/rankside", []string{"mpi"}},
	{"internal/bench/meter", []string{"internal/areas", "internal/job", "launcher", "pagetable"}},
	{"internal/bench/runner", []string{"internal/bench/meter", "internal/bench/rankside", "internal/job", "launcher",
		"launcher/cluster"}},
	// a room for each experiment
	{"internal/bench/timed", []string{"internal/bench/runner", "internal/bench/rankside", "internal/bench/results",
		"datatype", "internal/median", "internal/trace/recorder", "launcher", "mpi"}},
	{"internal/bench/memory", []string{"internal/bench/runner", "internal/bench/meter", "internal/bench/rankside",
		"internal/bench/results", "internal/job", "internal/median", "launcher", "mpi", "pagetable"}},
	{"internal/bench/nas", []string{"internal/bench/runner", "internal/bench/npb", "internal/bench/rankside",
		"internal/bench/results", "internal/median", "mpi"}},
	{"internal/bench/neighbors", []string{"internal/bench/runner", "internal/bench/rankside",
		"internal/bench/results", "exchange", "internal/median", "launcher", "launcher/cluster", "mpi", "mpi/debug"}},
	{"internal/bench/costs", []string{"internal/bench/runner", "internal/bench/rankside", "internal/median",
		"launcher", "loggps", "loggps/fit", "mpi"}},
	{"internal/bench/overlap", []string{"internal/bench/runner", "internal/bench/rankside", "internal/bench/results",
		"internal/median", "launcher", "mpi", "mpi/debug"}},
	{"bench", []string{"internal/bench/costs", "internal/bench/memory", "internal/bench/nas",
		"internal/bench/neighbors", "internal/bench/overlap", "internal/bench/rankside", "internal/bench/timed"}},
	{"internal/bench/evaluation", []string{"bench", "internal/bench/runner", "internal/bench/memory",
		"internal/bench/nas", "internal/bench/neighbors", "internal/bench/npb", "internal/bench/overlap",
		"internal/bench/results", "internal/bench/timed", "internal/gocmd", "internal/job",
		"launcher"}}, // bench: its test
	{"internal/bench/evaluation/cpubound", nil},
	{"internal/bench/report", []string{"internal/bench/runner", "internal/bench/memory", "internal/bench/overlap",
		"internal/bench/results", "internal/bench/transport", "internal/chart", "internal/median"}},
	{"internal/tune", []string{"internal/bench/runner", "internal/bench/timed", "internal/job",
		"internal/atomicfile", "internal/machine", "internal/median"}},
	// the command: a room for each family of commands, on what they share
	{"cmd/pvasrun/internal/cli", []string{"internal/bench/runner", "internal/atomicfile", "internal/coll",
		"internal/job", "internal/linkage", "launcher", "pagetable", "pvas", "trace"}},
	{"cmd/pvasrun/internal/settings", []string{"cmd/pvasrun/internal/cli", "internal/job", "internal/tune",
		"launcher/cluster"}},
	{"cmd/pvasrun/internal/site", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"internal/bench/runner", "internal/bench/transport", "launcher/cluster"}},
	{"cmd/pvasrun/internal/recording", []string{"internal/coll", "internal/job", "internal/trace/recorder", "launcher",
		"trace"}},
	{"internal/release", []string{"internal/capi/install", "internal/job"}},
	{"cmd/pvasrun/internal/options", []string{"internal/job", "launcher"}},
	{"cmd/pvasrun/internal/run", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/options",
		"cmd/pvasrun/internal/recording",
		"cmd/pvasrun/internal/settings", "internal/bench/meter", "internal/atomicfile", "internal/coll",
		"internal/comm",
		"internal/job", "internal/limits", "internal/topology", "launcher", "launcher/cluster", "pagetable",
		"pvas", "trace"}},
	{"cmd/pvasrun/internal/bench", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"cmd/pvasrun/internal/site",
		"internal/bench/...", "exchange", "internal/coll", "internal/job", "internal/machine", "internal/tune",
		"launcher/cluster", "loggps/show"}},
	{"cmd/pvasrun/internal/trace", []string{"cmd/pvasrun/internal/cli", "internal/trace/perfetto",
		"internal/trace/symbol", "loggps/show", "trace"}},
	{"cmd/pvasrun/internal/model", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/recording",
		"cmd/pvasrun/internal/settings", "cmd/pvasrun/internal/site", "cmd/pvasrun/internal/trace",
		"internal/bench/...", "exchange",
		"internal/chart",
		"internal/coll", "internal/job", "internal/loggps/...", "internal/median", "internal/topology",
		"internal/trace/replay", "launcher", "loggps", "loggps/...", "trace"}},
	{"cmd/pvasrun/internal/suci", []string{"cmd/pvasrun/internal/cli", "internal/bench/transport", "suci"}},
	{"cmd/pvasrun/internal/setup", []string{"cmd/pvasrun/internal/cli", "cmd/pvasrun/internal/settings",
		"internal/atomicfile", "internal/capi/install", "internal/job", "internal/linkage",
		"internal/machine", "internal/tune", "launcher/cluster", "pvas"}},
	{"cmd/pvasrun/internal/debug", []string{"cmd/pvasrun/internal/cli"}},
	{"cmd/pvasrun/internal/backtrace", []string{"cmd/pvasrun/internal/cli", "internal/job", "internal/trace/symbol"}},
	{"cmd/pvasrun", []string{"cmd/pvasrun/internal/...", "bench", "internal/bench/transport", "internal/machine",
		"launcher",
		// its tests
		"internal/bench/...", "internal/linkage", "internal/median", "internal/processes",
		"internal/trace/replay", "internal/tune", "loggps", "loggps/...", "pvas", "trace"}},

	{"examples/gallery/internal/args", nil},
	{"examples/...", []string{"mpi", "mpi/pool", "mpi/value", "examples/gallery/internal/args"}},
	{"examples", []string{"pvas"}},       // their test only
	{"docs", []string{"internal/chart"}}, // its figures, drawn by a test
}

// forTests tells whether a package exists for tests only: internal/testkit, internal/rig, the
// BTL whose ranks are goroutines, and those named after what they test, such as
// btl/btltest.
func forTests(pkg string) bool {
	return pkg == "internal/testkit" || pkg == "internal/rig" || pkg == "internal/btl/mem" ||
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
	case to == "internal/sys":
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
			bad = append(bad, f.path+": package "+pkg+" has no line in internal/house/layers_test.go; add one")
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
			bad = append(bad, "internal/house/layers_test.go: there is no package "+l.pkg)
			continue
		}
		for _, p := range l.imports {
			if !used[l.pkg+" "+p] {
				bad = append(bad, "internal/house/layers_test.go: "+l.pkg+" does not import "+p)
			}
		}
	}
	return bad
}
