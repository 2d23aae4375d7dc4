package chrome

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/deed-dev/deed"
)

// fakeSystem has these programs, and those of them that end with " (script)" are scripts.
func fakeSystem(os string, env map[string]string, programs ...string) system {
	has := func(path string) bool {
		return slices.Contains(programs, path) || slices.Contains(programs, path+" (script)")
	}
	return system{
		os:     os,
		getenv: func(name string) string { return env[name] },
		lookPath: func(name string) (string, error) {
			if strings.ContainsAny(name, `/\`) {
				if has(name) {
					return name, nil
				}
			} else if path := "/usr/bin/" + name; has(path) {
				return path, nil
			}
			return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
		},
		isScript: func(path string) bool { return slices.Contains(programs, path+" (script)") },
	}
}

func TestFind(t *testing.T) {
	const debian, wrapper = "/usr/lib/chromium/chromium", "/usr/bin/chromium (script)"
	for name, tt := range map[string]struct {
		explicit string
		sys      system
		want     string
	}{
		"explicit before all":          {"/opt/mine", fakeSystem("linux", map[string]string{"DEED_BROWSER": "/opt/other"}, "/opt/mine", "/opt/other", wrapper), "/opt/mine"},
		"the variable before PATH":     {"", fakeSystem("linux", map[string]string{"DEED_BROWSER": "brave"}, "/usr/bin/brave", wrapper), "/usr/bin/brave"},
		"what is named stays a script": {"/usr/bin/chromium", fakeSystem("linux", nil, wrapper, debian), "/usr/bin/chromium"},
		"Debian's program":             {"", fakeSystem("linux", nil, wrapper, debian), debian},
		"a script with no program":     {"", fakeSystem("linux", nil, wrapper), "/usr/bin/chromium"},
		"a program named chromium":     {"", fakeSystem("linux", nil, "/usr/bin/chromium", debian), "/usr/bin/chromium"},
		"chromium before chrome":       {"", fakeSystem("linux", nil, "/usr/bin/google-chrome", "/usr/bin/chromium"), "/usr/bin/chromium"},
		"not on PATH":                  {"", fakeSystem("linux", nil, "/opt/google/chrome/chrome"), "/opt/google/chrome/chrome"},
		"macOS": {"", fakeSystem("darwin", map[string]string{"HOME": "/Users/a"}, "/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium"),
			"/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium"},
		"Windows": {"", fakeSystem("windows", map[string]string{"ProgramFiles(x86)": `C:\Program Files (x86)`}, `C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`),
			`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.sys.find(tt.explicit)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestNoBrowserSaysHowToGetOne(t *testing.T) {
	for name, tt := range map[string]struct {
		explicit string
		sys      system
		text     string
		hint     string
	}{
		"Debian":  {"", fakeSystem("linux", nil, "/usr/bin/apt-get"), "find browser: no browser found on PATH or in the usual places", "sudo apt-get install -y chromium"},
		"Fedora":  {"", fakeSystem("linux", nil, "/usr/bin/dnf"), "find browser: no browser found", "sudo dnf install -y chromium"},
		"unknown": {"", fakeSystem("linux", nil), "find browser: no browser found", "DEED_BROWSER"},
		"macOS":   {"", fakeSystem("darwin", nil), "find browser: no browser found", "brew install --cask chromium"},
		"Windows": {"", fakeSystem("windows", nil), "find browser: no browser found", "winget install"},
		"named and missing": {"/opt/gone", fakeSystem("linux", nil, "/usr/bin/apt-get", "/usr/bin/chromium"),
			"find browser /opt/gone: the option names no program", "sudo apt-get install -y chromium"},
		"variable and missing": {"", fakeSystem("linux", map[string]string{"DEED_BROWSER": "gone"}, "/usr/bin/apt-get", "/usr/bin/chromium"),
			"find browser gone: DEED_BROWSER names no program", "sudo apt-get install -y chromium"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.sys.find(tt.explicit)
			if !errors.Is(err, deed.CodeNoBrowser) || !errors.Is(err, deed.CodeEnvironment) {
				t.Fatalf("code of %v", err)
			}
			if !strings.HasPrefix(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("text %q, want %q", err, tt.text)
			}
			if hint := deed.HintOf(err); !strings.Contains(hint, tt.hint) || strings.Contains(hint, "\n") {
				t.Errorf("hint %q, want %q", hint, tt.hint)
			}
		})
	}
}

func TestFindOnThisSystem(t *testing.T) {
	path, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	if thisSystem().os == "linux" && isScript(path) && path == "/usr/bin/chromium" {
		t.Errorf("found Debian's wrapper %s", path)
	}
	t.Setenv("DEED_BROWSER", t.TempDir()+"/none")
	_, err = Launch(t.Context(), Options{})
	if !errors.Is(err, deed.CodeNoBrowser) {
		t.Errorf("launch without a browser: %v", err)
	}
}

func TestCommandLine(t *testing.T) {
	args := commandLine(Options{Args: []string{"--disable-features=Mine", "--enable-features=PaintHolding,Other", "--lang=de"}}, "/p", true)
	count := func(prefix string) (n int, last string) {
		for _, arg := range args {
			if strings.HasPrefix(arg, prefix) {
				n, last = n+1, arg
			}
		}
		return n, last
	}
	// The browser heeds the last list only, so there must be one.
	n, disabled := count("--disable-features=")
	if n != 1 || !strings.Contains(disabled, ",Mine") || !strings.Contains(disabled, "Translate,") || strings.Contains(disabled, "PaintHolding") {
		t.Errorf("%d lists of disabled features: %s", n, disabled)
	}
	n, enabled := count("--enable-features=")
	if n != 1 || !strings.HasSuffix(enabled, ",PaintHolding,Other") {
		t.Errorf("%d lists of enabled features: %s", n, enabled)
	}
	if args[len(args)-1] != "--lang=de" {
		t.Errorf("the caller's flags must come last: %v", args)
	}
	if n, _ := count("--headless"); n != 1 {
		t.Error("not headless")
	}
	if n, _ := count("--no-sandbox"); n != 0 {
		t.Error("the sandbox is off")
	}
	if n, _ := count("--disable-gpu"); n != 0 {
		t.Error("--disable-gpu was measured to be of no use")
	}
	if n, _ := count("--user-data-dir=/p"); n != 1 {
		t.Error("no profile")
	}
	args = commandLine(Options{Headed: true}, "/p", false)
	if n, _ := count("--headless"); n != 0 {
		t.Error("headless")
	}
	if n, _ := count("--no-sandbox"); n != 1 {
		t.Error("the sandbox is on")
	}
	for i, arg := range args {
		if j := slices.Index(args, arg); j != i {
			t.Errorf("%s is there twice", arg)
		}
	}
}
