# Sourced by scripts/package: the steps of making packages. Each makes its part in a folder of its own below .build/package, from nothing.
# shellcheck shell=bash disable=SC2154

work=$build/package
packages=$build/packages
new=$work/new
web=$build/web/cuelight-client
section=cuelight_files
programs=(cuelight cuelight-server)

# What is released: its version, its commit, its time and its architecture, by the names that Debian and the kernel have for it.
describe_release() {
  version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Commands/CommandSupport/Version.swift)
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "Version.swift has no version"
  commit=$(git describe --always --dirty --abbrev=8 --exclude '*')
  : "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
  export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
  architecture=$(dpkg --print-architecture)
  machine=$(uname -m)
  maintainer=$(git log -1 --format='%an <%ae>')
}

# Builds both programs beside what other scripts build, since the options differ: Swift's own libraries are linked in, no path of this machine gets
# into them, they have no debug information, which has paths as well, and the linker does what Debian asks of programs.
build_programs() {
  local program
  for program in "${programs[@]}"; do
    "${swift_build[@]}" -c release --product "$program" --static-swift-stdlib -debug-info-format none --scratch-path "$work/build" \
      -Xswiftc -file-prefix-map -Xswiftc "$top=." -Xcc "-ffile-prefix-map=$top=." -Xcxx "-ffile-prefix-map=$top=." \
      -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
  done
}

# Strips the programs, also of what depends on the folder in which they were built. Puts into each what it finds in itself: the commit, and into the server the package for the web.
finish_programs() {
  local program from=${CUELIGHT_PROGRAMS:-$work/build/release} inside=$work/inside file
  rm -rf "$work/usr" "$inside" "$new"
  mkdir -p "$work/usr/bin"
  for program in "${programs[@]}"; do
    mkdir -p "$inside/$program"
    printf '%s' "$commit" >"$inside/$program/commit"
  done
  mkdir -p "$inside/cuelight-server/web"
  for file in "$web"/cuelight-client.{js,wasm}{,.br,.gz}; do cp "$file" "$inside/cuelight-server/web"; done
  for program in "${programs[@]}"; do
    python3 -B scripts/lib/archives.py files "$inside/$program" "$inside/$program.tar" --epoch "$SOURCE_DATE_EPOCH"
    strip --strip-unneeded --remove-section=.comment -o "$work/usr/bin/$program" "$from/$program"
    python3 -B scripts/lib/placeless.py "$work/usr/bin/$program"
    objcopy --add-section "$section=$inside/$program.tar" --set-section-flags "$section=noload,readonly" "$work/usr/bin/$program"
  done
}

# The package for the web, unless it was made of the sources as they are.
make_web_package() {
  [ -f "$web/cuelight-client.wasm" ] && [ "$(cat "$build/web/made-of" 2>/dev/null)" = "$(python3 -B scripts/lib/web_client.py --made-of)" ] ||
    scripts/build-web
}

# What is installed besides the programs.
fill_tree() {
  local tree=$work/usr program doc=$work/usr/share/doc/cuelight unit checkouts=$work/build/checkouts
  [ -d "$checkouts" ] || checkouts=$build/checkouts
  rm -rf "$tree/share" "$tree/lib"
  mkdir -p "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/vendor-completions" \
    "$tree/share/fish/vendor_completions.d" "$doc/examples" "$tree/lib/systemd/system"
  python3 -B scripts/lib/manuals.py "$tree/bin/cuelight" "$tree/bin/cuelight-server" "$version" "$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)" \
    "$tree/share/man/man1"
  for program in "${programs[@]}"; do
    # It is sourced, so that the line with a shell in it says nothing.
    "$tree/bin/$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$tree/share/bash-completion/completions/$program"
    "$tree/bin/$program" --generate-completion-script zsh >"$tree/share/zsh/vendor-completions/_$program"
    "$tree/bin/$program" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/$program.fish"
  done
  for unit in samples/operations/*.service samples/operations/*.socket; do
    [ ! -f "$unit" ] || cp "$unit" "$tree/lib/systemd/system"
  done
  rmdir --ignore-fail-on-non-empty "$tree/lib/systemd/system" "$tree/lib/systemd" "$tree/lib"
  cp samples/quick-round.yaml "$doc/examples"
  [ ! -d samples/operations ] || cp -r samples/operations "$doc/examples"
  python3 -B scripts/lib/licences.py "$checkouts" Package.resolved "$(swift_licence)" "$(ls "$work"/texts/usr/share/icu/*/LICENSE)" \
    "$doc/copyright"
  # Yams has its own copy of libyaml, and no way to be built without it.
  mkdir -p "$tree/share/lintian/overrides"
  printf 'cuelight: embedded-library libyaml *\n' >"$tree/share/lintian/overrides/cuelight"
  printf 'cuelight (%s) stable; urgency=medium\n\n  * Release %s of commit %s: CHANGELOG.md.gz says what is new.\n\n -- %s  %s\n' \
    "$version" "$version" "$commit" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
  gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  chmod -R u=rwX,go=rX "$tree"
}

