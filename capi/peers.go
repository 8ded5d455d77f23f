package capi

import "github.com/gopvas/gopvas/comm"

// Wildcards have other numbers in the packages below. A negative rank or tag that is no
// wildcard is passed on as one that does not exist.

const noRank = -1 << 20

// peerIn is a rank, MPI_PROC_NULL included, for the packages below.
func peerIn(rank int) int {
	switch {
	case rank >= 0:
		return rank
	case rank == PROC_NULL:
		return comm.ProcNull
	}
	return noRank
}

// sourceIn is peerIn for what may be MPI_ANY_SOURCE.
func sourceIn(rank int) int {
	if rank == ANY_SOURCE {
		return comm.AnySource
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
	if tag == ANY_TAG {
		return comm.AnyTag, nil
	}
	return sendTag(tag)
}

// tagOut is the inverse.
func tagOut(tag int) int {
	if tag == comm.AnyTag {
		return ANY_TAG
	}
	return tag
}
