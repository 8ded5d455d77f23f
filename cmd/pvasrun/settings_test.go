package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What flags and their variables say reaches all ranks by the root block alone.
func TestSettingsReachRanks(t *testing.T) {
	program := programs.Build(t, "./testdata/settings")
	const names = " [PVAS_APPNUM PVAS_BACKTRACE PVAS_ID PVAS_JOB PVAS_PROGRAM PVAS_RANK PVAS_SIZE]\n"
	for i, c := range []struct {
		env  []string
		args []string
		want string
	}{
		{nil, nil,
			"check=false coll= progress= helpers=0 eager=4096 copy=auto pipeline=0 peer=1m0s"},
		{[]string{"PVASRUN_CHECK=false"}, nil,
			"check=false coll= progress= helpers=0 eager=4096 copy=auto pipeline=0 peer=1m0s"},
		{[]string{"PVASRUN_CHECK=true", "PVASRUN_COLL=bcast=binomial", "PVASRUN_HELPERS=2"}, nil,
			"check=true coll=bcast=binomial progress= helpers=2 eager=4096 copy=auto pipeline=0 peer=1m0s"},
		{[]string{"PVASRUN_COLL=bcast=binomial"},
			[]string{"--check", "--coll", "allreduce=tree,ibcast=chain", "--progress", "owner", "--helpers", "1",
				"--eager-limit", "1K", "--single-copy", "none", "--peer-timeout", "90"},
			"check=true coll=allreduce=tree,ibcast=chain progress=owner helpers=1 eager=1024 copy=none pipeline=0 " +
				"peer=1m30s"},
	} {
		for _, model := range turn(t, i) {
			args := append(append([]string{"--btl", model, "-n", "2"}, c.args...), program)
			got := command(t, env(c.env...), args...)
			require.Equal(t, 0, got.code, got.stderr)
			require.Equal(t, strings.Repeat(c.want+names, 2), got.stdout, "%v %v", c.env, args)
		}
	}
}
