// Package hang reports what the ranks of a job do, from views of its root block (package job): as text, as JSON, and
// with a deadlock where one is proved. It decides when a launcher looks for one.
package hang
