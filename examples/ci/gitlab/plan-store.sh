#!/bin/sh
# Keeps plans in the project's package registry, under the name of the checkout. Usage: plan-store.sh put | put-anew | get
#
# put       the plan of a merge request
# put-anew  the plan that an apply made because none held; it is found only by the pipeline's number
# get       the plan of this checkout, or the new one of the pipeline PLAN_PIPELINE, to BUGLE_PLAN; none: no file
#
# With REQUIRE_APPROVAL=true the plan of this checkout is taken only where a push takes approvals away: else nobody may
# have seen it. BUGLE_APPROVALS_TOKEN, a project access token (scope read_api, role Maintainer), asks for that setting.
set -eu

out=${BUGLE_OUT:-bugle-out}
here=$(dirname "$0")
name=$(sh "$here/../shell/plan-name.sh")
case ${PLAN_PIPELINE:-} in
*[!0-9]*)
    echo "the pipeline is named by its number" >&2
    exit 64
    ;;
esac
file=plan.json
if [ "$1" = put-anew ]; then file=anew-$CI_PIPELINE_ID.json; fi
if [ "$1" = get ] && [ -n "${PLAN_PIPELINE:-}" ]; then file=anew-$PLAN_PIPELINE.json; fi
address=$CI_API_V4_URL/projects/$CI_PROJECT_ID/packages/generic/${name%-*}/${name##*-}/$file

# The secret goes in through a pipe: the arguments of a program can be read by others. It is not sent along to where an
# answer leads.
call() {
    printf 'header = "%s"\n' "${secret:-JOB-TOKEN: $CI_JOB_TOKEN}" |
        curl --config - --silent --show-error --max-time 60 --write-out '%{http_code} %{redirect_url}' "$@"
}

approvals_end_with_a_push() {
    [ -n "${BUGLE_APPROVALS_TOKEN:-}" ] || return 1
    answer=$(secret="PRIVATE-TOKEN: $BUGLE_APPROVALS_TOKEN" call --output "$out/approval-settings.json" --retry 3 \
        "$CI_API_V4_URL/projects/$CI_PROJECT_ID/approvals")
    case $answer in
    200*) grep -Eq '"reset_approvals_on_push": *true' "$out/approval-settings.json" ;;
    *)
        echo "the approvals' settings could not be looked up: HTTP ${answer%% *}" >&2
        return 1
        ;;
    esac
}

case $1 in
put | put-anew)
    [ -s "$out/plan.json" ] || exit 0
    answer=$(call --output /dev/null --upload-file "$out/plan.json" "$address")
    case $answer in
    20[01]*) ;;
    *)
        echo "the plan could not be kept: HTTP ${answer%% *}" >&2
        exit 1
        ;;
    esac
    ;;
get)
    rm -f "$BUGLE_PLAN" "$out/found.json"
    if [ -z "${PLAN_PIPELINE:-}" ] && [ "${REQUIRE_APPROVAL:-false}" = true ] && ! approvals_end_with_a_push; then
        echo "No plan is taken, because a push after an approval may have made it: let commits remove all approvals" \
            "(Settings, Merge requests), and let BUGLE_APPROVALS_TOKEN read that." >&2
        exit 0
    fi
    answer=$(call --output "$out/found.json" --retry 3 "$address")
    case $answer in
    200*) mv "$out/found.json" "$BUGLE_PLAN" ;;
    30[1278]*)
        curl --silent --show-error --fail --max-time 60 --output "$out/found.json" "${answer#* }"
        mv "$out/found.json" "$BUGLE_PLAN"
        ;;
    404*) rm -f "$out/found.json" ;;
    *)
        rm -f "$out/found.json"
        echo "the plan could not be looked up: HTTP ${answer%% *}" >&2
        exit 1
        ;;
    esac
    ;;
*)
    echo "usage: plan-store.sh put | put-anew | get" >&2
    exit 64
    ;;
esac
