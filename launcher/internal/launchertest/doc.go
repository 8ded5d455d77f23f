// Package launchertest has what the tests of packages launcher and cluster need to run jobs: the programs, supervisors
// in processes of their own, and output that one can wait for. It does not know those packages.
package launchertest
