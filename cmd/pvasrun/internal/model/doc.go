// Package model has the commands of the LogGPS model. Fit finds its parameters on this machine. Run and show predict
// what a recorded job or a GOAL file takes. Export writes a job as GOAL. Exchange predicts what several network devices
// do.
package model
