# Every verb does its own set-up; a fresh machine needs Go and make, nothing else.
#
#   make demo     a click that goes wrong, and the same click proven      make check    what CI runs
#   make test     all tests, against a real Chromium                      make e2e      a real application, end to end
#   make bench    deed beside Playwright, measured in one run (needs node)
#   make gallery  cases on real components: Ant Design, MUI, AG Grid, editors, calendars (needs node)
#   make truth    how often a verdict is false: pages broken on purpose, counted (about 45 minutes)
#   make build    ./bin/deed                                              make fmt lint gen vuln clean

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test check lint fmt gen bench gallery truth e2e kit build browser vuln clean

# The race detector needs a C compiler; where there is none, Go says so by leaving cgo out.
RACE = $$([ "$$(go env CGO_ENABLED)" = 1 ] && echo -race)
# Browser tests share few cores: two packages at a time keep their clocks honest.
MOVING ?= 10000
TESTFLAGS ?= -shuffle=on -timeout 30m -p 2

help:
	@sed -n 's/^# \{0,1\}//p' Makefile | sed -n '1,8p'

build:
	@mkdir -p bin
	go build -o bin/deed ./cmd/deed

# A Chromium that starts: the one there is, or Debian's.
browser: build
	@sh scripts/browser.sh ./bin/deed

demo: browser
	@./bin/deed demo $(DEMO)

test: browser
	@echo "testing every package against a real Chromium; a first run compiles for a minute or two"
	go test $(RACE) $(TESTFLAGS) ./...

check: lint test

# What needs no browser: form, vet, staticcheck, and the rules of the repository (floors, errors, the page script's syntax).
lint:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt-ed (make fmt):"; echo "$$bad"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	go test -count=1 -run 'TestFloors|TestRepo' .
	go test -count=1 -run TestScriptParses ./internal/pagescript

fmt:
	gofmt -w .

gen:
	go generate ./...

bench: browser
	go run ./bench $(BENCH)

# Real components from npm, pinned in gallery/package-lock.json and bundled by the test.
gallery: browser gallery/node_modules/.package-lock.json
	go test -count=1 -timeout 10m ./gallery -gallery

gallery/node_modules/.package-lock.json: gallery/package-lock.json
	cd gallery && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

truth: browser
	go run ./truth $(TRUTH)
	go test -count=1 -v -timeout 80m ./browser -run 'TestMoving$$' -moving.runs=$(MOVING)

KIT = TestRegressionKit|TestAnUnchangedApplication

e2e: browser
	cd e2e && go vet ./... && go test -count=1 -timeout 20m -skip '$(KIT)' ./...

# One fault at a time in the same application, and the same run again and again. Its clocks want a quiet machine, so CI leaves it out.
kit: browser
	cd e2e && go test -count=1 -v -timeout 40m -run '$(KIT)' ./...

# Known vulnerabilities of what is linked; asks vuln.go.dev, so it is not part of check.
vuln:
	go tool govulncheck ./...

clean:
	rm -rf bin .deed
