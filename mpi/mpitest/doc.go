// Package mpitest runs test functions as ranks of a job, within go test:
//
//	func TestMain(m *testing.M) { mpitest.Main(m) }
//
//	func TestRing(t *testing.T) {
//		mpitest.Run(t, 4, func(t *testing.T, world *mpi.Comm) {
//			sum, err := mpi.AllreduceOne(world, world.Rank(), mpi.Sum[int]())
//			if err != nil || sum != 6 {
//				t.Errorf("%d, %v", sum, err)
//			}
//		})
//	}
//
// The ranks are processes of the test binary. Each runs the test up to Run, calls the function, and skips the rest. So
// the ranks and the process of go test all do what stands before Run. Only the latter does what follows. A rank whose
// subtest calls Run goes on after the subtest, in a finalized job. A rank whose function fails ends the job.
//
// RunDelayed does so under many seeds, each of which delays the calls of the ranks in its own way.
// Package observe has profiles of all ranks, and log records with their number.
//
// Run does it in both task models, as subtests named pvas and sm. One address space needs
// go test -buildmode=pie. Without it, and with -race, which finds races within a rank, the first is skipped.
package mpitest
