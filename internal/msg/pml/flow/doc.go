// Package flow keeps what a rank has underway: receives whose bytes come, sends to each peer in their order, sends that
// wait for room at their peer, tasks. It decides whom a look asks, so that a look costs little however much is
// underway, and that nothing is asked never. And it decides how a message travels (Send.Way), from what is known of the
// message and of its peer. It knows no transport.
//
// A transfer is asked by Progress until it says that it is done. The caller then completes what it is a part of (O):
// each method that asks takes a function for that. By then the transfer is in no list.
//
// The caller's lock guards everything.
package flow
