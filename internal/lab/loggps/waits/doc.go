// Package waits says what the ranks of a program wait for, and who is to blame. It knows neither traces nor
// simulations: both become a Run, the pieces of each rank in the order of time.
//
// A rank that is in a call waits as long as its peer is not there, and transfers from then on. Who has made it wait is
// found by what the peer did meanwhile: it has computed, or moved other messages, or it has waited itself. Then those
// that made it wait are to blame, in the same shares.
//
// The patterns have the names of Wolf and Mohr, "Automatic performance analysis of hybrid MPI/OpenMP applications"
// (2003). The efficiencies are those of the POP project (Wagner et al., "A Structured Approach to Performance
// Analysis", 2018).
package waits
