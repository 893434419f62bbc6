#!/bin/sh
# Writes the approvals of the merge request that was merged as CI_COMMIT_SHA to $BUGLE_OUT/approvals.json, for
# 'bugle apply --approvals'. Without a merge request, or where GitLab does not keep approvals to what was approved, no file
# is written: what needs approvals is held back then. Needs jq.
#
# GitLab does not say which commit was approved, nor who wrote a commit. So three of its settings must hold (Settings,
# Merge requests): "Prevent approval by merge request creator", "Prevent approvals by users who add commits", and "Remove
# all approvals when commits are added to the source branch".
#
# Environment: BUGLE_OUT, BUGLE_WORKSPACE, BUGLE_APPROVALS_TOKEN (read_api, role Maintainer; of a group for its teams),
# BUGLE_TEAMS (the paths of groups that the rules name, separated by spaces), and GitLab's own.
set -eu

out=${BUGLE_OUT:-bugle-out}
api=$CI_API_V4_URL/projects/$CI_PROJECT_ID
work=$out/approvals
rm -rf "$work" "$out/approvals.json"
mkdir -p "$work"

# The secret goes in through a pipe: the arguments of a program can be read by others.
fetch() {
    printf 'header = "PRIVATE-TOKEN: %s"\n' "$BUGLE_APPROVALS_TOKEN" |
        curl --config - --silent --show-error --fail --retry 3 --max-time 60 --output "$2" "$1"
}

# Every page of a list; the address has a question mark.
fetch_all() {
    page=1
    : > "$2.pages"
    while :; do
        fetch "$1&per_page=100&page=$page" "$2"
        cat "$2" >> "$2.pages"
        if [ "$(jq length "$2")" -lt 100 ]; then break; fi
        page=$((page + 1))
    done
    jq --slurp add "$2.pages" > "$2"
}

encoded() { jq --null-input --raw-output --arg text "$1" '$text | @uri'; }

fetch "$api/approvals" "$work/settings.json"
if ! jq --exit-status '.reset_approvals_on_push == true and .merge_requests_author_approval == false
    and .merge_requests_disable_committers_approval == true' "$work/settings.json" > "$work/known"; then
    echo "GitLab lets authors approve, or keeps approvals after a push: nothing is known to be approved." >&2
    exit 0
fi
fetch_all "$api/repository/commits/$CI_COMMIT_SHA/merge_requests?state=merged" "$work/requests.json"
request=$(jq --raw-output --arg sha "$CI_COMMIT_SHA" --argjson project "$CI_PROJECT_ID" '[.[] | select(.state == "merged"
    and .target_project_id == $project and (.merge_commit_sha == $sha or .squash_commit_sha == $sha or .sha == $sha))][0].iid // empty' \
    "$work/requests.json")
if [ -z "$request" ]; then
    echo "No merge request was merged as $CI_COMMIT_SHA: nothing is known to be approved." >&2
    exit 0
fi
fetch "$api/merge_requests/$request" "$work/request.json"
fetch "$api/merge_requests/$request/approvals" "$work/given.json"

# Git's hash of the workspace's folder in the last commit of the branch.
head=$(jq --raw-output .sha "$work/request.json")
folder=$(printf '%s' "${BUGLE_WORKSPACE:-campaigns}" | sed 's:/*$::; s:^\(\./*\)*::')
parent=
case $folder in
*/*) parent=${folder%/*} ;;
esac
fetch_all "$api/repository/tree?ref=$head&path=$(encoded "$parent")" "$work/tree.json"

: > "$work/teams"
for team in ${BUGLE_TEAMS:-}; do
    fetch_all "$CI_API_V4_URL/groups/$(encoded "$team")/members/all?state=active" "$work/members.json"
    jq --arg team "$team" '.[] | {username, team: $team}' "$work/members.json" >> "$work/teams"
done

jq --null-input --arg name "${folder##*/}" --slurpfile request "$work/request.json" --slurpfile given "$work/given.json" \
    --slurpfile entries "$work/tree.json" --slurpfile teams "$work/teams" '
    {
        formatVersion: "1.0",
        authors: [$request[0].author.username],
        approvals: [
            $given[0].approved_by[]
            | .user.username as $person
            | {
                person: $person,
                teams: [$teams[] | select(.username == $person) | .team],
                tree: ([$entries[0][] | select(.name == $name and .type == "tree")][0].id),
                at: (.approved_at // $request[0].merged_at),
                dismissed: false
            }
        ]
    }' > "$work/approvals.json"
mv "$work/approvals.json" "$out/approvals.json"
