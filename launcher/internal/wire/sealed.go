package wire

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// SecretSize is the length of the secret of a job, which all its pvasruns have, and of that of a user.
const SecretSize = 32

// ErrKey says that the other side has another secret.
var ErrKey = errors.New("a record has another key")

// A Sealed connection is encrypted and authenticated by a secret that both sides have. Each side
// sends a random salt, and derives a key for each direction from the secret and both salts.
// So no record of another connection fits. The rest of the stream is records:
//
//	length of the rest (4 bytes, little endian), ciphertext and tag of AES-256-GCM
//
// The nonce is the number of the record. A record that does not fit ends the connection.
//
// One goroutine reads, another may write.
type Sealed struct {
	conn       io.ReadWriteCloser
	out, in    cipher.AEAD
	sent, read uint64
	opened     []byte // and not read yet
	record     []byte // as it is sent
}

const mostRecord = 64 << 10

// Seal agrees on keys over a new connection. leads tells the two sides apart. It blocks until the other side has sent
// its salt.
func Seal(conn io.ReadWriteCloser, secret []byte, leads bool) (*Sealed, error) {
	var own, peer [SecretSize]byte
	rand.Read(own[:]) // never fails
	if _, err := conn.Write(own[:]); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(conn, peer[:]); err != nil {
		return nil, err
	}
	salt, names := append(own[:], peer[:]...), [2]string{"leader", "agent"}
	if !leads {
		salt, names = append(peer[:], own[:]...), [2]string{"agent", "leader"}
	}
	s := &Sealed{conn: conn}
	var err error
	if s.out, err = newSeal(secret, salt, names[0]); err == nil {
		s.in, err = newSeal(secret, salt, names[1])
	}
	return s, err
}

func newSeal(secret, salt []byte, name string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, salt, "pvasrun link of the "+name, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// nonce counts records.
func nonce(count *uint64) []byte {
	var b [12]byte
	binary.LittleEndian.PutUint64(b[:], *count)
	*count++
	return b[:]
}

// Write implements io.Writer.
func (s *Sealed) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		part := b[:min(len(b), mostRecord)]
		s.record = s.out.Seal(append(s.record[:0], 0, 0, 0, 0), nonce(&s.sent), part, nil)
		binary.LittleEndian.PutUint32(s.record, uint32(len(s.record)-4))
		if _, err := s.conn.Write(s.record); err != nil {
			return n, err
		}
		n, b = n+len(part), b[len(part):]
	}
	return n, nil
}

// Read implements io.Reader.
func (s *Sealed) Read(b []byte) (int, error) {
	for len(s.opened) == 0 {
		var header [4]byte
		if _, err := io.ReadFull(s.conn, header[:]); err != nil {
			return 0, err
		}
		length := int(binary.LittleEndian.Uint32(header[:]))
		if length > mostRecord+s.in.Overhead() {
			return 0, fmt.Errorf("a record of %d bytes is too long", length)
		}
		record := make([]byte, length)
		if _, err := io.ReadFull(s.conn, record); err != nil {
			return 0, err
		}
		var err error
		if s.opened, err = s.in.Open(record[:0], nonce(&s.read), record, nil); err != nil {
			return 0, ErrKey
		}
	}
	n := copy(b, s.opened)
	s.opened = s.opened[n:]
	return n, nil
}

// Close implements io.Closer.
func (s *Sealed) Close() error { return s.conn.Close() }
