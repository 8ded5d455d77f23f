// Gzip compresses a file, as gzip does, by all ranks. Each piece of the file is a task, whose result is a member of
// the compressed file; rank 0 writes them in their order.
//
//	pvasrun -n 4 ./examples/gallery/gzip FILE    # makes FILE.gz
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"

	"github.com/gopvas/gopvas/examples/gallery/internal/args"
	"github.com/gopvas/gopvas/mpi"
	"github.com/gopvas/gopvas/mpi/pool"
)

const piece = 256 << 10

func main() {
	file := args.Parse("FILE")[0]
	mpi.Run(func(world *mpi.Comm) error {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		info, err := in.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return errors.Join(err, errors.New(file+" is no regular file"))
		}
		places := func(yield func(int64) bool) {
			for at := int64(0); at <= info.Size() && yield(at); at += piece {
			}
		}
		name := os.DevNull
		if world.Rank() == 0 {
			name = file + ".gz"
		}
		out, err := os.Create(name)
		if err != nil {
			return err
		}
		for member, err := range pool.Ordered(world, places, func(at int64) ([]byte, error) {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, err := io.Copy(w, io.NewSectionReader(in, at, piece))
			err = errors.Join(err, w.Close())
			return b.Bytes(), err
		}) {
			if err != nil {
				return err
			}
			if _, err := out.Write(member.Value); err != nil {
				return err
			}
		}
		return errors.Join(in.Close(), out.Close())
	})
}
