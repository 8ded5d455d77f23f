// Command together sends from one goroutine of each rank, while another one receives.
package main

import "github.com/gopvas/gopvas/mpi"

func main() {
	mpi.Run(func(w *mpi.Comm) error {
		out, in := make([]byte, 20000), make([]byte, 20000)
		for range 20 {
			sent := make(chan error, 1)
			go func() {
				for to := range w.Size() {
					if err := mpi.Send(w, out, to, 1); err != nil {
						sent <- err
						return
					}
				}
				sent <- nil
			}()
			for from := range w.Size() {
				if _, err := mpi.Recv(w, in, from, 1); err != nil {
					return err
				}
			}
			if err := <-sent; err != nil {
				return err
			}
		}
		return nil
	})
}
