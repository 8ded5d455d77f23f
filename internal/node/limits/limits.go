package limits

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// What one rank needs. They are upper bounds for an idle Go program.
const (
	// AreasPerRank: memory areas of a Go rank with its partition, image, runtime
	// heap, arena, stack and guards.
	AreasPerRank = 25

	// threadsPerRank: the Go runtime's main thread, its monitor, and those it
	// starts to replace threads blocked in system calls.
	threadsPerRank = 6

	// filesPerRank: the supervisor's ends of the pipes on which it reads a rank's
	// standard output and standard error.
	filesPerRank = 2

	// addressSpacePerRank: bytes that a Go runtime reserves outside its partition,
	// without using them.
	addressSpacePerRank = 2 << 30

	// addressSpacePerProcess: bytes that a Go program reserves at its start. With
	// less it ends in its runtime, before main, or later.
	addressSpacePerProcess = 1400 << 20

	// dataPerProcess and dataPerRank: private writable memory that a Go program maps,
	// and a Go rank in one address space, with a stack of UsualStack.
	dataPerProcess = 96 << 20
	dataPerRank    = 52 << 20

	// commitPerRank: private writable memory that a Go rank maps at its start,
	// mostly without touching it. It counts only where the kernel commits memory
	// strictly.
	commitPerRank = 64 << 20
)

// UsualStack is the size of a stack in bytes by Linux' default. What a larger one in one address space has more,
// counts as memory that its rank maps.
const UsualStack = 8 << 20

// MinPartition is the least size of a partition in bytes. Where limits or holes ask for
// it, partitions shrink to that.
const MinPartition = 64 << 20

// What is needed once, whatever the number of ranks.
const (
	areasOfHost       = 64 // areas of the space host, a Go program itself
	filesOfSupervisor = 64 // its own and those of the job as a whole, rounded up
)

const (
	nofile             = "RLIMIT_NOFILE"
	strictOvercommit   = "2"
	threadsNote        = "counts threads"
	partitionNote      = "with partitions of 64 MiB, the least"
	rootNote           = "does not apply to root"
	overcommitFreeNote = "memory is not committed strictly"
)

// Limit is one bound on the number of ranks.
type Limit struct {
	Name    string  `json:"name"`
	Value   *uint64 `json:"value"`    // nil: no limit, or not found out (see Error)
	Used    uint64  `json:"used"`     // of Value, already taken or needed once
	PerRank uint64  `json:"per_rank"` // of Value, what one rank needs
	Ranks   *uint64 `json:"ranks"`    // how many ranks that allows; nil: any number

	// OneSpace is true for a limit per address space, which counts for all ranks
	// together only when they share one.
	OneSpace bool `json:"one_space"`

	// PerProcess is, of such a limit, what every process of the job needs by itself, in
	// either task model.
	PerProcess uint64 `json:"-"`

	Note  string `json:"note,omitempty"`
	Error string `json:"error,omitempty"` // why Value could not be read

	Title string `json:"-"` // the name as people know it who set the limit
	Fix   string `json:"-"` // how to raise it
}

// Capacity is the number of ranks that all limits together allow.
type Capacity struct {
	BTL   string  `json:"btl"`
	Ranks *uint64 `json:"ranks"` // nil: any number
	Limit string  `json:"limit"` // the name of the tightest, empty if there is none

	Error string `json:"error,omitempty"` // why there can be none here: the machine does not have the task model
}

// source is where limits that are not files come from.
type source struct {
	soft, hard func(resource int) uint64
	uid        int // real user
}

// Read returns every limit, and what they allow in each task model.
func Read() ([]Limit, []Capacity) {
	limits := readHere()
	return limits, capacities(limits)
}

