package mpi

import "github.com/gopvas/gopvas/internal/comm"

// DeviceUse is what a rank has done with a network device.
type DeviceUse = comm.DeviceUse

// Flight is a piece of a message that a network device has sent.
type Flight = comm.Flight

// Devices returns what this process' rank has done with each network device to other nodes,
// none before Init and in a job of one node.
func Devices() []DeviceUse { return comm.Devices() }

// Flights returns the last pieces of long messages that this rank has sent through several
// devices, by the time of their start.
func Flights() []Flight { return comm.Flights() }
