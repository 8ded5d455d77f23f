package value

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// shape is what is known about a type of values.
type shape struct {
	sum  [8]byte // the same for types of which one receives all that the other sends
	err  error   // why no value of it can travel
	deep bool    // its values have to be looked at: they may contain themselves, or anything
	own  bool    // it says itself how it travels, or the encoder does
}

// shapes holds the *shape of each reflect.Type that was ever asked for.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	h := fnv.New64a()
	w := walk{to: h, seen: map[reflect.Type]int{}}
	s := &shape{own: known(t), err: w.look(t)}
	s.deep = w.deep
	h.Sum(s.sum[:0])
	shapes.Store(t, s)
	return s
}

// usualAny tells whether a type with a name arrives in an any as itself without Register.
func usualAny(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[big.Int]()
}

// walk is over a type and all types in it.
type walk struct {
	to   io.Writer // gets all that the encoding depends on
	seen map[reflect.Type]int
	open []reflect.Type // those that the walk is in
	deep bool
}

var (
	ownCBOR   = reflect.TypeFor[cbor.Marshaler]()
	ownBinary = reflect.TypeFor[interface{ MarshalBinary() ([]byte, error) }]()
)

// known tells whether a type says itself how it travels, or the encoder does.
func known(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return usualAny(t) || p.Implements(ownCBOR) || p.Implements(ownBinary)
}

// look returns what keeps values of a type from travelling.
func (w *walk) look(t reflect.Type) error {
	if n, ok := w.seen[t]; ok {
		fmt.Fprintf(w.to, "again %d;", n)
		w.deep = w.deep || slices.Contains(w.open, t)
		return nil
	}
	k := t.Kind()
	fmt.Fprintf(w.to, "%v;", k)
	switch {
	case k == reflect.Interface:
		w.deep = true
		return nil
	case known(t):
		fmt.Fprintf(w.to, "%s.%v;", t.PkgPath(), t)
		return nil
	}
	switch k {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Errorf("a %v cannot travel", k)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		w.seen[t], w.open = len(w.seen), append(w.open, t)
		err := w.parts(t)
		w.open = w.open[:len(w.open)-1]
		return err
	}
	return nil
}

// parts looks at the types in a type.
func (w *walk) parts(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Array:
		fmt.Fprintf(w.to, "%d;", t.Len())
	case reflect.Map:
		if err := w.look(t.Key()); err != nil {
			return err
		}
	case reflect.Struct:
		return w.fields(t)
	}
	return w.look(t.Elem())
}

// fields looks at those of a struct. It refuses one of which none would travel, and names that stand for two fields,
// of which one would not.
func (w *walk) fields(t reflect.Type) error {
	f := fields{walk: w, names: map[string]string{}}
	err := f.collect(t, "")
	if err == nil && f.found == 0 && t.NumField() > 0 {
		err = errors.New("no field is exported, and there is no MarshalBinary")
	}
	fmt.Fprint(w.to, "end;")
	return err
}

// fields are those of a struct that travel. Those of embedded structs stand beside the others in the encoding.
type fields struct {
	*walk
	names map[string]string // in the encoding; the field of each
	in    []reflect.Type    // embedded structs, one in the other
	found int               // fields that travel, or stay by their tag
}

func (f *fields) collect(t reflect.Type, path string) error {
	if slices.Contains(f.in, t) {
		return fmt.Errorf("field %s: the struct embeds itself", strings.TrimSuffix(path, "."))
	}
	f.in = append(f.in, t)
	for field := range t.Fields() {
		if err := f.add(field, path); err != nil {
			return err
		}
	}
	f.in = f.in[:len(f.in)-1]
	return nil
}

func (f *fields) add(field reflect.StructField, path string) error {
	tag := tagIn(field)
	name, options, _ := strings.Cut(tag, ",")
	of := field.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	path += field.Name
	switch {
	case tag == "-":
		f.found++
		return nil
	case field.Anonymous && of.Kind() == reflect.Struct && name == "" && !known(of):
		return f.collect(of, path+".")
	case !field.IsExported():
		return nil
	case name == "":
		name = field.Name
	}
	if other := f.names[name]; other != "" {
		return fmt.Errorf("fields %s and %s are both called %s: give one another name, by a tag", other, path, name)
	}
	f.names[name] = path
	f.found++
	fmt.Fprintf(f.to, "%s,%s;", name, options)
	if err := f.look(field.Type); err != nil {
		return fmt.Errorf("field %s: %w", path, err)
	}
	return nil
}

// tagIn is what the encoder goes by.
func tagIn(f reflect.StructField) string {
	if tag := f.Tag.Get("cbor"); tag != "" {
		return tag
	}
	return f.Tag.Get("json")
}

// levels is how many arrays, maps and structs may lie one in the other: what can be read again. hops is how many
// pointers and interfaces may follow one another.
const (
	levels = 1<<16 - 1
	hops   = 100
)

// depth is where a value lies in another one.
type depth struct{ levels, hops int }

// fathom looks at a value whose type does not say all: what is in interfaces may not travel, and a value that contains
// itself has no encoding.
func fathom(v reflect.Value, at depth) error {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if at.hops++; at.hops > hops {
			return fmt.Errorf("there are more than %d pointers to pointers: it contains itself", hops)
		}
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		if at = (depth{levels: at.levels + 1}); at.levels > levels {
			return fmt.Errorf("there are more than %d levels: it contains itself, or is too deep a list", levels)
		}
	}
	return fathomIn(v, at)
}

// fathomIn is fathom of what a value contains.
func fathomIn(v reflect.Value, at depth) error {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return fathomAny(v.Elem(), at)
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return fathom(v.Elem(), at)
	case reflect.Slice, reflect.Array:
		if !shapeOf(v.Type().Elem()).deep {
			return nil
		}
		for i := range v.Len() {
			if err := fathom(v.Index(i), at); err != nil {
				return err
			}
		}
	case reflect.Map:
		for k, x := range v.Seq2() {
			if err := fathom(k, at); err != nil {
				return err
			}
			if err := fathom(x, at); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return fathomStruct(v, at)
	}
	return nil
}

func fathomStruct(v reflect.Value, at depth) error {
	if shapeOf(v.Type()).own {
		return nil
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); !f.IsExported() && !f.Anonymous || tagIn(f) == "-" {
			continue
		}
		if err := fathom(v.Field(i), at); err != nil {
			return err
		}
	}
	return nil
}

// fathomAny is fathom of what is in an interface. Of a type that has a name only that name says which it is.
func fathomAny(v reflect.Value, at depth) error {
	s := shapeOf(v.Type())
	if s.err != nil {
		return fmt.Errorf("an interface holds a %v: %w", v.Type(), s.err)
	}
	t := v.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, named := registered.Load(t)
	if !named && t.PkgPath() != "" && !usualAny(t) {
		return fmt.Errorf("an interface holds a %v: have all ranks call value.Register[%v]", t, t)
	}
	if named {
		at.levels++ // its name
	}
	if s.deep {
		return fathom(v, at)
	}
	return nil
}