// read reads every limit. root is the file system.
func read(root fs.FS, from source) []Limit {
	threads, _ := readThreads(root) // 0: the limits then look a little wider
	limits := []Limit{
		areaLimit(root, areasOfHost, AreasPerRank),
		addressSpace(from, MinPartition),
		dataLimit(from, stackOf(from)),
		stackLimit(from),
		// The soft limit of open files is raised to the hard one by the Go library.
		{Name: nofile, Value: finite(from.hard(sys.RlimitNofile)), Used: filesOfSupervisor, PerRank: filesPerRank,
			Title: "the hard limit on open files (RLIMIT_NOFILE, ulimit -Hn)",
			Fix:   "raise it, start fewer ranks, or use --output-dir, which needs none per rank"},
		processLimit(root, from),
		fileLimit(root, Limit{Name: "kernel.threads-max", Used: threads, PerRank: threadsPerRank,
			Fix: "raise it with sysctl kernel.threads-max=N or start fewer ranks"}),
		fileLimit(root, Limit{Name: "kernel.pid_max", Used: threads, PerRank: threadsPerRank, Note: threadsNote,
			Fix: "raise it with sysctl kernel.pid_max=N or start fewer ranks"}),
		cgroupLimit(root),
		commitLimit(root),
	}
	if l := stackCommitLimit(root, stackOf(from)); l.Value != nil {
		limits = append(limits, l)
	}
	for i := range limits {
		limits[i].setRanks()
	}
	return limits
}

// areaLimit is vm.max_map_count.
func areaLimit(root fs.FS, used, perRank uint64) Limit {
	return fileLimit(root, Limit{Name: "vm.max_map_count", Used: used, PerRank: perRank, OneSpace: true,
		Fix: "raise it with sysctl vm.max_map_count=N, start fewer ranks, or use --btl sm"})
}

// addressSpace is RLIMIT_AS for partitions of size bytes. One more than there are ranks
// is reserved, so that the first can be aligned.
func addressSpace(from source, size uint64) Limit {
	l := Limit{
		Name: "RLIMIT_AS", Value: finite(from.soft(sys.RlimitAS)), Used: size, PerRank: size + addressSpacePerRank,
		OneSpace: true, PerProcess: addressSpacePerProcess, Note: partitionNote, Title: "RLIMIT_AS (ulimit -v)",
		Fix: "raise it with ulimit -v unlimited, or use --btl sm",
	}
	if size > MinPartition {
		l.Fix = "raise it with ulimit -v unlimited, give a smaller --partition-size, or use --btl sm"
	}
	l.setRanks()
	return l
}

// setRanks divides.
func (l *Limit) setRanks() {
	if l.Title == "" {
		l.Title = l.Name
	}
	if l.forbidsAll() {
		l.Ranks = new(uint64)
		return
	}
	if l.Value == nil || l.PerRank == 0 {
		return
	}
	ranks := (*l.Value - min(l.Used, *l.Value)) / l.PerRank
	l.Ranks = &ranks
}

// forbidsAll reports whether no process of a job can live with the limit.
func (l *Limit) forbidsAll() bool { return l.Value != nil && *l.Value < l.PerProcess }

// fileLimit completes a sysctl's limit.
func fileLimit(root fs.FS, l Limit) Limit {
	v, err := readUint(root, "proc/sys/"+strings.ReplaceAll(l.Name, ".", "/"))
	if err != nil {
		l.Error = err.Error()
		return l
	}
	l.Value = &v
	return l
}

// processLimit is RLIMIT_NPROC. It counts all threads of the user.
func processLimit(root fs.FS, from source) Limit {
	l := Limit{Name: "RLIMIT_NPROC", PerRank: threadsPerRank, Title: "RLIMIT_NPROC (ulimit -u)",
		Fix: "raise it with ulimit -u or start fewer ranks"}
	if from.uid == 0 {
		l.Note = rootNote
		return l
	}
	l.Value, l.Note = finite(from.soft(sys.RlimitNproc)), "counts all threads of the user"
	if l.Value != nil {
		l.Used = threadsOfJob + threadsOf(root, from.uid)
	}
	return l
}

// threadsOfJob is what pvasrun, the space host and the guard may start.
const threadsOfJob = 3 * threadsPerRank

