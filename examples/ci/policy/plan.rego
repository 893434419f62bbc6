# Objections to a plan of bugle.
package bugle

import rego.v1

sending contains change if {
	some change in input.changes
	change.kind == "Campaign"
	change.action in {"send", "schedule", "reschedule"}
}

deny contains sprintf("%s: its audience was not counted", [change.name]) if {
	some change in sending
	object.get(change, ["audience", "devices"], null) == null
}

deny contains sprintf("%s: %d devices, and nobody needs to approve it", [change.name, change.audience.devices]) if {
	some change in sending
	change.audience.devices >= 50000
	count(object.get(change, "requires", [])) == 0
}

deny contains sprintf("%s: it never expires", [change.name]) if {
	some change in sending
	object.get(change, ["delivery", "expires"], null) in {null, "never"}
}
