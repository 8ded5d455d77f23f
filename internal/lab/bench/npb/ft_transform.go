package npb

import "github.com/gopvas/gopvas/mpi"

// How the numbers of the box get from planes z to planes y and back. In what is sent,
// the index of the receiver's planes comes first, so that a transform along it writes
// each row to its place; what is received lies by rank, and its rows are taken one by
// one.

// transform makes the spectrum of what is in d.in, by own z, then y.
func (d *diffusion) transform() error {
	for z := range d.ownZ {
		for y := range d.ny {
			d.forward.x.line(d.planeRow(y), row(d.in, z*d.ny+y, d.nx))
		}
		// out: by y, then own z
		d.columns(d.forward.y, d.out[z*d.nx:], d.ownZ*d.nx, d.plane, d.nx+planePad)
	}
	if err := mpi.Alltoall(d.world, d.out, d.in); err != nil {
		return err
	}
	for y := range d.ownY {
		plane := d.spectrum[y*d.nz*d.nx:][:d.nz*d.nx]
		some := d.ownZ * d.nx
		for r := range d.ranks { // in: by rank, own y, and z of that rank
			copy(plane[r*some:][:some], d.in[(r*d.ownY+y)*some:])
		}
		d.columns(d.forward.z, plane, d.nx, plane, d.nx)
	}
	return nil
}

// step goes on by a time step, and leaves in d.out the values, by own z, then y.
func (d *diffusion) step() error {
	for y := range d.ownY {
		plane := d.spectrum[y*d.nz*d.nx:][:d.nz*d.nx]
		d.evolve(plane, d.decayY[d.rank*d.ownY+y])
		// out: by z, then own y
		d.columns(d.inverse.z, d.out[y*d.nx:], d.ownY*d.nx, plane, d.nx)
	}
	if err := mpi.Alltoall(d.world, d.out, d.in); err != nil {
		return err
	}
	for z := range d.ownZ {
		for y := range d.ny { // in: by rank, own z, and y of that rank
			r, own := y/d.ownY, y%d.ownY
			d.inverse.x.line(d.planeRow(y), row(d.in, (r*d.ownZ+z)*d.ownY+own, d.nx))
		}
		d.columns(d.inverse.y, d.out[z*d.ny*d.nx:], d.nx, d.plane, d.nx+planePad)
	}
	return nil
}

// evolve lets the waves of a plane y decay for a time step.
func (d *diffusion) evolve(plane []complex128, decayY float64) {
	for z, decayZ := range d.decayZ {
		both := decayY * decayZ
		waves := row(plane, z, d.nx)
		decayX := d.decayX[:len(waves)]
		for x, v := range waves {
			f := both * decayX[x]
			waves[x] = complex(real(v)*f, imag(v)*f)
		}
	}
}

// columns transforms all columns of a plane, whose rows begin so many numbers apart.
func (d *diffusion) columns(f *fft, dst []complex128, dstStep int, src []complex128, srcStep int) {
	for x := 0; x < d.nx; x += fftWidth {
		f.columns(dst[x:], dstStep, src[x:], srcStep, fftWidth)
	}
}

func (d *diffusion) planeRow(y int) []complex128 { return d.plane[y*(d.nx+planePad):][:d.nx] }

// row returns row i of rows of n numbers that lie close.
func row(a []complex128, i, n int) []complex128 { return a[i*n:][:n] }
