# Objections to a plan of bugle, a line each.
def sends: .action == "send" or .action == "schedule" or .action == "reschedule";

.changes[]
| select(.kind == "Campaign" and sends)
| (select(.audience.devices == null) | "\(.name): its audience was not counted"),
  (select((.audience.devices // 0) >= 50000 and (.requires // []) == [])
    | "\(.name): \(.audience.devices) devices, and nobody needs to approve it"),
  (select((.delivery.expires // "never") == "never") | "\(.name): it never expires")
