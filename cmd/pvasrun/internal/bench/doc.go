// Package bench has the benchmark commands of pvasrun: the flags of each, who takes part and where, and the tables and
// pages that are made of the results. Package bench of the module measures.
package bench
