package job

import (
	"slices"
	"strconv"
	"strings"
)

// A Command is a program that ranks have started, and how.
type Command struct {
	Program string   // as an App of the launcher has it
	Args    []string // without the name of the program
	N       int      // ranks
	Dir     string   // working directory; "": that of pvasrun
	Path    string   // where a program without a slash is looked for before PATH, as PATH has it
	Soft    string   // what other numbers of ranks will do: see Counts; "": none
	Host    string   // where it must run; "": anywhere
}

// spawnFields are the texts of a command in a request, before its arguments.
const spawnFields = 7

// EncodeSpawn returns the request to start commands.
func EncodeSpawn(list []Command) []string {
	request := []string{AskSpawn}
	for _, c := range list {
		request = append(request, c.Program, strconv.Itoa(c.N), c.Dir, c.Path, c.Soft, c.Host)
		request = append(request, strconv.Itoa(len(c.Args)))
		request = append(request, c.Args...)
	}
	return request
}

// DecodeSpawn is the contrary; ok is false if the request is none.
func DecodeSpawn(request []string) (list []Command, ok bool) {
	if len(request) == 0 || request[0] != AskSpawn {
		return nil, false
	}
	for rest := request[1:]; len(rest) > 0; {
		if len(rest) < spawnFields {
			return nil, false
		}
		n, err1 := strconv.Atoi(rest[1])
		args, err2 := strconv.Atoi(rest[spawnFields-1])
		if err1 != nil || err2 != nil || args < 0 || args > len(rest)-spawnFields {
			return nil, false
		}
		list = append(list, Command{Program: rest[0], N: n, Dir: rest[2], Path: rest[3], Soft: rest[4], Host: rest[5],
			Args: slices.Clone(rest[spawnFields : spawnFields+args])})
		rest = rest[spawnFields+args:]
	}
	return list, len(list) > 0
}

// EncodeAsked returns how many ranks of each command are asked for, as one text.
func EncodeAsked(list []Command) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, strconv.Itoa(c.N))
	}
	return strings.Join(texts, ",")
}

// DecodeAsked is the contrary.
func DecodeAsked(text string) (asked []int) {
	for number := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(number); err == nil {
			asked = append(asked, n)
		}
	}
	return asked
}

// EncodeWorld returns what the supervisor grants who has asked for ranks: the world, and how many ranks run each
// command.
func EncodeWorld(w World, counts []int) []string {
	texts := []string{strconv.Itoa(w.Number), strconv.Itoa(w.First)}
	for _, n := range counts {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
}

// DecodeWorld is the contrary.
func DecodeWorld(texts []string) (w World, counts []int, err error) {
	numbers := make([]int, len(texts))
	for i, text := range texts {
		if numbers[i], err = strconv.Atoi(text); err != nil {
			return w, nil, refusal(ErrSpawn, "pvasrun has answered %q", text)
		}
	}
	if len(numbers) < 3 {
		return w, nil, refusal(ErrSpawn, "pvasrun has given no answer")
	}
	w = World{Number: numbers[0], First: numbers[1]}
	for _, n := range numbers[2:] {
		w.Size += n
	}
	return w, numbers[2:], nil
}

// Counts returns the numbers of ranks, up to most, that the text of the info key soft allows, the largest first: a list
// of NUMBER, FIRST:LAST and FIRST:LAST:STEP. ok is false if it is no such list.
//
// MPI 4.1 section 11.8.4.
func Counts(soft string, most int) (list []int, ok bool) {
	for triplet := range strings.SplitSeq(soft, ",") {
		var v []int
		for part := range strings.SplitSeq(strings.TrimSpace(triplet), ":") {
			n, err := strconv.Atoi(part)
			if err != nil || n > MaxRanks || n < -MaxRanks {
				return nil, false
			}
			v = append(v, n)
		}
		switch len(v) {
		case 1:
			v = append(v, v[0], 1)
		case 2:
			v = append(v, 1)
		}
		if len(v) != 3 || v[2] == 0 {
			return nil, false
		}
		for n := v[0]; v[2] > 0 && n <= v[1] || v[2] < 0 && n >= v[1]; n += v[2] {
			if n >= 0 && n <= most {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	slices.Reverse(list)
	return list, true
}

// Instead asks for a rank in the place of one that has failed: started by the same command. Place is that of the failed
// one in the communicator of those that ask.
type Instead struct{ Rank, Place int }

// EncodeRefill returns the request to start failed ranks anew.
func EncodeRefill(list []Instead) []string {
	request := []string{AskRefill}
	for _, of := range list {
		request = append(request, strconv.Itoa(of.Rank), strconv.Itoa(of.Place))
	}
	return request
}

// DecodeRefill is the contrary; ok is false if the request is none.
func DecodeRefill(request []string) (list []Instead, ok bool) {
	if len(request) < 3 || len(request)%2 == 0 || request[0] != AskRefill {
		return nil, false
	}
	for pair := range slices.Chunk(request[1:], 2) {
		rank, err1 := strconv.Atoi(pair[0])
		place, err2 := strconv.Atoi(pair[1])
		if err1 != nil || err2 != nil || rank < 0 || place < 0 || place > MaxRanks {
			return nil, false
		}
		list = append(list, Instead{rank, place})
	}
	return list, true
}
