package value

import (
	"errors"
	"fmt"

	"github.com/gopvas/gopvas/internal/msg/comm"
	"github.com/gopvas/gopvas/mpi"
)

// Send sends x to rank dst, as mpi.Send sends a slice of bytes. Errors: as of mpi.Send, or an *EncodeError; then
// nothing is sent. To mpi.ProcNull goes nothing, but x is encoded.
func Send[T any](c *mpi.Comm, x T, dst, tag int) error {
	b, err := marshal(x)
	if err != nil {
		return wrap("send to "+comm.PeerName(dst), err)
	}
	return mpi.Send(c, b, dst, tag)
}

// Recv receives a value from rank src, or mpi.AnySource, with the given tag, or mpi.AnyTag, as mpi.RecvAlloc receives
// bytes. It blocks until it is there. A message that is no T is lost: the error is a *DecodeError. From mpi.ProcNull
// comes the zero value, at once.
func Recv[T any](c *mpi.Comm, src, tag int) (T, mpi.Status, error) {
	b, st, err := mpi.RecvAlloc[byte](c, src, tag)
	if err != nil || src == mpi.ProcNull {
		var none T
		return none, st, err
	}
	x, err := unmarshal[T](b, st.Source)
	return x, st, wrap("receive", err)
}

// Bcast returns the root's x on all ranks; elsewhere x is not used. On the root it is x itself. All ranks of the
// communicator call it, as they do mpi.Bcast. If x cannot be encoded all get an error.
func Bcast[T any](c *mpi.Comm, x T, root int) (T, error) {
	var b []byte
	var encodeErr error
	if c.Rank() == root {
		b, encodeErr = marshal(x)
	}
	b, err := mpi.BcastAlloc(c, b, root)
	if err == nil && c.Rank() != root {
		x, err = unmarshal[T](b, root)
	}
	return x, wrap("bcast", errors.Join(encodeErr, err))
}

// Scatter returns on rank i element i of what the root has as all, one for each rank; elsewhere all is not used. If one
// of them cannot be encoded the root and that rank get an error.
func Scatter[T any](c *mpi.Comm, all []T, root int) (x T, err error) {
	var parts [][]byte
	var encodeErr error
	if c.Rank() == root {
		parts = make([][]byte, len(all))
		for i := range all {
			var one error
			parts[i], one = marshal(all[i])
			encodeErr = errors.Join(encodeErr, one)
		}
	}
	b, err := mpi.ScatterAlloc(c, parts, root)
	if err == nil {
		x, err = unmarshal[T](b, root)
	}
	return x, wrap("scatter", errors.Join(encodeErr, err))
}

// Gather returns on the root the x of each rank, in their order, and nil elsewhere. If one cannot be encoded, or is no
// T, the root gets an error that names the rank, and that rank one of its own.
func Gather[T any](c *mpi.Comm, x T, root int) ([]T, error) {
	all, err := gather(c, x, root)
	return all, wrap("gather", err)
}

func gather[T any](c *mpi.Comm, x T, root int) ([]T, error) {
	b, encodeErr := marshal(x)
	parts, err := mpi.GatherAlloc(c, b, root)
	all, decodeErr := unmarshalAll[T](parts)
	return all, errors.Join(encodeErr, err, decodeErr)
}

// Allgather returns the x of each rank, in their order. If one cannot be encoded, or is no T, all get an error that
// names the rank.
func Allgather[T any](c *mpi.Comm, x T) ([]T, error) {
	all, err := allgather(c, x)
	return all, wrap("allgather", err)
}

func allgather[T any](c *mpi.Comm, x T) ([]T, error) {
	b, encodeErr := marshal(x)
	parts, err := mpi.AllgatherAlloc(c, b)
	all, decodeErr := unmarshalAll[T](parts)
	return all, errors.Join(encodeErr, err, decodeErr)
}

// Reduce returns on the root what f makes of the x of all ranks, and the zero value elsewhere. The root calls f(a, b)
// for one rank after the other, in their order: a is what it has so far, at first the x of rank 0. f may change a and
// b, which are copies. Errors are those of Gather.
func Reduce[T any](c *mpi.Comm, x T, f func(a, b T) T, root int) (T, error) {
	all, err := gather(c, x, root)
	return fold("reduce", all, f, err)
}

// Allreduce is Reduce whose result all ranks get. Each calls f, which depends on its arguments alone. Errors are those
// of Allgather.
func Allreduce[T any](c *mpi.Comm, x T, f func(a, b T) T) (T, error) {
	all, err := allgather(c, x)
	return fold("allreduce", all, f, err)
}

// fold is the result of a reduction, the zero value if there is nothing.
func fold[T any](call string, all []T, f func(a, b T) T, err error) (x T, _ error) {
	if f == nil {
		err = errors.Join(err, errors.New("the function is nil"))
	}
	if err != nil || len(all) == 0 {
		return x, wrap(call, err)
	}
	x = all[0]
	for _, next := range all[1:] {
		x = f(x, next)
	}
	return x, nil
}

func unmarshalAll[T any](parts [][]byte) (all []T, err error) {
	for rank, b := range parts {
		x, one := unmarshal[T](b, rank)
		all, err = append(all, x), errors.Join(err, one)
	}
	return all, err
}

// wrap says which call has failed, and where in the program it stands; nil if err is.
func wrap(call string, err error) error {
	if err == nil {
		return nil
	}
	return comm.Placed(fmt.Errorf("value: %s: %w", call, err))
}
