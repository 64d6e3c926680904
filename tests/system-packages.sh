#!/usr/bin/env bash
# Programs that the tests speak with and that pip does not bring. One line each: the program, and
# the Debian package that has it. What is there already is left alone.
set -euo pipefail

needed() {
    cat <<'LIST'
chromium chromium
gcc build-essential
mosquitto mosquitto
mosquitto_passwd mosquitto
mosquitto_sub mosquitto-clients
openssl openssl
tshark tshark
text2pcap wireshark-common
systemd-analyze systemd
systemd-tmpfiles systemd
LIST
}

PATH="$PATH:/usr/sbin"
missing=()
while read -r program package; do
    command -v "$program" >/dev/null || missing+=("$package")
done < <(needed)
[ "${#missing[@]}" -eq 0 ] && exit 0
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

give_up() {
    echo "The tests need these Debian packages: ${missing[*]}" >&2
    echo "$1. Install them, then run make again:" >&2
    echo "    sudo apt-get install -y ${missing[*]}" >&2
    exit 1
}

command -v apt-get >/dev/null || give_up "There is no apt-get here"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || give_up "This is not root, and there is no sudo"
    as_root=(sudo)
fi
echo "Installing ${missing[*]}"
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
# The lists of packages may be missing or old: fetched only if it does not work without.
"${as_root[@]}" "${install[@]}" >/dev/null 2>&1 && exit 0
"${as_root[@]}" apt-get update -q >/dev/null 2>&1 || give_up "The lists of packages can't be fetched"
"${as_root[@]}" "${install[@]}" >/dev/null || give_up "They can't be installed"
