package pvas

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// Entries of the auxiliary vector that differ from the host's own.
const (
	atNull     = 0
	atPhdr     = 3
	atPhent    = 4
	atPhnum    = 5
	atBase     = 7
	atEntry    = 9
	atUID      = 11
	atEUID     = 12
	atGID      = 13
	atEGID     = 14
	atPlatform = 15
	atSecure   = 23
	atBasePlat = 24
	atRandom   = 25
	atExecFn   = 31
)

// A stackBuilder fills the top of a new stack downwards, as execve does:
//
//	sp -> argc, argv..., 0, envp..., 0, auxv..., (AT_NULL, 0)
//	      strings of argv and envp, path, platform, 16 random bytes
//	      state word of the task (see Task)
//	end
type stackBuilder struct {
	memory []byte // the whole stack
	start  uint64 // address of memory[0]
	sp     uint64
}

// buildStack maps the stack of a task, and its small region, and writes the initial contents that a
// program finds there. It returns the stack pointer to start with and the
// address of the task's state word.
func buildStack(l Layout, prog program, spec *TaskSpec) (sp, state uint64, err error) {
	prot := sys.ProtRead | sys.ProtWrite
	if prog.img.execStk {
		prot |= sys.ProtExec
	}
	flags := sys.MapPrivate | sys.MapFixed | sys.MapAnonymous | sys.MapNoReserve
	if _, err := sys.Mmap(uintptr(l.Stack.Start), uintptr(l.Stack.Len()), prot, flags, -1, 0); err != nil {
		return 0, 0, fmt.Errorf("pvas: map the stack of partition %d: %w", l.Partition, err)
	}
	if n := uintptr(l.SmallRegion.Len()); n > 0 {
		if _, err := sys.Mmap(uintptr(l.SmallRegion.Start), n, sys.ProtRead|sys.ProtWrite, flags, -1, 0); err != nil {
			return 0, 0, fmt.Errorf("pvas: map the small region of partition %d: %w", l.Partition, err)
		}
	}
	args, err := prog.command(spec)
	if err != nil {
		return 0, 0, err
	}
	if n := stringBytes(args) + stringBytes(spec.Env) + len(spec.Path); uint64(n) > l.Stack.Len()/4 {
		return 0, 0, fmt.Errorf("pvas: start %s: %w: %d bytes, a quarter of %d may be used", spec.Path,
			ErrArgsTooLong, n, l.Stack.Len())
	}
	b := &stackBuilder{bytesAt(l.Stack.Start, l.Stack.Len()), l.Stack.Start, l.Stack.End - 64}
	state = b.sp
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	auxv, err := b.auxv(l, prog, spec, b.push(random))
	if err != nil {
		return 0, 0, err
	}
	b.vector(args, spec.Env, auxv)
	return b.sp, state, nil
}

// stringBytes is the memory of strings on the stack, with terminator and pointer.
func stringBytes(list []string) (n int) {
	for _, s := range list {
		n += len(s) + 1 + 8
	}
	return n
}

func (b *stackBuilder) push(data []byte) (addr uint64) {
	b.sp -= uint64(len(data))
	copy(b.memory[b.sp-b.start:], data)
	return b.sp
}

// pushString adds the terminating NUL; fresh stack memory is zero.
func (b *stackBuilder) pushString(s string) (addr uint64) {
	b.sp -= uint64(len(s)) + 1
	copy(b.memory[b.sp-b.start:], s)
	return b.sp
}

// auxv returns the auxiliary vector: the host's own entries, which describe the
// machine and the vDSO that all tasks share, with those replaced that describe
// a program.
func (b *stackBuilder) auxv(l Layout, prog program, spec *TaskSpec, random uint64) ([]uint64, error) {
	host, err := sys.Auxv()
	if err != nil {
		return nil, fmt.Errorf("pvas: read the auxiliary vector: %w", err)
	}
	var base uint64
	img, bias := prog.img, l.Offset
	switch {
	case prog.through: // as if the interpreter were the program
		img, bias = prog.interp, l.Interp.Start-prog.interp.lo
	case prog.interp != nil:
		base = l.Interp.Start
	}
	own := [][2]uint64{
		{atPhdr, img.phdr + bias}, {atPhent, phdrSize}, {atPhnum, img.phnum},
		{atBase, base}, {atEntry, img.entry + bias}, {atSecure, 0}, {atRandom, random},
		{atUID, uint64(os.Getuid())}, {atEUID, uint64(os.Geteuid())},
		{atGID, uint64(os.Getgid())}, {atEGID, uint64(os.Getegid())},
		{atExecFn, b.pushString(spec.Path)}, {atPlatform, b.pushString(here.platform)},
	}
	replaced := map[uint64]bool{atNull: true, atBasePlat: true}
	var auxv []uint64
	for _, e := range own {
		replaced[e[0]] = true
		auxv = append(auxv, e[0], e[1])
	}
	for _, e := range host {
		if !replaced[uint64(e[0])] {
			auxv = append(auxv, uint64(e[0]), uint64(e[1]))
		}
	}
	return append(auxv, atNull, 0), nil
}

// vector writes argc, argv, envp and auxv below the strings, with the stack
// pointer 16-byte aligned as the ABI demands at a program's entry.
func (b *stackBuilder) vector(args, env []string, auxv []uint64) {
	words := []uint64{uint64(len(args))}
	for _, list := range [][]string{args, env} {
		for _, s := range list {
			words = append(words, b.pushString(s))
		}
		words = append(words, 0)
	}
	words = append(words, auxv...)
	b.sp = (b.sp - uint64(len(words))*8) &^ 15
	for i, w := range words {
		binary.LittleEndian.PutUint64(b.memory[b.sp-b.start+uint64(i)*8:], w)
	}
}
