# SPDX-License-Identifier: Apache-2.0
# One door: `make` builds the library, the command and the example.
#
#   make                   everything, with $(CC), into build/<cc>-<variant>/
#   make CC=clang          the same with another compiler
#   make VARIANT=verify    with contracts checked; also asan, tsan, msan
#   make tests             the test programs of this variant
#   make run-tests         build and run them (TAP; scripts/check runs all)
#   make install PREFIX=   library, header, command and manual pages
#   make tidy              the house rules a machine can check

ifeq ($(origin CC),default)
CC := gcc
endif
VARIANT ?= plain
O ?= build/$(notdir $(CC))-$(VARIANT)
PREFIX ?= /usr/local
DESTDIR ?=

all:

include userspace/Makefile
include selftests/Makefile

.PHONY: all tests run-tests install tidy clean
all: $(LULL_LIBS) $(LULL_PROGRAMS)

tests: $(TEST_PROGRAMS)

run-tests: all tests
	selftests/run.sh $(O)

tidy:
	scripts/tidy.py

clean:
	rm -rf build
