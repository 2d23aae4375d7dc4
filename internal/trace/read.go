package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/strictjson"
)

// Read returns the records of a trace. A line that is no record is an error that names it ([deed.CodeInvalid]). What a run that was killed
// left unfinished is none: the record before it says so ([Event].Cut). Whether the records are all there and unchanged is what
// [Verify] tells.
func Read(r io.Reader) ([]Event, error) {
	var out []Event
	err := scan(r, func(l *line) error {
		switch {
		case l.err != nil:
			return lineError(l.no, l.err)
		case l.torn:
			if len(out) > 0 {
				out[len(out)-1].Cut = true
			}
		case l.event != nil:
			out = append(out, *l.event)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func lineError(no int, err error) error {
	return &deed.Error{Op: "trace", Code: deed.CodeInvalid, Where: fmt.Sprintf("line %d", no), Err: err}
}

// A line is what scan finds: a record, what is left of one, or something else.
type line struct {
	no    int
	text  []byte // of a record
	event *Event
	torn  bool
	open  bool // the line has no end
	blank bool
	err   error
}

// scan goes through a trace line by line. It ends with the first error of each, or of the reader.
func scan(r io.Reader, each func(*line) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var junk []*line // lines that are no records, until it is known whether a later record answers for them
	var text []byte
	settle := func(torn bool) error {
		defer func() { junk, text = nil, nil }()
		if torn {
			return each(&line{no: junk[0].no, torn: true})
		}
		for _, l := range junk {
			if err := each(l); err != nil {
				return err
			}
		}
		return nil
	}
	for no := 1; ; no++ {
		b, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			if errors.Is(err, errLong) {
				return each(&line{no: no, err: err})
			}
			return err
		}
		atEnd := err != nil
		if atEnd && len(b) == 0 {
			break
		}
		l := &line{no: no, open: atEnd}
		l.text = bytes.TrimSuffix(b, []byte("\n"))
		if len(bytes.TrimSpace(l.text)) == 0 {
			l.blank = true
		} else {
			l.event, l.err = parse(l.text)
		}
		switch {
		case l.event != nil:
			l.event.Line = no
			vouched := l.event.Torn != "" && len(junk) > 0 && sum(text) == l.event.Torn
			if len(junk) > 0 {
				if err := settle(vouched); err != nil {
					return err
				}
			}
			if l.event.Torn != "" && !vouched {
				l.err, l.event = errors.New("what it says stands before it is not there"), nil
			}
			if err := each(l); err != nil {
				return err
			}
		case l.blank && len(junk) == 0:
			if err := each(l); err != nil {
				return err
			}
		default:
			if len(junk) > 0 {
				text = append(text, '\n')
			}
			text = append(text, l.text...)
			junk = append(junk, l)
		}
		if atEnd {
			break
		}
	}
	if len(junk) == 0 {
		return nil
	}
	return settle(junk[len(junk)-1].open && unfinished(text))
}

var errLong = errors.New("longer than a record may be")

func readLine(in *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		b, err := in.ReadSlice('\n')
		if out = append(out, b...); len(out) > maxLine+1 {
			return nil, errLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
	}
}

// names are the keys that a record may have.
var names = func() (out []string) {
	t := reflect.TypeFor[Event]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			out = append(out, name)
		}
	}
	return out
}()

// objects are the keys whose values are objects.
var objects = []string{"action", "proposal", "request", "element", "phases_ms"}

func parse(text []byte) (*Event, error) {
	d, err := strictjson.Parse("trace", text, strictjson.Limits{Bytes: maxLine, Depth: maxDepth, Values: maxLine})
	if err != nil {
		return nil, fact(err)
	}
	root := d.Root()
	if !root.IsObject() {
		return nil, errors.New("not an object")
	}
	if !root.Object(names...) {
		return nil, fact(d.Err())
	}
	for _, k := range objects {
		if root.Has(k) && !root.Get(k).IsObject() {
			return nil, fmt.Errorf("%s is not an object", k)
		}
	}
	e := new(Event)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(e); err != nil {
		// The decoder's own words hold what stands there.
		return nil, errors.New("a value is of the wrong type, or a key is unknown")
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return e, nil
}

// fact is what an error says, without what it was about.
func fact(err error) error {
	var e *deed.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}
