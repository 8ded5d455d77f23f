package suci_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/gopvas/gopvas/suci"
)

// Two endpoints of one job. They are in one program here; elsewhere each is on a node of
// its own, and the launcher gives them the key and the addresses.
func Example() {
	ctx := context.Background()
	key := suci.NewKey()
	a, err := suci.Open(suci.Options{Self: 1, Key: key, Listen: local})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	b, err := suci.Open(suci.Options{Self: 2, Key: key, Listen: local})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()

	peer, err := a.Destination(2, b.Addr())
	if err != nil {
		log.Fatal(err)
	}
	if err := peer.Write(ctx, suci.Block{Data: []byte("how are you?")}); err != nil {
		log.Fatal(err)
	}
	question, err := b.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d asks: %s\n", question.From, question.Data)
	if err := b.Peer(question.From).Write(ctx, suci.Block{Data: []byte("fine")}); err != nil {
		log.Fatal(err)
	}
	question.Free()
	answer, err := a.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d says: %s\n", answer.From, answer.Data)
	answer.Free()
	// Output:
	// 1 asks: how are you?
	// 2 says: fine
}

// A long block goes straight into the receiver's buffer. The receiver tells the sender
// the place, for example in its answer to an offer.
func ExampleEndpoint_Expect() {
	ctx := context.Background()
	a, b := two()
	defer a.Close()
	defer b.Close()
	buf := make([]byte, 1<<20)
	if err := b.Expect(1, 42, buf); err != nil {
		log.Fatal(err)
	}
	sent := make(chan error, 1)
	err := a.Peer(2).Start(suci.Block{Data: make([]byte, 1<<20), Place: 42}, func(err error) { sent <- err })
	if err != nil {
		log.Fatal(err)
	}
	r, err := b.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Free()
	fmt.Println(r.Place, len(r.Data), &r.Data[0] == &buf[0], <-sent)
	// Output: 42 1048576 true <nil>
}

// An urgent block overtakes long ones; one that comes too late is not sent at all.
func ExampleBlock() {
	ctx := context.Background()
	a, b := two()
	defer a.Close()
	defer b.Close()
	p := a.Peer(2)
	for _, block := range []suci.Block{
		{Data: []byte("bulk")},
		{Data: []byte("late"), Deadline: time.Now().Add(-time.Second)},
		{Data: []byte("urgent"), Priority: 7},
	} {
		if err := p.TryWrite(block); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(p.Flush(ctx))
	for range 2 {
		r, err := b.Read(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Priority, string(r.Data))
		r.Free()
	}
	// Output:
	// suci: send block: its deadline has passed; the peer does not deliver it
	// 7 urgent
	// 0 bulk
}

// The state of the flow can be read at any time.
func ExamplePeer_Flow() {
	a, b := two()
	defer a.Close()
	defer b.Close()
	p := a.Peer(2)
	if err := p.Write(context.Background(), suci.Block{Data: make([]byte, 100000)}); err != nil {
		log.Fatal(err)
	}
	f := p.Flow()
	fmt.Println(f.Up, f.Queue, f.UnderWay, f.Window > 0, f.RoundTrip > 0)
	// Output: true 0 0 true true
}

// The loop of the paper: what has come is read, and what is to go is written when the receiver can take it.
func ExamplePeer_Wait() {
	ctx := context.Background()
	a, b := two()
	defer a.Close()
	defer b.Close()
	p, data, got := a.Peer(2), make([]byte, 10000), 0
	for sent := 0; got < 100; {
		soon, cancel := context.WithTimeout(ctx, time.Millisecond)
		if sent < 100 && p.Wait(soon, len(data)) == nil { // datagram_wait
			if err := p.Write(ctx, suci.Block{Data: data}); err != nil { // datagram_write
				log.Fatal(err)
			}
			sent++
		}
		if n, _, err := b.Ready(soon); err == nil && n == len(data) { // datagram_ready
			r, err := b.Read(ctx) // datagram_read
			if err != nil {
				log.Fatal(err)
			}
			r.Free()
			got++
		}
		cancel()
		if p.QueueLength() > 50 { // datagram_queue_length
			p.Retransmit() // datagram_retransmission
		}
	}
	fmt.Println(got, p.Flush(ctx))
	// Output: 100 <nil>
}
