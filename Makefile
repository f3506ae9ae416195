# Start with `make run` or `make check`. Both name missing packages; only `make deps` installs any.

SWIFT ?= swift

# Directories of `make install`, below DESTDIR.
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/pressured
systemunitdir ?= $(libdir)/systemd/system
userunitdir ?= $(libdir)/systemd/user
udevdir ?= $(libdir)/udev
sysusersdir ?= $(libdir)/sysusers.d
tmpfilesdir ?= $(libdir)/tmpfiles.d
bashdir ?= $(datadir)/bash-completion/completions
zshdir ?= $(datadir)/zsh/site-functions
fishdir ?= $(datadir)/fish/vendor_completions.d

# Passed only to the script that needs them: tests make installations with other directories.
folders := DESTDIR bindir datadir mandir docdir systemunitdir userunitdir udevdir sysusersdir tmpfilesdir \
	bashdir zshdir fishdir
quote := '
pass_folders = $(foreach name,$(folders),$(name)='$(subst $(quote),$(quote)\$(quote)$(quote),$($(name)))')

.PHONY: help deps run check test nightly bench build docs install uninstall deb tarball release format clean

help:
	@echo 'make deps     install the packages for all of these with apt, or for some: make deps FOR="build check"'
	@echo 'make run      build, and serve the first device that reports pressure, or a recording'
	@echo 'make check    run the fast tests: what a change needs while it is made'
	@echo 'make test     run what a change must pass; `Tests/run --list` names its suites, `Tests/run SUITE -k NAME` runs some tests'
	@echo 'make nightly  run all tests, fuzz runs and a soak'
	@echo 'make bench    measure against bare C programs, and write Benchmarks/results.md'
	@echo 'make build    build the program (statically linked with Swift), its manual pages and completions'
	@echo 'make install  install below $(prefix), or DESTDIR and prefix; `make uninstall` removes it'
	@echo 'make deb      build a Debian package'
	@echo 'make tarball  build a release tarball, for any distribution'
	@echo 'make release VERSION=…   set the version, the date and the tag; docs/development/packaging.md has what follows'
	@echo 'make docs     convert the documentation of the Swift libraries'
	@echo 'make format   format the sources'
	@echo 'make clean    remove the build directory'

deps:
	@scripts/install-missing --install $(or $(FOR),build check test deb)

run: build
	@scripts/run

build:
	@scripts/install-missing build
	@SWIFT='$(SWIFT)' scripts/build-release >/dev/null
	@scripts/finish

# Does not build, so that root needs no compiler.
install:
	@$(pass_folders) scripts/install-files install

uninstall:
	@$(pass_folders) scripts/install-files uninstall

deb: build
	@scripts/install-missing deb
	@packaging/deb

# It is for distributions with an older glibc, too.
tarball:
	@PRESSURED_OLD_GLIBC=1 $(MAKE) --no-print-directory build
	@scripts/tarball

release:
	@scripts/release $(VERSION)

check:
	@scripts/install-missing build check
	@Tests/run check

test:
	@scripts/install-missing build check test
	@Tests/run test

nightly:
	@scripts/install-missing build check test
	@Tests/run nightly

bench:
	@scripts/install-missing build
	@Benchmarks/run

docs:
	@scripts/install-missing build
	$(SWIFT) build
	@scripts/document

format:
	$(SWIFT) format -i -r Sources Tests Fuzz Benchmarks Package.swift docs/examples

clean:
	rm -rf .build
