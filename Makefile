# Two commands do all: `make run` and `make test`. Both install what is missing, by apt where there is apt.

SWIFT ?= swift

# Where `make install` puts things, below DESTDIR.
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

# Said to the one program that asks: tests make installations of their own, and theirs are others.
folders := DESTDIR bindir datadir mandir docdir systemunitdir userunitdir udevdir sysusersdir tmpfilesdir \
	bashdir zshdir fishdir
say_folders = $(foreach name,$(folders),$(name)='$($(name))')

.PHONY: help run test bench build install uninstall deb format clean

help:
	@echo 'make run      build, and serve the first pad that feels pressure, or a recorded one'
	@echo 'make test     run all tests'
	@echo 'make bench    measure against bare C programs, and write docs/performance.md'
	@echo 'make build    build for use: the program, which needs no Swift to run, its manual and completions'
	@echo 'make install  put what was built below $(prefix); `make uninstall` removes it, and knows DESTDIR and prefix, too'
	@echo 'make deb      build a Debian package'
	@echo 'make format   bring the sources into the house style'
	@echo 'make clean    remove what was built'

run: build
	@scripts/run

build:
	@scripts/install-missing build
	$(SWIFT) build -c release --static-swift-stdlib --product pressured
	@scripts/finish

# Does not build, so that root need have no compiler.
install:
	@$(say_folders) scripts/install-files install

uninstall:
	@$(say_folders) scripts/install-files uninstall

deb: build
	@scripts/install-missing deb
	@packaging/deb

test:
	@scripts/install-missing build test
	@Tests/run

bench:
	@scripts/install-missing build
	@Benchmarks/run

format:
	$(SWIFT) format -i -r Sources Tests Fuzz Benchmarks Package.swift docs/examples

clean:
	rm -rf .build
