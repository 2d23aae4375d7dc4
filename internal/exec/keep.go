package exec

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/deed-dev/deed"
	"github.com/deed-dev/deed/internal/proposal"
)

// Keep writes a picture under a folder, at the relative path that was proposed or at one of its own, and returns that path. A file that
// is there, or a link, is never written over, nothing outside the folder is reached, and only the owner may read it.
func Keep(folder, name string, png []byte) (string, error) {
	fail := func(err error) (string, error) {
		return "", &deed.Error{Op: "screenshot", Code: deed.CodeEnvironment, Where: "its file", Err: err, SideEffects: deed.EffectsNone}
	}
	if name == "" {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return fail(err)
		}
		name = "screenshot-" + hex.EncodeToString(b[:]) + ".png"
	}
	if proposal.CheckShotPath(name) != nil {
		return fail(errors.New("the path is none that may be written"))
	}
	name = path.Clean(name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fail(errors.New("the folder cannot be made"))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fail(errors.New("the folder cannot be opened"))
	}
	defer func() { _ = root.Close() }()
	at := ""
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		at = filepath.Join(at, part)
		if err := root.Mkdir(at, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return fail(errors.New("the folder cannot be made"))
		}
		if info, err := root.Lstat(at); err != nil || !info.IsDir() {
			return fail(errors.New("a part of its path is no folder"))
		}
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if errors.Is(err, os.ErrExist) {
			return fail(errors.New("something is there already"))
		}
		return fail(errors.New("it cannot be written"))
	}
	_, err = f.Write(png)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fail(errors.Join(fmt.Errorf("it could not be written whole"), root.Remove(filepath.FromSlash(name))))
	}
	return name, nil
}
