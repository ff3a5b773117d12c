#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: need.sh
#
# Installs what qemu/packages lists and this machine lacks; without root it
# prints the command that does so and exits with 4.

set -euo pipefail
source "$(dirname "$0")/lib.sh"

missing() {
	local package probe

	while read -r package probe; do
		if [[ $probe == /* ]]; then
			[[ -e $probe ]] || echo "$package"
		else
			command -v "$probe" > /dev/null || echo "$package"
		fi
	done < <(grep -v '^#' "${PACKAGES:-$TOP/qemu/packages}")
}

install() {
	export DEBIAN_FRONTEND=noninteractive
	# The lists of a fresh machine are empty; those of another may do as they are.
	apt-get -q update || true
	apt-get -q -y --no-install-recommends install "$@"
}

mapfile -t packages < <(missing)
if ((${#packages[@]} == 0)); then
	exit 0
fi
command="apt-get install --no-install-recommends ${packages[*]}"
if (($(id -u) != 0)) || ! command -v apt-get > /dev/null; then
	die "needs root once: $command" 4
fi
install "${packages[@]}"
