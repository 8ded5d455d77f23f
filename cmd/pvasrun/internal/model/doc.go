// Package model has the commands of the LogGPS model: fit finds its parameters on this machine, run and show predict
// what a recorded job or a GOAL file takes, export writes a job as GOAL, exchange predicts what several network devices
// would do for one.
package model
