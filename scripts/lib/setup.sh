# Sourced by the other scripts: finds what they need, installs what is missing where it may, and says what it does.
# shellcheck shell=bash

required_swift="6.2"
swift_download="https://www.swift.org/install/linux/"

# Prints a heading on its own line.
heading() {
  [ -z "${CUELIGHT_TIMES:-}" ] || say_times
  printf '\n== %s\n' "$*"
}

# How long the script has run, and the processor time of what this part of it has started and seen end, user's and system's.
say_times() {
  local file=$build/times.$BASHPID
  # `times` tells of the shell that runs it: a pipe or a substitution would be another one.
  mkdir -p "$build"
  times >"$file"
  printf '   (at %d s, processor %s)\n' "$SECONDS" "$(tail -n 1 "$file")"
  rm "$file"
}

# Ends the script with one line of explanation.
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

heartbeat=""
stop_heartbeat() {
  [ -z "$heartbeat" ] || kill "$heartbeat" 2>/dev/null || true
  heartbeat=""
}

# The parts of the work that go on beside each other, by name: their process groups.
declare -A parts=()

# beside NAME LOG COMMAND...: begins a part. What it says is kept in LOG, and shown by `finish`.
beside() {
  local name=$1 log=$2
  shift 2
  # A process group of its own, so that it can be ended with all that it has started.
  set -m
  (
    "$@"
    [ -z "${CUELIGHT_TIMES:-}" ] || say_times
  ) >"$log" 2>&1 </dev/null &
  parts[$name]=$!
  set +m
}

# follow NAME LOG: shows what a part says, from its beginning to its end; its status is that of the part.
follow() {
  local status=0
  tail -n +1 -s 0.2 -f --pid="${parts[$1]}" "$2"
  wait "${parts[$1]}" || status=$?
  unset "parts[$1]"
  return "$status"
}

# finish NAME LOG: the same, and where the part has failed, that is the end of the script.
finish() { follow "$@" || exit; }

# settle NAME LOG WHAT: waits for a part whose output matters only where it fails.
settle() {
  local status=0
  wait "${parts[$1]}" || status=$?
  unset "parts[$1]"
  show_failure "$3" "$2" "$status"
}

stop_parts() {
  local part
  for part in "${parts[@]}"; do kill -- "-$part" 2>/dev/null || true; done
}
trap 'stop_heartbeat; stop_parts' EXIT

# quietly WHAT LOG COMMAND...: says WHAT, keeps the command's output in LOG and shows it only where the command fails.
# A line every 20 seconds says that it still works.
quietly() {
  local what=$1 log=$2 started=$SECONDS status
  shift 2
  printf '%s ...\n' "$what"
  (
    # Short sleeps, so that none outlives the script.
    while sleep 1; do
      [ "$(((SECONDS - started) % 20))" -ne 0 ] || printf '   ... %d s\n' "$((SECONDS - started))"
    done
  ) &
  heartbeat=$!
  # A subshell that is part of no condition: there a function of several commands ends with the first that fails.
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1
  status=$?
  set -e
  stop_heartbeat
  show_failure "$what" "$log" "$status"
  printf '   done in %d s\n' "$((SECONDS - started))"
}

# show_failure WHAT LOG STATUS: ends the script with the end of the log unless the status is 0.
show_failure() {
  [ "$3" -ne 0 ] || return 0
  tail -n 60 "$2" >&2
  fail "failed: $1 (status $3; everything it said: $2)"
}

