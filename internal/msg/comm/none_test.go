package comm

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/btl/mem"
)

// onNone calls a method with arguments of no value, and returns its error, if it has one.
func onNone(receiver reflect.Value, m reflect.Method) (err error, has bool) {
	args := []reflect.Value{receiver}
	for i := 1; i < m.Type.NumIn(); i++ {
		if m.Type.IsVariadic() && i == m.Type.NumIn()-1 {
			break
		}
		args = append(args, reflect.Zero(m.Type.In(i)))
	}
	results := m.Func.Call(args)
	if len(results) == 0 {
		return nil, false
	}
	last := results[len(results)-1]
	err, _ = last.Interface().(error)
	return err, last.Type() == reflect.TypeFor[error]()
}

// methodsFail calls all methods. Those that return an error return ErrNoComm.
func methodsFail(none any) error {
	v := reflect.ValueOf(none)
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		if m.Name == "Abort" { // ends the process
			continue
		}
		if err, has := onNone(v, m); has && !errors.Is(err, ErrNoComm) {
			return fmt.Errorf("%v.%s: %v", v.Type(), m.Name, err)
		}
	}
	return nil
}

// A communicator that this rank is not in can be used in any call, which returns an error.
func TestMethodsOfNoCommunicator(t *testing.T) {
	require.NoError(t, methodsFail((*Comm)(nil)))
	require.NoError(t, methodsFail(new(Comm)))
	require.NoError(t, methodsFail(new(Cart)))
	require.NoError(t, methodsFail(new(DistGraph)))
	require.NoError(t, methodsFail(&Cart{Comm: new(Comm)}))
	require.NoError(t, methodsFail(&DistGraph{Comm: new(Comm)}))
	overMem(t, 3, 2, mem.Options{}, func(c *Comm) error {
		grid, err := CartCreate(c, []int{1}, []bool{true})
		if err != nil || c.Rank() == 0 {
			return err
		}
		return methodsFail(grid)
	})
}

// The same for the functions that a face calls with a communicator.
func TestFunctionsWithNoCommunicator(t *testing.T) {
	functionsFail(t, nil)
	functionsFail(t, new(Comm))
}

func functionsFail(t *testing.T, none *Comm) {
	var st Status
	buf := []byte{1}
	for _, f := range []func() error{
		func() error { return Send(none, Standard, buf, 1, 0, 0) },
		func() error { return SendBuffer(none, Standard, Bytes(buf), 1, 0, 0) },
		func() error { _, err := Isend(none, Standard, buf, 1, 0, 0); return err },
		func() error { _, err := IsendBuffer(none, Standard, Bytes(buf), 1, 0, 0); return err },
		func() error { _, err := SendInit(none, Standard, Bytes(buf), 1, 0, 0); return err },
		func() error { return Recv(none, &st, buf, 1, 0, 0) },
		func() error { _, err := RecvBuffer(none, Bytes(buf), 1, 0, 0); return err },
		func() error { _, err := Irecv(none, buf, 1, 0, 0); return err },
		func() error { _, err := IrecvBuffer(none, Bytes(buf), 1, 0, 0); return err },
		func() error { _, err := RecvInit(none, Bytes(buf), 1, 0, 0); return err },
		func() error { _, err := RecvAlloc(none, 1, 0, 0, nil); return err },
		func() error {
			half := Half{Buf: Bytes(buf), Of: 1}
			_, err := Sendrecv(none, "sendrecv", half, half)
			return err
		},
		func() error { return Bsend(none, buf, 1, 0, 0) },
		func() error { _, err := Ibsend(none, buf, 1, 0, 0); return err },
		func() error { _, err := IflushBufferOf(none, nil); return err },
		func() error { _, err := Probe(none, 0, 0); return err },
		func() error { _, _, err := Iprobe(none, 0, 0); return err },
		func() error { _, _, err := Mprobe(none, 0, 0); return err },
		func() error { _, _, _, err := Improbe(none, 0, 0); return err },
		func() error { _, err := NewPartitioned(none, Bytes(buf), 0, 0); return err },
		func() error { _, err := PartitionedRecvInit(none, Bytes(buf), 0, 0); return err },
		func() error { _, err := CartCreate(none, nil, nil); return err },
		func() error { _, err := DistGraphCreate(none, nil); return err },
		func() error { _, err := DistGraphCreateAdjacent(none, Neighbors{}); return err },
		func() error { _, err := WinExpose(none, buf, WinSpec{Unit: 1}); return err },
		Call{Comm: none, Op: "bcast"}.Run,
		func() error { _, err := Call{Comm: none, Op: "bcast"}.Begin(); return err },
		func() error { _, err := Call{Comm: none, Op: "bcast"}.Prepare(); return err },
	} {
		require.ErrorIs(t, f(), ErrNoComm)
	}
	_, err := Mrecv(nil, Bytes(nil), 1)
	require.ErrorIs(t, err, ErrNoMessage)
	_, ok := CartOf(none)
	require.False(t, ok)
	_, ok = DistGraphOf(none)
	require.False(t, ok)
}
