// Package line has the words that members of a board share, and the notes of what else they read and write there.
//
// In a program the words are those of sync/atomic, and the notes nothing. With the build tag "caches" both tell a
// Machine, which simulates the caches of a computer with several domains. So a test counts the cache lines that the
// algorithms of package coll have to move, on any computer:
//
//	go test -tags caches -run TestLines -v ./internal/msg/coll
package line