# Ends the script unless a Swift compiler of the required version is found; looks where swiftly puts it as well.
require_swift() {
  local folder version
  if ! command -v swift >/dev/null; then
    for folder in "${SWIFTLY_BIN_DIR:-}" "$HOME/.local/share/swiftly/bin" "$HOME/.swiftly/bin"; do
      if [ -n "$folder" ] && [ -x "$folder/swift" ]; then PATH="$folder:$PATH"; fi
    done
  fi
  command -v swift >/dev/null || fail "Swift is missing. Install $required_swift or later: $swift_download"
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*[0-9]\).*/\1/p' | head -n 1)
  [ -n "$version" ] || fail "swift --version gives no version. Install $required_swift or later: $swift_download"
  if [ "$(printf '%s\n' "$required_swift" "$version" | sort -V | head -n 1)" != "$required_swift" ]; then
    fail "Swift $version is too old. Install $required_swift or later: $swift_download"
  fi
  printf 'Swift %s\n' "$version"
}

# Whether what a Debian package brings is there, whoever installed it.
has_package() {
  case $1 in
  libavformat-dev) pkg-config --exists libavformat libavutil 2>/dev/null ;;
  libavcodec-dev) pkg-config --exists libavcodec 2>/dev/null ;;
  libsqlite3-dev) pkg-config --exists sqlite3 2>/dev/null ;;
  libqrencode4) ldconfig -p | grep -q libqrencode.so.4 ;;
  postgresql) compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null ;;
  libarchive13) ldconfig -p | grep -q libarchive.so.13 ;;
  libreoffice-calc) command -v soffice >/dev/null ;;
  libcurl4-openssl-dev) pkg-config --exists libcurl 2>/dev/null ;;
  python3-venv) python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ;;
  fonts-dejavu-core) [ -n "$(clock_font)" ] ;;
  iproute2) command -v ip >/dev/null ;;
  binaryen) command -v wasm-opt >/dev/null ;;
  node-typescript) command -v tsc >/dev/null ;;
  node-react) [ -f /usr/share/nodejs/react/umd/react.production.min.js ] ;;
  node-react-dom) [ -f /usr/share/nodejs/react-dom/umd/react-dom.production.min.js ] ;;
  nodejs) command -v node >/dev/null ;;
  openjdk-17-jdk-headless) command -v javac >/dev/null ;;
  binutils) command -v readelf >/dev/null ;;
  dpkg-dev) command -v dpkg-shlibdeps >/dev/null ;;
  debian-archive-keyring) [ -f /usr/share/keyrings/debian-archive-keyring.gpg ] ;;
  gstreamer1.0-tools) command -v gst-launch-1.0 >/dev/null ;;
  gstreamer1.0-libav) gst-inspect-1.0 --exists avdec_h264 ;;
  gstreamer1.0-plugins-bad) gst-inspect-1.0 --exists hlsdemux ;;
  gstreamer1.0-plugins-good) gst-inspect-1.0 --exists souphttpsrc ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

# The font that clocks are drawn with; nothing where there is none.
clock_font() {
  local file
  for file in /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf; do
    if [ -f "$file" ]; then
      printf '%s\n' "$file"
      return
    fi
  done
}

# require_packages NAME...: installs through apt-get those that are missing, or says how to and ends the script.
require_packages() {
  local package missing=()
  for package in "$@"; do has_package "$package" || missing+=("$package"); done
  [ "${#missing[@]}" -gt 0 ] || return 0

  command -v apt-get >/dev/null || fail "missing, by the names of their Debian packages: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
    printf 'Missing: %s. Install them with\n\n    sudo apt-get install %s\n\nand start this script again.\n' "${missing[*]}" "${missing[*]}" >&2
    exit 1
  fi
  mkdir -p "$build"
  quietly "Installing ${missing[*]} (apt-get install, a minute or two)" "$build/apt-get.log" install_packages "${missing[@]}"
  for package in "${missing[@]}"; do
    has_package "$package" || fail "$package was installed, and what it should bring is still missing"
  done
}

# Installs Debian packages, as root or through sudo. A fresh machine has no package lists, and old ones name files that are gone:
# only then they are read anew.
install_packages() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120)
  [ "$(id -u)" -eq 0 ] || apt=(sudo -n "${apt[@]}")
  "${apt[@]}" install -y --no-install-recommends "$@" || {
    "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"
  }
}

