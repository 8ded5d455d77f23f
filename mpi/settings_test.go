package mpi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gopvas/gopvas/internal/node/job/jobtest"
)

// barrierAlgorithm prints which algorithm has done a barrier.
func barrierAlgorithm(c *Comm) error {
	if err := c.Barrier(); err != nil {
		return err
	}
	fmt.Println(c.Algorithm())
	return nil
}

// Ranks go by the settings in the root block, and by no variable of the environment.
func TestSettingsComeFromTheJob(t *testing.T) {
	job := smJob(3)
	for _, want := range []string{"tree", "dissemination"} {
		job.Settings.Coll = "barrier=" + want
		for _, out := range jobtest.Run(t, job, "algorithm", "PVAS_COLL=nonsense",
			"PVAS_PROGRESS=soon", "PVAS_HELPERS=x") {
			require.Equal(t, want+"\n", out)
		}
	}
}

// A rank that cannot read the settings says what is wrong with them.
func TestSettingsThatMeanNothing(t *testing.T) {
	job := smJob(1)
	job.Settings.Coll = "barrier=soon"
	require.Contains(t, jobtest.Start(t, job, "nothing").Wait()[0].Stderr, `there is no algorithm "soon"`)
}
