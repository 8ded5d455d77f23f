// Command planted loses time for the reason that its first argument names. Ranks compute for a time of CPU: a machine
// that others use makes them slower, but no other reason larger. The second argument is a file.
package main

import (
	"os"
	"syscall"
	"time"

	"github.com/gopvas/gopvas/mpi"
)

func main() {
	mpi.Run(func(c *mpi.Comm) error {
		for range rounds {
			if err := programs[os.Args[1]](c); err != nil {
				return err
			}
		}
		return nil
	})
}

const rounds = 8

var programs = map[string]func(c *mpi.Comm) error{
	"late sender": lateSender, "late receiver": lateReceiver, "rendezvous": rendezvous, "imbalance": imbalance,
	"serial chain": serialChain, "hot rank": hotRank, "small messages": smallMessages,
	"lock of a window": lock, "slow file": slowFile, "contention": contention,
}

// used is the CPU time of the process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func compute(span time.Duration) {
	for until := used() + span; used() < until; {
	}
}

const long = 20 * time.Millisecond

func lateSender(c *mpi.Comm) error {
	if c.Rank() == 0 {
		compute(long)
		return mpi.Send(c, make([]byte, 64), 1, 0) // late sender: root
	}
	r, err := mpi.Irecv(c, make([]byte, 64), 0, 0)
	if err == nil {
		_, err = r.Wait() // late sender: waits
	}
	return err
}

func lateReceiver(c *mpi.Comm) error {
	if c.Rank() == 1 {
		compute(long)
		_, err := mpi.Recv(c, make([]byte, 200<<10), 0, 0) // late receiver: root
		return err
	}
	return mpi.Send(c, make([]byte, 200<<10), 1, 0) // late receiver: waits
}

func rendezvous(c *mpi.Comm) error {
	if c.Rank() == 1 {
		compute(long)
		_, err := mpi.Recv(c, make([]byte, 16<<10), 0, 0) // rendezvous: root
		return err
	}
	return mpi.Send(c, make([]byte, 16<<10), 1, 0) // rendezvous: waits
}

func imbalance(c *mpi.Comm) error {
	compute(long / 4)
	if c.Rank() == 1 {
		compute(long)
	}
	return mpi.Allreduce(c, []int{1}, make([]int, 1), mpi.Sum[int]()) // imbalance: root
}

func serialChain(c *mpi.Comm) error {
	left, right := (c.Rank()+c.Size()-1)%c.Size(), (c.Rank()+1)%c.Size()
	if c.Rank() > 0 {
		if _, err := mpi.Recv(c, make([]byte, 64), left, 0); err != nil { // serial chain: waits
			return err
		}
	}
	compute(long)
	if err := mpi.Send(c, make([]byte, 64), right, 0); err != nil { // serial chain: root
		return err
	}
	if c.Rank() > 0 {
		return nil
	}
	_, err := mpi.Recv(c, make([]byte, 64), left, 0)
	return err
}

func hotRank(c *mpi.Comm) error {
	buf := make([]byte, 8<<20)
	if c.Rank() > 0 {
		return mpi.Send(c, buf, 0, 0) // hot rank: waits
	}
	for from := 1; from < c.Size(); from++ {
		if _, err := mpi.Recv(c, buf, from, 0); err != nil { // hot rank: root
			return err
		}
	}
	return nil
}

func smallMessages(c *mpi.Comm) error {
	buf := make([]byte, 8)
	for i := range 500 {
		var err error
		if (c.Rank()+i)%2 == 0 {
			err = mpi.Send(c, buf, 1-c.Rank(), 0)
		} else {
			_, err = mpi.Recv(c, buf, 1-c.Rank(), 0) // small messages: root
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func lock(c *mpi.Comm) error {
	w, err := mpi.WinAllocateShared[int](c, 1)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		if _, err := mpi.Recv(c, make([]byte, 1), 1, 0); err != nil {
			return err
		}
		if err := w.Lock(1); err != nil { // lock of a window: waits
			return err
		}
		err = w.Unlock(1)
	} else {
		if err := w.Lock(1); err != nil {
			return err
		}
		if err := mpi.Send(c, make([]byte, 1), 0, 0); err != nil {
			return err
		}
		compute(long)
		err = w.Unlock(1) // lock of a window: root
	}
	if err != nil {
		return err
	}
	return w.Free()
}

func slowFile(c *mpi.Comm) error {
	f, err := mpi.OpenFile(c, os.Args[2], mpi.FileCreate|mpi.FileWriteOnly, nil)
	if err != nil {
		return err
	}
	if c.Rank() == 1 {
		if _, err := f.WriteAt(make([]byte, 16<<20), 0); err != nil { // slow file: root
			return err
		}
	}
	return f.Close()
}

// contention has ranks of one node receive from one rank each of other nodes: they share the link of their node.
func contention(c *mpi.Comm) error {
	buf, pairs := make([]byte, 1<<20), c.Size()/2
	if c.Rank() >= pairs {
		return mpi.Send(c, buf, c.Rank()-pairs, 0)
	}
	_, err := mpi.Recv(c, buf, c.Rank()+pairs, 0)
	return err
}