# make_clip SECONDS OUTPUT: makes video of 320x180 with B-frames and closed groups of pictures of two seconds, and audio.
make_clip() {
  ffmpeg -nostdin -v error -y -f lavfi -i "testsrc2=size=320x180:rate=25:duration=$1" \
    -f lavfi -i "sine=frequency=330:sample_rate=48000:duration=$1" \
    -c:v libx264 -preset veryfast -bf 2 -g 50 -flags +cgop -pix_fmt yuv420p -c:a aac "$2"
}

# make_noise SECONDS SIZE RATE OUTPUT OPTION...: makes video of this size and bit rate, however little moves in it, with audio; OPTIONs are the encoder's.
make_noise() {
  ffmpeg -nostdin -v error -y -f lavfi -i "testsrc2=size=$2:rate=25:duration=$1,noise=alls=20:allf=t" \
    -f lavfi -i "sine=frequency=330:sample_rate=48000:duration=$1" -c:v libx264 -preset ultrafast -b:v "$3" -maxrate "$3" -bufsize "$3" \
    "${@:5}" -sc_threshold 0 -pix_fmt yuv420p -c:a aac "$4"
}

# make_environment NAME: a Python environment for proofs, with what its file names, in a folder of its name; made again when the file changes.
make_environment() {
  local folder=$build/$1 needs=$top/Tests/proofs/environments/$1.txt
  if ! cmp -s "$needs" "$folder/requirements.txt"; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --disable-pip-version-check -r "$needs"
    cp "$needs" "$folder/requirements.txt"
  fi
}

# proof PYTHON MODULE OPTION...: runs a proof, a module of Tests/proofs, which says a line for each fact.
proof() { PYTHONPATH=$top/Tests "$1" -B -m "proofs.$2" "${@:3}"; }

# fetch_players FOLDER [LIST]: puts the players' scripts into FOLDER/library; fetched again when other ones are named. LIST is one of Tests/proofs/players.
fetch_players() {
  local folder=$1 list=$top/Tests/proofs/players/${2:-libraries.txt}
  if ! cmp -s "$list" "$folder/library/libraries.txt"; then
    rm -rf "$folder/python" "$folder/packages" "$folder/library"
    python3 -m venv "$folder/python"
    "$folder/python/bin/python" -m pip download --disable-pip-version-check --no-deps --require-hashes \
      -r "$list" --dest "$folder/packages"
    proof "$folder/python/bin/python" players.libraries "$folder/packages" "$folder/library"
    rm -rf "$folder/python" "$folder/packages"
    cp "$list" "$folder/library/libraries.txt"
  fi
}

# step COMMAND...: runs a command that says by itself what it finds, and ends the script where it fails.
step() { "$@" || fail "failed: $*"; }

# idly COMMAND...: runs a command with the processor time that others leave.
idly() { if command -v chrt >/dev/null; then chrt --idle 0 "$@"; else nice -n 19 "$@"; fi; }

# The package's top folder, whatever folder the script was started from, and where its products go.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build="$top/.build"

# How the package is built. SwiftPM passes the traits to the compiler in the order of a set, which depends on the seed of its hashes. With another order
# the compiler's arguments differ, and a second build compiles all modules again: the seed is always the same here.
swift_build=(env SWIFT_DETERMINISTIC_HASHING=1 swift build)

# How the tests are run, which are built. Swift Testing begins all of them at once, and a live session of one that waits for its turn meanwhile goes on: with
# thousands that wait, these sessions take the processor from the tests that would end them.
swift_test=(swift test --skip-build --disable-xctest --experimental-maximum-parallelization-width 8)

# How cuelight is built for release. With Swift's libraries linked in, it starts faster, needs 6 MB less, and runs where no Swift is.
release=("${swift_build[@]}" -c release --product cuelight)
[ "$(uname -s)" != Linux ] || release+=(--static-swift-stdlib)
