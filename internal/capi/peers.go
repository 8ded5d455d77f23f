package capi

import "github.com/gopvas/gopvas/internal/msg/comm"

// Wildcards have other numbers in the packages below. Another negative rank is passed on, and
// refused there, unless it is one of those numbers.

// peerIn is a rank, MPI_PROC_NULL included, for the packages below.
func peerIn(rank int) (int, error) {
	switch rank {
	case PROC_NULL:
		return comm.ProcNull, nil
	case ANY_SOURCE:
		return rank, fail(ERR_RANK, "rank %d, which is MPI_ANY_SOURCE, is for receives and probes: name one rank", rank)
	}
	if rank == comm.ProcNull { // comm.AnySource is ANY_SOURCE
		return rank, fail(ERR_RANK, "rank %d is no rank: MPI_PROC_NULL is %d", rank, PROC_NULL)
	}
	return rank, nil
}

// sourceIn is peerIn for what may be MPI_ANY_SOURCE.
func sourceIn(rank int) (int, error) {
	if rank == ANY_SOURCE {
		return comm.AnySource, nil
	}
	return peerIn(rank)
}

// peerOut is the inverse.
func peerOut(rank int) int {
	switch rank {
	case comm.ProcNull:
		return PROC_NULL
	case comm.AnySource:
		return ANY_SOURCE
	}
	return rank
}

// sendTag checks the tag of a send, also to MPI_PROC_NULL.
func sendTag(tag int) (int, error) {
	if tag < 0 {
		return tag, fail(ERR_TAG, "tag %d is outside 0..%d", tag, comm.MaxTag)
	}
	return tag, nil
}

// recvTag is sendTag for what may be MPI_ANY_TAG.
func recvTag(tag int) (int, error) {
	in, known := tagIn(tag)
	if known < 0 {
		return sendTag(tag)
	}
	return in, nil
}

// tagIn is a tag, MPI_ANY_TAG included, for the packages below. known is negative if it is none.
func tagIn(tag int) (in, known int) {
	if tag == ANY_TAG {
		return comm.AnyTag, 0
	}
	return tag, tag
}

// tagOut is the inverse.
func tagOut(tag int) int {
	if tag == comm.AnyTag {
		return ANY_TAG
	}
	return tag
}
