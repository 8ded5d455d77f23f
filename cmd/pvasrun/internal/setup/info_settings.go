package setup

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gopvas/gopvas/cmd/pvasrun/internal/settings"
	"github.com/gopvas/gopvas/internal/node/job"
)

// settingsInfo is what a job started now would go by.
type settingsInfo struct {
	Profile  *ProfileInfo `json:"profile,omitempty"`
	Tunables tunableInfo  `json:"tunables"` // pvas
	SM       tunableInfo  `json:"tunables_sm"`

	rows []settingRow
}

// ProfileInfo is the profile that a job would find.
type ProfileInfo struct {
	File    string `json:"file"`
	Ignored string `json:"ignored,omitempty"` // why; "": it is in force
}

type tunableInfo struct {
	EagerLimit   int    `json:"eager_limit"`
	RingBlock    int    `json:"ring_block"`
	Spin         int    `json:"spin"`
	SingleCopy   string `json:"single_copy"`
	ShareFrom    int    `json:"share_from"`
	PipelineFrom int    `json:"pipeline_from"`
	SoloSpinning int    `json:"solo_spinning"`
	SoloSleeping int    `json:"solo_sleeping"`
}

func describeTunables(t job.Settings) tunableInfo {
	return tunableInfo{
		t.EagerLimit, t.RingBlock, t.Spin, t.SingleCopy.String(), t.ShareFrom, t.PipelineFrom,
		t.SoloSpinning, t.SoloSleeping,
	}
}

// A settingRow is a setting for people: its values and where they come from, by task model.
type settingRow struct {
	name, flag   string
	values, from [2]string // "": it does not matter there
}

// describeSettings finds the settings of jobs with these flags. An error is a mistake in them.
func describeSettings(f *settings.TunableFlags, pf *settings.ProfileFlags) (i settingsInfo, err error) {
	given, err := f.Settings()
	if err != nil {
		return i, err
	}
	p, err := pf.Load()
	if err != nil {
		return i, err
	}
	p.Here()
	if p.File != "" {
		i.Profile = &ProfileInfo{p.File, p.Ignored}
	}
	tuned := p.Beside(f)
	var all [2]job.Settings
	for k, btl := range bothModels {
		if all[k], err = given.Or(tuned[btl]).Resolve(); err != nil {
			return i, err
		}
	}
	i.Tunables, i.SM = describeTunables(all[0]), describeTunables(all[1])
	for _, s := range settingFields {
		row := settingRow{name: s.name, flag: s.flag}
		for k, btl := range bothModels {
			if s.only != 0 && s.only != btl {
				continue
			}
			row.values[k], row.from[k] = amount(*s.field(&all[k]), s.unit), "default"
			own := tuned[btl]
			if *s.field(&given) != 0 {
				row.from[k] = "flag"
			} else if *s.field(&own) != 0 {
				row.from[k] = "profile"
			}
		}
		i.rows = append(i.rows, row)
	}
	return i, nil
}

// bothModels are the columns of settings.
var bothModels = [2]job.BTL{job.BTLPvas, job.BTLSM}

// settingFields are the settings that are numbers; only is the task model that one is for.
var settingFields = []struct {
	name, unit, flag string
	only             job.BTL
	field            func(*job.Settings) *int
}{
	{"eager limit", "bytes", "--eager-limit", 0, func(s *job.Settings) *int { return &s.EagerLimit }},
	{"ring block", "bytes", "--ring-block", job.BTLSM, func(s *job.Settings) *int { return &s.RingBlock }},
	{"spin, unless ranks outnumber CPUs", "looks", "--spin", 0, func(s *job.Settings) *int { return &s.Spin }},
	{"both ranks copy from", "bytes", "", job.BTLPvas, func(s *job.Settings) *int { return &s.ShareFrom }},
	{"pipeline from", "bytes", "", job.BTLSM, func(s *job.Settings) *int { return &s.PipelineFrom }},
	{"one rank's collective, spinning", "bytes", "", job.BTLPvas,
		func(s *job.Settings) *int { return &s.SoloSpinning }},
	{"one rank's collective, sleeping", "bytes", "", job.BTLPvas,
		func(s *job.Settings) *int { return &s.SoloSleeping }},
}

// writeText writes the settings for people.
func (i *settingsInfo) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nSetting\tpvas\t\tsm\t\tflag\n")
	for _, r := range i.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.name, r.values[0], r.from[0], r.values[1], r.from[1], r.flag)
	}
	fmt.Fprintf(w, "single copy\t\t\t%s\t\t--single-copy\n", i.SM.SingleCopy)
	ahead := fmt.Sprintf("%d MiB\tfixed", job.AheadLimit>>20)
	fmt.Fprintf(w, "a rank's unreceived short sends\t%s\t%s\t\n", ahead, ahead)
	if err := w.Flush(); err != nil {
		return err
	}
	text := "none: pvasrun tune makes one"
	if i.Profile != nil {
		text = i.Profile.File
		if i.Profile.Ignored != "" {
			text += ", ignored: " + i.Profile.Ignored
		}
	}
	_, err := fmt.Fprintf(out, "\nProfile: %s\n", text)
	return err
}
