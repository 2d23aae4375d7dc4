package chrome

import (
	"slices"
	"strings"
)

// Each flag with its reason in few words. They are the ones that chromedp and Playwright pass for the same ends,
// less those that no longer exist, plus what was measured here. --disable-gpu is not among them: the interval of
// animation frames is 16.7 ms with it and without it, and pages that draw with WebGL behave differently.
var baseFlags = []string{
	"--remote-debugging-pipe", // wire: no open port
	"--no-startup-window",     // speed: contexts bring their own windows

	// No traffic but the page's.
	"--disable-background-networking",                      // quiet
	"--disable-client-side-phishing-detection",             // quiet
	"--disable-component-update",                           // quiet
	"--disable-default-apps",                               // quiet
	"--disable-domain-reliability",                         // quiet
	"--disable-quic",                                       // quiet: one protocol less that guesses
	"--disable-sync",                                       // quiet
	"--no-pings",                                           // quiet: no <a ping>
	"--metrics-recording-only",                             // quiet: nothing is uploaded
	"--disable-breakpad",                                   // quiet: no crash upload
	"--disable-crashpad-for-testing",                       // ownership: its handler leaves the group and writes to $HOME
	"--disable-component-extensions-with-background-pages", // quiet
	"--disable-extensions",                                 // determinism
	"--no-service-autorun",                                 // ownership: starts nothing else

	// No question but the page's.
	"--no-first-run",                        // dialogs
	"--no-default-browser-check",            // dialogs
	"--disable-search-engine-choice-screen", // dialogs
	"--disable-prompt-on-repost",            // dialogs: going back to a POST
	"--disable-hang-monitor",                // dialogs: "page unresponsive" is ours to say
	"--password-store=basic",                // dialogs: no keyring
	"--use-mock-keychain",                   // dialogs: no keychain (macOS)
	"--enable-automation",                   // dialogs: no offer to save passwords; navigator.webdriver is true
	"--noerrdialogs",                        // dialogs

	// The same page behaves the same way each time.
	"--disable-field-trial-config",             // determinism: no experiments
	"--force-color-profile=srgb",               // determinism
	"--disable-popup-blocking",                 // determinism: a new tab is an effect to be seen
	"--allow-pre-commit-input",                 // determinism: input is not dropped before the first paint
	"--disable-back-forward-cache",             // determinism: going back loads the page
	"--disable-ipc-flooding-protection",        // throttling: many history entries, many calls
	"--disable-background-timer-throttling",    // throttling
	"--disable-backgrounding-occluded-windows", // throttling
	"--disable-renderer-backgrounding",         // throttling
	"--disable-pdf-tagging",                    // speed: accessible PDFs are not our product
	"--edge-skip-compat-layer-relaunch",        // ownership: Edge restarts itself and loses its pipe
}

var headlessFlags = []string{
	"--headless",        // the new mode: the same browser, no window
	"--hide-scrollbars", // determinism: layout and screenshots
	"--mute-audio",      // quiet
	// determinism: a machine without a mouse still says hover and fine pointer, as a desktop does
	"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
}

var disabledFeatures = []string{
	"AimEnabled",                            // quiet: asks google.com at the start
	"AvoidUnnecessaryBeforeUnloadCheckSync", // determinism: beforeunload of every page is asked
	"DialMediaRouteProvider",                // quiet: searches the local network
	"HttpsFirstBalancedModeAutoEnable",      // determinism: http stays http
	"HttpsUpgrades",                         // determinism: http stays http
	"LensOverlay",                           // dialogs
	"MediaRouter",                           // quiet: searches the local network
	"NetworkTimeServiceQuerying",            // quiet
	"OptimizationHints",                     // quiet: downloads
	"PaintHolding",                          // speed: the first frame is shown when it is there
	"PreconnectToSearch",                    // quiet
	"SpareRendererForSitePerProcess",        // speed: a process in reserve competes with the one that is needed
	"Translate",                             // dialogs
	"WebUIOmniboxAimPopup",                  // speed: a renderer per window, 45 ms of the first page
	"WebUIOmniboxPopup",                     // speed: the same
}

var enabledFeatures = []string{
	"NetworkServiceInProcess2",           // speed: one process less
	"SkipListAccountsWithoutGaiaCookies", // quiet
}

// commandLine is the browser's argument list. Args come last, so that they win; the features that they name are added
// to ours, because the browser heeds only the last list of each kind.
func commandLine(o Options, profile string, sandbox bool, extra ...string) []string {
	args := slices.Clone(baseFlags)
	if !o.Headed {
		args = append(args, headlessFlags...)
	}
	if !sandbox {
		args = append(args, "--no-sandbox")
	}
	args = append(args, extra...)
	args = append(args, "--user-data-dir="+profile)
	disabled, enabled := slices.Clone(disabledFeatures), slices.Clone(enabledFeatures)
	var rest []string
	for _, arg := range o.Args {
		if names, ok := strings.CutPrefix(arg, "--disable-features="); ok {
			disabled = append(disabled, strings.Split(names, ",")...)
		} else if names, ok := strings.CutPrefix(arg, "--enable-features="); ok {
			enabled = append(enabled, strings.Split(names, ",")...)
		} else {
			rest = append(rest, arg)
		}
	}
	// What the caller enables is not disabled by us.
	disabled = slices.DeleteFunc(disabled, func(name string) bool { return slices.Contains(enabled, name) })
	args = append(args, "--disable-features="+strings.Join(disabled, ","), "--enable-features="+strings.Join(enabled, ","))
	return append(args, rest...)
}
