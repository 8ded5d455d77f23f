package mpi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopvas/gopvas/datatype"
)

// blockingCalls are calls that may wait for another rank, as two ranks make them. Names
// are those of functions, or of methods with their type.
var blockingCalls = map[string]func(c *Comm) error{
	"Send":      fromTo(Send[int64]),
	"Ssend":     fromTo(Ssend[int64]),
	"Recv":      into(func(c *Comm, b []int64) error { _, err := Recv(c, b, 1, 1); return err }),
	"RecvAlloc": into(func(c *Comm, _ []int64) error { _, _, err := RecvAlloc[int64](c, 1, 1); return err }),
	"RecvOne":   into(func(c *Comm, _ []int64) error { _, _, err := RecvOne[[2]int64](c, 1, 1); return err }),
	"SendOne": fromTo(func(c *Comm, b []int64, dst, tag int) error {
		return SendOne(c, [8192]int64(b), dst, tag)
	}),
	"Messages": into(func(c *Comm, _ []int64) error {
		for _, err := range Messages[int64](c, 1, 1) {
			return err
		}
		return nil
	}),
	"Probe":  into(func(c *Comm, b []int64) error { return probeAndReceive(c, b, Probe) }),
	"Mprobe": into(matchAndReceive),
	"Mrecv":  into(matchAndReceive),
	"Sendrecv": func(c *Comm) error {
		_, err := Sendrecv(c, long(), 1-c.Rank(), 1, long(), 1-c.Rank(), 1)
		return err
	},
	"SendrecvReplace": func(c *Comm) error {
		_, err := SendrecvReplace(c, long(), 1-c.Rank(), 1, 1-c.Rank(), 1)
		return err
	},
	"View.Send":  fromTo(func(c *Comm, b []int64, dst, tag int) error { return Whole(b).Send(c, dst, tag) }),
	"View.Ssend": fromTo(func(c *Comm, b []int64, dst, tag int) error { return Whole(b).Ssend(c, dst, tag) }),
	"View.Recv":  into(func(c *Comm, b []int64) error { _, err := Whole(b).Recv(c, 1, 1); return err }),
	"View.Mrecv": into(func(c *Comm, b []int64) error {
		m, _, err := Mprobe(c, 1, 1)
		if err != nil {
			return err
		}
		_, err = Whole(b).Mrecv(&m)
		return err
	}),
	"View.Sendrecv": func(c *Comm) error {
		_, err := Whole(long()).Sendrecv(c, 1-c.Rank(), 1, Whole(long()), 1-c.Rank(), 1)
		return err
	},

	"Request.Wait":        waitBy(func(r *Request) error { _, err := r.Wait(); return err }),
	"Request.WaitContext": waitBy(func(r *Request) error { _, err := r.WaitContext(context.Background()); return err }),
	"WaitAll":             waitBy(func(r *Request) error { return WaitAll([]Request{*r}, nil) }),
	"WaitAny":             waitBy(func(r *Request) error { _, _, err := WaitAny([]Request{*r}); return err }),
	"WaitBatch": waitBy(func(r *Request) error {
		return WaitBatch(func(b *Batch) error {
			b.Add(*r, nil)
			return nil
		})
	}),
	"WaitSome": waitBy(func(r *Request) error {
		_, _, err := WaitSome([]Request{*r}, nil, nil)
		return err
	}),

	"Comm.Barrier": (*Comm).Barrier,
	"Bcast":        func(c *Comm) error { return Bcast(c, long(), 1) },
	"Gather":       func(c *Comm) error { return Gather(c, two(), four(), 0) },
	"Gatherv":      func(c *Comm) error { return Gatherv(c, two(), four(), []int{2, 2}, nil, 0) },
	"Scatter":      func(c *Comm) error { return Scatter(c, four(), two(), 1) },
	"Scatterv":     func(c *Comm) error { return Scatterv(c, four(), []int{2, 2}, nil, two(), 1) },
	"Allgather":    func(c *Comm) error { return Allgather(c, two(), four()) },
	"Allgatherv":   func(c *Comm) error { return Allgatherv(c, two(), four(), []int{2, 2}, nil) },
	"Alltoall":     func(c *Comm) error { return Alltoall(c, four(), four()) },
	"Alltoallv": func(c *Comm) error {
		return Alltoallv(c, four(), []int{2, 2}, nil, four(), []int{2, 2}, nil)
	},
	"View.Bcast":         func(c *Comm) error { return Whole(two()).Bcast(c, 0) },
	"View.Gather":        func(c *Comm) error { return Whole(two()).Gather(c, views(), 0) },
	"View.Scatter":       func(c *Comm) error { return Whole(two()).Scatter(c, views(), 0) },
	"View.Allgather":     func(c *Comm) error { return Whole(two()).Allgather(c, views()) },
	"Alltoallw":          func(c *Comm) error { return Alltoallw(c, views(), views()) },
	"Reduce":             func(c *Comm) error { return Reduce(c, two(), two(), Sum[int64](), 0) },
	"Allreduce":          func(c *Comm) error { return Allreduce(c, two(), two(), Sum[int64]()) },
	"Scan":               func(c *Comm) error { return Scan(c, two(), two(), Sum[int64]()) },
	"Exscan":             func(c *Comm) error { return Exscan(c, two(), two(), Sum[int64]()) },
	"ReduceScatterBlock": func(c *Comm) error { return ReduceScatterBlock(c, four(), two(), Sum[int64]()) },
	"ReduceScatter":      func(c *Comm) error { return ReduceScatter(c, four(), two(), []int{2, 2}, Sum[int64]()) },
	"Comm.Dup":           func(c *Comm) error { _, err := c.Dup(); return err },
	"Survive":            func(c *Comm) error { return Survive(c, (*Comm).Barrier) },
	"Comm.Shrink":        func(c *Comm) error { _, err := c.Shrink(); return err },
	"Comm.Agree":         func(c *Comm) error { _, err := c.Agree(1); return err },
	"Comm.Split":         func(c *Comm) error { _, err := c.Split(0, 0); return err },
	"Comm.Create":        func(c *Comm) error { _, err := c.Create(c.Group()); return err },
	"BcastOne":           func(c *Comm) error { _, err := BcastOne(c, 1, 1); return err },
	"GatherOne":          func(c *Comm) error { _, err := GatherOne(c, 1, 0); return err },
	"ScatterOne":         func(c *Comm) error { _, err := ScatterOne(c, two(), 1); return err },
	"AllgatherOne":       func(c *Comm) error { _, err := AllgatherOne(c, 1); return err },
	"ReduceOne":          func(c *Comm) error { _, err := ReduceOne(c, 1, Sum[int](), 0); return err },
	"AllreduceOne":       func(c *Comm) error { _, err := AllreduceOne(c, 1, Sum[int]()); return err },
	"ScanOne":            func(c *Comm) error { _, err := ScanOne(c, 1, Sum[int]()); return err },
	"ExscanOne":          func(c *Comm) error { _, err := ExscanOne(c, 1, Sum[int]()); return err },
	"BcastAlloc":         func(c *Comm) error { _, err := BcastAlloc(c, two(), 1); return err },
	"GatherAlloc":        func(c *Comm) error { _, err := GatherAlloc(c, two(), 0); return err },
	"ScatterAlloc":       func(c *Comm) error { _, err := ScatterAlloc(c, [][]int64{two(), four()}, 1); return err },
	"AllgatherAlloc":     func(c *Comm) error { _, err := AllgatherAlloc(c, two()); return err },
	"AlltoallAlloc":      func(c *Comm) error { _, err := AlltoallAlloc(c, [][]int64{two(), four()}); return err },
	"GatherFlat":         func(c *Comm) error { _, err := GatherFlat(c, two(), 0); return err },
	"ScatterFlat":        func(c *Comm) error { _, err := ScatterFlat(c, four(), 1); return err },
	"AllgatherFlat":      func(c *Comm) error { _, err := AllgatherFlat(c, two()); return err },
	"AlltoallFlat":       func(c *Comm) error { _, err := AlltoallFlat(c, [][]int64{two(), four()}); return err },
	"Comm.FlushBuffer": fromTo(func(c *Comm, b []int64, dst, tag int) error {
		return first(Bsend(c, b, dst, tag), c.FlushBuffer())
	}),
	"Comm.SplitType": func(c *Comm) error { _, err := c.SplitType(Shared, 0); return err },
	"Comm.Spawn": func(c *Comm) error { // nobody could start them
		if _, err := c.Spawn(0, Command{Program: "x", N: 1}); !errors.Is(err, ErrSpawn) {
			return err
		}
		return nil
	},
	"Comm.Accept": func(c *Comm) error { // there is no such port
		if _, err := c.Accept("", 0); !errors.Is(err, ErrPort) {
			return err
		}
		return nil
	},
	"Comm.Connect": func(c *Comm) error {
		if _, err := c.Connect("", 0); !errors.Is(err, ErrPort) {
			return err
		}
		return nil
	},
	"Comm.CreateGroup": func(c *Comm) error { _, err := c.CreateGroup(c.Group(), 0); return err },
	"CartCreate":       func(c *Comm) error { _, err := CartCreate(c, []int{2}, []bool{true}); return err },
	"DistGraphCreate":  func(c *Comm) error { _, err := DistGraphCreate(c, nil); return err },
	"DistGraphCreateAdjacent": func(c *Comm) error {
		_, err := DistGraphCreateAdjacent(c, Neighbors{})
		return err
	},
	"WinAllocateShared":     func(c *Comm) error { _, err := WinAllocateShared[int64](c, 4); return err },
	"WinAllocateContiguous": func(c *Comm) error { _, err := WinAllocateContiguous[int64](c, 4); return err },
	"WinCreate":             func(c *Comm) error { _, err := WinCreate(c, two()); return err },
}

