package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

// Session is the secrets of a session as one of its two peers uses them.
type Session struct {
	SendTag, ReceiveTag uint64
	sealed              *sealed // nil: packets are not encrypted
}

type sealed struct {
	send, receive cipher.AEAD
	counter       uint64 // of packets sent
	seen          replay
}

// Overhead is the number of bytes by which sealing makes a packet longer: a counter
// before what is encrypted, and the authentication after it.
const Overhead = counterSize + 16

const (
	tagSize     = 8
	counterSize = 8
)

// NewSession derives the secrets from the key and from what both peers have said of
// themselves. first tells whether this peer opened the session.
func NewSession(key *Key, about []byte, first, encrypt bool) *Session {
	from := mac(key[:], "suci 1 first to second", about)
	to := mac(key[:], "suci 1 second to first", about)
	if !first {
		from, to = to, from
	}
	s := &Session{SendTag: tag(from), ReceiveTag: tag(to)}
	if encrypt {
		s.sealed = &sealed{send: aead(from), receive: aead(to)}
	}
	return s
}

// tag takes the secret tag from a direction's key. Zero marks greetings.
func tag(key [Size]byte) uint64 {
	sum := mac(key[:], "tag")
	return max(1, binary.BigEndian.Uint64(sum[:]))
}

func aead(key [Size]byte) cipher.AEAD {
	sum := mac(key[:], "aead")
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic("suci/seal: a 32-byte key is refused") // cannot be
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic("suci/seal: AES is refused")
	}
	return gcm
}

// Sealed tells whether packets are encrypted.
func (s *Session) Sealed() bool { return s.sealed != nil }

// nonce is the counter in a block of twelve bytes.
func nonce(n *[12]byte, counter uint64) []byte {
	binary.BigEndian.PutUint64(n[4:], counter)
	return n[:]
}

// Seal encrypts a packet in place. b starts with the tag and then has counterSize free
// bytes; the packet's other bytes follow. The capacity has room for the result, which is
// b made longer.
func (s *Session) Seal(b []byte, scratch *[12]byte) []byte {
	s.sealed.counter++
	binary.BigEndian.PutUint64(b[tagSize:], s.sealed.counter)
	rest := b[tagSize+counterSize:]
	s.sealed.send.Seal(rest[:0], nonce(scratch, s.sealed.counter), rest, b[:tagSize+counterSize])
	return b[:len(b)+16]
}

// Gap is the number of bytes to leave free behind the tag for Seal.
const Gap = counterSize

// Unseal decrypts a packet in place and returns it as it was before Seal, without the
// gap. It refuses packets that were changed, and those that have come before.
func (s *Session) Unseal(b []byte, scratch *[12]byte) ([]byte, bool) {
	if len(b) < tagSize+Overhead {
		return nil, false
	}
	counter := binary.BigEndian.Uint64(b[tagSize:])
	if !s.sealed.seen.fresh(counter) {
		return nil, false
	}
	rest := b[tagSize+counterSize:]
	plain, err := s.sealed.receive.Open(rest[:0], nonce(scratch, counter), rest, b[:tagSize+counterSize])
	if err != nil {
		return nil, false
	}
	s.sealed.seen.mark(counter)
	copy(b[counterSize:], b[:tagSize])
	return b[counterSize : tagSize+counterSize+len(plain)], true
}
