# Sourced by the scripts that run proofs by their names: the table of the proofs, what they need, and the loop over them. Such a script sets `folder`, for
# its files, and `logs`.
# shellcheck shell=bash disable=SC2154

# shellcheck source=scripts/lib/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# The table, a row a run: the proof's name, its heading, and what it needs besides what all need. Its module with its options is an array of the row's own.
names=() headings=() needs=()

# row NAME HEADING NEEDS MODULE OPTION...: adds a run. NEEDS are Debian packages, and among them may be: `players` and `dash-player`, what is fetched from
# PyPI; `client`, the package for the web; `schemathesis`, an environment of Python with that program; `python`, `amazon`, `metadata` and `first`, what runs the proof in place of
# python3; `beside`, it waits most of the time, and runs beside the others; `alone`, it measures, and runs when nothing else does. A run behind another
# of its name has no heading of its own: what it says there is a line.
row() {
  declare -ga "command_${#names[@]}"
  # shellcheck disable=SC2034
  local -n made=command_${#names[@]}
  made=("${@:4}")
  names+=("$1") headings+=("$2") needs+=("$3")
}

# choose NAME...: the proofs that are wanted; all without a name.
choose() {
  local name known
  known=$(printf '%s\n' "${names[@]}" | uniq | paste -sd ' ')
  for name in "$@"; do
    [[ " $known " == *" $name "* ]] || fail "usage: scripts/${0##*/} ${sizes:-}[PROOF]...; the proofs are $known"
  done
  wanted=" ${*:-$known} "
}

# is_wanted NAME: whether a proof was asked for.
is_wanted() { [[ $wanted == *" $1 "* ]]; }

# require_needs PACKAGE...: installs the packages that all proofs need and those that the wanted ones need.
require_needs() {
  local number need packages=("$@")
  for number in "${!names[@]}"; do
    is_wanted "${names[number]}" || continue
    for need in ${needs[number]}; do
      case $need in
      players | dash-player | client | schemathesis | python | amazon | metadata | first | beside | alone) ;;
      *) [[ " ${packages[*]} " == *" $need "* ]] || packages+=("$need") ;;
      esac
    done
  done
  require_packages "${packages[@]}"
}

# fetch_needs: what the wanted proofs need from PyPI.
fetch_needs() {
  local number need all=" "
  for number in "${!names[@]}"; do ! is_wanted "${names[number]}" || all+="${needs[number]} "; done
  for need in python schemathesis amazon metadata; do
    [[ $all != *" $need "* ]] || quietly "Making the Python environment $need (from PyPI)" "$logs/$need.log" make_environment "$need"
  done
  [[ $all != *" players "* ]] || quietly "Fetching the players (from PyPI)" "$logs/players.log" fetch_players "$build/players"
  [[ $all != *" client "* ]] || quietly "Building the package for the web" "$logs/client.log" scripts/build-web
  [[ $all != *" dash-player "* ]] || quietly "Fetching the player of MPEG-DASH (from PyPI)" "$logs/dash-player.log" fetch_players "$build/dash-player" dash.txt
}

# build_programs PRODUCT...: for release.
build_programs() {
  local product
  for product in "$@"; do "${release[@]/%cuelight/$product}"; done
}

# make_stream OUTPUT: a minute of video with groups of pictures of a second, so that publishers are joined soon and segments can be as short.
make_stream() {
  make_clip 60 "$folder/long.mp4"
  ffmpeg -nostdin -v error -y -i "$folder/long.mp4" -c:v libx264 -preset veryfast -bf 2 -g 25 -flags +cgop -c:a copy "$1"
}

# perform NUMBER: runs what a row names.
perform() {
  local program=python3 need
  local -n command=command_$1
  for need in ${needs[$1]}; do
    case $need in
    python | amazon | metadata) program=$build/$need/bin/python ;;
    first) program=$folder/first ;;
    esac
  done
  proof "$program" "${command[@]}"
}

# is_beside NUMBER and is_alone NUMBER: when a row runs.
is_beside() { [[ " ${needs[$1]} " == *" beside "* ]]; }
is_alone() { [[ " ${needs[$1]} " == *" alone "* ]]; }

# introduce NUMBER: says what a row is about.
introduce() {
  if [ "$1" -eq 0 ] || [ "${names[$1]}" != "${names[$1 - 1]}" ]; then
    heading "${headings[$1]}"
  elif [ -n "${headings[$1]}" ]; then
    printf '%s\n' "${headings[$1]}"
  fi
}

# perform_all: runs the wanted proofs, each of which says a line for each fact; the others follow where one fails, and so does its status.
perform_all() {
  local number broken=0 rows=() waiting=() measuring=()
  for number in "${!names[@]}"; do
    if ! is_wanted "${names[number]}"; then continue; fi
    if is_beside "$number"; then waiting+=("$number"); elif is_alone "$number"; then measuring+=("$number"); else rows+=("$number"); fi
  done
  for number in "${waiting[@]}"; do beside "$number" "$logs/proof-$number.log" perform "$number"; done
  for number in "${rows[@]}"; do
    introduce "$number"
    perform "$number" || broken=1
  done
  for number in "${waiting[@]}"; do
    introduce "$number"
    follow "$number" "$logs/proof-$number.log" || broken=1
  done
  for number in "${measuring[@]}"; do
    introduce "$number"
    perform "$number" || broken=1
  done
  return "$broken"
}
