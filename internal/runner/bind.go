package runner

import (
	"encoding/json"
	"reflect"

	"github.com/deed-dev/deed"
)

// bind puts what steps before saved where it stands in a step; the step itself stays as it is. missing names a value that nothing saved.
func bind(s *deed.Step, values map[string]string) (bound *deed.Step, missing string) {
	c := *s
	w := &binder{values: values}
	w.walk(reflect.ValueOf(&c).Elem())
	return &c, w.missing
}

type binder struct {
	values  map[string]string
	missing string
}

// walk replaces texts below v, and copies on its way what others hold too.
func (w *binder) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		bound, ok := deed.Bind(text, func(name string) (string, bool) {
			value, ok := w.values[name]
			if !ok && w.missing == "" {
				w.missing = name
			}
			return value, ok
		})
		if ok && bound != text && v.CanSet() {
			v.SetString(bound)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.walk(v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() || !v.CanSet() || v.Elem().Kind() != reflect.Struct {
			return
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(v.Elem())
		w.walk(c.Elem())
		v.Set(c)
	case reflect.Slice:
		if v.IsNil() || !v.CanSet() {
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 { // JSON
			if bound, ok := deed.Bind(string(v.Bytes()), func(name string) (string, bool) { return w.quoted(name) }); ok && bound != string(v.Bytes()) {
				v.SetBytes([]byte(bound))
			}
			return
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			w.walk(c.Index(i))
		}
		v.Set(c)
	case reflect.Map:
		if v.IsNil() || !v.CanSet() {
			return
		}
		c := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			w.walk(e)
			c.SetMapIndex(k, e)
		}
		v.Set(c)
	}
}

// quoted is a value within a JSON string.
func (w *binder) quoted(name string) (string, bool) {
	value, ok := w.values[name]
	if !ok {
		if w.missing == "" {
			w.missing = name
		}
		return "", false
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return "", false
	}
	return string(raw[1 : len(raw)-1]), true
}
