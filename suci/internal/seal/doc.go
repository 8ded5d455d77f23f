// Package seal is the cryptography of Suci, made of the standard library's: proofs that a
// peer knows the job's key, cookies that show an address to be the peer's own, the
// secrets of a session, and authenticated encryption of its packets.
//
// What it promises against whom:
//
//   - A host that does not know the key cannot open a session (HMAC-SHA256).
//   - A host that cannot see the traffic cannot send a packet that a session accepts:
//     it would have to guess a 64-bit tag.
//   - A host that sees the traffic can read it, and forge packets, unless the session is
//     sealed (AES-256-GCM with a key per session and direction). Sealed packets cannot be
//     read, changed, forged or replayed.
//
// A key serves one job. Whoever learns it later can read what was recorded: there is no
// forward secrecy.
package seal
