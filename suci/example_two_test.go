package suci_test

import (
	"log"
	"net/netip"

	"github.com/gopvas/gopvas/suci"
)

var local = netip.MustParseAddrPort("127.0.0.1:0")

// two opens two endpoints, 1 and 2, that know each other.
func two() (a, b *suci.Endpoint) {
	key := suci.NewKey()
	a, err := suci.Open(suci.Options{Self: 1, Key: key, Listen: local})
	if err == nil {
		b, err = suci.Open(suci.Options{Self: 2, Key: key, Listen: local})
	}
	if err == nil {
		_, err = a.Destination(2, b.Addr())
	}
	if err != nil {
		log.Fatal(err)
	}
	return a, b
}
