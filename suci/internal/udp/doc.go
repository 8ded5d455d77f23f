// Package udp moves datagrams between memory and a UDP socket with few system calls. It
// knows nothing of what is in them.
//
// Sending: a train of datagrams to one address is one message that the kernel cuts
// (UDP_SEGMENT), and all messages go with one sendmmsg.
//
// Receiving: one recvmmsg takes several messages, each of which may be many datagrams
// that the kernel has put together (UDP_GRO), with the time at which they came.
//
// Nothing is allocated per datagram. What the kernel does not take because its buffers
// are full is dropped and counted, as a network may do at any time.
package udp
