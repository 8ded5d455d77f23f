package runner

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// A peer's guard ends what its launcher leaves. A launcher that lives when this process is killed gets
// a TERM, but may have lost its way to the other nodes: namespaces end with this process. What it has
// started there is found by its TMPDIR, the folder of the peer, which all of it inherits. The guard is
// a shell that waits for the end of a pipe, which this process alone holds open.
//
// The launcher has its patience to remove its ranks and their files. Then all are killed, until two looks
// in a row find none, or for some 10 s. One look may miss a process in the middle of execve. The folder is
// removed in any case.
const guardScript = `
cat > /dev/null
left() { grep -laszxF "TMPDIR=$0" /proc/[0-9]*/environ | cut -d / -f 3; }
tries=0 none=0
while [ $tries -lt $(($1 + 100)) ]; do
	all=$(left)
	[ -z "$all" ] && none=$((none + 1)) || none=0
	[ $none -lt 2 ] || break
	[ -z "$all" ] || [ $tries -lt "$1" ] || kill -KILL $all 2> /dev/null
	tries=$((tries + 1))
	sleep 0.1
done
rm -rf -- "$0"`

// guard starts the guard of a peer. end closes the pipe, and waits until the guard is done.
func (p *peer) guard() (end func(), err error) {
	cmd := exec.Command("sh", "-c", guardScript, p.dir, strconv.Itoa(int(p.patience/(100*time.Millisecond))))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // out of reach of the terminal
	var pipe io.WriteCloser
	if pipe, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("bench: start the guard of %s: %w", p.name, err)
	}
	return func() {
		_ = pipe.Close()
		_ = cmd.Wait()
		_ = os.RemoveAll(p.dir) // the guard may have been killed
	}, nil
}
