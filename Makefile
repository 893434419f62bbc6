# Two commands are enough: 'make demo' and 'make test'. Both install what is missing (Debian or Ubuntu, with Swift).

SHELL := /bin/bash
.DEFAULT_GOAL := help

# What 'apt-get' installs when it is missing: headers and a few programs that the tests run.
PACKAGES := libyaml-dev libcurl4-openssl-dev libssl-dev libsqlite3-dev libpq-dev libnghttp2-dev zlib1g-dev postgresql zip pkg-config openssl git make gcc

# So many tests run at a time: all at once would starve each other, and what is measured against a time limit would fail.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8

# The tests that run over PostgreSQL as well: a few in 'test', all in 'test-long'.
CONTRACT := ConformanceTests|ConditionTests|DifferentialTests
BOTH_STORES := DeviceRegistryTests|PushServerTests|RegistryTransferTests|EndToEndTests

.PHONY: help setup build release package test-package demo test test-long fuzz bench bench-long format lint imports clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

setup: ## Install what is missing.
	@./.ci/setup $(PACKAGES)

build: setup ## Build everything for debugging.
	swift build

release: setup ## Build the programs as they are shipped.
	swift build -c release --product bugle
	swift build -c release --product bugle-server

package: setup ## Build what is shipped: a .deb, a .tar.gz, the symbols and SHA256SUMS, in .build/dist.
	@./.ci/setup perl dpkg-dev
	@./.ci/package

test-package: ## Install, use, upgrade and remove the package on a bare Debian; as root.
	@./.ci/setup debootstrap sqlite3
	@./.ci/test-package

demo: setup ## Start a server with 10,000 devices, plan and apply; then the same straight to a simulated Apple.
	@./.ci/demo

test: setup ## Install what is missing and run every test but the long ones.
	swift build --build-tests
	@# What failed stands last as well: nobody finds it among thousands of lines.
	set -o pipefail; swift test --skip-build --parallel 2>&1 | tee .build/tests.log \
		|| { grep -aE -A 3 '^✘ Test .* recorded an issue' .build/tests.log; exit 1; }
	@# The contract of the server over its second store: what is documented, and every condition.
	BUGLE_TEST_STORE=postgres swift test --skip-build --parallel --filter '$(CONTRACT)'
	swift build -c release --product simulation
	.build/release/simulation 10000

test-long: ## Run the long chaos and scale tests as well, and those of pages in Chromium.
	@./.ci/setup $(PACKAGES) chromium
	swift build --build-tests
	BUGLE_LONG_TESTS=1 swift test --skip-build --parallel
	BUGLE_TEST_STORE=postgres swift test --skip-build --parallel --filter '$(BOTH_STORES)'
	@# A rolling upgrade from the server of the commit before, over one database.
	BUGLE_PREVIOUS_SERVER=$$(./.ci/previous-server) swift test --skip-build --filter UpgradeTests
	BUGLE_LONG_TESTS=1 BUGLE_ALONE=1 swift test --skip-build --filter aMillionDevicesNeedLittleMemory
	swift build -c release --product bugle-server
	BUGLE_LONG_TESTS=1 BUGLE_SERVER_PROGRAM=.build/release/bugle-server swift test --skip-build --filter ExportVolumeTests
	swift build -c release --product simulation
	.build/release/simulation 1000000
	swift build -c release --product fuzz
	.build/release/fuzz --seconds 60

fuzz: setup ## Give mutants of what strangers can write to every reader, a minute each.
	swift build -c release --product fuzz
	.build/release/fuzz --seconds 60

bench: release ## Measure speed and memory as ratios within one run.
	@./Tests/Benchmarks/run .build/release
	@./Tests/Benchmarks/report .build/release
	@./Tests/Benchmarks/server .build/release
	@./Tests/Benchmarks/postgres .build/release
	swift build -c release --product json-reading
	@./Tests/Benchmarks/json .build/release
	@./.ci/setup haproxy
	swift build -c release --product apns-sender
	swift build -c release --product apns-delivery
	@./Tests/Benchmarks/sender .build/release
	@./Tests/Benchmarks/delivery .build/release 100000 1000000

bench-long: setup ## Measure a delivery to ten million devices.
	@./.ci/setup haproxy
	swift build -c release --product apns-delivery
	@./Tests/Benchmarks/delivery .build/release 100000 10000000

format: ## Format the sources.
	swift format --in-place --recursive --configuration .swift-format Package.swift Sources Tests

lint: ## Check the format of the sources.
	swift format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests

imports: setup ## Check that every import is declared.
	swift build --build-tests --explicit-target-dependency-import-check error

clean: ## Remove what was built.
	rm -rf .build
