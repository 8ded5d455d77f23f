// Package neighbour connects the supervisors of the jobs of a user, when a rank of one connects to a port of another.
// The supervisor of a job on several nodes is its leader.
//
// A job that others can reach has a door: a socket with a name (sys.ListenNamed) that says which user and which
// number. The number is the first that is free from one on which the job itself gives. It is the job's as long as the
// socket is open, so no two jobs have the same at a time, and none is left behind. A connection of two supervisors is
// a link. Both ends say who they are, and then tell each other what happens to their ranks. The end of a link is that
// of the other supervisor, however it ended.
// Jobs are all other jobs that a supervisor has met: it notes their ranks in the root block, and asks them what ranks
// request. A supervisor on another node is found by TCP: see openFar.
//
// Not implemented: supervisors of several users; names of services over nodes; to meet a job on another node by its
// number alone, of which a third one has told.
package neighbour
