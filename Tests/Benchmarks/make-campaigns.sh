#!/bin/sh
# Writes a workspace of COUNT campaigns of about 1 KB each, with Chinese text, into the new or empty folder DIR:
#
#     sh make-campaigns.sh DIR COUNT
#
# The same arguments give the same files. The remote is a bugle-server on 127.0.0.1:8710 whose key is BUGLE_SERVER_KEY.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: make-campaigns.sh DIR COUNT" >&2
    exit 2
fi
directory=$1
count=$2
mkdir -p "$directory/campaigns"

cat > "$directory/bugle.yaml" <<'EOF'
kind: Workspace
name: bench
defaultRemote: local
remotes:
  local:
    type: leancloud
    url: http://127.0.0.1:8710
    appId: bench
    masterKey: {env: BUGLE_SERVER_KEY}
policy:
  maxAudience: 100000
  maxSendsPerApply: 20000
  requireExpiration: true
  allowEveryone: false
  quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Shanghai}
EOF

: > "$directory/channels.yaml"
separator=
for channel in 巨人队 老虎队 狮子队 雄鹰队 Giants; do
    printf '%skind: Channel\nname: %s\ndescription: %s 的比分与新闻\n' \
        "$separator" "$channel" "$channel" >> "$directory/channels.yaml"
    separator='---
'
done

awk -v directory="$directory/campaigns" -v count="$count" '
BEGIN {
    split("巨人队 老虎队 狮子队 雄鹰队 Giants", channels, " ")
    split("北京 上海 广州 深圳 成都 杭州 武汉 西安", cities, " ")
    for (number = 1; number <= count; number++) {
        name = sprintf("campaign-%06d", number)
        file = directory "/" name ".yaml"
        channel = channels[number % 5 + 1]
        city = cities[number % 8 + 1]
        home = number * 7 % 13
        away = number * 11 % 9
        printf "kind: Campaign\n" \
            "name: %s\n" \
            "description: 向关注%s比分的%s球迷发送第 %d 场比赛的结果\n" \
            "environment: production\n" \
            "labels:\n  team: %s\n  city: %s\n  season: \"2026\"\n" \
            "audience:\n  channels: [%s]\n  platforms: [ios]\n" \
            "  where:\n    scores: true\n    city: {$in: [%s, 天津]}\n    level: {$gte: %d}\n" \
            "message:\n  title: %s比赛结果\n" \
            "  subtitle: 第 %d 轮，%s主场\n" \
            "  body: \"今晚的比赛已经结束：%s以 %d 比 %d 结束了第 %d 场较量，点击查看精彩回放和赛后采访。\"\n" \
            "  badge: increment\n  sound: cheering.caf\n  threadId: scores-%d\n  category: score\n" \
            "  collapseId: score-%d\n  mutableContent: true\n" \
            "  data:\n    newsItem: 比分快报\n" \
            "    game: {id: %d, home: %d, away: %d, finished: true}\n    tags:\n      - 比分\n      - 回放\n" \
            "schedule:\n  at: 2035-10-12T20:00:00+08:00  # 比赛结束之后\n  window: 1h\n" \
            "expiration: {after: 7d}\nlimits: {minAudience: 0}\n", \
            name, channel, city, number, channel, city, channel, city, number % 9, channel, number % 38 + 1, city, \
            channel, home, away, number, number % 100, number, number, home, away > file
        close(file)
    }
}'
