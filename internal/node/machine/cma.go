package machine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/internal/node/sys"
)

// childName is argv[0] of the process that probes cross memory attach.
const childName = "pvasrun-probe"

// armed is set once ProbeMain has run: only then would a copy of this program
// answer the question instead of starting its own work again.
var armed bool

// errNotArmed is a mistake of the program, not a property of the machine.
var errNotArmed = errors.New("not probed: the program does not call machine.ProbeMain in main")

// ProbeMain must be called first thing in main, before flags are parsed. In a
// process that a probe has started it answers and does not return.
func ProbeMain() {
	if len(os.Args) == 1 && os.Args[0] == childName {
		if err := answer(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	armed = true
}

// secret is what the child has to find. It is a global so that it never moves:
// a slice made in a function may lie on its stack, and stacks move.
var secret = binary.LittleEndian.AppendUint64(nil, rand.Uint64()|1)

// question asks the child to read the 8 bytes at Addr of process Pid.
type question struct{ Pid, Addr uint64 }

// reply is what it found: the bytes, or the errno.
type reply struct{ Value, Errno uint64 }

// answer is the child's whole life.
func answer(in io.Reader, out io.Writer) error {
	var q question
	if err := binary.Read(in, binary.LittleEndian, &q); err != nil {
		return fmt.Errorf("%s: question: %w", childName, err)
	}
	var r reply
	word := make([]byte, 8)
	n, err := sys.ReadProcess(int(q.Pid), uintptr(q.Addr), word)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		r.Errno = uint64(errno)
	case err != nil:
		return err
	case n == len(word):
		r.Value = binary.LittleEndian.Uint64(word)
	}
	return binary.Write(out, binary.LittleEndian, r)
}

// CMA says whether one process may read another's memory here (process_vm_readv); nil
// means yes. Its error says why not.
func CMA() error { return probeCMA() }

// probeCMA has a child read from this process. That direction asks for the same
// right as one rank reading from another: security modules may let a parent read
// its child where they refuse it between siblings.
func probeCMA() error {
	if !armed {
		return unsure{errNotArmed}
	}
	var in bytes.Buffer
	q := question{uint64(os.Getpid()), uint64(sys.AddrOf(secret))}
	if err := binary.Write(&in, binary.LittleEndian, q); err != nil {
		return err
	}
	out, err := runChild(&in)
	if err != nil {
		return unsure{fmt.Errorf("%s: %w", childName, err)}
	}
	var r reply
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, &r); err != nil {
		return unsure{fmt.Errorf("%s: reply of %d bytes: %w", childName, len(out), err)}
	}
	if r.Errno != 0 {
		return fmt.Errorf("process_vm_readv: %w", syscall.Errno(r.Errno))
	}
	if r.Value != binary.LittleEndian.Uint64(secret) {
		return errors.New("process_vm_readv: returned other bytes than were there")
	}
	return nil
}

// runChild runs this program as the probe's child and returns its output. The
// child is killed when it takes unreasonably long, and waited for in any case.
func runChild(in io.Reader) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{childName}
	cmd.Stdin, cmd.Stderr = in, &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return out, err
}
