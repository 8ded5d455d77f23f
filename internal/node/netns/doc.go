// Package netns connects network namespaces of this machine: a switch in one of them, and a link
// from it to each of the others. It calls ip of iproute2, by way of nsenter, and needs root.
//
// A namespace is named by a process in it. Who starts that process decides what else the
// namespace comes with, and its end takes the network away.
package netns
