# SPDX-License-Identifier: Apache-2.0
# liblull_cuda.so, from every .cu file here that is no program of its own.  For
# the top Makefile, behind cuda/Makefile.
#
#   make cuda                      for all cards, into $(O), beside liblull.so
#   make cuda CUDA_ARCHS=90 CUDA_PTX=   for one, which takes a third of the time

CUDA_LIB_OBJECTS := $(patsubst %.cu,$(CUDA_O)/%.o,\
	$(filter-out cuda/bench_%,$(wildcard cuda/*.cu)))
CUDA_LIB := liblull_cuda.so

# Of liblull.a it takes what fills an error; nothing but the table is exported.
$(CUDA_O)/$(CUDA_LIB): $(CUDA_LIB_OBJECTS) $(CUDA_HOST)/liblull.a
	$(CUDA_LINK) -shared -Xlinker --exclude-libs,ALL -o $@ $^

# Beside the library, the command and the tests, where each looks for it.
$(O)/$(CUDA_LIB): $(CUDA_O)/$(CUDA_LIB)
	@mkdir -p $(O)/selftests/cuda $(O)/selftests/prove
	cp $< $@
	ln -sf ../../$(CUDA_LIB) $(O)/selftests/cuda/$(CUDA_LIB)
	ln -sf ../../$(CUDA_LIB) $(O)/selftests/prove/$(CUDA_LIB)

.PHONY: cuda install-cuda
cuda: $(O)/$(CUDA_LIB)

# What is there is installed as it is, for whatever cards it was made.
install-cuda: $(if $(wildcard $(O)/$(CUDA_LIB)),,cuda)
	install -d $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(O)/$(CUDA_LIB) $(DESTDIR)$(PREFIX)/lib/
