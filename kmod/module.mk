# SPDX-License-Identifier: GPL-2.0-only
# The module, for make (kbuild itself reads Kbuild alone).
#
#   make kmod             lull_arena.ko for each kernel that scripts/setup
#                         fetched, into build/kmod/<release>/, with W=1
#   make kmod KDIR=...    for the kernel whose headers are in that folder, as
#                         /lib/modules/$(uname -r)/build
#   make kmod-sparse      the same through sparse (C=2); a message is an error
#   make kmod-checkpatch  the kernel's checkpatch.pl --strict over kmod/, uapi/
#   make debug-kernel     a 6.12 with KASAN, lockdep, kmemleak and fault injection
#   make check-debug      the module's tests on it
#
# kbuild puts its objects beside the sources, so each kernel has a folder of
# links to them.

LULL_KERNELS ?= build/kernels
DEBUG_HEADERS := $(LULL_KERNELS)/debug/headers
KERNEL_DIRS = $(filter-out $(DEBUG_HEADERS),\
	$(wildcard $(LULL_KERNELS)/*/headers))
KDIR ?=

# $(call kmod_build,HEADERS,FLAGS): one build, its output checked for messages;
# kbuild complains of a jobserver that it may not use, so it may.
define kmod_build
	+scripts/kmod-build '$(1)' $(2)

endef

.PHONY: kmod kmod-sparse kmod-checkpatch
kmod:
	$(if $(KDIR)$(KERNEL_DIRS),,$(error no kernel headers: run scripts/setup))
	$(foreach k,$(or $(KDIR),$(KERNEL_DIRS)),$(call kmod_build,$(k)))

kmod-sparse:
	$(if $(KDIR)$(KERNEL_DIRS),,$(error no kernel headers: run scripts/setup))
	$(foreach k,$(or $(KDIR),$(KERNEL_DIRS)),$(call kmod_build,$(k),--sparse))

kmod-checkpatch:
	scripts/checkpatch.sh

.PHONY: debug-kernel check-debug
debug-kernel:
	scripts/setup --debug-kernel
	scripts/vm-debug-kernel

# KASAN and lockdep make the emulated machine several times slower; the tables
# of its interrupts alone took it a minute to interpret.  The storm itself
# had not ended there after three minutes at a quarter of its size; its counts
# say no more there than on the kernels of scripts/check, so it is left out.
CHECK_DEBUG_SECONDS ?= 5400
CHECK_DEBUG_VM = scripts/vm --kernel debug --append pci=noacpi \
	--timeout $(CHECK_DEBUG_SECONDS)
CHECK_DEBUG_ENV = LULL_TEST_TIMEOUT=$(CHECK_DEBUG_SECONDS)
check-debug: debug-kernel kmod-tests storm-tests
	+scripts/kmod-build $(DEBUG_HEADERS)
	$(CHECK_DEBUG_VM) --nodes 2 --disk 256M -- \
		env $(CHECK_DEBUG_ENV) make -s run-kmod-tests
	$(CHECK_DEBUG_VM) --nodes 1 -- \
		env $(CHECK_DEBUG_ENV) make -s run-steady-tests

# Packaging.  With DESTDIR the files are put there and nothing is run.
#
#   make dkms-install     sources for DKMS, the udev rule and the group; builds
#                         and installs the module for the running kernel
#   make dkms-install DKMS_KERNEL=RELEASE   for another one, whose headers are
#                         /lib/modules/RELEASE/build: in an image, say
#   make dkms-uninstall   removes them, and the module from every kernel

DKMS_VERSION = $(shell sed -n 's/^.define LULL_VERSION "\(.*\)"/\1/p' \
	userspace/include/lull.h)
DKMS_SOURCE = $(DESTDIR)/usr/src/lull-arena-$(DKMS_VERSION)
DKMS_KERNEL ?=
KMOD_DOC = $(DESTDIR)$(PREFIX)/share/doc/lull-arena
KMOD_EXAMPLES = $(KMOD_DOC)/examples

.PHONY: dkms-install dkms-uninstall
dkms-install:
	$(if $(DKMS_VERSION),,$(error no version in userspace/include/lull.h))
	rm -rf $(DKMS_SOURCE)
	install -d $(DKMS_SOURCE)/kmod $(DKMS_SOURCE)/uapi/linux \
		$(DESTDIR)/usr/lib/udev/rules.d $(DESTDIR)/usr/lib/sysusers.d \
		$(KMOD_EXAMPLES)
	install -m 644 Kbuild $(DKMS_SOURCE)/
	install -m 644 kmod/*.c kmod/*.h $(DKMS_SOURCE)/kmod/
	install -m 644 uapi/linux/*.h $(DKMS_SOURCE)/uapi/linux/
	sed 's/@VERSION@/$(DKMS_VERSION)/' kmod/packaging/dkms.conf \
		>$(DKMS_SOURCE)/dkms.conf
	install -m 644 kmod/packaging/70-lull-arena.rules \
		$(DESTDIR)/usr/lib/udev/rules.d/
	install -m 644 kmod/packaging/sysusers.conf \
		$(DESTDIR)/usr/lib/sysusers.d/lull-arena.conf
	install -m 644 kmod/packaging/modprobe.conf \
		kmod/packaging/modules-load.conf \
		kmod/packaging/tmpfiles.conf $(KMOD_EXAMPLES)/
ifeq ($(DESTDIR),)
	systemd-sysusers /usr/lib/sysusers.d/lull-arena.conf
	[ ! -S /run/udev/control ] || udevadm control --reload
	dkms install --force lull-arena/$(DKMS_VERSION) \
		$(if $(DKMS_KERNEL),-k $(DKMS_KERNEL))
endif

dkms-uninstall:
ifeq ($(DESTDIR),)
	-dkms remove lull-arena/$(DKMS_VERSION) --all
endif
	rm -rf $(DKMS_SOURCE) $(KMOD_DOC)
	rm -f $(DESTDIR)/usr/lib/udev/rules.d/70-lull-arena.rules \
		$(DESTDIR)/usr/lib/sysusers.d/lull-arena.conf
