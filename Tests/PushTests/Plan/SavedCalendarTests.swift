internal import Base
internal import Testing

@testable internal import Push

/// The members `calendar` and `certificates` of a plan file.
@Suite struct SavedCalendarTests {
    @Test func theCalendarStandsInThePlanFileAsPeopleWriteTimes() throws {
        let calendar = try #require(PlanFixtures.reviewed().json["calendar"])
        #expect(calendar["quietHours"] == ["from": "22:05", "to": "08:00", "timeZone": "Asia/Shanghai"])
        #expect(calendar["minimumGap"] == "90s" && calendar["otherCollisions"] == 7)
        #expect(
            calendar["collisions"]?.array?.first == ["first": "plain", "second": "plain", "apart": "61s", "devices": 3])
        let entry = try #require(calendar["entries"]?.array?.last)
        #expect(entry["at"] == "2026-11-20T08:30:01.500-03:30" && entry["blocked"] == true)
        #expect(
            entry["localTimes"]?.array?.first == [
                "timeZone": "Asia/Shanghai", "devices": 12, "at": "2026-11-20T20:00:00+08:00", "remark": "plain",
            ])
    }

    @Test func aCertificateStandsInThePlanFile() throws {
        let certificates = try #require(PlanFixtures.reviewed().json["certificates"]?.array)
        #expect(
            certificates.last == [
                "name": "bare", "environment": "production", "topic": "t", "topics": [], "keyId": nil,
                "fingerprint": nil, "expiresAt": nil, "daysLeft": nil, "campaigns": [],
            ])
    }

    @Test func aPlanOfAnOlderVersionHasNeitherAndIsRead() throws {
        let plan = PlanFixtures.plan()
        #expect(plan.json["calendar"] == nil && plan.json["certificates"] == nil)
        let read = try Plan.read(saved: plan.savedBytes())
        #expect(read.calendar == PlanCalendar() && read.certificates == [])
    }

    @Test(
        arguments: [
            (
                "otherCollisions", .integer(.max),
                "calendar.otherCollisions is not an allowed number, '9223372036854775807'"
            ),
            ("minimumGap", "long", "calendar.minimumGap has a value that this version does not know, 'long'"),
            (
                "quietHours", ["from": "25:00", "to": "08:00", "timeZone": "UTC"],
                "calendar.quietHours.from has a value that this version does not know, '25:00'"
            ),
            (
                "quietHours", ["from": "22:00", "to": "-8:30", "timeZone": "UTC"],
                "calendar.quietHours.to has a value that this version does not know, '-8:30'"
            ),
            (
                "quietHours", ["from": "22:00", "to": "08:00", "timeZone": "Mars/Olympus"],
                "calendar.quietHours.timeZone has a value that this version does not know, 'Mars/Olympus'"
            ),
            (
                "entries", [["at": "soon", "blocked": false, "localTimes": []]],
                "calendar.entries[0].at has a value that this version does not know, 'soon'"
            ),
            (
                "entries", [["at": "2026-11-20T12:00:00Z", "action": "shout", "blocked": false, "localTimes": []]],
                "calendar.entries[0].action has a value that this version does not know, 'shout'"
            ),
            ("entries", [["at": "2026-11-20T12:00:00Z"]], "calendar.entries[0].blocked is missing"),
            (
                "collisions", [["first": "a", "second": "b", "apart": "near"]],
                "calendar.collisions[0].apart has a value that this version does not know, 'near'"
            ),
        ] as [(String, JSONValue, String)])
    func aWrongValueOfACalendarIsNamed(_ member: String, _ value: JSONValue, _ reason: String) throws {
        var json = PlanFixtures.reviewed().json
        json["calendar"]?[member] = value
        #expect(SavedPlanTests.fault(SavedPlanTests.sealed(json)) == SavedPlanTests.notAPlan(reason))
    }

    @Test func aWrongValueOfACertificateIsNamed() throws {
        var json = PlanFixtures.reviewed().json
        json["certificates"] = [["name": "x", "environment": "moon", "topic": "t", "topics": [], "campaigns": []]]
        let reason = "certificates[0].environment has a value that this version does not know, 'moon'"
        #expect(SavedPlanTests.fault(SavedPlanTests.sealed(json)) == SavedPlanTests.notAPlan(reason))
    }
}
