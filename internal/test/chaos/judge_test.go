package chaos

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Fault is a kind of wrong ending.
type Fault string

// Faults, see the package comment.
const (
	FaultHang    Fault = "hang"
	FaultLeft    Fault = "left"
	FaultZombie  Fault = "zombie"
	FaultCode    Fault = "code"
	FaultMessage Fault = "message"
	FaultTrace   Fault = "trace" // of a Go or C library where there should be a message
)

// faults in the order of a table's columns.
var faults = []Fault{FaultHang, FaultLeft, FaultZombie, FaultCode, FaultMessage, FaultTrace}

// Faults judges an outcome.
func (o *Outcome) Faults() (found []Fault) {
	add := func(f Fault, is bool) {
		if is {
			found = append(found, f)
		}
	}
	add(FaultHang, o.Hang)
	add(FaultLeft, len(o.Left) > 0)
	add(FaultZombie, o.Zombies > 0)
	if !o.Hang {
		add(FaultCode, !slices.Contains(o.codes(), o.Code))
		add(FaultMessage, !o.named())
	}
	add(FaultTrace, strings.Contains(o.Output, "goroutine ") || strings.Contains(o.Output, "fatal error"))
	return found
}

// codes are the exit codes that the harm may give.
func (o *Outcome) codes() []int {
	if o.Hit == 0 {
		return []int{0}
	}
	return []int{128 + int(o.Signal)}
}

// named reports whether the output says who was hit and how. Of what was asked
// for, and of a pvasrun that is no more, nothing need be said.
func (o *Outcome) named() bool {
	how := fmt.Sprintf(`was killed by signal %d \(%s, SIG\w+\)`, int(o.Signal), regexp.QuoteMeta(o.Signal.String()))
	switch {
	case o.Hit == 0:
		return true
	case o.Harm == KillRank:
		return regexp.MustCompile(fmt.Sprintf(`(?m)^pvasrun: rank \d+ \(pid %d, .*\) on \S+ %s`, o.Hit,
			how)).MatchString(o.Output)
	case o.Harm == KillHost:
		return regexp.MustCompile(fmt.Sprintf(`(?m)^pvasrun: the space host \(pid %d\) on \S+ %s`, o.Hit,
			how)).MatchString(o.Output)
	}
	return true
}