// threadsOf counts the threads of a user. What cannot be read is another's.
func threadsOf(root fs.FS, uid int) (n uint64) {
	files, _ := fs.Glob(root, "proc/[0-9]*/status")
	for _, name := range files {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			continue // it has ended
		}
		var owner, threads uint64
		for line := range strings.Lines(string(text)) {
			field, value, _ := strings.Cut(line, ":")
			to := map[string]*uint64{"Uid": &owner, "Threads": &threads}[field]
			if words := strings.Fields(value); to != nil && len(words) > 0 {
				*to, _ = parseUint(words[0])
			}
		}
		if owner == uint64(uid) {
			n += threads
		}
	}
	return n
}

// cgroupLimit is the pids controller.
func cgroupLimit(root fs.FS) Limit {
	l := Limit{Name: "cgroup pids.max", PerRank: threadsPerRank, Note: threadsNote,
		Title: "pids.max of the control group",
		Fix:   "raise it in the container's settings (docker --pids-limit) or start fewer ranks"}
	var err error
	l.Value, l.Used, err = readCgroupPids(root)
	if err != nil {
		l.Error = err.Error()
	}
	if l.Value != nil {
		l.Used += threadsOfJob
	}
	return l
}

// commitLimit is about private writable memory, in bytes. It binds only where
// vm.overcommit_memory is 2.
func commitLimit(root fs.FS) Limit {
	l := Limit{Name: "vm.overcommit_memory", PerRank: commitPerRank, Title: "CommitLimit, with vm.overcommit_memory=2,",
		Fix: "set sysctl vm.overcommit_memory=0 or start fewer ranks"}
	text, err := fs.ReadFile(root, "proc/sys/vm/overcommit_memory")
	if err != nil {
		l.Error = err.Error()
		return l
	}
	mode := strings.TrimSpace(string(text))
	if mode != strictOvercommit {
		l.Note = mode + ": " + overcommitFreeNote
		return l
	}
	limit, used, err := readCommit(root)
	if err != nil {
		l.Error = err.Error()
		return l
	}
	l.Value, l.Used, l.Note = &limit, used, mode+": bytes of CommitLimit in /proc/meminfo"
	return l
}

// capacities finds the tightest limit for either task model.
func capacities(limits []Limit) []Capacity {
	all := []Capacity{{BTL: "pvas"}, {BTL: "sm"}}
	for i := range all {
		c := &all[i]
		for _, l := range limits {
			if l.Ranks == nil || l.OneSpace && c.BTL != "pvas" && !l.forbidsAll() {
				continue
			}
			if c.Ranks == nil || *l.Ranks < *c.Ranks {
				c.Ranks, c.Limit = l.Ranks, l.Name
			}
		}
	}
	return all
}

// finite is nil for a resource limit that does not limit.
func finite(v uint64) *uint64 {
	if v == sys.Unlimited {
		return nil
	}
	return &v
}

// readThreads is the number of threads on the machine, from "1/87" in the
// fourth field of /proc/loadavg.
func readThreads(root fs.FS) (uint64, error) {
	text, err := fs.ReadFile(root, "proc/loadavg")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 4 {
		return 0, fmt.Errorf("loadavg: unexpected format %q", text)
	}
	_, total, _ := strings.Cut(fields[3], "/")
	return parseUint(total)
}

// readCommit returns CommitLimit and Committed_AS in bytes.
func readCommit(root fs.FS) (limit, used uint64, err error) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0, 0, err
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		to := map[string]*uint64{"CommitLimit": &limit, "Committed_AS": &used}[name]
		if to == nil {
			continue
		}
		kib, err := parseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		if err != nil {
			return 0, 0, fmt.Errorf("meminfo: %s: %w", name, err)
		}
		*to = kib * 1024
		found++
	}
	if found != 2 {
		return 0, 0, fmt.Errorf("meminfo: CommitLimit or Committed_AS missing")
	}
	return limit, used, nil
}

// readUint reads a file with one number.
func readUint(root fs.FS, name string) (uint64, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, err
	}
	return parseUint(strings.TrimSpace(string(text)))
}

func parseUint(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }
