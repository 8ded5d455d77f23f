package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/internal/tune"
)

// profileFlags say which profile a job goes by.
type profileFlags struct {
	Profile string `long:"profile" env:"PVASRUN_PROFILE" value-name:"FILE|none" default-mask:"what pvasrun tune has written, if anything" description:"numbers that were measured on this machine, for what other flags leave open, or none"`
}

// noProfile is the value of --profile that refuses all.
const noProfile = "none"

// A profile is what a job goes by besides flags and defaults.
type profile struct {
	file    string // "": there is none
	ignored string // why; "": it is in force
	read    *tune.Profile
	tuned   map[job.BTL]job.Settings
}

// load reads the profile of a job. One that is not for this machine is ignored, as is a bad one that
// nobody has named. Whether it is for this kernel is left to here.
func (f *profileFlags) load() (p profile, err error) {
	named := f.Profile != ""
	if p.file = f.Profile; !named {
		if p.file, err = tune.Path(); err != nil {
			return profile{}, nil // no home, so no profile
		}
	}
	if p.file == noProfile {
		return profile{}, nil
	}
	p.read, err = tune.ReadFile(p.file)
	_, unseen := os.Stat(p.file)
	switch {
	case err == nil:
	case named:
		return p, fmt.Errorf("--profile: %w", err)
	case unseen != nil:
		return profile{}, nil // none, or in a folder of another user
	default:
		p.ignored = errors.Unwrap(err).Error() // without the advice, which warn gives
		return p, nil
	}
	m := tune.ThisMachine()
	m.CMA = p.read.Machine.CMA
	if p.ignored = p.read.Foreign(m, moduleVersion()); p.ignored == "" {
		p.tuned = p.read.Settings()
	}
	return p, nil
}

// here ignores a profile of a kernel that permits what this one refuses to processes, or the other
// way round. To find out takes too long for jobs that are not made of processes.
func (p *profile) here() {
	if p.tuned == nil {
		return
	}
	m := tune.ThisMachine()
	m.ProbeCMA()
	if p.ignored = p.read.Foreign(m, moduleVersion()); p.ignored != "" {
		p.tuned = nil
	}
}

// warn says that the profile is ignored, if it is.
func (p *profile) warn() {
	if p.ignored != "" {
		fmt.Fprintf(os.Stderr,
			"pvasrun: profile %s ignored: %s; pvasrun tune measures anew, --profile none is silent\n", p.file,
			p.ignored)
	}
}

// beside returns what the profile has to say, where the flags leave it open.
func (p *profile) beside(f *tunableFlags) map[job.BTL]job.Settings {
	if f.SingleCopy == "" {
		return p.tuned
	}
	without := map[job.BTL]job.Settings{}
	for btl, s := range p.tuned {
		s.PipelineFrom = 0
		without[btl] = s
	}
	return without
}
