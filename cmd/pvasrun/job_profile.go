package main

import (
	"sync"

	"github.com/gopvas/gopvas/internal/job"
	"github.com/gopvas/gopvas/launcher"
)

// takeProfile gives a job the numbers of its profile.
func (f *runFlags) takeProfile(j *launcher.Job) error {
	p, err := f.profileFlags.load()
	if err != nil {
		return err
	}
	p.warn()
	processes := sync.OnceFunc(func() {
		if p.tuned != nil {
			p.here()
			p.warn()
		}
	})
	j.Tuned = func(btl job.BTL) job.Settings {
		if btl == job.BTLSM {
			processes()
		}
		return p.beside(&f.tunableFlags)[btl]
	}
	return nil
}
