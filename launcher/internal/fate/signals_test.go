package fate

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Catch takes signals until it is told to stop, but none that this process was started to ignore, as by nohup.
func TestCatch(t *testing.T) {
	witness := make(chan os.Signal, 1)
	signal.Notify(witness, syscall.SIGWINCH)
	defer signal.Stop(witness)
	raise := func() {
		for range 2 { // all have had the first one when the second one comes
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH))
			<-witness
		}
	}
	c, stop := Catch(syscall.SIGWINCH)
	raise()
	require.Equal(t, syscall.SIGWINCH, <-c)
	stop()
	for len(c) > 0 {
		<-c
	}
	raise()
	require.Empty(t, c)

	signal.Ignore(syscall.SIGUSR2)
	defer signal.Reset(syscall.SIGUSR2)
	_, stop = Catch(syscall.SIGUSR2)
	defer stop()
	require.True(t, signal.Ignored(syscall.SIGUSR2))
}

func TestEndsWait(t *testing.T) {
	for sig, ends := range map[syscall.Signal]bool{syscall.SIGINT: true, syscall.SIGTERM: true, syscall.SIGHUP: true,
		syscall.SIGUSR1: false, syscall.SIGCONT: false} {
		require.Equal(t, ends, EndsWait(sig), sig)
	}
}

// A write to an output that nobody reads is an error, and no longer the end of the process, until that is over.
func TestCatchPipe(t *testing.T) {
	if os.Getenv("FATE_CATCH_PIPE") != "" {
		writesToNobody()
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCatchPipe$")
	cmd.Env = append(os.Environ(), "FATE_CATCH_PIPE=1")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &said
	err = cmd.Run()
	require.NoError(t, w.Close())
	require.Equal(t, "broken pipe", said.String())
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, err)
	require.Equal(t, syscall.SIGPIPE, exit.Sys().(syscall.WaitStatus).Signal())
}

func writesToNobody() {
	stop := CatchPipe()
	_, err := os.Stdout.WriteString("x")
	if errors.Is(err, syscall.EPIPE) {
		os.Stderr.WriteString("broken pipe")
	}
	stop()
	_, _ = os.Stdout.WriteString("x")
	os.Exit(0)
}
