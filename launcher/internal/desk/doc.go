// Package desk answers what ranks ask their supervisor for at the job's desk (job.Root.Ask): names of ports, ports of
// other jobs, and further ranks. It knows what a request needs, and does what needs no wait. The supervisor does the
// rest, and hands back the answer.
package desk
