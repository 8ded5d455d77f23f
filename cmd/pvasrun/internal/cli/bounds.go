package cli

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/docker/go-units"
	"github.com/jessevdk/go-flags"

	"github.com/gopvas/gopvas/pagetable"
)

// Fits returns an error if a job of a benchmark needs more memory than this machine has available. flags
// are those that say how much it needs.
func Fits(flags string, need float64) error {
	m, err := pagetable.System()
	if err != nil {
		return nil //nolint:nilerr // the job shows whether it fits
	}
	have := float64(m.MemAvailable) * 1024
	if need <= have {
		return nil
	}
	return Mistake(fmt.Errorf(
		"%s: the buffers of the largest job need %s, and %s of memory are available: choose shorter "+
			"messages or fewer ranks", flags, units.BytesSize(need), units.BytesSize(have)))
}

// bounded returns an error if a number, or one of a list, is beyond the bounds of its flag. A field has them
// as tags: least:"0", and most:"1000; WHY".
func bounded(p *flags.Parser, args []string) error {
	for _, opt := range Options(p) {
		if tag := opt.Field().Tag; tag.Get("least")+tag.Get("most") == "" {
			continue
		}
		if opt.IsSetDefault() && os.Getenv(opt.EnvKeyWithNamespace()) == "" {
			continue // a default may stand for what is found out later
		}
		for _, n := range wholeNumbers(opt.Value()) {
			if why := outside(n, opt.Field().Tag); why != "" {
				return fmt.Errorf("%s: %d is %s", origin(opt, args), n, why)
			}
		}
	}
	return nil
}

// wholeNumbers are those of a flag's value, none if there are no such.
func wholeNumbers(value any) (list []int64) {
	switch v := reflect.Indirect(reflect.ValueOf(value)); {
	case !v.IsValid():
	case v.CanInt():
		list = append(list, v.Int())
	case v.CanUint():
		list = append(list, int64(min(v.Uint(), math.MaxInt64)))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Int:
		for i := range v.Len() {
			list = append(list, v.Index(i).Int())
		}
	}
	return list
}

// outside says what is wrong with a number by the tags of its flag, "" if nothing is.
func outside(n int64, tag reflect.StructTag) string {
	if least, err := strconv.ParseInt(tag.Get("least"), 10, 64); err == nil && n < least {
		return fmt.Sprintf("below %d", least)
	}
	limit, why, _ := strings.Cut(tag.Get("most"), "; ")
	if most, err := strconv.ParseInt(limit, 10, 64); err == nil && n > most {
		return fmt.Sprintf("more than %d: %s", most, why)
	}
	return ""
}
