package redact

import (
	"errors"

	"github.com/deed-dev/deed"
)

// Error returns err with its text masked, and that of every error it wraps. Codes, hints and errors.Is stay as they are; what
// is returned keeps no way to the original, so that printing it in any form shows no secret. An error without one is returned
// itself.
func (m *Masker) Error(err error) error {
	if err == nil || m.known.Load() == nil {
		return err
	}
	return m.error(err)
}

func (m *Masker) error(err error) error {
	if e, ok := err.(*deed.Error); ok {
		if e == nil {
			return err
		}
		c := *e
		c.Op, c.Where, c.Hint = m.String(e.Op), m.String(e.Where), m.String(e.Hint)
		if e.Err != nil {
			c.Err = m.error(e.Err)
		}
		if c.Op == e.Op && c.Where == e.Where && c.Hint == e.Hint && same(c.Err, e.Err) {
			return err
		}
		return &c
	}
	text := err.Error()
	to := m.String(text)
	switch u := err.(type) {
	case interface{ Unwrap() []error }:
		var inner []error
		changed := to != text
		for _, e := range u.Unwrap() {
			k := m.error(e)
			changed = changed || !same(k, e)
			inner = append(inner, k)
		}
		if !changed {
			return err
		}
		return &masked{text: to, is: identity(err), inner: inner}
	case interface{ Unwrap() error }:
		e := u.Unwrap()
		if e == nil {
			break
		}
		k := m.error(e)
		if to == text && same(k, e) {
			return err
		}
		return &masked{text: to, is: identity(err), inner: []error{k}}
	}
	if to == text {
		return err
	}
	return &masked{text: to, is: identity(err)}
}

// same reports whether masking changed nothing; errors of uncomparable types are taken for changed, which costs a wrapper.
func same(a, b error) (eq bool) {
	defer func() {
		if recover() != nil {
			eq = false
		}
	}()
	return a == b
}

// identity answers errors.Is for the original without holding it where printing could reach it.
func identity(err error) func(error) bool {
	return func(target error) bool { return errors.Is(err, target) }
}

type masked struct {
	text  string
	is    func(error) bool
	inner []error
}

func (e *masked) Error() string { return e.text }

func (e *masked) Is(target error) bool { return e.is(target) }

func (e *masked) Unwrap() []error { return e.inner }
