package mpi

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// TestBlockingCallsMakeProgress: while a rank is inside a call, a long message that a peer
// sends it arrives. Only after that the peer makes the call too.
func TestBlockingCallsMakeProgress(t *testing.T) {
	calls := maps.Clone(callsOnObjects)
	for name, call := range blockingCalls {
		calls[name] = func(c *Comm) (func() error, error) { return func() error { return call(c) }, nil }
	}
	worlds := map[string]func(*testing.T, func(*Comm) error){
		"mem": func(t *testing.T, f func(*Comm) error) { overMem(t, 2, 2, mem.Options{EagerLimit: 1 << 10}, f) },
		"one": func(t *testing.T, f func(*Comm) error) { inOneSpace(t, 2, f) },
	}
	for name, prepare := range calls {
		for world, run := range worlds {
			if name == "WinCreate" && world == "mem" {
				continue // its ranks share no address space
			}
			for inside := range 2 {
				t.Run(fmt.Sprintf("%s/%s/inside=%d", name, world, inside), func(t *testing.T) {
					stuck := time.AfterFunc(time.Minute, func() { panic(t.Name() + ": the ranks wait for each other") })
					defer stuck.Stop()
					run(t, func(c *Comm) error { return meetInside(c, inside, prepare) })
				})
			}
		}
	}
}

// meetInside has one rank inside the call when the other sends to it.
func meetInside(c *Comm, inside int, prepare func(*Comm) (func() error, error)) error {
	call, err := prepare(c)
	if err := first(err, c.Barrier()); err != nil {
		return err
	}
	if c.Rank() != inside {
		return first(Send(c, long(), inside, 7), call())
	}
	r, err := Irecv(c, long(), 1-inside, 7)
	if err != nil {
		return err
	}
	err = call()
	_, waitErr := r.Wait()
	return first(err, waitErr)
}

// TestAllBlockingCallsAreKnown: every exported call either is in a table above, or waits
// for nobody.
func TestAllBlockingCallsAreKnown(t *testing.T) {
	calls := exportedCalls(t, ".")
	require.Greater(t, len(calls), 150)
	for _, name := range calls {
		_, blocks := blockingCalls[name]
		_, onObject := callsOnObjects[name]
		_, last, _ := strings.Cut("."+name, ".")
		if i := strings.LastIndexByte(last, '.'); i >= 0 {
			last = last[i+1:]
		}
		begins := strings.HasSuffix(last, "Init") || last[0] == 'I' && last != "Init"
		if slices.Contains(local, name) || begins {
			require.False(t, blocks || onObject, "%s is in two tables", name)
			continue
		}
		require.True(t, blocks || onObject,
			"%s may wait for others and is not tested here, or it waits for nobody and is not in local", name)
	}
}

// exportedCalls returns the functions and methods that a package exports.
func exportedCalls(t *testing.T, dir string) (calls []string) {
	for _, f := range parseFolder(t, dir) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Name.Name == "Error" {
				continue
			}
			name := fn.Name.Name
			if of := receiver(fn); of != "" {
				name = of + "." + name
			}
			calls = append(calls, name)
		}
	}
	return calls
}

// receiver returns the type of a method, without pointer and type parameters.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	e := fn.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if g, ok := e.(*ast.IndexExpr); ok {
		e = g.X
	}
	return e.(*ast.Ident).Name
}
