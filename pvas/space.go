package pvas

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/gopvas/gopvas/internal/node/limits"
	"github.com/gopvas/gopvas/internal/node/sys"
)

// Config describes an address space to Create.
type Config struct {
	Tasks         int    // number of partitions, at least 1
	Spare         int    // partitions for more tasks: all of them are made, or none if the address space has no room
	PartitionSize uint64 // bytes, a power of two; 0: 64 GiB, or less when Tasks is large
	SmallRegion   uint64 // bytes of each task's small region, see Layout; rounded up to pages
	HugePages     bool   // advise huge pages for the arenas of the partitions
	Siblings      bool   // tasks will be spawned as Sibling: Create tries whether that is permitted
}

// A Space is a partitioned address space: a region of the calling process that
// holds one partition per task. Its methods may be called by any goroutine.
type Space struct {
	base, size uint64 // of one partition; base is a multiple of size
	tasks      int
	small      uint64
	stack      uint64 // of each task
	huge       bool
	reserved   Range
	own        map[uint64]uint64 // areas of files that the process had before any task, see Raze

	mu       sync.Mutex
	dead     bool
	running  map[int]*Task
	programs map[string]program // by path; their files stay open until Destroy
}

// Create reserves an address space for cfg.Tasks tasks inside the calling
// process (pvas_create). It costs one mapping and no memory; Destroy gives it
// back. Errors: ErrUnsupported, ErrPartitionSize, *LimitError.
//
// From then on the program break of the process is frozen: it is one per
// address space, and two C libraries that move it would tread on each other.
// They fall back to mmap.
func Create(cfg Config) (*Space, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	if cfg.Tasks < 1 {
		return nil, fmt.Errorf("pvas: create: %d tasks: at least one is needed", cfg.Tasks)
	}
	if err := limits.Space(cfg.Tasks); err != nil {
		return nil, fmt.Errorf("pvas: %w", err)
	}
	if cfg.Siblings {
		if err := supportsSiblings(); err != nil {
			return nil, err
		}
	}
	s := &Space{tasks: cfg.Tasks, small: here.pageUp(cfg.SmallRegion), huge: cfg.HugePages, running: map[int]*Task{},
		programs: map[string]program{}}
	if err := s.reserve(cfg.PartitionSize, cfg.Spare); err != nil {
		return nil, err
	}
	var err error
	if s.own, err = fileAreas(); err != nil {
		return nil, errors.Join(fmt.Errorf("pvas: create: %w", err), s.Destroy())
	}
	s.stack = s.stackSize()
	if err := errors.Join(freezeBrk(), s.advise(s.reserved)); err != nil {
		return nil, errors.Join(err, s.Destroy())
	}
	return s, nil
}

// CheckPartitions tells whether so many partitions of size bytes can be asked for: nil if
// they can, or size is 0, else an error that wraps ErrPartitionSize.
func CheckPartitions(tasks int, size uint64) error {
	if size == 0 || bits.OnesCount64(size) == 1 && size >= limits.MinPartition &&
		size <= mostReserved()/uint64(max(tasks, 1)) {
		return nil
	}
	return fmt.Errorf("pvas: create: %w: %d partitions of %d bytes", ErrPartitionSize, tasks, size)
}

// advise marks a range for the arenas in it; images and stacks are mapped over the region and
// lose the marks. A rank that forks without exec would otherwise copy the page
// tables of every arena of the job.
func (s *Space) advise(r Range) error {
	at, length := uintptr(r.Start), uintptr(r.Len())
	if err := sys.Madvise(at, length, sys.MadvDontFork); err != nil {
		return fmt.Errorf("pvas: create: %w", err)
	}
	if !s.huge {
		return nil
	}
	if err := sys.Madvise(at, length, sys.MadvHugePage); err != nil {
		return fmt.Errorf("pvas: create: this kernel has no huge pages for anonymous memory, leave "+
			"out --huge-pages: %w", err)
	}
	return nil
}

// reserve finds the region. The kernel chooses the place: the Go runtime puts
// its heap at a random address, so any fixed one collides sooner or later.
// Where no hole is as large as wished, smaller partitions are tried, as far as they hold
// a stack, unless the caller asked for a size.
func (s *Space) reserve(size uint64, spare int) error {
	n := uint64(s.tasks)
	if size != 0 {
		if err := CheckPartitions(s.tasks, size); err != nil {
			return err
		}
		return s.reserveWith(spare, size)
	}
	size = usualPartition(n, mostReserved())
	if with := usualPartition(n+uint64(spare), mostReserved()); with >= leastWithSpare {
		size = with
	}
	err := fmt.Errorf("pvas: create: %w: %d partitions of %d MiB hold no stack of %d MiB: take a smaller one "+
		"(--stack-size, ulimit -s), or --btl sm",
		ErrTooSmall, n, size>>20, sys.SoftLimit(sys.RlimitStack)>>20)
	for ; size >= limits.MinPartition && holdsStack(size); size /= 2 {
		if err = s.reserveWith(spare, size); err == nil {
			return nil
		}
	}
	return err
}

