// Package machine finds out what this machine offers to a job and what it
// limits: it is the content of `pvasrun info`.
//
// Nothing is derived from a version number. A feature is used once, on a small
// scale, and the answer is what the kernel said. Limits are those of package limits.
//
// What the packages above know how to test, such as the task model, they hand
// in as a [NamedProbe]. A program that calls [Probe] calls [ProbeMain] first
// thing in main, because the probe of cross memory attach needs a second process.
package machine
