internal import JSONValue
internal import PushModel

extension PlanCalendar {
    /// The member `calendar` of a plan file.
    var orderedJSON: OrderedJSON {
        [
            "quietHours": quietHours.map { quiet in
                [
                    "from": .string(QuietHours.timeOfDay(quiet.from)), "to": .string(QuietHours.timeOfDay(quiet.to)),
                    "timeZone": .string(quiet.timeZone),
                ]
            } ?? .null,
            "minimumGap": .string(minimumGap.configurationText),
            "entries": .list(entries.count) { [entries] in entries[$0].orderedJSON },
            "collisions": .array(collisions.map(\.orderedJSON)),
            "otherCollisions": .integer(otherCollisions),
        ]
    }
}

extension PlanCalendar.Entry {
    fileprivate var orderedJSON: OrderedJSON {
        [
            "campaign": .string(campaign),
            "action": .string(action?.rawValue),
            "at": .string(at.exactText),
            "latestStart": .string(latestStart?.exactText),
            "expiresAt": .string(expiresAt?.exactText),
            "blocked": .value(.bool(isBlocked)),
            "localTimes": .array(localTimes.map(\.orderedJSON)),
        ]
    }
}

extension PlanCalendar.LocalTime {
    fileprivate var orderedJSON: OrderedJSON {
        [
            "timeZone": .string(timeZone), "devices": .integer(devices), "at": .string(at.exactText),
            "remark": .string(remark),
        ]
    }
}

extension PlanCalendar.Collision {
    fileprivate var orderedJSON: OrderedJSON {
        [
            "first": .string(first), "second": .string(second), "apart": .string(apart.configurationText),
            "devices": .integer(devices),
        ]
    }
}

extension PlannedCertificate {
    /// An element of the member `certificates` of a plan file.
    var orderedJSON: OrderedJSON {
        [
            "name": .string(name),
            "environment": .string(environment.rawValue),
            "topic": .string(topic),
            "topics": .array(topics.map { .string($0) }),
            "keyId": .string(keyId),
            "fingerprint": .string(fingerprint),
            "expiresAt": .string(expiresAt?.exactText),
            "daysLeft": .integer(daysLeft),
            "campaigns": .array(campaigns.map { .string($0) }),
        ]
    }
}
