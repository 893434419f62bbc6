#!/bin/sh
# Finds the run whose plan was reviewed, by the name of the plan. Writes to GITHUB_OUTPUT:
#   run      the run that holds it; empty: there is none
#   name     the artifact there
#   upload   the name for a plan that is made now
#
# Environment: COMMAND, BUGLE, BUGLE_OUT, BUGLE_WORKSPACE, BUGLE_REMOTE, PLAN_RUN (a run that a person names), TOKEN, and
# GitHub's own variables.
set -eu

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
        printf 'header = "Authorization: Bearer %s"\n' "$TOKEN" |
            curl --config - --silent --show-error --fail --retry 3 --max-time 60 --output "$BUGLE_OUT/artifacts.json" \
                "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/artifacts?per_page=100&name=$name"
        run=$("$BUGLE" comment --find-run "$BUGLE_OUT/artifacts.json" --name "$name" --repository "$GITHUB_REPOSITORY_ID")
    fi
fi
{
    echo "run=$run"
    echo "name=$name"
    echo "upload=$upload"
} >> "$GITHUB_OUTPUT"
