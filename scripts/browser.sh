#!/bin/sh
# Makes sure that deed has a Chromium that starts. Usage: browser.sh DEED
#
# `deed doctor` knows where to look (DEED_BROWSER, PATH, the usual places) and tries the browser out, so the rule stands
# in one place. Where there is none, Debian's is installed, if that may be done without asking anybody.
set -eu
deed=$1

said=$("$deed" doctor 2>&1) && exit 0

fail() {
	printf '%s\n' "$said" >&2
	printf 'no Chromium to work with: %s\n' "$1" >&2
	exit 1
}

[ -z "${DEED_BROWSER:-}" ] || fail "DEED_BROWSER is $DEED_BROWSER, which does not start; set it to a Chromium, or unset it"

if ! command -v apt-get >/dev/null 2>&1; then
	fail "install Chromium or Chrome, or set DEED_BROWSER to its path"
fi
if [ "$(id -u)" = 0 ]; then
	as_root=
elif sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	fail "run: sudo apt-get install chromium"
fi

echo "installing Debian's chromium, once (a few minutes)" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Recommended packages are left out: printing and desktop services do not matter here, fonts and the sandbox do.
if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium chromium-sandbox fonts-liberation; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	fail "apt-get install chromium failed; install Chromium or Chrome yourself, or set DEED_BROWSER to its path"
fi
said=$("$deed" doctor 2>&1) || fail "the chromium that apt-get installed does not start"
