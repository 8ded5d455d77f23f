// Package courier carries blocks between goroutines of ranks, beside the messages of the engine. A rank has one
// goroutine that receives, with a thread of its own: it takes what comes though the rank computes. So what it calls
// neither waits for the rank nor uses the engine.
//
// A rank opens its courier, a socket on each network device, with the first line that it joins. A line is the ranks of
// a communicator. Blocks from one rank to another arrive in the order in which they were sent, as long as one device
// carries them (package devices). The courier does not bound what is under way: who sends waits for answers.
//
// A rank that goes is no event here: see comm.FirstGone. A rank that does not answer for as long as --peer-timeout says
// is lost for good, to messages, too (Broken).
package courier
