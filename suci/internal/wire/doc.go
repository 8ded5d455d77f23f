// Package wire is the packet format of Suci: what every byte of a datagram means, how
// it is written and how it is read. It keeps no state.
//
// All numbers are big endian. Every packet begins with ten bytes:
//
//	0  tag   8 bytes: the session's secret in this direction; zero in a greeting
//	8  kind  1 byte: version in the high four bits, kind in the low four
//	9  lane  1 byte: priority in the low three bits, flags above
//
// Parsers accept exactly what writers can produce and return ErrMalformed for
// everything else. They never panic and never allocate.
package wire
