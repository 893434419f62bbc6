#!/bin/sh
# Prints the path of bugle, after fetching it when BUGLE_SOURCE is an address.
#
# Environment:
#   BUGLE_SOURCE   a path, a name on the PATH (bugle), or an https:// address
#   BUGLE_SHA256   the SHA-256 of what is fetched; an address needs it
#   BUGLE_OUT      where to put it (bugle-out)
set -eu

source=${BUGLE_SOURCE:-bugle}
case $source in
https://* | file://*)
    if [ -z "${BUGLE_SHA256:-}" ]; then
        echo "bugle is fetched from an address, so its SHA-256 must be given" >&2
        exit 64
    fi
    folder=${BUGLE_OUT:-bugle-out}/bin
    mkdir -p "$folder"
    file=$(cd "$folder" && pwd)/bugle
    curl --silent --show-error --fail --location --proto '=https,file' --proto-redir '=https' --max-time 300 \
        --output "$file.part" "$source" >&2
    echo "$BUGLE_SHA256  $file.part" | sha256sum --check --status || {
        rm -f "$file.part"
        echo "what was fetched does not have the SHA-256 $BUGLE_SHA256" >&2
        exit 1
    }
    chmod 755 "$file.part"
    mv "$file.part" "$file"
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
