# Two commands are enough: 'make demo' and 'make test'. Both install what is missing (Debian or Ubuntu, with Swift).

SHELL := /bin/bash
.DEFAULT_GOAL := help

# What 'apt-get' installs when it is missing: headers and a few programs that the tests run.
PACKAGES := libyaml-dev libcurl4-openssl-dev libssl-dev libsqlite3-dev libpq-dev libnghttp2-dev zlib1g-dev postgresql zip pkg-config openssl git make gcc

# So many tests run at a time: all at once would starve each other, and what is measured against a time limit would fail.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8

# Tests that only compute. They come first and alone: beside them whatever waits for a server or a program would wait for a
# processor, for half a minute now and then, and the timeouts of clients would strike.
COMPUTING := ^(Apply|Base|Push|PushReport|Simulation|YAML)Tests[.]

# The tests that run over PostgreSQL as well: a few in 'test', all in 'test-long'.
CONTRACT := ConformanceTests|ConditionTests|DifferentialTests
BOTH_STORES := DeviceRegistryTests|PushServerTests|EndToEndTests

# So many worlds the optimised simulation runs.
WORLDS ?= 10000
# And so many whose registry is on a disk with faults.
DISKS ?= 3000

# Everything optimised comes from one folder, built as it is shipped: what the programs share is built once.
OPTIMISED := .build/package/release

.PHONY: help setup build package test-package demo test walk test-long simulation model mutation fuzz pictures docs bench bench-long format lint imports clean

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

setup: ## Install what is missing.
	@./.ci/setup $(PACKAGES)

build: setup ## Build everything for debugging.
	swift build

package: setup ## Build what is shipped: a .deb, a .tar.gz, the symbols and SHA256SUMS, in .build/dist.
	@./.ci/setup perl dpkg-dev
	@./.ci/package

test-package: ## Install, use, upgrade and remove the package on a bare Debian; as root.
	@./.ci/setup debootstrap
	@./.ci/test-package

demo: setup ## Start a server with 10,000 devices, plan and apply; then the same straight to a simulated Apple.
	@./.ci/demo

test: setup ## Install what is missing and run every test but the long ones.
	swift build --build-tests
	@# What failed stands last as well: nobody finds it among thousands of lines.
	set -o pipefail; for which in --filter --skip; do \
		swift test --skip-build --parallel $$which '$(COMPUTING)' 2>&1 | tee .build/tests.log \
			|| { grep -aE -A 3 '^✘ Test .* recorded an issue' .build/tests.log; exit 1; }; \
	done
	@# The contract of the server over its second store: what is documented, and every condition.
	BUGLE_TEST_STORE=postgres swift test --skip-build --parallel --filter '$(CONTRACT)'
	.build/debug/simulation 1000 --model Tests/Model/transitions.txt
	.build/debug/simulation 500 --disk
	@# Every reader over its corpus; the last line says which input ended it.
	.build/debug/fuzz >.build/fuzz.log 2>&1 || { tail -n 20 .build/fuzz.log; exit 1; }
	@# The model of the delivery, with less that goes wrong in one history.
	@./.ci/setup spin gcc
	./Tests/Model/run --short

walk: ## Go the way of the first page, and look at every page in Chromium.
	@./.ci/setup $(PACKAGES) chromium cmark-gfm fonts-noto-cjk
	swift build --build-tests
	BUGLE_LONG_TESTS=1 swift test --skip-build --filter 'EndToEndTests.WalkTests'

test-long: ## Run the long chaos and scale tests as well, and those of pages in Chromium.
	@./.ci/setup $(PACKAGES) chromium cmark-gfm fonts-noto-cjk pgbouncer
	swift build --build-tests
	BUGLE_LONG_TESTS=1 swift test --skip-build --parallel
	BUGLE_TEST_STORE=postgres swift test --skip-build --parallel --filter '$(BOTH_STORES)'
	@# A rolling upgrade from the server of the commit before, over one database.
	BUGLE_PREVIOUS_SERVER=$$(./.ci/previous-server) swift test --skip-build --filter UpgradeTests
	BUGLE_LONG_TESTS=1 BUGLE_ALONE=1 swift test --skip-build --filter aMillionDevicesNeedLittleMemory
	@./.ci/optimised bugle-server simulation
	BUGLE_LONG_TESTS=1 BUGLE_PROGRAMS=$(OPTIMISED) swift test --skip-build --filter ExportVolumeTests
	$(OPTIMISED)/simulation 1000000
	$(OPTIMISED)/simulation 100000 --disk
	./.ci/fuzz 300

simulation: setup ## Run whole applies in simulated worlds, optimised: WORLDS=10000, and DISKS=3000 over a disk with faults.
	@./.ci/optimised simulation
	$(OPTIMISED)/simulation $(WORLDS) --model Tests/Model/transitions.txt
	$(OPTIMISED)/simulation $(DISKS) --disk

model: ## Exhaust the model of how a delivery is sent, and the twins that break its rules.
	@./.ci/setup spin gcc
	./Tests/Model/run

mutation: setup ## Change what decides about a push in a thousand places, one at a time: the tests must notice.
	swift test --package-path Tests/Mutation --scratch-path .build/mutation
	./Tests/Mutation/run

fuzz: setup ## Have libFuzzer look for inputs that break a reader, a minute each, and say how much its corpus covers.
	@./.ci/fuzz 60

pictures: setup ## Record the pictures and plans of the documentation anew.
	@./.ci/setup chromium fonts-noto-cjk
	BUGLE_RECORD=1 swift test --filter 'PictureTests/the|ConsoleBrowserTests/thePictures'

docs: pictures ## Make all that is generated in the documentation, twice, and compare the bytes.
	BUGLE_RECORD=1 swift test --skip-build --filter 'ReferenceTests'
	@find docs README*.md -type f | LC_ALL=C sort | xargs sha256sum >.build/docs.sums
	BUGLE_RECORD=1 swift test --skip-build --filter 'PictureTests/the|ConsoleBrowserTests/thePictures|ReferenceTests'
	@sha256sum --check --quiet .build/docs.sums && echo "the same bytes twice"

bench: setup ## Measure speed and memory as ratios within one run.
	@./.ci/setup haproxy
	@./.ci/optimised bugle bugle-server json-reading apns-sender apns-delivery
	@./Tests/Benchmarks/run $(OPTIMISED)
	@./Tests/Benchmarks/report $(OPTIMISED)
	@./Tests/Benchmarks/server $(OPTIMISED)
	@./Tests/Benchmarks/postgres $(OPTIMISED)
	@./Tests/Benchmarks/json $(OPTIMISED)
	@./Tests/Benchmarks/sender $(OPTIMISED)
	@./Tests/Benchmarks/delivery $(OPTIMISED) 100000 1000000

bench-long: setup ## Measure a delivery to ten million devices.
	@./.ci/setup haproxy
	@./.ci/optimised apns-delivery
	@./Tests/Benchmarks/delivery $(OPTIMISED) 100000 10000000

format: ## Format the sources.
	swift format --in-place --recursive --configuration .swift-format Package.swift Sources Tests

lint: ## Check the format of the sources.
	swift format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests

imports: setup ## Check that every import is declared, and the walls inside modules.
	@./.ci/imports
	swift build --build-tests --explicit-target-dependency-import-check error

clean: ## Remove what was built.
	rm -rf .build
