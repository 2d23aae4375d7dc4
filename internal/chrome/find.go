package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/deed-dev/deed"
)

// names are what a browser that speaks our protocol is called on PATH, best first.
var names = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"microsoft-edge", "microsoft-edge-stable", "msedge", "brave", "brave-browser",
}

// Find returns the path of a browser: explicit if it is not empty, else what DEED_BROWSER says, else what PATH or the
// usual places of this system have. What was named and cannot be used is an error, never passed over. The error has
// [deed.CodeNoBrowser] and says in one line how to get a browser.
func Find(explicit string) (path string, err error) { return thisSystem().find(explicit) }

// system is what finding depends on, so that every system's rules are tested on any.
type system struct {
	os       string
	getenv   func(string) string
	lookPath func(string) (string, error)
	isScript func(string) bool // a text that a shell runs, and not a program
}

func thisSystem() system {
	return system{os: runtime.GOOS, getenv: os.Getenv, lookPath: exec.LookPath, isScript: isScript}
}

func (s system) find(explicit string) (string, error) {
	for _, named := range []struct{ by, path string }{{"the option", explicit}, {"DEED_BROWSER", s.getenv("DEED_BROWSER")}} {
		if named.path == "" {
			continue
		}
		path, err := s.lookPath(named.path)
		if err != nil {
			return "", s.noBrowser(named.path, fmt.Errorf("%s names no program: %w", named.by, err))
		}
		return path, nil
	}
	for _, name := range names {
		if path, err := s.lookPath(name); err == nil {
			return s.realProgram(path), nil
		}
	}
	for _, place := range s.usualPlaces() {
		if path, err := s.lookPath(place); err == nil {
			return path, nil
		}
	}
	return "", s.noBrowser("", errors.New("no browser found on PATH or in the usual places"))
}

// realProgram looks behind Debian's wrapper script, which takes 60 ms and adds flags of its own.
func (s system) realProgram(path string) string {
	if s.os != "linux" || !s.isScript(path) {
		return path
	}
	name := filepath.Base(path)
	if program, err := s.lookPath(filepath.Join("/usr/lib", name, name)); err == nil && !s.isScript(program) {
		return program
	}
	return path
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.Equal(head, []byte("#!"))
}

func (s system) usualPlaces() []string {
	var places []string
	switch s.os {
	case "darwin":
		for _, base := range []string{"/Applications", filepath.Join(s.getenv("HOME"), "Applications")} {
			for _, app := range []string{"Chromium", "Google Chrome", "Google Chrome for Testing", "Microsoft Edge", "Brave Browser"} {
				places = append(places, filepath.Join(base, app+".app/Contents/MacOS", app))
			}
		}
	case "windows":
		for _, base := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			dir := s.getenv(base)
			if dir == "" {
				continue
			}
			for _, sub := range []string{
				`Chromium\Application\chrome.exe`, `Google\Chrome\Application\chrome.exe`,
				`Microsoft\Edge\Application\msedge.exe`, `BraveSoftware\Brave-Browser\Application\brave.exe`,
			} {
				places = append(places, dir+`\`+sub)
			}
		}
	default:
		places = []string{
			"/usr/lib/chromium/chromium", "/usr/lib/chromium-browser/chromium-browser", "/opt/google/chrome/chrome",
			"/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave", "/snap/bin/chromium",
			"/usr/local/bin/chrome", "/usr/bin/chromium", "/usr/bin/google-chrome",
		}
	}
	return places
}

func (s system) noBrowser(where string, fact error) error {
	return &deed.Error{Op: "find browser", Code: deed.CodeNoBrowser, Where: where, Err: fact, Hint: s.hint(), SideEffects: deed.EffectsNone}
}

// hint is the one line that gets a browser onto this system.
func (s system) hint() string {
	switch s.os {
	case "darwin":
		return "install one: brew install --cask chromium"
	case "windows":
		return "install one: winget install -e --id Hibbiki.Chromium"
	}
	for _, manager := range []struct{ program, command string }{
		{"apt-get", "sudo apt-get install -y chromium"},
		{"dnf", "sudo dnf install -y chromium"},
		{"pacman", "sudo pacman -S --noconfirm chromium"},
		{"apk", "sudo apk add chromium"},
		{"zypper", "sudo zypper install -y chromium"},
	} {
		if _, err := s.lookPath(manager.program); err == nil {
			return "install one: " + manager.command
		}
	}
	return "install Chromium, or set DEED_BROWSER to the path of a browser"
}
