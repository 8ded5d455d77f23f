package api

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed constants.txt
var constantsText string

// Group is a group of constants: its Form is type, int, enum or macro.
type Group struct {
	Form      string
	Title     string // of a form type the Kind, of enum the name of the enumeration
	Constants []Constant
}

// Constant is a constant of the ABI.
type Constant struct {
	Name  string // without MPI_
	Text  string // its value as the table has it
	Value int
	Note  string // what the table says besides, or ""
	Same  string // the constant that this is another name of, or ""
}

// CName is the name in C.
func (c Constant) CName() string {
	if strings.HasPrefix(c.Name, "MPIX_") {
		return c.Name
	}
	return "MPI_" + c.Name
}

// Constants returns all constants of the ABI in groups.
func Constants() ([]Group, error) {
	var groups []Group
	values := map[string]Constant{}
	for i, line := range strings.Split(constantsText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if m := chapterLine.FindStringSubmatch(line); m != nil {
			form, title, _ := strings.Cut(m[1], " ")
			groups = append(groups, Group{Form: form, Title: title})
			continue
		}
		c, err := parseConstant(line, values)
		if err != nil {
			return nil, fmt.Errorf("api: read line %d of constants.txt: %w", i+1, err)
		}
		values[c.Name] = c
		last := &groups[len(groups)-1]
		last.Constants = append(last.Constants, c)
	}
	return groups, nil
}

func parseConstant(line string, known map[string]Constant) (Constant, error) {
	name, text, _ := strings.Cut(line, " ")
	if _, twice := known[name]; twice {
		return Constant{}, fmt.Errorf("%s is there twice", name)
	}
	if same, ok := strings.CutPrefix(text, "= "); ok {
		c, found := known[same]
		if !found {
			return Constant{}, fmt.Errorf("%s is another name of %s, which is not above it", name, same)
		}
		return Constant{Name: name, Text: c.Text, Value: c.Value, Same: same}, nil
	}
	text, note, _ := strings.Cut(text, " ")
	value, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return Constant{}, fmt.Errorf("%s: %w", name, err)
	}
	return Constant{Name: name, Text: text, Value: int(value), Note: note}, nil
}
