package rig

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// sshConfig is /etc/ssh/ssh_config of the nodes. The key exchange is a fast one: this machine
// does both ends of all of them, and the default takes three times as long.
const sshConfig = `Host n* 10.77.*
  IdentityFile /mnt/ssh/id
  IdentitiesOnly yes
  UserKnownHostsFile /mnt/ssh/known_hosts
  GlobalKnownHostsFile /dev/null
  BatchMode yes
  KexAlgorithms curve25519-sha256
  LogLevel ERROR
`

// sshdConfig is that of sshd. By default it refuses connections at random if many come at a time.
const sshdConfig = `HostKey /mnt/ssh/host
AuthorizedKeysFile /mnt/ssh/id.pub
StrictModes no
UsePAM no
PasswordAuthentication no
UseDNS no
PermitRootLogin prohibit-password
MaxStartups 200
PidFile none
LogLevel INFO
`

// StartSSH starts sshd on all nodes, which let one another in.
func (r *Rig) StartSSH() {
	r.t.Helper()
	for _, key := range []string{"ssh/id", "ssh/host"} {
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", r.file(key)).CombinedOutput()
		require.NoError(r.t, err, "%s", out)
	}
	public := r.Run(0, "cat", "/mnt/ssh/host.pub")
	r.write("ssh/known_hosts", "n*,10.77.* "+strings.Join(strings.Fields(public)[:2], " ")+"\n")
	r.write("ssh/sshd_config", sshdConfig)
	r.onAll(func(i int) error {
		out, err := r.Command(i, "/usr/sbin/sshd", "-f", "/mnt/ssh/sshd_config", "-E",
			fmt.Sprintf("/mnt/ssh/log.%d", i)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("sshd of n%d: %w: %s", i, err, out)
		}
		return nil
	})
	listens := func(node int) bool { // sshd leaves its parent before
		log, _ := os.ReadFile(r.file(fmt.Sprintf("ssh/log.%d", node)))
		return strings.Contains(string(log), "Server listening")
	}
	for i := range r.nodes {
		require.Eventually(r.t, func() bool { return listens(i) }, time.Minute, time.Millisecond, "sshd of n%d", i)
	}
}

// onAll calls f for all nodes at a time.
func (r *Rig) onAll(f func(node int) error) {
	r.t.Helper()
	errs := make([]error, len(r.nodes))
	var wg sync.WaitGroup
	for i := range r.nodes {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(r.t, err)
	}
}
