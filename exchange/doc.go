// Package exchange divides the bytes of a set of messages among devices: network interfaces,
// each with a latency and a bandwidth. A plan says which device sends which pieces of which
// messages, and in which order. It is made of numbers alone, so the transport that executes a
// plan, the simulator that predicts it, and the tests use the same code.
//
//	devices := []exchange.Device{{Latency: 1000, Bandwidth: 5e9}, {Latency: 1000, Bandwidth: 5e9}}
//	var p exchange.Planner
//	plan := p.Choose([]int{1 << 20, 1 << 20, 1 << 20}, devices)
//
// # The model
//
// A device sends its pieces one after the other. A piece of n bytes takes Latency plus
// n / Bandwidth, and a plan takes as long as its slowest device. Let there be N messages of M
// bytes and C equal devices, and let k = gcd(N, C), N = kN', C = kC' and X = M / Bandwidth.
// Then the forms take
//
//	plain   ceil(N/C) (L + X)      a message goes through one device
//	stripe  N L + N X / C          each message goes through all devices
//	steps   N' L + N X / C         all devices finish N' segments of X / C' together
//	wrap    p L + N X / C          p is the number of pieces of a device, at most ceil(N/C) + 1
//
// Plain and stripe are what message passing libraries do. Steps is from Morie and Nanri, "A
// Neighboring Communication Algorithm Using Effective Multiple Communication Devices on Direct
// Connection Network" (IPSJ SIG report). It needs equal messages and devices, and N > C > 1.
// Wrap lays all bytes end to end and cuts them at C points, as McNaughton's rule (1959) does
// with jobs on machines. It takes any messages and devices. A device has at most one piece more
// than in the plain form.
//
// Pieces of one message also share the link to its receiver where Planner.Link says that it binds. Stripe is for
// networks of switches.
//
// In a grid the sets of all ranks are the same, but for the numbers of the receivers. Each
// device reaches only the devices of its own number, so each receives as much as it sends.
package exchange
