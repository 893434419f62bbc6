#!/bin/sh
# Prints the path of bugle, after fetching it when it is to be fetched.
#
# Environment:
#   BUGLE_SOURCE   a path, a name on the PATH, or an https:// address of the program or of a release's .tar.gz;
#                  empty: the release that the file 'release' beside this script names, or 'bugle' when it names none
#   BUGLE_SHA256   the SHA-256 of what is fetched; an address needs it
#   BUGLE_OUT      where to put it (bugle-out)
set -eu

# What the file 'release' says of a name.
pin() { sed -n "s/^$1=//p" "$(dirname "$0")/release"; }

source=${BUGLE_SOURCE:-}
sum=${BUGLE_SHA256:-}
version=$(pin version)
if [ -z "$source" ] && [ -n "$version" ]; then
    case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64 | arm64) architecture=arm64 ;;
    *)
        echo "there is no release of bugle for $(uname -m)" >&2
        exit 1
        ;;
    esac
    source=$(pin address)/bugle-$version-linux-$architecture.tar.gz
    sum=$(pin "sha256_$architecture")
fi
source=${source:-bugle}
case $source in
https://* | file://*)
    if [ -z "$sum" ]; then
        echo "bugle is fetched from an address, so its SHA-256 must be given" >&2
        exit 64
    fi
    folder=${BUGLE_OUT:-bugle-out}/bin
    mkdir -p "$folder"
    file=$(cd "$folder" && pwd)/bugle
    curl --silent --show-error --fail --location --proto '=https,file' --proto-redir '=https' --max-time 300 \
        --output "$file.part" "$source" >&2
    echo "$sum  $file.part" | sha256sum --check --status || {
        rm -f "$file.part"
        echo "what was fetched does not have the SHA-256 $sum" >&2
        exit 1
    }
    case $source in
    *.tar.gz)
        mv "$file.part" "$file.tar.gz"
        tar -xzOf "$file.tar.gz" --wildcards '*/usr/bin/bugle' > "$file.part"
        ;;
    esac
    chmod 755 "$file.part"
    mv "$file.part" "$file"
    "$file" --version > /dev/null || {
        echo "bugle needs libcurl, libnghttp2, libpq, libsqlite3, OpenSSL 3 and libyaml, of Debian 12, Ubuntu 24.04 or newer" >&2
        exit 1
    }
    echo "$file"
    ;;
*://*)
    echo "bugle is fetched over https only" >&2
    exit 64
    ;;
*)
    command -v "$source" || {
        echo "there is no program '$source'" >&2
        exit 127
    }
    ;;
esac
