#!/bin/sh
# bugle in any CI. Usage: bugle-ci.sh validate | fmt | plan | comment | apply | result | due
#
# Environment:
#   BUGLE             the program (bugle)
#   BUGLE_WORKSPACE   the workspace's folder (campaigns)
#   BUGLE_ALL         true: every workspace in that folder and below it, in one plan, one comment and one apply
#   BUGLE_SINCE       with BUGLE_ALL, validate, fmt and plan: only workspaces that have changed since this commit
#   BUGLE_REMOTE      the remote (the workspace's default)
#   BUGLE_OUT         where files are left (bugle-out): plan.json, plan.html, review.json, comment.md, comment.json,
#                     validate.sarif, result.json, exit-code
#   BUGLE_PLAN        apply, result: the plan that was reviewed; one that 'apply' left in BUGLE_OUT is none there
#   BUGLE_APPROVALS   apply: the approvals of what was merged (approvals.json in BUGLE_OUT); without the file nobody
#                     approved anything. Remove one that the repository brings
#   BUGLE_LOCK_TIMEOUT   apply: how long to wait for another apply (10m)
#   BUGLE_COMMENT_ID, BUGLE_COMMIT, BUGLE_PAGE_URL   comment, result: which one, the commit, the address of the page
#   BUGLE_PULL_URL    result: the address of the pull request
# and the variables that the workspace's secrets name, with BUGLE_TRUSTED_HOSTS beside them.
#
# The exit code is bugle's. 'apply' without a reviewed plan, or with one that does not hold any more, sends nothing:
# it plans anew, leaves that plan for review and ends with 9; with BUGLE_ALL workspaces whose plans hold are applied all the
# same. 'result' makes the comment that tells what 'apply' did, with the reviewed plan below; after a 9 it tells of the new
# plan, and with BUGLE_ALL first of what was done.
set -eu

command=${1:-}
program=${BUGLE:-bugle}
workspace=${BUGLE_WORKSPACE:-campaigns}
remote=${BUGLE_REMOTE:-}
all=
since=
if [ "${BUGLE_ALL:-}" = true ]; then
    all=true
    since=${BUGLE_SINCE:-}
fi
out=${BUGLE_OUT:-bugle-out}

finish() {
    echo "$1" > "$out/exit-code"
    exit "$1"
}

# Where a file is, or would be; nothing where its folder is not there.
place() { (cd "$(dirname "$1")" 2> /dev/null && echo "$(pwd -P)/$(basename "$1")"); }

plan() {
    rm -f "$out/plan.json" "$out/plan.html" "$out/review.json"
    code=0
    "$program" plan -C "$workspace" ${all:+--all} ${since:+--changed-since "$since"} \
        ${remote:+--remote "$remote"} --out "$out/plan.json" \
        --format text --format json="$out/review.json" --format html="$out/plan.html" || code=$?
}

# A signal lets the change in flight end, a second one too; what is left goes on with the next apply.
apply() {
    rm -f "$out/stop" "$out/result.json"
    trap 'interrupted=1; : > "$out/stop"' HUP INT TERM
    "$program" apply -C "$workspace" ${all:+--all} ${remote:+--remote "$remote"} \
        --lock-timeout "${BUGLE_LOCK_TIMEOUT:-10m}" --json-result "$out/result.json" --stop-file "$out/stop" "$@" &
    child=$!
    code=127
    while :; do
        interrupted=
        ended=0
        wait "$child" || ended=$?
        # 127: the signal came just before, and the child was waited for already.
        [ "$ended" -eq 127 ] || code=$ended
        [ -n "$interrupted" ] || break
    done
}

mkdir -p "$out"
if [ "$command" != comment ] && [ "$command" != result ]; then rm -f "$out/exit-code"; fi
case $command in
validate)
    form=text
    if [ "${GITHUB_ACTIONS:-}" = true ]; then form=github; fi
    code=0
    "$program" validate -C "$workspace" ${all:+--all} ${since:+--changed-since "$since"} \
        --format "$form" --format sarif="$out/validate.sarif" || code=$?
    finish "$code"
    ;;
fmt)
    code=0
    "$program" fmt --check -C "$workspace" ${all:+--all} ${since:+--changed-since "$since"} || code=$?
    finish "$code"
    ;;
plan)
    rm -f "$out/unreviewed"
    plan
    finish "$code"
    ;;
comment | result)
    # Without a review there is no plan: the comment says so, instead of leaving an older one standing.
    rm -f "$out/comment.md" "$out/comment.json"
    set -- --id "${BUGLE_COMMENT_ID:-plan}" ${BUGLE_COMMIT:+--commit "$BUGLE_COMMIT"} \
        ${BUGLE_PAGE_URL:+--artifact "$BUGLE_PAGE_URL"}
    code=
    if [ -s "$out/exit-code" ]; then code=$(cat "$out/exit-code"); fi
    review=$out/review.json
    if [ "$command" = result ]; then
        # Of many workspaces some were applied although the plan of another did not hold.
        if [ "$code" != 9 ] || { [ -n "$all" ] && [ -s "$out/result.json" ]; }; then
            set -- "$@" --result "$out/result.json" ${BUGLE_PULL_URL:+--pull "$BUGLE_PULL_URL"}
        fi
        if [ "$code" != 9 ]; then review=${BUGLE_PLAN:-}; fi
    fi
    if [ -n "$code" ]; then set -- "$@" --exit-code "$code"; fi
    if [ -s "$review" ]; then set -- "$@" "$review"; fi
    "$program" comment "$@" > "$out/comment.md"
    "$program" comment --json "$@" > "$out/comment.json"
    ;;
apply)
    rm -f "$out/result.json"
    reviewed=${BUGLE_PLAN:-}
    # A new plan takes the place of the reviewed one there: a job that is tried again must not apply what nobody saw.
    if [ -e "$out/unreviewed" ] && [ "$(place "$reviewed")" = "$(place "$out/plan.json")" ]; then
        echo "That plan was made by 'apply': once it is reviewed, keep it under another name." >&2
        reviewed=
    fi
    # What was merged before, and is not applied yet, is not forgotten.
    since=
    code=9
    if [ -s "$reviewed" ]; then
        approvals=${BUGLE_APPROVALS:-$out/approvals.json}
        if [ ! -s "$approvals" ]; then approvals=; fi
        apply ${approvals:+--approvals "$approvals"} "$reviewed"
    else
        echo "There is no reviewed plan for what is here." >&2
    fi
    if [ "$code" -eq 9 ]; then
        : > "$out/unreviewed"
        plan
        echo "Nothing was applied${all:+ where the plan did not hold}." >&2
        if [ -s "$out/plan.json" ]; then echo "Above is a new plan: review it, and apply that." >&2; fi
        finish 9
    fi
    finish "$code"
    ;;
due)
    apply --due --auto-approve
    finish "$code"
    ;;
*)
    echo "usage: bugle-ci.sh validate | fmt | plan | comment | apply | result | due" >&2
    exit 64
    ;;
esac
