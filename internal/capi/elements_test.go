package capi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/msg/comm"
)

// With --check the receiver is told that the sender has sent other numbers.
func TestTypesOfMessagesAreCompared(t *testing.T) {
	onRanks(t, 2, func(c *rank) {
		comm.SetCheck(c.p.world.c, true)
		pair, column, mixed := new(Type), new(Type), new(Type)
		c.call("MPI_Type_contiguous", 2, DOUBLE, pair)
		c.call("MPI_Type_vector", 2, 1, 2, *pair, column)
		c.call("MPI_Type_create_struct", 2, []int32{1, 2}, []int64{0, 8}, []Type{DOUBLE, INT}, mixed)
		for _, made := range []*Type{pair, column, mixed} {
			c.call("MPI_Type_commit", made)
		}
		for _, k := range []struct {
			send, recv      Type
			sends, receives int
			class           int
		}{
			{DOUBLE, INT, 4, 8, ERR_TYPE},
			{DOUBLE, INT, 4, 2, ERR_TYPE}, // not that it is too long
			{DOUBLE, FLOAT, 4, 8, ERR_TYPE},
			{DOUBLE, LONG, 4, 4, ERR_TYPE},
			{*column, INT, 1, 8, ERR_TYPE},
			{INT, *column, 8, 1, ERR_TYPE},
			{*column, DOUBLE, 1, 4, SUCCESS},
			{*column, *pair, 1, 2, SUCCESS},
			{DOUBLE, C_DOUBLE_COMPLEX, 4, 2, SUCCESS},
			{DOUBLE, BYTE, 4, 32, SUCCESS},
			{PACKED, DOUBLE, 32, 4, SUCCESS},
			{*mixed, DOUBLE, 1, 2, SUCCESS},
			{DOUBLE_INT, *mixed, 1, 1, SUCCESS},
			{TWO_INT, INT, 2, 4, SUCCESS},
			{CHAR, SIGNED_CHAR, 4, 4, SUCCESS},
			{INT, UNSIGNED, 4, 4, ERR_TYPE},
			{UNSIGNED, UINT32_T, 4, 4, SUCCESS},
			{UNSIGNED_CHAR, CHAR, 4, 4, SUCCESS},
			{LONG, INT64_T, 4, 4, SUCCESS},
			{REAL8, DOUBLE_PRECISION, 4, 4, SUCCESS},
			{DOUBLE, INT, 0, 8, SUCCESS},
		} {
			c.send(c.me == 0, k.send, k.sends, k.recv, k.receives, k.class)
		}
	})
}

// send has rank 0 send a message in several ways, and rank 1 receive it.
func (c *rank) send(sender bool, send Type, sends int, recv Type, receives, class int) {
	c.Helper()
	memory, requests := make([]float64, 16), make([]Request, 2)
	if sender {
		c.call("MPI_Send", memory, sends, send, 1, 3, COMM_WORLD)
		c.call("MPI_Issend", memory, sends, send, 1, 3, COMM_WORLD, requests)
		c.call("MPI_Wait", requests, 0)
		c.call("MPI_Send", memory, sends, send, 1, 3, COMM_WORLD)
		return
	}
	require.Equal(c, class, c.try("MPI_Recv", memory, receives, recv, 0, 3, COMM_WORLD, 0), "%x, %x", send, recv)
	c.call("MPI_Irecv", memory, receives, recv, 0, 3, COMM_WORLD, requests)
	require.Equal(c, class, c.try("MPI_Wait", requests, 0), "%x, %x", send, recv)
	message := new(Message)
	c.call("MPI_Mprobe", 0, 3, COMM_WORLD, message, 0)
	require.Equal(c, class, c.try("MPI_Mrecv", memory, receives, recv, message, 0), "%x, %x", send, recv)
}

// With --check all ranks are told that they have given other types to a collective call.
func TestTypesOfCollectivesAreCompared(t *testing.T) {
	onRanks(t, 3, func(c *rank) {
		comm.SetCheck(c.p.world.c, true)
		one, count := DOUBLE, 2
		if c.me == 1 {
			one, count = INT, 4
		}
		in, all := make([]float64, 6), make([]float64, 6)
		require.Equal(c, ERR_TYPE, c.try("MPI_Bcast", in, count, one, 0, COMM_WORLD))
		require.Equal(c, ERR_TYPE, c.try("MPI_Allgather", in, count, one, all, count, one, COMM_WORLD))
		require.Equal(c, ERR_TYPE,
			c.try("MPI_Gatherv", in, count, one, all, []int32{2, 2, 2}, []int32{0, 2, 4}, DOUBLE, 0, COMM_WORLD))
		require.Equal(c, ERR_TYPE, c.try("MPI_Allgather", in, 2, DOUBLE, all, 4, INT, COMM_WORLD))
		op := new(Op)
		c.call("MPI_Op_create", uintptr(0x1234), 1, op) // it is not called
		require.Equal(c, ERR_TYPE,
			c.try("MPI_Allreduce", in, all, 2, map[bool]Type{true: LONG, false: DOUBLE}[c.me == 1], *op, COMM_WORLD))
		if c.me == 1 {
			one, count = BYTE, 16
		}
		c.call("MPI_Bcast", in, count, one, 0, COMM_WORLD)
	})
}
