#!/bin/sh
# Installs a released version of Tendon into a folder, and holds it against its checksum.
#
# usage: install.sh VERSION FOLDER     the programs are then in FOLDER/bin
#
# TENDON_RELEASES is where releases are, instead of the project's own: a mirror, or file:///a/folder for one without a network.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: install.sh VERSION FOLDER" >&2
  exit 2
fi
version=${1#v}
folder=$2
releases=${TENDON_RELEASES:-https://github.com/tendon-iac/tendon/releases/download/v$version}

case $version in
  *[!0-9A-Za-z.+-]* | '')
    echo "error: \`$version\` is no version; write it as 0.1.0" >&2
    exit 2
    ;;
esac
case $(uname -s) in
  Linux) system=linux ending=tar.gz ;;
  Darwin) system=macos ending=tar.gz ;;
  MINGW* | MSYS* | CYGWIN*) system=windows ending=zip ;;
  *)
    echo "error: there is no tendon for $(uname -s)" >&2
    exit 3
    ;;
esac
case $(uname -m) in
  x86_64 | amd64) processor=x86_64 ;;
  aarch64 | arm64) processor=aarch64 ;;
  *)
    echo "error: there is no tendon for $(uname -m)" >&2
    exit 3
    ;;
esac
name=tendon-$version-$processor-$system
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for file in "$name.$ending" SHA256SUMS; do
  if ! curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$work/$file" "$releases/$file"; then
    echo "error: \`$releases/$file\` cannot be loaded" >&2
    exit 3
  fi
done
if ! (cd "$work" && grep -F "  $name.$ending" SHA256SUMS | sha256sum --check --quiet - >&2); then
  echo "error: \`$name.$ending\` is not what its checksum says" >&2
  exit 3
fi
mkdir -p "$folder"
if [ "$ending" = zip ]; then
  unzip -q -o "$work/$name.zip" -d "$work"
  cp -R "$work/$name/." "$folder"
else
  tar --extract --gzip --strip-components=1 --file "$work/$name.tar.gz" --directory "$folder"
fi
echo "$folder/bin"
