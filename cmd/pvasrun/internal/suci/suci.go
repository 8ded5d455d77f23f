package suci

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/cli"
	"github.com/gopvas/gopvas/internal/lab/bench/transport"
	"github.com/gopvas/gopvas/suci"
)

// suciFlags are those of both ends.
type suciFlags struct {
	Key     string    `long:"key" env:"PVASRUN_SUCI_KEY" value-name:"FILE" required:"yes" description:"file with the key that both ends share, as pvasrun suci key prints it"`
	Encrypt bool      `long:"encrypt" env:"PVASRUN_SUCI_ENCRYPT" description:"seal every packet; both ends must say so"`
	Packet  int       `long:"packet" env:"PVASRUN_SUCI_PACKET" value-name:"BYTES" default-mask:"8972" description:"longest datagram; the path may carry less"`
	Spin    cli.Lapse `long:"spin" env:"PVASRUN_SUCI_SPIN" value-name:"DUR" default-mask:"never" description:"poll the socket so long before sleeping, such as 1ms"`
}

func (f *suciFlags) options(self suci.ID, listen netip.AddrPort) (suci.Options, error) {
	o := suci.Options{Self: self, Listen: listen, Encrypt: f.Encrypt, Packet: f.Packet, Spin: time.Duration(f.Spin)}
	key, err := readKey(f.Key)
	o.Key = key
	return o, err
}

// readKey reads a key of hexadecimal digits.
func readKey(name string) (key suci.Key, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return key, fmt.Errorf("suci: read key: %w; pvasrun suci key makes one", err)
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(b) != len(key) {
		return key, fmt.Errorf("suci: read key: %s does not have %d hexadecimal digits; pvasrun suci key makes a key",
			name, 2*len(key))
	}
	return suci.Key(b), nil
}

// Execute is the command suci.
func Execute(args []string) error {
	commands := map[string]func([]string) error{
		"key": executeSuciKey, "serve": interruptibly(executeSuciServe), "ping": interruptibly(executeSuciPing),
		"bench": interruptibly(executeSuciBench), "stat": interruptibly(executeSuciStat),
	}
	return cli.ExecuteOne("suci", commands, args, "name a command: bench, key, ping, serve, stat")
}

// interruptibly makes a command of a function that ends when its context does.
func interruptibly(run func(context.Context, []string) error) func([]string) error {
	return func(args []string) error {
		return cli.UntilSignal(func(ctx context.Context) error { return run(ctx, args) })
	}
}

