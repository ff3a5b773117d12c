# SPDX-License-Identifier: GPL-2.0
#
# Everything here only dispatches: the work is done by scripts that can be run by
# hand, and make is what everybody has.

BASE	?= 6.12
LINUX	?=
OUT	?= $(CURDIR)/out
JOBS	?= $(shell nproc)
MACHINE	?= virt
MINUTES	?= 60
T	?=
ARCH	?=
export BASE LINUX OUT JOBS MACHINE T ARCH

# The compilers are built beside the levels before their own, hence compile so late.
LEVELS	:= unit bench splat series refuse static bloat kunit boot debug peers busted soak toolchains compile machines newer
EXTRA	:= variants bisect

# One architecture alone: what is about it. ARM's own levels are kunit to soak.
ARCHS	:= arm csky nios2 powerpc openrisc
ifneq ($(ARCH),)
ifeq ($(filter $(ARCH),$(ARCHS)),)
$(error unknown ARCH '$(ARCH)'; known: $(ARCHS))
endif
CHOSEN	:= unit toolchains series compile $(if $(filter arm,$(ARCH)),kunit boot debug peers busted soak,machines)
else
CHOSEN	:= $(LEVELS)
endif
# Every defect wants its compiler.
COMPLETE := $(subst series,toolchains series,$(filter-out toolchains,$(CHOSEN)))
COMPLETE := $(subst debug,debug variants,$(COMPLETE)) bisect

.PHONY: help run ceiling soak test test-full busted unit need fetch trees clean
.PHONY: $(LEVELS:%=test-%) $(EXTRA:%=test-%)

help:
	@echo 'Targets:'
	@echo '  run          stock beside patched: build both kernels, boot both, count'
	@echo '  ceiling      what a full flush costs by the TLB models, after run'
	@echo '  soak         filters come and go on a patched kernel for MINUTES'
	@echo '  test         every level below, in this order; some in a short form'
	@echo '  test-full    the same, all in full, and those that are not part of test: hours'
	@echo '  busted       is each deliberate defect caught? All machines; after test'
	@echo '  unit         the range logic in userspace: seconds, a C compiler is enough'
	@echo '  test-LEVEL   one level: $(LEVELS)'
	@echo '               and, not part of test: $(EXTRA)'
	@echo '  need         install the packages of qemu/packages (root) or name them'
	@echo '  fetch        the kernel source of BASE'
	@echo '  trees        the stock and the patched source tree'
	@echo '  clean        remove OUT'
	@echo 'Values now:'
	@echo '  BASE=$(BASE)        the kernel, one of: $(notdir $(wildcard qemu/bases/*))'
	@echo '  LINUX=$(LINUX)           a kernel tree (copied) or tarball of your own instead'
	@echo '  MACHINE=$(MACHINE)     the machine, one of: $(notdir $(wildcard qemu/machines/*))'
	@echo '  OUT=$(OUT)'
	@echo '  JOBS=$(JOBS)'
	@echo '  MINUTES=$(MINUTES)          with soak: how long'
	@echo '  ARCH=$(ARCH)            with test: one architecture alone, of: $(ARCHS)'
	@echo '  T=$(T)               only the tests whose name matches this pattern'
	@echo '  QEMU: $(shell qemu-system-arm --version 2>/dev/null | sed 1q || echo missing)'
	@echo '  CC:   $(shell arm-linux-gnueabihf-gcc --version 2>/dev/null | sed 1q || echo missing)'

run:
	@qemu/compare.sh

ceiling:
	@bench/ceiling.sh

soak:
	@SOAK_MINUTES=$(MINUTES) tests/run.sh soak

test:
	@tests/run.sh $(CHOSEN)

test-full:
	@FULL=1 tests/run.sh $(COMPLETE)

busted:
	@FULL=1 tests/run.sh unit busted

unit: test-unit

$(LEVELS:%=test-%) $(EXTRA:%=test-%): test-%:
	@tests/run.sh $*

need:
	@qemu/need.sh

fetch:
	@qemu/fetch.sh $(BASE)

trees:
	@qemu/tree.sh stock
	@qemu/tree.sh patched

clean:
	rm -rf $(OUT)
