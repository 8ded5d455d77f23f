// Command blocks is one of two endpoints of suci. They send each other numbered blocks. Each block
// of the other endpoint must come once, in order and whole. The program says "under way" on
// standard output when some blocks have come, and "complete" when all have.
//
//	blocks SELF PEER COUNT    SELF and PEER are addresses with ports
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"

	"github.com/gopvas/gopvas/suci"
)

// pace keeps blocks under way for as long as a test needs to cut the network off.
const pace = 8 << 20

// early is how many blocks have come when they are under way.
const early = 50

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "blocks:", err)
		os.Exit(1)
	}
}

func run() error {
	self, peer := netip.MustParseAddrPort(os.Args[1]), netip.MustParseAddrPort(os.Args[2])
	count, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return err
	}
	key := suci.Key([]byte("the key of a test and no secret!"))
	e, err := suci.Open(suci.Options{Self: idOf(self), Key: key, Listen: self})
	if err != nil {
		return err
	}
	defer e.Close()
	p, err := e.Destination(idOf(peer), peer)
	if err != nil {
		return err
	}
	p.SetPace(pace)
	sent := make(chan error, 1)
	go func() { sent <- write(p, count) }()
	if err := read(e, count); err != nil {
		return err
	}
	// The peer closes its endpoint when it has all blocks: then nothing can be missing there.
	if err := <-sent; err != nil && !errors.Is(err, suci.ErrGone) {
		return err
	}
	if r, ok := e.TryRead(); ok {
		return fmt.Errorf("a block of %d bytes has come behind the last one", len(r.Data))
	}
	fmt.Println("complete")
	return nil
}

// idOf makes an ID of the last number of an address.
func idOf(a netip.AddrPort) suci.ID { return suci.ID(a.Addr().As4()[3]) }

// contents are those of a block: its number, and bytes that depend on it, of which there may be few
// or many.
func contents(number int) []byte {
	b := bytes.Repeat([]byte{byte(number)}, 8+number*7919%(100<<10))
	binary.BigEndian.PutUint64(b, uint64(number))
	return b
}

func write(p *suci.Peer, count int) error {
	ctx := context.Background()
	for i := range count {
		if err := p.Write(ctx, suci.Block{Data: contents(i)}); err != nil {
			return err
		}
	}
	return p.Flush(ctx)
}

func read(e *suci.Endpoint, count int) error {
	for i := range count {
		r, err := e.Read(context.Background())
		if err != nil {
			return err
		}
		if !bytes.Equal(r.Data, contents(i)) {
			return fmt.Errorf("block %d did not come when it should, but %d bytes that begin with % x", i, len(r.Data),
				r.Data[:min(8, len(r.Data))])
		}
		r.Free()
		if i == early {
			fmt.Println("under way")
		}
	}
	return nil
}
