// Package perfetto writes a trace in the format of Perfetto (TrackEvent, protobuf), which
// ui.perfetto.dev and its trace processor open. Each rank is a thread of one process. Each call
// is a slice. A message is a flow: an arrow from the call that began it to the call that
// received it, or waited for it.
//
// Calls of several goroutines of a rank that overlap are on further tracks: slices of a track have to nest.
// The encoding is by google.golang.org/protobuf/encoding/protowire; the numbers of the fields
// are those of perfetto's trace_packet.proto, track_event.proto and track_descriptor.proto.
package perfetto
