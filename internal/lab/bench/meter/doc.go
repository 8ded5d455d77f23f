// Package meter reads the page tables and the memory of a job while its ranks stand still, in Init and before Finalize.
package meter
