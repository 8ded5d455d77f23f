package rig

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// slurmConf is for nodes that claim more CPUs than the machine has. The times are short, as
// tests do not wait for what Slurm does after minutes.
const slurmConf = `ClusterName=rig
SlurmctldHost=n0
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
MpiDefault=none
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
SlurmdTimeout=20
KillWait=2
StateSaveLocation=/mnt/slurm/state
SlurmdSpoolDir=/mnt/slurm/spool.%%n
SlurmctldPidFile=/mnt/slurm/slurmctld.pid
SlurmdPidFile=/mnt/slurm/slurmd.%%n.pid
SlurmctldLogFile=/mnt/slurm/slurmctld.log
SlurmdLogFile=/mnt/slurm/slurmd.%%n.log
NodeName=n[0-%d] CPUs=%d State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// slurmEnv is what commands need of the environment.
var slurmEnv = []string{"SLURM_CONF=/mnt/slurm/slurm.conf"}

// startNode runs on each node. The daemons leave when they are ready.
const startNode = `munged --force --key-file=/mnt/slurm/munge.key --pid-file=/run/munge/munged.pid \
  --log-file=/run/munge/log --seed-file=/run/munge/seed &&
if [ "$(hostname)" = n0 ]; then slurmctld; fi && slurmd`

// SlurmTools are the commands that StartSlurm needs.
var SlurmTools = []string{"munged", "slurmctld", "slurmd", "srun", "sinfo", "salloc", "sbatch", "scancel"}

// StartSlurm starts a Slurm cluster of all nodes, each with so many CPUs, and waits until it
// is ready.
func (r *Rig) StartSlurm(cpus int) {
	r.t.Helper()
	r.write("slurm/slurm.conf", fmt.Sprintf(slurmConf, len(r.nodes)-1, cpus))
	r.write("slurm/cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n") // nothing uses it
	r.write("slurm/munge.key", rand.Text()+rand.Text()+rand.Text()+rand.Text())
	r.Run(0, "mkdir", "-p", "/mnt/slurm/state")
	r.onAll(func(i int) error {
		out, err := r.Command(i, "bash", "-c", startNode).CombinedOutput()
		if err != nil {
			return fmt.Errorf("slurm on n%d: %w: %s", i, err, out)
		}
		return nil
	})
	require.Eventually(r.t, func() bool {
		out, err := r.Command(0, "sinfo", "-h", "-N", "-o", "%t").Output()
		return err == nil && strings.Count(string(out), "idle") == len(r.nodes)
	}, 30*time.Second, 50*time.Millisecond, "not all nodes are idle")
}
