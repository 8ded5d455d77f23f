// Package cli has what the commands of pvasrun share: how a command line is parsed, checked, completed and explained,
// the kinds of values that flags have, help with examples, and the files, tables and progress that commands write.
//
// A command returns an error. UsageError and ExitStatus say how it ends; Finish prints what is to be said and returns
// the exit code.
package cli
