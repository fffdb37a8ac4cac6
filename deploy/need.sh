#!/bin/sh
# Installs Debian packages where this user may, and says how otherwise.
#
#   deploy/need.sh PACKAGE...
set -eu

if ! command -v apt-get >/dev/null; then
  echo "Please install with this system's own package manager what Debian calls: $*" >&2
  exit 1
fi
if [ "$(id -u)" = 0 ]; then as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo -n"
else
  echo "This needs a package, and this user may not install it. Please run:" >&2
  echo "  sudo apt-get install $*" >&2
  exit 1
fi
echo "Installing with apt: $*"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq || true
$as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
