package runner

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/deed-dev/deed"
)

// keep saves what a step left in files: <dir>/<run>/shots/<of>-<step>-<name>.png, <dir>/<run>/downloads/<of>-<step>-<name>.
func keep(dir, run, of string, n int, r *deed.Result) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	var out []string
	put := func(folder, name string, data []byte) error {
		file, err := save(dir, run, folder, fmt.Sprintf("%s-%d-%s", of, n, filepath.Base(name)), data)
		if err == nil {
			out = append(out, filepath.Join(dir, run, file))
		}
		return err
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

// save writes a file in the folder of a run, and returns its path within it.
func save(dir, run, folder, name string, data []byte) (string, error) {
	within := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
	file := filepath.Join(dir, run, within)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return "", &deed.Error{Op: "save", Where: file, Code: deed.CodeEnvironment, Err: err}
	}
	return filepath.ToSlash(within), nil
}
