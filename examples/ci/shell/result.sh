#!/bin/sh
# Tells what an apply did: in the job's summary, and in the comment of the pull or merge request whose merge it carried
# out. Whatever goes wrong here is said and nothing else: the apply has happened, and its code stands.
#
# Environment: what comment.sh and 'bugle-ci.sh result' read, with NUMBER in COMMENTS_URL and COMMENT_URL for the number
# of the request, and
#   PULLS_URL      the list of the requests with the commit
#   PULLS_PROJECT  the number of the repository
#   PULL_URL       the page of a request, with NUMBER
#   BUGLE_COMMIT   the commit that was applied
#   COMMENT        false: the summary only
set -u

program=${BUGLE:-bugle}
out=${BUGLE_OUT:-bugle-out}
here=$(dirname "$0")
mkdir -p "$out"

numbered() { printf '%s\n' "$1" | sed "s/NUMBER/$pull/"; }

pull=
if [ "${COMMENT:-true}" = true ]; then
    if [ -z "${COMMENT_TOKEN:-}" ]; then
        echo "No comment tells the result: there is no token for it." >&2
    elif printf 'header = "%s %s"\n' "$COMMENT_SCHEME" "$COMMENT_TOKEN" |
        curl --config - --silent --show-error --fail --retry 3 --max-time 60 --output "$out/pulls.json" "$PULLS_URL"; then
        pull=$("$program" comment --find-pull "$out/pulls.json" --repository "$PULLS_PROJECT" --commit "$BUGLE_COMMIT")
        if [ -z "$pull" ]; then echo "No comment tells the result: nothing was merged as $BUGLE_COMMIT." >&2; fi
    else
        echo "No comment tells the result: the pull request could not be looked up." >&2
    fi
fi

if ! BUGLE_PULL_URL=${pull:+$(numbered "$PULL_URL")} sh "$here/bugle-ci.sh" result; then
    echo "The result could not be told." >&2
    exit 0
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$out/comment.md" >> "$GITHUB_STEP_SUMMARY"; fi
if [ -n "$pull" ]; then
    COMMENTS_URL=$(numbered "$COMMENTS_URL") COMMENT_URL=$(numbered "$COMMENT_URL") sh "$here/comment.sh" ||
        echo "The comment of $pull could not be written; may the token write it?" >&2
fi
exit 0
