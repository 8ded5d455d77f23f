package seal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
)

// Size is the length of keys, proofs and cookies in bytes.
const Size = 32

// Key is the secret of a job.
type Key [Size]byte

// NewKey returns a random key.
func NewKey() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// mac is HMAC-SHA256 of the parts, each of which has a length that its place gives.
func mac(key []byte, label string, parts ...[]byte) (sum [Size]byte) {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(label))
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	h.Sum(sum[:0])
	return sum
}

// Proof shows knowledge of the key to who knows it too, for one greeting.
func (k *Key) Proof(greeting []byte) [Size]byte { return mac(k[:], "suci 1 greeting", greeting) }

// Check tells whether proof was made with the key for the greeting.
func (k *Key) Check(greeting, proof []byte) bool {
	want := k.Proof(greeting)
	return hmac.Equal(want[:], proof)
}

// CookieLife is the time in ns within which a cookie must come back. It is good for
// between one and two such times.
const CookieLife = 4e9

// Cookies makes and checks cookies without remembering any.
type Cookies struct{ secret Key }

// NewCookies returns cookies with a secret of their own.
func NewCookies(secret Key) *Cookies { return &Cookies{secret} }

// Make returns the cookie for a peer at an address. about is what the peer has said
// of itself and must say again.
func (c *Cookies) Make(now int64, from netip.AddrPort, about []byte) [Size]byte {
	return c.at(now/CookieLife, from, about)
}

func (c *Cookies) at(period int64, from netip.AddrPort, about []byte) [Size]byte {
	var b [8 + 16 + 2]byte
	binary.BigEndian.PutUint64(b[:], uint64(period))
	addr := from.Addr().As16()
	copy(b[8:], addr[:])
	binary.BigEndian.PutUint16(b[24:], from.Port())
	return mac(c.secret[:], "suci 1 cookie", b[:], about)
}

// Check tells whether the cookie was made lately for this peer at this address.
func (c *Cookies) Check(now int64, from netip.AddrPort, about, cookie []byte) bool {
	current, before := c.at(now/CookieLife, from, about), c.at(now/CookieLife-1, from, about)
	return hmac.Equal(cookie, current[:]) || hmac.Equal(cookie, before[:])
}