// callsOnObjects are those that need something that is made before.
var callsOnObjects = map[string]func(c *Comm) (func() error, error){
	"NeighborAllgather":  onRing(func(c *Comm) error { return NeighborAllgather(c, two(), four()) }),
	"NeighborAllgatherv": onRing(func(c *Comm) error { return NeighborAllgatherv(c, two(), four(), []int{2, 2}, nil) }),
	"NeighborAlltoall":   onRing(func(c *Comm) error { return NeighborAlltoall(c, four(), four()) }),
	"NeighborAlltoallv": onRing(func(c *Comm) error {
		return NeighborAlltoallv(c, four(), []int{2, 2}, nil, four(), []int{2, 2}, nil)
	}),
	"NeighborAlltoallw": onRing(func(c *Comm) error { return NeighborAlltoallw(c, views(), views()) }),

	"Comm.Free": func(c *Comm) (func() error, error) {
		d, err := c.Dup()
		return d.Free, err
	},
	"Cart.Sub": func(c *Comm) (func() error, error) {
		g, err := CartCreate(c, []int{2}, []bool{true})
		return func() error { _, err := g.Sub([]bool{true}); return err }, err
	},
	"Window.Free": func(c *Comm) (func() error, error) {
		w, err := WinAllocateShared[int64](c, 4)
		return func() error { return w.Free() }, err
	},

	"Window.Fence": func(c *Comm) (func() error, error) {
		w, err := WinAllocateShared[int64](c, 4)
		return func() error { return w.Fence() }, err
	},
	"Window.Lock":    lockedByOne(func(w *Window[int64]) error { return first(w.Lock(0), w.Unlock(0)) }, unlock),
	"Window.RLock":   lockedByOne(func(w *Window[int64]) error { return first(w.RLock(0), w.Unlock(0)) }, unlock),
	"Window.LockAll": lockedByOne(func(w *Window[int64]) error { return first(w.LockAll(), w.UnlockAll()) }, unlock),
	"Window.Put": lockedByOne(func(w *Window[int64]) error {
		return first(w.LockAll(), w.Put(two(), 0, 0), w.UnlockAll())
	}, unlock),

	"OpenFile": func(c *Comm) (func() error, error) {
		return func() error {
			f, err := OpenFile(c, temporary(), FileCreate|FileReadWrite|FileDeleteOnClose, nil)
			return errors.Join(err, f.Close())
		}, nil
	},
	"File.Close":     onFile((*File).Close),
	"File.Sync":      onFile((*File).Sync),
	"File.SetSize":   onFile(func(f *File) error { return f.SetSize(10) }),
	"File.SetAtomic": onFile(func(f *File) error { return f.SetAtomic(true) }),
	"File.SetView":   onFile(func(f *File) error { return f.SetView(0, datatype.Int64, datatype.Int64) }),
	"ReadFileAll":    onFile(func(f *File) error { _, err := ReadFileAll(f, FilePointer, two()); return err }),
	"WriteFileAll":   onFile(func(f *File) error { _, err := WriteFileAll(f, FilePointer, two()); return err }),
	"View.ReadFileAll": onFile(func(f *File) error {
		_, err := Whole(two()).ReadFileAll(f, FilePointer)
		return err
	}),
	"View.WriteFileAll": onFile(func(f *File) error {
		_, err := Whole(two()).WriteFileAll(f, FilePointer)
		return err
	}),
}

