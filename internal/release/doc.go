// Command release makes what people install who have no Go: for amd64 and arm64 a tarball that works wherever it is
// unpacked, a .deb and an .rpm, with checksums and a list of what is inside (SBOM).
//
//	go run ./internal/release -o dist
//
// It runs on Debian, and takes the compilers gcc, g++ and gfortran, for arm64 those of the packages
// gcc-aarch64-linux-gnu and gfortran-aarch64-linux-gnu. The libraries are linked against the C library of Debian 11,
// whose packages it downloads, so that they run with glibc 2.31 and newer. The packages are made by nfpm, and the SBOM
// by cyclonedx-gomod, at versions that stand here: the go command fetches and runs them, and go.mod is without them.
//
// Two releases of one commit are equal, byte by byte.
package main
