# SPDX-License-Identifier: GPL-2.0-only
# The module, for make (kbuild itself reads Kbuild alone).
#
#   make kmod             lull_arena.ko for each kernel that scripts/setup
#                         fetched, into build/kmod/<release>/, with W=1
#   make kmod KDIR=...    for the kernel whose headers are in that folder, as
#                         /lib/modules/$(uname -r)/build
#   make kmod-sparse      the same through sparse (C=2); a message is an error
#   make kmod-checkpatch  the kernel's checkpatch.pl --strict over kmod/, uapi/
#
# kbuild puts its objects beside the sources, so each kernel has a folder of
# links to them.

LULL_KERNELS ?= build/kernels
KERNEL_DIRS = $(wildcard $(LULL_KERNELS)/*/headers)
KDIR ?=

# $(call kmod_build,HEADERS,FLAGS): one build, its output checked for messages.
define kmod_build
	scripts/kmod-build '$(1)' $(2)

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