// temporary is the name of a file that all ranks of this process choose.
func temporary() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("gopvas-progress-%d", os.Getpid()))
}

// onFile is a call on a file of two ranks.
func onFile(call func(*File) error) func(*Comm) (func() error, error) {
	return func(c *Comm) (func() error, error) {
		name := temporary()
		f, err := OpenFile(c, name, FileCreate|FileReadWrite, nil)
		return func() error { return errors.Join(call(f), ignoreMissing(DeleteFile(name))) }, err
	}
}

// ignoreMissing is an error unless another rank has removed the file already.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// local are the calls that wait for nobody: apart from those that begin or prepare an
// operation, and end in Init or begin with I.
var local = strings.Fields(`
	Init Run Executable CountOf ReduceLocal TestAll TestAny TestSome StartAll
	RegisterOp Bsend Batch.Add Request.Done
	CartOf DimsCreate DistGraphOf NewAttribute NewGraph SendNode RecvNode CopyNode CalcNode NewOp
	Sum Prod Min Max BAnd BOr BXor LAnd LOr LXor MinLoc MaxLoc
	Whole Vector Indexed Subarray Strided Typed View.Len View.Err
	Comm.Finalize Comm.Abort Comm.Rank Comm.Size Comm.Group Comm.ID Comm.Name Comm.SetName Comm.With
	Comm.Block ErrOf Keep KeptOf Kept.Elements Kept.Version Kept.SetVersion Kept.Free
	Comm.OpenPort Comm.ClosePort Comm.Failed Comm.Acknowledge Comm.Revoke Comm.IsRevoked Comm.Replaces
	Comm.Self Comm.Parents Comm.Compare Comm.Partition Comm.OneAddressSpace Comm.Algorithm Comm.NeighborRanks
	Comparison.String Status.CountIn Group.Size Group.Rank Group.TranslateRanks Group.Equal Group.Compare
	Group.Incl Group.Excl Group.RangeIncl Group.RangeExcl Group.Union Group.Intersection Group.Difference
	Request.Active Request.Test Request.Cancel Request.Start Request.Free
	Cart.Dims Cart.Periods Cart.Coords Cart.RankAt Cart.Shift DistGraph.Neighbors
	Graph.JoinNode Graph.Connect Graph.Tie Graph.SetPolicy Graph.SetUrgent Graph.Dump Graph.Prepare Graph.Issue
	Window.Local Window.All Window.Segment Window.Get Window.Accumulate Window.FetchAndOp Window.Swap
	Window.CompareAndSwap Window.Unlock Window.UnlockAll Window.Flush
	Attribute.Set Attribute.Get Attribute.Delete Op.Commutative
	DeleteFile FileOffset File.Read File.Write File.ReadAt File.WriteAt File.Seek File.Size File.Hints
	ReadFile WriteFile View.ReadFile View.WriteFile`)

