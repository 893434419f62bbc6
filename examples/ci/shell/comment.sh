#!/bin/sh
# Creates the one comment of a pull or merge request, or replaces it: never one that somebody else wrote.
#
# Environment, for GitHub's and GitLab's API alike:
#   BUGLE             the program (bugle)
#   BUGLE_OUT         where bugle-ci.sh left comment.json (bugle-out)
#   BUGLE_COMMENT_ID  which comment (plan)
#   COMMENTS_URL      the list of comments; a POST to it creates one
#   COMMENT_URL       one comment, without its id
#   COMMENT_UPDATE    the method that replaces one: PATCH or PUT
#   COMMENT_AUTHOR    whose comments count
#   COMMENT_TOKEN, COMMENT_SCHEME   the secret, and what stands before it: "Authorization: Bearer" or "PRIVATE-TOKEN:"
set -eu

program=${BUGLE:-bugle}
out=${BUGLE_OUT:-bugle-out}
[ -s "$out/comment.json" ] || {
    echo "there is no comment to write: $out/comment.json" >&2
    exit 1
}

# The secret goes in through a pipe: the arguments of a program can be read by others.
call() {
    printf 'header = "%s %s"\n' "$COMMENT_SCHEME" "$COMMENT_TOKEN" |
        curl --config - --silent --show-error --fail --max-time 60 --header 'Content-Type: application/json' "$@"
}

found=
page=1
while [ "$page" -le 100 ]; do
    call --retry 3 --output "$out/comments.json" "$COMMENTS_URL?per_page=100&page=$page"
    found=$("$program" comment --find "$out/comments.json" --author "$COMMENT_AUTHOR" --id "${BUGLE_COMMENT_ID:-plan}")
    if [ -n "$found" ] || [ "$(tr -d ' \n' < "$out/comments.json")" = '[]' ]; then break; fi
    page=$((page + 1))
done
rm -f "$out/comments.json"

if [ -n "$found" ]; then
    call --output /dev/null --request "$COMMENT_UPDATE" --data-binary "@$out/comment.json" "$COMMENT_URL/$found"
    echo "comment $found was replaced"
else
    call --output /dev/null --request POST --data-binary "@$out/comment.json" "$COMMENTS_URL"
    echo "a comment was created"
fi
