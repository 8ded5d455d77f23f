package capi

import "github.com/gopvas/gopvas/internal/comm"

// dup copies a communicator with its attributes, and hints, which may be other ones. If it fails, for example
// since a callback refuses to copy an attribute, the handle is MPI_COMM_NULL.
func (p *Process) dup(on *communicator, hints *comm.Info, out Ptr[Comm]) error {
	out.Set(COMM_NULL)
	copies, err := p.copyAll(uintptr(on.handle), &on.attributes)
	if err != nil {
		return err
	}
	n, err := on.c.Dup()
	if err != nil {
		p.forget(copies)
		return err
	}
	p.adoptCopy(n, on, hints, copies, out)
	return nil
}

func (p *Process) adoptCopy(n *comm.Comm, from *communicator, hints *comm.Info, copies attributes, out Ptr[Comm]) {
	if hints == nil {
		hints = from.hints
	}
	made := p.adopt(n, from, out)
	made.attributes, made.hints, made.weighted = copies, hints.Clone(), from.weighted
}

// idup is dup, nonblocking.
func (p *Process) idup(on *communicator, hints *comm.Info, out Ptr[Comm], req Ptr[Request]) error {
	copies, err := p.copyAll(uintptr(on.handle), &on.attributes)
	if err != nil {
		return err
	}
	n, r, err := on.c.Idup()
	if err != nil {
		p.forget(copies)
		return err
	}
	p.adoptCopy(n, on, hints, copies, out)
	return p.begun(r, on.collectives, req)
}

// Comm_split is MPI_Comm_split.
func (p *Process) Comm_split(on *communicator, color, key int, out Ptr[Comm]) error {
	if color < 0 && color != UNDEFINED {
		return fail(ERR_ARG, "color %d is negative: pass 0 or more, or MPI_UNDEFINED", color)
	}
	if color == UNDEFINED {
		color = comm.Undefined
	}
	n, err := on.c.Split(color, key)
	return p.made(n, err, on, out)
}

// sharedMemory is the type of hardware that guided splits know.
const sharedMemory = "mpi_shared_memory"

// hardware is what MPI_Get_hw_resource_info says: the types that guided splits know. A rank is on one node.
func hardware() *comm.Info {
	info := new(comm.Info)
	info.Set(sharedMemory, "true")
	return info
}

// Split types that Open MPI has besides, OMPI_COMM_TYPE_HWTHREAD to OMPI_COMM_TYPE_CLUSTER, from the smallest on: those
// below a board are parts of a node.
const (
	ompiThread  = 1
	ompiBoard   = 8
	ompiCluster = 11
)

// Comm_split_type is MPI_Comm_split_type. The ranks of a node share memory. Guided types know
// one value of the hint mpi_hw_resource_type, mpi_shared_memory. Without it, and for the
// unguided type, nobody gets a communicator. The types that only Open MPI has are parts of a node, or hold
// nodes: see ompiThread and ompiBoard.
func (p *Process) Comm_split_type(on *communicator, kind, key int, hints *comm.Info, out Ptr[Comm]) error {
	how := comm.SplitKind(comm.Undefined)
	switch kind {
	case COMM_TYPE_SHARED:
		how = comm.Shared
	case COMM_TYPE_HW_GUIDED, COMM_TYPE_RESOURCE_GUIDED:
		if is, _ := hints.Clone().Get("mpi_hw_resource_type"); is == sharedMemory {
			how = comm.Shared
		}
	case COMM_TYPE_HW_UNGUIDED, UNDEFINED:
	default:
		if !handlesAreObjects || kind < ompiThread || kind > ompiCluster {
			return fail(ERR_ARG, "split type %d is not known", kind)
		}
		how = comm.Alone // ranks of which it is not known that they share a part of a node
		if kind >= ompiBoard {
			how = comm.Shared
		}
	}
	n, err := on.c.SplitType(how, key)
	return p.made(n, err, on, out)
}

// Intercomm_create is MPI_Intercomm_create.
func (p *Process) Intercomm_create(local Comm, leader int, peer Comm, remoteLeader, tag int, out Ptr[Comm]) error {
	on, err := p.intra(local)
	if err != nil {
		return err
	}
	var with *comm.Comm
	if on.c.Rank() == leader {
		over, err := p.comm(peer)
		if err != nil {
			return err
		}
		with = over.c
	}
	n, err := comm.IntercommCreate(on.c, leader, with, remoteLeader, tag)
	return p.made(n, err, on, out)
}
