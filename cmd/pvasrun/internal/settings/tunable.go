package settings

import (
	"cmp"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/node/job"
)

// TunableFlags change the speed of messages and nothing else.
type TunableFlags struct {
	EagerLimit cli.Size `long:"eager-limit" least:"1" most:"65536; longer messages gain nothing by a copy to and fro" env:"PVASRUN_EAGER_LIMIT" value-name:"SIZE" default-mask:"4KiB, or of the profile" description:"longest message that is copied to and fro, up to 64 KiB; longer ones are read from the sender's buffer"`
	RingBlock  cli.Size `long:"ring-block" least:"4096" env:"PVASRUN_RING_BLOCK" value-name:"SIZE" default-mask:"32KiB" description:"block of the pipeline that carries long messages between processes (sm)"`
	SingleCopy string   `long:"single-copy" env:"PVASRUN_SINGLE_COPY" choice:"auto" choice:"none" choice:"cma" default-mask:"auto" description:"long messages between processes (sm) in one copy by process_vm_readv: where permitted and faster (some long messages are timed), never, or else fail"`
	Spin       *int     `long:"spin" least:"0" most:"1073741824; that is more than 10 s of looking" env:"PVASRUN_SPIN" value-name:"N" default-mask:"32000, or of the profile" description:"looks before a wait sleeps; fewer with more ranks than CPUs"`
}

// Settings checks and converts the flags. What is not given is 0.
func (f *TunableFlags) Settings() (job.Settings, error) {
	mode, err := job.ParseSingleCopy(cmp.Or(f.SingleCopy, job.SingleCopyAuto.String()))
	if err != nil {
		return job.Settings{}, err
	}
	s := job.Settings{EagerLimit: int(f.EagerLimit), RingBlock: int(f.RingBlock), SingleCopy: mode}
	if f.Spin != nil {
		if s.Spin = *f.Spin; s.Spin == 0 {
			s.Spin = -1 // 0 stands for the default there
		}
	}
	_, err = s.Resolve()
	return s, err
}
