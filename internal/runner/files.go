package runner

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/deed-dev/deed"
)

// keep saves what a step left in files: <dir>/<run>/shots/<case>-<step>-<name>.png, <dir>/<run>/downloads/<case>-<step>-<name>.
func keep(dir, run, id string, n int, r *deed.Result) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	var out []string
	put := func(folder, name string, data []byte) error {
		at := filepath.Join(dir, run, folder)
		file := filepath.Join(at, fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(id, "/", "-"), n, filepath.Base(name)))
		err := os.MkdirAll(at, 0o755)
		if err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			return &deed.Error{Op: "save", Where: file, Code: deed.CodeEnvironment, Err: err}
		}
		out = append(out, file)
		return nil
	}
	if png, ok := r.Saved.([]byte); ok && r.Action.Kind == deed.KindShot {
		if err := put("shots", cmp.Or(r.Action.Text, "shot")+".png", png); err != nil {
			return out, err
		}
	}
	for _, d := range r.Signals.Downloads {
		if d.Path == "" {
			continue
		}
		data, err := os.ReadFile(d.Path)
		if err != nil {
			return out, &deed.Error{Op: "save", Where: d.Name, Code: deed.CodeEnvironment, Err: err}
		}
		if err := put("downloads", d.Name, data); err != nil {
			return out, err
		}
	}
	return out, nil
}
