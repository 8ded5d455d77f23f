// Package transport measures package suci beside TCP: round trips, streams, many senders to
// one receiver, broadcasts over a tree, and short messages beside a long transfer. These are
// the experiments of the paper "Suci", and those on which its claims rest.
//
//	server, err := transport.OpenSuci(suci.Options{Self: 1, Key: key, Listen: address})
//	err = transport.Serve(ctx, server)
//
//	client, err := transport.OpenSuci(suci.Options{Self: 2, Key: key})
//	client.Reach(1, address)
//	times, err := transport.PingPong(ctx, client, 1, 8, time.Second)
//
// A server does what the messages of a client say, so one program serves every experiment,
// over both carriers. Cluster makes network namespaces with rates and queues on one machine,
// and starts a server in each.
//
// Not here: messages of ranks. They go through package mpi, and are measured by the
// benchmarks of package bench.
package transport
