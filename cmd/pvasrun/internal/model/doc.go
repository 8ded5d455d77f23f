// Package model has the commands of the LogGPS model: fit finds its parameters on this machine, run and show predict
// what a recorded job or a GOAL file takes, exchange what several network devices would do for one.
package model
