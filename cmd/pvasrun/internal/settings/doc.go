// Package settings has the flags that several commands of pvasrun share: the numbers that messages go by, the profile
// that was measured on this machine, and the nodes of a job. A flag given beats the profile, which beats the default.
package settings
