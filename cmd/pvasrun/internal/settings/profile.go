package settings

import (
	"errors"
	"fmt"
	"os"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/tune"
	"github.com/gopvas/gopvas/internal/node/job"
)

// ProfileFlags say which profile a job goes by.
type ProfileFlags struct {
	Profile string `long:"profile" env:"PVASRUN_PROFILE" value-name:"FILE|none" default-mask:"what pvasrun tune has written, if anything" description:"numbers that were measured on this machine, for what other flags leave open, or none"`
}

// noProfile is the value of --profile that refuses all.
const noProfile = "none"

// A profile is what a job goes by besides flags and defaults.
type profile struct {
	File    string // "": there is none
	Ignored string // why; "": it is in force
	read    *tune.Profile
	Tuned   map[job.BTL]job.Settings
}

// Load reads the profile of a job. One that is not for this machine is ignored, as is a bad one that
// nobody has named. Whether it is for this kernel is left to here.
func (f *ProfileFlags) Load() (p profile, err error) {
	named := f.Profile != ""
	if p.File = f.Profile; !named {
		if p.File, err = tune.Path(); err != nil {
			return profile{}, nil // no home, so no profile
		}
	}
	if p.File == noProfile {
		return profile{}, nil
	}
	p.read, err = tune.ReadFile(p.File)
	_, unseen := os.Stat(p.File)
	switch {
	case err == nil:
	case named:
		return p, fmt.Errorf("--profile: %w", err)
	case unseen != nil:
		return profile{}, nil // none, or in a folder of another user
	default:
		p.Ignored = errors.Unwrap(err).Error() // without the advice, which warn gives
		return p, nil
	}
	m := tune.ThisMachine()
	m.CMA = p.read.Machine.CMA
	if p.Ignored = p.read.Foreign(m, cli.ModuleVersion()); p.Ignored == "" {
		p.Tuned = p.read.Settings()
	}
	return p, nil
}

// Here ignores a profile of a kernel that permits what this one refuses to processes, or the other
// way round. To find out takes too long for jobs that are not made of processes.
func (p *profile) Here() {
	if p.Tuned == nil {
		return
	}
	m := tune.ThisMachine()
	m.ProbeCMA()
	if p.Ignored = p.read.Foreign(m, cli.ModuleVersion()); p.Ignored != "" {
		p.Tuned = nil
	}
}

// Warn says that the profile is ignored, if it is.
func (p *profile) Warn() {
	if p.Ignored != "" {
		fmt.Fprintf(os.Stderr,
			"pvasrun: profile %s ignored: %s; pvasrun tune measures anew, --profile none is silent\n", p.File,
			p.Ignored)
	}
}

// Beside returns what the profile has to say, where the flags leave it open.
func (p *profile) Beside(f *TunableFlags) map[job.BTL]job.Settings {
	if f.SingleCopy == "" {
		return p.Tuned
	}
	without := map[job.BTL]job.Settings{}
	for btl, s := range p.Tuned {
		s.PipelineFrom = 0
		without[btl] = s
	}
	return without
}
