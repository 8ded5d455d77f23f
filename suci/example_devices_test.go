package suci_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/gopvas/gopvas/suci"
)

// onDevices opens an endpoint for each device of each node. Those of a device know one another. Node i is ID i+1.
func onDevices(nodes, devices int) [][]*suci.Endpoint {
	key, ends := suci.NewKey(), make([][]*suci.Endpoint, nodes)
	for i := range ends {
		for range devices {
			e, err := suci.Open(suci.Options{Self: suci.ID(i + 1), Key: key, Listen: local})
			if err != nil {
				log.Fatal(err)
			}
			ends[i] = append(ends[i], e)
		}
		for j := range devices {
			if i == 0 {
				continue
			}
			if _, err := ends[0][j].Destination(suci.ID(i+1), ends[i][j].Addr()); err != nil {
				log.Fatal(err)
			}
		}
	}
	return ends
}

// The exchange of Morie and Nanri in its form for RDMA. In each step every device puts a segment of a message into the
// memory of another neighbour: put(data, place, neighbour, device). Then all devices are polled until each has
// completed. With N = 3 neighbours and C = 2 devices there are N steps, and messages are cut into C segments.
func ExamplePeer_Start() {
	const neighbours, devices, segment = 3, 2, 50_000
	ends := onDevices(neighbours+1, devices)
	message := bytes.Repeat([]byte("m"), devices*segment)
	memory := make([][]byte, neighbours)
	cut := func(device, step int) (at, to int) {
		return (device + step*devices) / neighbours, (device + step*devices) % neighbours
	}
	for i := range memory {
		memory[i] = make([]byte, len(message))
	}
	for step := range neighbours { // the receivers say which part of their memory a device may put into
		for device := range devices {
			at, to := cut(device, step)
			place := memory[to][at*segment:][:segment]
			if err := ends[to+1][device].Expect(1, uint32(at+1), place); err != nil {
				log.Fatal(err)
			}
		}
	}
	for step := range neighbours {
		completed := make(chan error, devices)
		for device := range devices {
			at, to := cut(device, step)
			put := suci.Block{Data: message[at*segment:][:segment], Place: uint32(at + 1)}
			peer := ends[0][device].Peer(suci.ID(to + 2))
			if err := peer.Start(put, func(err error) { completed <- err }); err != nil {
				log.Fatal(err)
			}
		}
		for range devices {
			if err := <-completed; err != nil {
				log.Fatal(err)
			}
		}
	}
	for step := range neighbours { // the receivers see that their segments are there
		for device := range devices {
			_, to := cut(device, step)
			r, err := ends[to+1][device].Read(context.Background())
			if err != nil {
				log.Fatal(err)
			}
			r.Free()
		}
	}
	for i := range memory {
		fmt.Println(i, bytes.Equal(memory[i], message))
	}
	for _, node := range ends {
		for _, e := range node {
			e.Close()
		}
	}
	// Output:
	// 0 true
	// 1 true
	// 2 true
}