func executeSuciKey(args []string) error {
	var f struct {
		Output string `short:"o" long:"output" env:"PVASRUN_SUCI_OUTPUT" value-name:"FILE" description:"new file to write, which only its owner can read"`
	}
	if err := cli.ParseOnly("pvasrun suci key", &f, args); err != nil {
		return err
	}
	key := suci.NewKey()
	text := hex.EncodeToString(key[:]) + "\n"
	if f.Output == "" {
		_, err := fmt.Print(text)
		return err
	}
	file, err := os.OpenFile(f.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("suci: write key: %w", err)
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// suciServer is the ID of a server.
const suciServer = 1

func executeSuciServe(ctx context.Context, args []string) error {
	var f struct {
		suciFlags
		Listen string `long:"listen" env:"PVASRUN_SUCI_LISTEN" value-name:"ADDRESS:PORT" default:"0.0.0.0:7470" description:"where to receive"`
	}
	if err := cli.ParseOnly("pvasrun suci serve", &f, args); err != nil {
		return err
	}
	listen, err := netip.ParseAddrPort(f.Listen)
	if err != nil {
		return cli.Mistake(fmt.Errorf("--listen: %w", err))
	}
	o, err := f.options(suciServer, listen)
	if err != nil {
		return err
	}
	c, err := transport.OpenSuci(o)
	if err != nil {
		return err
	}
	fmt.Println("serving at", c.Address())
	return errors.Join(transport.Serve(ctx, c), c.Close())
}

// client opens an endpoint that has reached the server of a command line. The context that it
// returns ends when the server is lost.
func (f *suciFlags) client(ctx context.Context, command string,
	servers []string) (context.Context, transport.Carrier, error) {
	c, err := f.open(command, servers, suciLost(&ctx))
	if err != nil {
		return ctx, nil, err
	}
	if err := transport.Greet(ctx, c, suciServer); err != nil {
		switch {
		case errors.Is(err, suci.ErrKey):
			err = fmt.Errorf("the pvasrun suci serve there has another --key or --encrypt: %w", err)
		case errors.Is(err, suci.ErrLost):
			err = fmt.Errorf("no pvasrun suci serve answers: %w", err)
		}
		return ctx, nil, errors.Join(fmt.Errorf("suci: %s %s: %w", command, servers[0], err), c.Close())
	}
	return ctx, c, nil
}

// suciLost replaces a context by one that ends when the function is told of a lost peer.
func suciLost(ctx *context.Context) func(suci.ID, suci.Change) {
	lost, cancel := context.WithCancelCause(*ctx)
	*ctx = lost
	return func(_ suci.ID, change suci.Change) {
		if change == suci.Down {
			cancel(errors.New("the server has ended, or does not answer any more"))
		}
	}
}

// open opens an endpoint that knows the address of the server of a command line.
func (f *suciFlags) open(command string, servers []string,
	onChange func(suci.ID, suci.Change)) (transport.Carrier, error) {
	if len(servers) != 1 {
		return nil, cli.Mistake(fmt.Errorf("suci %s: name one server: ADDRESS:PORT", command))
	}
	server, err := netip.ParseAddrPort(servers[0])
	if err != nil { // package net would resolve names, and links libc
		return nil,
			cli.Mistake(fmt.Errorf(
				"suci %s: the server is an address and a port, such as 10.1.0.2:7470, and no name: %w", command, err))
	}
	server = netip.AddrPortFrom(server.Addr().Unmap(), server.Port())
	listen := netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	if server.Addr().Is6() {
		listen = netip.AddrPortFrom(netip.IPv6Unspecified(), 0)
	}
	o, err := f.options(suci.ID(rand.Uint32()|1<<31), listen) // not one that another client has
	if err != nil {
		return nil, err
	}
	o.Timeout, o.OnChange = 5*time.Second, onChange
	c, err := transport.OpenSuci(o)
	if err != nil {
		return nil, err
	}
	return c, c.Reach(suciServer, server)
}

func executeSuciPing(ctx context.Context, args []string) error {
	var f struct {
		suciFlags
		Size  cli.Size  `long:"size" env:"PVASRUN_SUCI_SIZE" value-name:"SIZE" default:"8" description:"bytes of a message"`
		Count int       `short:"c" long:"count" env:"PVASRUN_SUCI_COUNT" value-name:"N" default:"5" description:"lines to print"`
		Every cli.Lapse `long:"every" env:"PVASRUN_SUCI_EVERY" value-name:"DUR" default:"1s" description:"time that a line is measured"`
	}
	rest, err := cli.ParseMixed("pvasrun suci ping", "[flags] ADDRESS:PORT", &f, args)
	if err != nil {
		return err
	}
	if f.Count < 1 {
		return cli.Mistake(errors.New("suci ping: --count: want 1 or more"))
	}
	if err := transport.CheckSizes(int(f.Size)); err != nil {
		return cli.Mistake(fmt.Errorf("suci ping: --size: %w", err))
	}
	ctx, c, err := f.client(ctx, "ping", rest)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // all has been said
	for range f.Count {
		t, err := transport.PingPong(ctx, c, suciServer, int(f.Size), time.Duration(f.Every))
		if err != nil {
			return fmt.Errorf("suci: ping %s: %w", rest[0], err)
		}
		fmt.Printf("%d rounds of %d bytes: median %.2f us, least %.2f, 99 %% %.2f, worst %.2f\n", t.Rounds, int(f.Size),
			t.Median, t.Least, t.P99, t.Worst)
	}
	return nil
}

func executeSuciBench(ctx context.Context, args []string) error {
	var f struct {
		suciFlags
		Sizes cli.Sizes `long:"sizes" env:"PVASRUN_SUCI_SIZES" value-name:"LIST" default:"8,1KiB,16KiB,64KiB,1MiB,16MiB" description:"lengths of messages"`
		Every cli.Lapse `long:"every" env:"PVASRUN_SUCI_EVERY" value-name:"DUR" default:"1s" description:"time of each measurement"`
	}
	rest, err := cli.ParseMixed("pvasrun suci bench", "[flags] ADDRESS:PORT", &f, args)
	if err != nil {
		return err
	}
	if err := transport.CheckSizes(f.Sizes...); err != nil {
		return cli.Mistake(fmt.Errorf("suci bench: --sizes: %w", err))
	}
	ctx, c, err := f.client(ctx, "bench", rest)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // all has been said
	w := cli.NewTable(os.Stdout)
	fmt.Fprintln(w, "bytes\thalf round trip us\tleast\t99 %\tstream MB/s\t")
	for _, n := range f.Sizes {
		t, err := transport.PingPong(ctx, c, suciServer, n, time.Duration(f.Every))
		if err != nil {
			return fmt.Errorf("suci: bench %s: %w", rest[0], err)
		}
		rate, err := transport.Burst(ctx, c, suciServer, n, time.Duration(f.Every))
		if err != nil {
			return fmt.Errorf("suci: bench %s: %w", rest[0], err)
		}
		fmt.Fprintf(w, "%d\t%.2f\t%.2f\t%.2f\t%.1f\t\n", n, t.Median, t.Least, t.P99, rate/1e6)
	}
	return w.Flush()
}

func executeSuciStat(ctx context.Context, args []string) error {
	var f struct {
		suciFlags
		JSON bool `long:"json" env:"PVASRUN_SUCI_JSON" description:"print one JSON object"`
	}
	rest, err := cli.ParseMixed("pvasrun suci stat", "[flags] ADDRESS:PORT", &f, args)
	if err != nil {
		return err
	}
	ctx, c, err := f.client(ctx, "stat", rest)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // all has been said
	state, err := transport.Ask(ctx, c, suciServer)
	if err != nil {
		return fmt.Errorf("suci: stat %s: %w", rest[0], err)
	}
	if f.JSON {
		return cli.PrintJSON([]transport.State{state})
	}
	return printState(os.Stdout, state)
}

// printState prints a row per peer and the counters that are not zero.
func printState(out io.Writer, s transport.State) error {
	w := cli.NewTable(out)
	fmt.Fprintln(w,
		"peer\taddress\tup\tround trip us\tleast\tMB/s\twindow KiB\tunder way\tgranted\tgiven\tpace "+
			"MB/s\tunsent\tunread here\tthere\tlost\tresent\tsilent ms\t")
	for _, x := range s.Flows {
		fmt.Fprintf(w, "%d\t%v\t%v\t%.1f\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t\n", x.Peer, x.Addr,
			x.Up,
			float64(x.RoundTrip)/1e3, float64(x.LeastRoundTrip)/1e3, float64(x.Rate)/1e6, x.Window>>10,
			x.UnderWay, x.Granted, x.Given,
			float64(x.Pace)/1e6, x.Unsent, x.Waiting, x.There, x.Losses, x.Resent, x.Silent/1e6)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(counted(reflect.ValueOf(s.Counters)), "\n"))
	return err
}

// counted lists the numbers of a struct, and of those in it, that are not zero.
func counted(v reflect.Value) (list []string) {
	for i := range v.NumField() {
		switch field := v.Field(i); {
		case field.Kind() == reflect.Struct:
			list = append(list, counted(field)...)
		case !field.IsZero():
			list = append(list, fmt.Sprintf("%s %v", v.Type().Field(i).Name, field))
		}
	}
	return list
}
