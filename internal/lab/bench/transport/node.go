package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gopvas/gopvas/suci"
)

// NodeMain is the process of a node, if the arguments are those of one.
func NodeMain(args []string) bool {
	if len(args) != 1 || args[0] != nodeCommand {
		return false
	}
	if err := nodeMain(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pvasrun:", err)
		os.Exit(1)
	}
	return true
}

func nodeMain(in io.Reader, out io.Writer) error {
	from := bufio.NewReader(in)
	line, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("transport: read order: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("transport: read order: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, from)
		cancel() // the process that has started this one has ended
	}()
	c, err := o.open()
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // the process ends
	if len(o.Experiments) > 0 {
		err := o.measure(ctx, c, json.NewEncoder(out))
		if err == nil {
			<-ctx.Done() // until then its sockets are counted
		}
		return err
	}
	if _, err := fmt.Fprintln(out, "ready"); err != nil {
		return err
	}
	if err := Serve(ctx, c); ctx.Err() == nil {
		return err
	}
	return nil
}

func (o *order) open() (Carrier, error) {
	if o.TCP {
		return openTCP(o.Self, o.Port)
	}
	return OpenSuci(suci.Options{Self: suci.ID(o.Self), Key: o.Key, Listen: o.Port, Start: o.Start, Spin: o.Spin})
}

// measure makes the experiments, and writes the result of each.
func (o *order) measure(ctx context.Context, c Carrier, out *json.Encoder) error {
	for n, at := range o.Others {
		if err := c.Reach(n, at); err != nil {
			return err
		}
	}
	if err := introduce(ctx, c, o.Self, o.Port, o.Others); err != nil {
		return err
	}
	for _, e := range o.Experiments {
		r, err := e.run(ctx, c, o)
		if err != nil {
			return fmt.Errorf("transport: %s of %d bytes: %w", e.Name, e.Bytes, err)
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// sent adds up what all nodes have sent, and sent again.
func (o *order) sent(ctx context.Context, c Carrier) (packets, again uint64, err error) {
	if o.TCP {
		return 0, 0, nil
	}
	states := []State{c.State()}
	for n := range o.Others {
		s, err := Ask(ctx, c, n)
		if err != nil {
			return 0, 0, err
		}
		states = append(states, s)
	}
	for _, s := range states {
		packets += s.Counters.PacketsOut
		again += s.Counters.Resent
	}
	return packets, again, nil
}
