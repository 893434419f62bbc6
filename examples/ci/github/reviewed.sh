#!/bin/sh
# Finds the run whose plan was reviewed, by the name of the plan. Writes to GITHUB_OUTPUT:
#   run      the run that holds it; empty: there is none
#   name     the artifact there
#   upload   the name for a plan that is made now
#
# Environment: COMMAND, BUGLE, BUGLE_OUT, BUGLE_WORKSPACE, BUGLE_REMOTE, PLAN_RUN (a run that a person names),
# REQUIRE_APPROVAL, TOKEN, and GitHub's own variables.
set -eu

# The secret goes in through a pipe: the arguments of a program can be read by others.
fetch() {
    printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
        curl --config - --silent --show-error --fail --retry 3 --max-time 60 --output "$BUGLE_OUT/$2" \
            "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$1"
}

here=$(dirname "$0")
name=$(sh "$here/../shell/plan-name.sh")
run=
upload=$name
if [ "$COMMAND" = apply ]; then
    # A plan that an apply makes is applied only when a person names its run: never by running the apply again.
    upload=$name-anew
    if [ -n "${PLAN_RUN:-}" ]; then
        case $PLAN_RUN in
        *[!0-9]*)
            echo "the run is named by its number" >&2
            exit 64
            ;;
        esac
        run=$PLAN_RUN
        name=$upload
    else
        set --
        if [ "${REQUIRE_APPROVAL:-true}" = true ]; then
            # A push after the approval makes a new plan, which nobody has seen.
            fetch "commits/$GITHUB_SHA/pulls" pulls.json
            pull=$("$BUGLE" comment --find-pull "$BUGLE_OUT/pulls.json" --repository "$GITHUB_REPOSITORY_ID")
            page=0
            while :; do
                page=$((page + 1))
                echo '[]' > "$BUGLE_OUT/reviews-$page.json"
                if [ -n "$pull" ]; then fetch "pulls/$pull/reviews?per_page=100&page=$page" "reviews-$page.json"; fi
                set -- "$@" --approvals "$BUGLE_OUT/reviews-$page.json"
                if [ "$(tr -d ' \n' < "$BUGLE_OUT/reviews-$page.json")" = '[]' ]; then break; fi
            done
        fi
        fetch "actions/artifacts?per_page=100&name=$name" artifacts.json
        run=$("$BUGLE" comment --find-run "$BUGLE_OUT/artifacts.json" --name "$name" \
            --repository "$GITHUB_REPOSITORY_ID" "$@")
        if [ -z "$run" ] && [ "$#" -gt 0 ]; then echo "No plan is kept of a commit that was approved." >&2; fi
    fi
fi
{
    echo "run=$run"
    echo "name=$name"
    echo "upload=$upload"
} >> "$GITHUB_OUTPUT"