// lockedByOne has rank 1 lock the memory of rank 0. Its own call ends that.
func lockedByOne(call, end func(*Window[int64]) error) func(c *Comm) (func() error, error) {
	return func(c *Comm) (func() error, error) {
		w, err := WinAllocateShared[int64](c, 4)
		if err != nil {
			return nil, err
		}
		if c.Rank() == 0 {
			return func() error { return call(w) }, nil
		}
		return func() error { return end(w) }, w.Lock(0)
	}
}

func unlock(w *Window[int64]) error { return w.Unlock(0) }

func two() []int64  { return []int64{1, 2} }
func four() []int64 { return []int64{1, 2, 3, 4} }
func long() []int64 { return make([]int64, 8192) }
func views() []View[int64] {
	return []View[int64]{Whole(two()), Whole(two())}
}

// fromTo has rank 0 send a long message that rank 1 receives.
func fromTo(send func(c *Comm, b []int64, dst, tag int) error) func(*Comm) error {
	return func(c *Comm) error {
		if c.Rank() == 0 {
			return send(c, long(), 1, 1)
		}
		_, err := Recv(c, long(), 0, 1)
		return err
	}
}

// into has rank 0 receive a message that rank 1 sends.
func into(receive func(c *Comm, b []int64) error) func(*Comm) error {
	return func(c *Comm) error {
		if c.Rank() == 0 {
			return receive(c, long())
		}
		return Send(c, two(), 0, 1)
	}
}

func waitBy(wait func(*Request) error) func(*Comm) error {
	return into(func(c *Comm, b []int64) error {
		r, err := Irecv(c, b, 1, 1)
		if err != nil {
			return err
		}
		return wait(&r)
	})
}

func probeAndReceive(c *Comm, b []int64, probe func(*Comm, int, int) (Status, error)) error {
	_, err := probe(c, 1, 1)
	if err != nil {
		return err
	}
	_, err = Recv(c, b, 1, 1)
	return err
}

func matchAndReceive(c *Comm, b []int64) error {
	m, _, err := Mprobe(c, 1, 1)
	if err != nil {
		return err
	}
	_, err = Mrecv(&m, b)
	return err
}

// onRing is a call on a ring of two.
func onRing(call func(*Comm) error) func(*Comm) (func() error, error) {
	return func(c *Comm) (func() error, error) {
		g, err := CartCreate(c, []int{2}, []bool{true})
		return func() error { return call(g.Comm) }, err
	}
}
