// Package udp moves datagrams between memory and a UDP socket with few system calls. It
// knows nothing of what is in them.
//
// Sending: consecutive datagrams to one address and of one length become one message
// that the kernel cuts (UDP_SEGMENT), and all messages go with one sendmmsg. Head and
// body of a datagram are gathered by the kernel; bodies are not copied here.
//
// Receiving: one recvmmsg takes several messages, each of which may be many datagrams
// that the kernel has put together (UDP_GRO), with the time at which they came.
//
// Nothing is allocated per datagram. What the kernel does not take because its buffers
// are full is dropped and counted, as a network may do at any time.
package udp