// leastWithSpare is the size of a partition that makes no smaller ones for the sake of spare ones.
const leastWithSpare = 16 << 30

// usualPartition is the size of each of n partitions, of so many bytes at most in all.
func usualPartition(n, most uint64) uint64 {
	size := uint64(defaultPartition)
	for size < most && !holdsStack(size/2) {
		size *= 2
	}
	for size > most/n {
		size /= 2
	}
	return size
}

// reserveWith reserves partitions of a size, and the spare ones if there is room.
func (s *Space) reserveWith(spare int, size uint64) error {
	if spare > 0 && size <= mostReserved()/uint64(s.tasks+spare) && s.reserveOf(s.tasks+spare, size) == nil {
		return nil
	}
	return s.reserveOf(s.tasks, size)
}

func (s *Space) reserveOf(tasks int, size uint64) error {
	n := uint64(tasks)
	// One partition more than asked for, so that the first can be aligned.
	length := (n + 1) * size
	if err := limits.Partitions(tasks, size); err != nil {
		return fmt.Errorf("pvas: %w", err)
	}
	at, err := sys.Mmap(0, uintptr(length), sys.ProtNone, sys.MapPrivate|sys.MapAnonymous|sys.MapNoReserve, -1, 0)
	if err != nil {
		return fmt.Errorf("pvas: create: reserve %d partitions of %d MiB: %w", n, size>>20, err)
	}
	start := uint64(at)
	s.tasks, s.size, s.base = tasks, size, alignUp(start, size)
	s.reserved = Range{s.base, s.base + n*size}
	return errors.Join(unmap(Range{start, s.reserved.Start}), unmap(Range{s.reserved.End, start + length}))
}

// freezeBrk maps a page right above the program break, so that every brk call
// fails, whichever task makes it. A break that is frozen already stays so.
func freezeBrk() error {
	at := here.pageUp(uint64(sys.Brk()))
	_, err := sys.Mmap(uintptr(at), uintptr(here.page), sys.ProtNone,
		sys.MapPrivate|sys.MapAnonymous|sys.MapFixedNoReplace, -1, 0)
	if errors.Is(err, sys.EEXIST) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pvas: create: guard the program break: %w", err)
	}
	return nil
}

// Tasks returns the number of partitions.
func (s *Space) Tasks() int { return s.tasks }

// Partition returns where partition i begins and how many bytes it has.
func (s *Space) Partition(i int) (base, size uint64) {
	return s.base + uint64(i)*s.size, s.size
}

// Layout says where the program at path would lie in partition i with that
// environment, without loading it.
func (s *Space) Layout(i int, path string, env ...string) (Layout, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prog, err := s.program(i, path, env)
	if err != nil {
		return Layout{}, err
	}
	return s.lay(i, prog)
}

func (s *Space) lay(i int, prog program) (Layout, error) {
	base, size := s.Partition(i)
	return lay(i, base, size, prog, extents{s.stack, s.small})
}

// program opens and plans the program at path, or finds it done, for a task with
// that environment. A file that has changed since is planned again. Called with mu
// held.
func (s *Space) program(i int, path string, env []string) (program, error) {
	if s.dead {
		return program{}, ErrDestroyed
	}
	if i < 0 || i >= s.tasks {
		return program{}, fmt.Errorf("pvas: %w: %d of %d", ErrPartition, i, s.tasks)
	}
	old, cached := s.programs[path]
	if cached && old.file.unchanged(path) {
		return old.forEnv(path, env)
	}
	prog, err := openProgram(path)
	if err != nil {
		return program{}, err
	}
	if cached {
		old.close()
	}
	s.programs[path] = prog
	return prog.forEnv(path, env)
}

// Destroy gives the address space back (pvas_destroy). It fails with
// ErrTasksAlive while a task runs, and is idempotent. Memory of the tasks that
// the runtimes of their programs mapped outside their partitions stays mapped
// until the process ends.
func (s *Space) Destroy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return nil
	}
	for _, t := range s.running {
		if t.alive() {
			return fmt.Errorf("pvas: destroy: %w: pid %d in partition %d", ErrTasksAlive, t.pid, t.layout.Partition)
		}
	}
	for _, t := range s.running {
		t.Release()
	}
	for _, p := range s.programs {
		p.close()
	}
	s.dead = true
	return unmap(s.reserved)
}

func unmap(r Range) error {
	if r.Len() == 0 {
		return nil
	}
	return sys.Munmap(uintptr(r.Start), uintptr(r.Len()))
}
