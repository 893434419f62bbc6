#!/bin/sh
# Prints the name under which the plan of this checkout is kept: the remote, and git's hash of the workspace's folder.
# A merge that leaves the folder as it was planned finds that plan, however the merge was made; any other finds none.
set -eu

remote=${BUGLE_REMOTE:-default}
case $remote in
*[!A-Za-z0-9._-]*)
    echo "the remote's name does not fit a file name: $remote" >&2
    exit 64
    ;;
esac
tree=$(git rev-parse --verify "HEAD:./${BUGLE_WORKSPACE:-campaigns}")
echo "bugle-plan-$remote-$tree"
