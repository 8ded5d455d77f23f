package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"

	"github.com/gopvas/gopvas/launcher"
)

// size is a number of bytes such as 2M, 64KiB or 4096; units are binary.
type size uint64

// UnmarshalFlag parses a flag's value.
func (v *size) UnmarshalFlag(text string) error {
	n, err := units.RAMInBytes(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a size: write for example 4096, 64K or 2MiB", text)
	}
	*v = size(n)
	return nil
}

// stack is the size of a rank's stack, or unlimited; 0: not given.
type stack uint64

// UnmarshalFlag parses a flag's value.
func (v *stack) UnmarshalFlag(text string) error {
	if text == "unlimited" {
		*v = math.MaxUint64
		return nil
	}
	var n size
	if err := n.UnmarshalFlag(text); err != nil || n == 0 {
		return fmt.Errorf("%q is not a size of a stack: write for example 512K, 64M, 2GiB or unlimited", text)
	}
	*v = stack(n)
	return nil
}

// lapse is a time such as 90s or 2m; a bare number means seconds, as mpirun has
// it.
type lapse time.Duration

// UnmarshalFlag parses a flag's value.
func (v *lapse) UnmarshalFlag(text string) error {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		*v = lapse(time.Duration(n) * time.Second)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration: write for example 90, 90s or 2m", text)
	}
	*v = lapse(d)
	return nil
}

// binding says where ranks may run.
type binding struct {
	launcher.Binding
	text string
}

// UnmarshalFlag parses a flag's value.
func (v *binding) UnmarshalFlag(text string) (err error) {
	v.text = text
	v.Binding, err = launcher.ParseBinding(text)
	return err
}

// counts is a list of numbers of ranks such as 8,16,32.
type counts []int

// UnmarshalFlag parses a flag's value.
func (v *counts) UnmarshalFlag(text string) error {
	list, ok := numbers(text, 1)
	if !ok {
		return fmt.Errorf("%q is not a list of rank counts such as 8,16,32", text)
	}
	*v = list
	return nil
}

// numbers parses a list of numbers that are not less than least.
func numbers(text string, least int) (list []int, ok bool) {
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < least {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// btlNames is a list of task models such as pvas,sm.
type btlNames []string

// UnmarshalFlag parses a flag's value.
func (v *btlNames) UnmarshalFlag(text string) error {
	list, ok := words(text, []string{"pvas", "sm"})
	if !ok {
		return fmt.Errorf("%q is not a list of task models, each once: write pvas, sm, or pvas,sm", text)
	}
	*v = list
	return nil
}

// cacheNames is a list of states of caches such as warm,cold.
type cacheNames []string

// UnmarshalFlag parses a flag's value.
func (v *cacheNames) UnmarshalFlag(text string) error {
	list, ok := words(text, []string{"warm", "cold"})
	if !ok {
		return fmt.Errorf("%q is not a list of states of caches, each once: write warm, cold, or warm,cold", text)
	}
	*v = list
	return nil
}

// policy is a way to make progress, or empty.
type policy string

var allPolicies = []string{"share", "owner"}

// UnmarshalFlag parses a flag's value.
func (v *policy) UnmarshalFlag(text string) error {
	if text != "" && !slices.Contains(allPolicies, text) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(allPolicies, ", "))
	}
	*v = policy(text)
	return nil
}

// words parses a list of words that are known, each at most once.
func words(text string, known []string) (list []string, ok bool) {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(known, word) || slices.Contains(list, word) {
			return nil, false
		}
		list = append(list, word)
	}
	return list, true
}

// sizes is a list of numbers of bytes such as 8,1K,4MiB.
type sizes []int

// UnmarshalFlag parses a flag's value.
func (v *sizes) UnmarshalFlag(text string) error {
	var list sizes
	for item := range strings.SplitSeq(text, ",") {
		var n size
		if err := n.UnmarshalFlag(item); err != nil {
			return err
		}
		list = append(list, int(n))
	}
	*v = list
	return nil
}

// notGiven stands for the number of ranks until it is known.
const notGiven = math.MinInt
