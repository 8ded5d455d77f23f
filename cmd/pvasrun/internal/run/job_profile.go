package run

import (
	"sync"

	"github.com/gopvas/gopvas/internal/node/job"
	"github.com/gopvas/gopvas/launcher"
)

// takeProfile gives a job the numbers of its profile.
func (f *Flags) takeProfile(j *launcher.Job) error {
	p, err := f.ProfileFlags.Load()
	if err != nil {
		return err
	}
	p.Warn()
	processes := sync.OnceFunc(func() {
		if p.Tuned != nil {
			p.Here()
			p.Warn()
		}
	})
	j.Tuned = func(btl job.BTL) job.Settings {
		if btl == job.BTLSM {
			processes()
		}
		return p.Beside(&f.TunableFlags)[btl]
	}
	return nil
}
