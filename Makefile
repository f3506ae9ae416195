# Two commands do all: `make run` and `make test`. Both install what is missing, by apt where there is apt.

SWIFT ?= swift

.PHONY: help run test bench build lint format clean

help:
	@echo 'make run      build, and serve the first pad that feels pressure, or a recorded one'
	@echo 'make test     run all tests'
	@echo 'make bench    measure against bare C programs, and write docs/performance.md'
	@echo 'make build    build for use'
	@echo 'make format   bring the sources into the house style'
	@echo 'make clean    remove what was built'

run: build
	@scripts/run

build:
	@scripts/install-missing build
	$(SWIFT) build -c release --product pressured

test:
	@scripts/install-missing build test
	@Tests/run

bench:
	@scripts/install-missing build
	@Benchmarks/run

format:
	$(SWIFT) format -i -r Sources Tests Benchmarks Package.swift

clean:
	rm -rf .build
