// Command release makes what people without Go install, for amd64 and arm64. That is a tarball that works wherever it
// is unpacked, a .deb and an .rpm, with checksums and a list of what is inside (SBOM).
//
//	go run ./internal/release -o dist
//
// It runs on Debian, and takes the compilers gcc, g++ and gfortran, for arm64 those of the packages
// gcc-aarch64-linux-gnu and gfortran-aarch64-linux-gnu. The libraries are linked against the C library of Debian 11,
// whose packages it downloads, so that they run with glibc 2.31 and newer. nfpm makes the packages, and
// cyclonedx-gomod the SBOM. The go command fetches and runs both at versions that stand here; go.mod is without them.
//
// Two releases of one commit are equal, byte by byte.
package main
