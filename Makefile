# SPDX-License-Identifier: Apache-2.0
# One door: `make` builds the library, the command and the example.
#
#   make                   everything, with $(CC), into build/<cc>-<variant>/
#   make CC=clang          the same with another compiler
#   make VARIANT=verify    with contracts checked; also asan, tsan, msan
#   make tests             the test programs of this variant
#   make run-tests         build and run them (TAP; scripts/check runs all)
#   make cuda              liblull_cuda.so, for NVIDIA GPUs; needs nvcc 13
#   make cuda-tests        its kernels' test programs, into build/cuda/
#   make install PREFIX=   library, header, command and manual pages
#   make install-cuda      liblull_cuda.so beside them
#   make check-long        scripts/check, with no test left to another build
#   make tidy              the house rules a machine can check
#   make models            model checking; needs scripts/setup --extras
#   make kmod              the kernel module (kmod/module.mk has more)

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
include cuda/Makefile
include cuda/library.mk
include kmod/module.mk

.PHONY: all tests run-tests check-long install tidy models clean
all: $(LULL_LIBS) $(LULL_PROGRAMS)

tests: $(TEST_PROGRAMS)

run-tests: all tests
	selftests/run.sh $(O)

check-long:
	scripts/check --long

tidy:
	scripts/tidy.py

models:
	scripts/models

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(O)/lull $(DESTDIR)$(PREFIX)/bin/lull
	install -m 644 userspace/include/*.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(O)/liblull.a $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $(O)/liblull.so $(DESTDIR)$(PREFIX)/lib/liblull.so.0
	ln -sf liblull.so.0 $(DESTDIR)$(PREFIX)/lib/liblull.so
	install -m 755 $(O)/liblull_supraseal.so $(DESTDIR)$(PREFIX)/lib/
	install -m 644 Documentation/man/lull.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/

# The kernels are kept: they are downloads.
clean:
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name kernels \
		-exec rm -rf {} +
