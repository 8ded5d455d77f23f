// Package wire has the link over which two processes of pvasrun talk: a supervisor and its space host, the leader of
// several nodes and an agent, the supervisors of two jobs. What they say, and over what, they bring along.
package wire