# The licence that lies beside Swift's compiler.
swift_licence() {
  printf '%s/share/swift/LICENSE.txt' "$(dirname "$(dirname "$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')")")"
}

# The libraries that the programs are linked to, as Debian's packages: never none, and of a C library that has all symbols that the programs need.
linked_packages() {
  local folder=$work/shlibs found least needed
  rm -rf "$folder"
  mkdir -p "$folder/debian"
  printf 'Source: cuelight\nPackage: cuelight\nArchitecture: any\n' >"$folder/debian/control"
  found=$(cd "$folder" && dpkg-shlibdeps -O "$work"/usr/bin/*) || fail "dpkg-shlibdeps does not find the libraries of the programs"
  found=${found#shlibs:Depends=}
  least=$(sed -n 's/.*\blibc6 (>= \([0-9.]*\)).*/\1/p' <<<"$found")
  needed=$(needed_glibc "$work"/usr/bin/*)
  [ -n "$least" ] || fail "dpkg-shlibdeps finds no C library for the programs: $found"
  dpkg --compare-versions "$least" ge "$needed" || fail "the programs need glibc $needed, and dpkg-shlibdeps says $least"
  printf '%s\n' "$found"
}

# needed_glibc PROGRAM...: the newest version of glibc of which programs need a symbol.
needed_glibc() {
  readelf --version-info --wide "$@" | sed -n 's/.*Name: GLIBC_\([0-9.]*\) .*/\1/p' | sort -V | tail -n 1
}

# installed_size FOLDER: how much a package takes, in KiB, as dpkg-gencontrol counts: each file rounded up, and one for each folder. So it does not depend
# on the file system.
installed_size() {
  find "$1" -path "$1/DEBIAN" -prune -o -printf '%y %s\n' | awk '{ sum += $1 == "f" || $1 == "l" ? int(($2 + 1023) / 1024) : 1 } END { print sum }'
}

# What is opened only when it is needed, and does without where it is missing. Newer releases of Debian and Ubuntu have other names for some.
opened_packages() {
  cat <<EOF | paste -sd, | sed 's/,/, /g'
libavformat61 | libavformat59 | libavformat60 | libavformat62 | libavformat63
libcurl4t64 | libcurl4
libssl3t64 | libssl3
libarchive13t64 | libarchive13
libxml2 | libxml2-16
libpq5
libqrencode4
ca-certificates
EOF
}

make_debian_package() {
  local root=$work/debian depends
  depends=$(linked_packages)
  rm -rf "$root"
  mkdir -p "$root/DEBIAN" "$new"
  cp -a "$work/usr" "$root/usr"
  maintainer_script postinst postinst-systemd-dont-enable postinst-systemd-restartnostart >"$root/DEBIAN/postinst"
  maintainer_script prerm prerm-systemd-restart >"$root/DEBIAN/prerm"
  maintainer_script postrm postrm-systemd-reload-only postrm-systemd >"$root/DEBIAN/postrm"
  cat >"$root/DEBIAN/control" <<EOF
Package: cuelight
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(installed_size "$root")
Depends: $depends
Recommends: $(opened_packages)
Section: video
Priority: optional
Description: game events inside video streams, as timed metadata
 Cuelight puts the events of a live game into the video itself, as timed ID3
 metadata, and gets them out again: questions, answers, results. Each event is
 acted on once, however often the stream repeats it.
 .
 Producers stamp a cue sheet onto a broadcast file, operators put events into a
 running stream, and the game server takes answers over HTTP and puts real
 results into the video.
EOF
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  chmod -R u=rwX,go=rX "$root"
  chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
  DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$new/cuelight_${version}_$architecture.deb"
}

make_archive() {
  local name=cuelight-$version-linux-$machine
  rm -rf "$work/archive"
  cp -a "$work/usr" "$work/archive"
  cp LICENSE README.md "$work/archive"
  python3 -B scripts/lib/archives.py tar "$work/archive" "$new/$name.tar.gz" --under "$name" --epoch "$SOURCE_DATE_EPOCH"
}

# The layout of `npm pack`: what package.json lists as `files`, with that file and the licence, below package/.
make_npm_package() {
  local file
  rm -rf "$work/npm"
  mkdir -p "$work/npm"
  while read -r file; do cp "$web/$file" "$work/npm"; done < <(
    python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["files"], "package.json", "LICENSE", sep="\n")' "$web/package.json")
  grep -q "\"version\": \"$version\"" "$web/package.json" || fail "$web/package.json has another version than $version"
  python3 -B scripts/lib/archives.py tar "$work/npm" "$new/cuelight-client.tgz" --under package --epoch "$SOURCE_DATE_EPOCH"
}

# The packages of Debian 12 that the image consists of. They are unpacked and not installed: there is no shell and no package manager in it.
image_packages=(libc6 libstdc++6 libgcc-s1 libsqlite3-0 libavformat59 libcurl4 libssl3 libarchive13 libpq5 libxml2 libqrencode4 ca-certificates
  base-files netbase tzdata)
# What these depend on only for their installation.
not_in_image=" debconf perl-base shared-mime-info fontconfig fonts-dejavu-core dpkg tar openssl mawk base-passwd cdebconf "

# apt with lists and packages of its own, whatever the machine has installed.
own_apt() {
  local apt=$work/apt
  "$1" -q -o Dir="$apt" -o Dir::Etc="$apt/etc" -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o Dir::Log="$apt/log" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root \
    -o Debug::NoLocking=1 -o Acquire::Languages=none "${@:2}"
}

# Fetches what the packages have of Debian: debhelper's scripts for services, and the licence of ICU, which Swift's Foundation contains.
fetch_texts() {
  local file
  prepare_apt
  rm -rf "$work/texts"
  mkdir -p "$work/texts/packages"
  (cd "$work/texts/packages" && own_apt apt-get download libdebhelper-perl libicu-dev)
  for file in "$work"/texts/packages/*.deb; do dpkg-deb --extract "$file" "$work/texts"; done
}

# maintainer_script NAME SNIPPET...: what dh_installsystemd writes for a service that waits for its configuration, and then what is in scripts/lib/debian.
maintainer_script() {
  local snippet
  printf '#!/bin/sh\nset -e\n'
  for snippet in "${@:2}"; do
    sed "s/#UNITFILES\?#/'cuelight.service'/g; s/#RESTART_ACTION#/try-restart/g" "$work/texts/usr/share/debhelper/autoscripts/$snippet"
  done
  [ ! -f "scripts/lib/debian/$1" ] || cat "scripts/lib/debian/$1"
}

prepare_apt() {
  local apt=$work/apt mirror=${DEBIAN_MIRROR:-http://deb.debian.org} keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  rm -rf "$apt/cache/archives"
  mkdir -p "$apt/etc/apt.conf.d" "$apt/etc/preferences.d" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/log"
  : >"$apt/status"
  printf 'deb [signed-by=%s] %s bookworm main\n' "$keyring" "$mirror/debian" >"$apt/etc/sources.list"
  printf 'deb [signed-by=%s] %s bookworm-updates main\n' "$keyring" "$mirror/debian" >>"$apt/etc/sources.list"
  printf 'deb [signed-by=%s] %s bookworm-security main\n' "$keyring" "$mirror/debian-security" >>"$apt/etc/sources.list"
  own_apt apt-get update
}

make_root() {
  local apt=$work/apt root=$work/root file name
  rm -rf "$root"
  mkdir -p "$root"
  own_apt apt-get install -y --download-only --no-install-recommends "${image_packages[@]}"
  # Debian 12 has its libraries and programs under /usr.
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root/var/lib/dpkg/status.d"
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  for file in "$apt"/cache/archives/*.deb; do
    name=$(dpkg-deb --field "$file" Package)
    [[ $not_in_image != *" $name "* ]] || continue
    dpkg-deb --fsys-tarfile "$file" | tar --extract --keep-directory-symlink --no-same-owner --directory "$root"
    # What scanners for known faults read, in the place that images without a package manager have for it.
    dpkg-deb --field "$file" Package Version Architecture Source Maintainer Description >"$root/var/lib/dpkg/status.d/$name"
  done
  rm -rf "$root"/usr/share/{man,info,locale,lintian,bug,help,gtk-doc,icons} "$root"/{boot,dev,home,media,mnt,opt,proc,root,run,srv,sys,tmp}
  rm -rf "$root"/usr/{games,include,src,local} "$root"/var/{cache,backups,local,log,mail,opt,spool,lock,run,tmp}
  find "$root/usr/share/doc" -type f ! -name copyright -delete
  find "$root" -type d -empty -delete
  mkdir -p "$root"/{dev,proc,sys,tmp,run} "$root/etc/ssl/certs"
  # What the installation of ca-certificates makes.
  find "$root/usr/share/ca-certificates" -name '*.crt' -print0 | sort -z | xargs -0 cat >"$root/etc/ssl/certs/ca-certificates.crt"
  printf 'root:x:0:0:root:/:/usr/sbin/nologin\ncuelight:x:10001:10001:Cuelight:/data:/usr/sbin/nologin\n' >"$root/etc/passwd"
  printf 'root:x:0:\ncuelight:x:10001:\n' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
}

make_image() {
  python3 -B scripts/lib/image.py "$work/root" "$work/usr" scripts/lib/image.yaml "$new/cuelight-server-$version-$architecture.oci.tar" \
    --version "$version" --commit "$commit" --architecture "$architecture" --epoch "$SOURCE_DATE_EPOCH"
}

# The packages get their place when all of them are whole.
publish() {
  (cd "$new" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
  rm -rf "$packages"
  mv "$new" "$packages"
}
