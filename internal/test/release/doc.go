// Command release makes what people without Go install, for amd64 and arm64. That is a tarball that works wherever it
// is unpacked, a .deb and an .rpm, with checksums and a list of what is inside (SBOM).
//
//	go run ./internal/test/release -o dist
//
// It runs on Debian and takes gcc and gfortran. For arm64 they are those of the packages gcc-aarch64-linux-gnu and
// gfortran-aarch64-linux-gnu. It downloads the C library of Debian 11 and links the libraries against it, so they run
// with glibc 2.31 and newer. nfpm makes the packages, and cyclonedx-gomod makes the SBOM. The go command fetches both
// at versions that this package names, and runs them. So go.mod does not list them.
//
// Two releases of one commit are equal, byte by byte.
package main
