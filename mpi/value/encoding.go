package value

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/fxamacker/cbor/v2"
)

// encoding is how values travel. It never changes: to register a type makes another one.
type encoding struct {
	encode cbor.UserBufferEncMode
	decode cbor.DecMode
}

var (
	current  atomic.Pointer[encoding]
	register sync.Mutex // tags, and the making of current
	tags     = cbor.NewTagSet()

	registered sync.Map // the reflect.Type of what Register was told of
)

// Register has values of type T travel in interfaces: their encoding then names T. All ranks register the same types
// before the first such value is sent, for example in an init function. A type may be registered again. The error says
// which type it cannot be.
func Register[T any]() error {
	register.Lock()
	defer register.Unlock()
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	tags.Remove(t)
	named := cbor.TagOptions{EncTag: cbor.EncTagRequired, DecTag: cbor.DecTagOptional}
	if err := tags.Add(named, t, tagOf(t)); err != nil {
		return fmt.Errorf("value: register %v: %w", t, err)
	}
	e, err := newEncoding()
	if err != nil {
		return fmt.Errorf("value: register %v: %w", t, err)
	}
	registered.Store(t, true)
	current.Store(e)
	return nil
}

// tagOf is the number of a type on the wire. It depends on the name alone, so the order of registration does not
// matter. RFC 8949 leaves numbers of 64 bits to whoever comes first; those with the highest bit are nobody's.
func tagOf(t reflect.Type) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s.%v", t.PkgPath(), t) // never fails
	return h.Sum64() | 1<<63
}

// usual returns the encoding, and makes it at first use: programs that send no value do not pay for it.
func usual() (*encoding, error) {
	if e := current.Load(); e != nil {
		return e, nil
	}
	register.Lock()
	defer register.Unlock()
	if e := current.Load(); e != nil {
		return e, nil
	}
	e, err := newEncoding()
	if err == nil {
		current.Store(e)
	}
	return e, err
}

func newEncoding() (*encoding, error) {
	const most = 1<<31 - 1
	encode, err1 := cbor.EncOptions{Time: cbor.TimeRFC3339Nano, TimeTag: cbor.EncTagRequired,
		NaNConvert: cbor.NaNConvertNone, InfConvert: cbor.InfConvertNone, BigIntConvert: cbor.BigIntConvertNone,
	}.UserBufferEncModeWithTags(tags)
	decode, err2 := cbor.DecOptions{MaxArrayElements: most, MaxMapPairs: most, MaxNestedLevels: levels,
		IntDec: cbor.IntDecConvertSignedOrBigInt, UTF8: cbor.UTF8DecodeInvalid, DupMapKey: cbor.DupMapKeyEnforcedAPF,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	}.DecModeWithTags(tags)
	return &encoding{encode, decode}, errors.Join(err1, err2)
}

// EncodeError means that a value cannot be sent, since it has what has no encoding, or a method of it fails or panics.
type EncodeError struct {
	Type string // of the value
	Err  error
}

// Error names the type, and what is wrong with it or the value.
func (e *EncodeError) Error() string { return fmt.Sprintf("encode a %s: %v", e.Type, e.Err) }

// Unwrap returns the cause.
func (e *EncodeError) Unwrap() error { return e.Err }

// DecodeError means that what a rank has sent is no value of the type. The message is lost.
type DecodeError struct {
	Rank int    // the sender
	Type string // that of the receiver
	Err  error
}

// Error names the rank and the type, and says what does not fit.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("the value of rank %d as %s: %v", e.Rank, e.Type, e.Err)
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// marshal returns the sum of T's shape, and behind it the encoding of x. It is empty only after an error, so a receiver
// can tell.
func marshal[T any](x T) ([]byte, error) {
	t := reflect.TypeFor[T]()
	s := shapeOf(t)
	e, err := usual()
	if err == nil {
		err = s.err
	}
	if err == nil && s.deep {
		err = fathom(reflect.ValueOf(&x).Elem(), depth{})
	}
	var b bytes.Buffer
	b.Write(s.sum[:])
	if err == nil {
		err = guarded(func() error { return e.encode.MarshalToBuffer(x, &b) })
	}
	if err != nil {
		return nil, &EncodeError{t.String(), err}
	}
	return b.Bytes(), nil
}

var (
	// errNotEncoded is for a value that its owner could not encode.
	errNotEncoded = errors.New("it could not be encoded there: that rank's own error says why")

	errNoValue = errors.New("the message is none of package value")
)

// unmarshal returns the value of an encoding that a rank has sent.
func unmarshal[T any](b []byte, rank int) (x T, err error) {
	t := reflect.TypeFor[T]()
	s := shapeOf(t)
	switch {
	case s.err != nil:
		err = s.err
	case len(b) == 0:
		err = errNotEncoded
	case len(b) < len(s.sum):
		err = errNoValue
	default:
		err = guarded(func() error { return decode(b, s, &x) })
	}
	if err != nil {
		err = &DecodeError{rank, t.String(), err}
	}
	return x, err
}

// guarded calls f. A panic is an error, also of a method of the value: the ranks at the other end wait for an answer.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// decode sets x. A sender's value of another type must fit as a whole: then its encoding as a T is as long.
func decode[T any](b []byte, s *shape, x *T) error {
	e, err := usual()
	if err != nil {
		return err
	}
	sum, b := b[:len(s.sum)], b[len(s.sum):]
	if err := e.decode.Unmarshal(b, x); err != nil {
		return err
	}
	if bytes.Equal(sum, s.sum[:]) || reflect.TypeFor[T]().Kind() == reflect.Interface {
		return nil
	}
	var again bytes.Buffer
	if err := e.encode.MarshalToBuffer(*x, &again); err != nil {
		return err
	}
	if again.Len() != len(b) {
		return errors.New("another type was sent, which has more elements or other numbers: receive that type")
	}
	return nil
}
