package settings

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/launcher/cluster"
)

// WhereFlags name nodes.
type WhereFlags struct {
	Hosts        string    `long:"hosts" env:"PVASRUN_HOSTS" value-name:"LIST" description:"nodes to run on, each with its number of ranks or without: a:4,b:4"`
	Hostfile     string    `long:"hostfile" env:"PVASRUN_HOSTFILE" value-name:"FILE" description:"a file that names the nodes, one a line: a slots=4"`
	Rsh          string    `long:"rsh" env:"PVASRUN_RSH" value-name:"CMD" default-mask:"ssh, or srun in a Slurm allocation" description:"start pvasrun on a node by CMD HOST COMMAND"`
	StartTimeout cli.Lapse `long:"start-timeout" env:"PVASRUN_START_TIMEOUT" value-name:"DUR" default-mask:"30s; under srun and PMI 5s after the first node" description:"a node whose pvasrun has not answered after this time is given up"`
}

// Named returns the nodes that the flags name, or else those of a Slurm allocation.
func (f *WhereFlags) Named() (hosts []cluster.Host, slurm bool, err error) {
	switch {
	case f.StartTimeout != 0 && time.Duration(f.StartTimeout) < time.Second:
		return nil, false, fmt.Errorf("--start-timeout %v: at least 1s is needed", time.Duration(f.StartTimeout))
	case f.Hosts != "" && f.Hostfile != "":
		return nil, false, errors.New("--hosts and --hostfile: give one of them")
	case f.Hosts != "":
		hosts, err = cluster.ParseHosts(f.Hosts)
	case f.Hostfile != "":
		hosts, err = cluster.ReadHostfile(f.Hostfile)
	}
	if err != nil {
		return nil, false, err
	}
	allocated, slurm, err := cluster.SlurmHosts(os.Getenv)
	if err != nil || hosts == nil {
		hosts = allocated
	}
	return hosts, slurm, err
}

// Shell is the command of --rsh, nil if there is none.
func (f *WhereFlags) Shell() []string {
	if words := strings.Fields(f.Rsh); len(words) > 0 {
		return words
	}
	return nil
}
