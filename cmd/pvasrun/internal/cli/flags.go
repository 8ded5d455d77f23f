package cli

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/internal/msg/coll"
	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
	"github.com/gopvas/gopvas/pvas"
)

// Size is a number of bytes such as 2M, 64KiB or 4096; units are binary.
type Size uint64

// UnmarshalFlag parses a flag's value.
func (v *Size) UnmarshalFlag(text string) error {
	n, err := units.RAMInBytes(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a size: write for example 4096, 64K or 2MiB", text)
	}
	*v = Size(n)
	return nil
}

// Stack is the size of a rank's stack, or unlimited; 0: not given.
type Stack uint64

// UnmarshalFlag parses a flag's value.
func (v *Stack) UnmarshalFlag(text string) error {
	if text == "unlimited" {
		*v = math.MaxUint64
		return nil
	}
	var n Size
	if err := n.UnmarshalFlag(text); err != nil || n == 0 {
		return fmt.Errorf("%q is not a size of a stack: write for example 512K, 64M, 2GiB or unlimited", text)
	}
	*v = Stack(n)
	return nil
}

// Lapse is a time such as 90s or 2m; a bare number means seconds, as mpirun has
// it.
type Lapse time.Duration

// UnmarshalFlag parses a flag's value.
func (v *Lapse) UnmarshalFlag(text string) error {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		*v = Lapse(time.Duration(n) * time.Second)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration: write for example 90, 90s or 2m", text)
	}
	*v = Lapse(d)
	return nil
}

// Binding says where ranks may run.
type Binding struct {
	launcher.Binding
	text string
}

// UnmarshalFlag parses a flag's value.
func (v *Binding) UnmarshalFlag(text string) (err error) {
	v.text = text
	v.Binding, err = launcher.ParseBinding(text)
	return err
}

// Reader says which rank reads the standard input.
type Reader struct {
	Rank int  // -1: each of them
	None bool // nobody does
}

// UnmarshalFlag parses a flag's value.
func (v *Reader) UnmarshalFlag(text string) error {
	rank, err := strconv.Atoi(text)
	switch {
	case text == "all":
		*v = Reader{Rank: -1}
	case text == "none":
		*v = Reader{None: true}
	case err != nil || rank < 0:
		return fmt.Errorf("%q: it is a rank, all or none", text)
	default:
		*v = Reader{Rank: rank}
	}
	return nil
}

// Counts is a list of numbers of ranks or nodes such as 8,16,32.
type Counts []int

// UnmarshalFlag parses a flag's value.
func (v *Counts) UnmarshalFlag(text string) error {
	list, ok := Numbers(text, 1)
	if !ok {
		return fmt.Errorf("%q is not a list of numbers such as 8,16,32", text)
	}
	*v = list
	return nil
}

// Numbers parses a list of numbers that are not less than least.
func Numbers(text string, least int) (list []int, ok bool) {
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < least {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// BTLNames is a list of task models such as pvas,sm.
type BTLNames []string

// UnmarshalFlag parses a flag's value.
func (v *BTLNames) UnmarshalFlag(text string) error {
	list, ok := Words(text, v.Items())
	if !ok {
		return fmt.Errorf("%q is not a list of task models, each once: write pvas, sm, or pvas,sm", text)
	}
	*v = list
	return nil
}

// Items are the task models.
func (BTLNames) Items() []string { return []string{"pvas", "sm"} }

// Here returns those that work on this machine, and says which does not: a job falls back likewise. Where none is left
// it is an error.
func (v BTLNames) Here() (list BTLNames, err error) { return v.without(pvas.Supported()) }

// without is Here where one address space does not work, for a reason.
func (v BTLNames) without(reason error) (list BTLNames, err error) {
	for _, name := range v {
		if name == job.BTLPvas.String() && reason != nil {
			err = fmt.Errorf("no task model of --btl works here: %w: add sm", reason)
			fmt.Fprintln(os.Stderr, "pvasrun: without --btl pvas:", reason)
			continue
		}
		list = append(list, name)
	}
	if list != nil {
		err = nil
	}
	return list, err
}

// CacheNames is a list of states of caches such as warm,cold.
type CacheNames []string

// UnmarshalFlag parses a flag's value.
func (v *CacheNames) UnmarshalFlag(text string) error {
	list, ok := Words(text, v.Items())
	if !ok {
		return fmt.Errorf("%q is not a list of states of caches, each once: write warm, cold, or warm,cold", text)
	}
	*v = list
	return nil
}

// Items are the states.
func (CacheNames) Items() []string { return []string{"warm", "cold"} }

// Policy is a way to make progress, or empty.
type Policy string

// AllPolicies are the names that cad.ParsePolicy knows, but for the default.
var AllPolicies = []string{"share", "owner"}

// UnmarshalFlag parses a flag's value.
func (v *Policy) UnmarshalFlag(text string) error {
	if text != "" && !slices.Contains(AllPolicies, text) {
		return notOf(text, AllPolicies)
	}
	*v = Policy(text)
	return nil
}

// Items are the ways.
func (Policy) Items() []string { return AllPolicies }

// ErrorHandler is the handler that programs begin with, by its name in small letters, or empty.
type ErrorHandler string

var allErrorHandlers = []string{"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"}

// UnmarshalFlag parses a flag's value.
func (v *ErrorHandler) UnmarshalFlag(text string) error {
	name := strings.ToLower(text)
	if text != "" && !slices.Contains(allErrorHandlers, name) {
		return notOf(text, allErrorHandlers)
	}
	*v = ErrorHandler(name)
	return nil
}

// Items are the handlers.
func (ErrorHandler) Items() []string { return allErrorHandlers }

// Algorithms is a list of algorithms of collective operations such as allreduce=tree, or empty. Package coll parses it.
type Algorithms string

// Items are all of them.
func (Algorithms) Items() []string { return coll.Choices() }

// Words parses a list of words that are known, each at most once.
func Words(text string, known []string) (list []string, ok bool) {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(known, word) || slices.Contains(list, word) {
			return nil, false
		}
		list = append(list, word)
	}
	return list, true
}

// Sizes is a list of numbers of bytes such as 8,1K,4MiB.
type Sizes []int

// UnmarshalFlag parses a flag's value.
func (v *Sizes) UnmarshalFlag(text string) error {
	var list Sizes
	for item := range strings.SplitSeq(text, ",") {
		var n Size
		if err := n.UnmarshalFlag(item); err != nil {
			return err
		}
		list = append(list, int(n))
	}
	*v = list
	return nil
}

// NotGiven stands for the number of ranks until it is known.
const NotGiven = math.MinInt
