#!/bin/sh
# Writes the approvals of the pull request that was merged as GITHUB_SHA to $BUGLE_OUT/approvals.json, for
# 'bugle apply --approvals'. Without a pull request, or when not everybody is known who wrote it, no file is written:
# what needs approvals is held back then. Needs jq.
#
# Environment: BUGLE_OUT, BUGLE_WORKSPACE, TOKEN (contents and pull-requests: read), BUGLE_TEAMS (the slugs of teams that
# the rules name, separated by spaces), TEAMS_TOKEN (members: read of the organization; only for teams), and GitHub's own.
set -eu

api=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
work=$BUGLE_OUT/approvals
rm -rf "$work" "$BUGLE_OUT/approvals.json"
mkdir -p "$work"

# The secret goes in through a pipe: the arguments of a program can be read by others.
fetch() {
    printf 'header = "Authorization: Bearer %s"\n' "$1" |
        curl --config - --silent --show-error --fail --retry 3 --max-time 60 --output "$3" "$2"
}

# Every page of a list.
fetch_all() {
    page=1
    : > "$3.pages"
    while :; do
        fetch "$1" "$2?per_page=100&page=$page" "$3"
        cat "$3" >> "$3.pages"
        if [ "$(jq length "$3")" -lt 100 ]; then break; fi
        page=$((page + 1))
    done
    jq --slurp add "$3.pages" > "$3"
}

# Git's hash of the workspace's folder in a commit; nothing when it has none.
tree_of() {
    fetch "$TOKEN" "$api/git/commits/$1" "$work/commit.json" || return 0
    tree=$(jq --raw-output .tree.sha "$work/commit.json")
    rest=$(printf '%s' "${BUGLE_WORKSPACE:-campaigns}" | sed 's:/*$::; s:^\(\./*\)*::')
    while [ -n "$rest" ] && [ "$rest" != . ]; do
        fetch "$TOKEN" "$api/git/trees/$tree" "$work/tree.json"
        tree=$(jq --raw-output --arg name "${rest%%/*}" \
            '[.tree[] | select(.path == $name and .type == "tree")][0].sha // empty' "$work/tree.json")
        if [ -z "$tree" ]; then return 0; fi
        case $rest in
        */*) rest=${rest#*/} ;;
        *) rest= ;;
        esac
    done
    printf '%s\n' "$tree"
}

fetch "$TOKEN" "$api/commits/$GITHUB_SHA/pulls" "$work/pulls.json"
pull=$(jq --raw-output --arg sha "$GITHUB_SHA" --argjson repository "$GITHUB_REPOSITORY_ID" \
    '[.[] | select(.merged_at != null and .merge_commit_sha == $sha and .base.repo.id == $repository)][0].number // empty' \
    "$work/pulls.json")
if [ -z "$pull" ]; then
    echo "No pull request was merged as $GITHUB_SHA: nothing is known to be approved." >&2
    exit 0
fi
fetch "$TOKEN" "$api/pulls/$pull" "$work/pull.json"
fetch_all "$TOKEN" "$api/pulls/$pull/commits" "$work/commits.json"
fetch_all "$TOKEN" "$api/pulls/$pull/reviews" "$work/reviews.json"
# GitHub lists the first 250 commits only, and knows nobody by some addresses.
if ! jq --exit-status --slurpfile pull "$work/pull.json" \
    'length == $pull[0].commits and all(.[]; .author.login != null)' "$work/commits.json" > "$work/known"; then
    echo "Not every author of pull request $pull is known at GitHub: nothing is known to be approved." >&2
    exit 0
fi

jq --raw-output '[.[].commit_id // empty] | unique[]' "$work/reviews.json" > "$work/reviewed"
: > "$work/trees"
while read -r commit; do
    jq --null-input --arg commit "$commit" --arg tree "$(tree_of "$commit")" \
        '{($commit): (if $tree == "" then null else $tree end)}' >> "$work/trees"
done < "$work/reviewed"

: > "$work/teams"
for team in ${BUGLE_TEAMS:-}; do
    fetch_all "$TEAMS_TOKEN" "$GITHUB_API_URL/orgs/${GITHUB_REPOSITORY%%/*}/teams/$team/members" "$work/members.json"
    jq --arg team "$team" '.[] | {login, team: $team}' "$work/members.json" >> "$work/teams"
done

# A review that asks for changes takes an approval back; a comment does not. Whoever has an account may approve in a public
# repository: there count the people of BUGLE_TEAMS, and whom GitHub calls an owner, a member or a collaborator.
jq --null-input --slurpfile pull "$work/pull.json" --slurpfile commits "$work/commits.json" \
    --slurpfile reviews "$work/reviews.json" --slurpfile trees "$work/trees" --slurpfile teams "$work/teams" '
    {
        formatVersion: "1.0",
        authors: ([$pull[0].user.login] + [$commits[0][].author.login] | unique),
        approvals: [
            $reviews[0][]
            | select(.user != null and (.state == "APPROVED" or .state == "DISMISSED" or .state == "CHANGES_REQUESTED"))
            | . as $review
            | [$teams[] | select(.login == $review.user.login) | .team] as $of
            | select($of != [] or $pull[0].base.repo.private == true
                or (.author_association // "MEMBER" | IN("OWNER", "MEMBER", "COLLABORATOR")))
            | {
                person: .user.login,
                teams: $of,
                tree: ($trees | add // {} | .[$review.commit_id // ""]),
                at: .submitted_at,
                dismissed: (.state != "APPROVED")
            }
        ]
    }' > "$work/approvals.json"
mv "$work/approvals.json" "$BUGLE_OUT/approvals.json"
