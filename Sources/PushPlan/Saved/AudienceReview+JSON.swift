internal import JSONValue
internal import PushModel

extension PlannedAudience {
    /// The members that cli.md lists, and what else is known; what is not known is left out.
    var orderedJSON: OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("devices", .integer(devices)), ("description", .string(description)),
        ]
        if let explanation = review.explanation { members.append(("explanation", explanation.orderedJSON)) }
        if !review.environments.isEmpty {
            let environments = review.environments.map { ($0.key.rawValue, $0.value) }
            members.append(("environments", .counts(Dictionary(uniqueKeysWithValues: environments))))
        }
        if let last = review.lastDelivery {
            members.append(
                (
                    "lastDelivery",
                    [
                        "revision": .integer(last.revision), "at": .string(last.at.exactText),
                        "devices": .integer(last.devices),
                    ]
                ))
        }
        if !review.overlaps.isEmpty {
            let overlaps = review.overlaps.map { overlap -> OrderedJSON in
                ["campaign": .string(overlap.campaign), "devices": .integer(overlap.devices)]
            }
            members.append(("overlaps", .array(overlaps)))
        }
        return .object(members)
    }
}

extension AudienceExplanation {
    fileprivate var orderedJSON: OrderedJSON {
        var members: [(String, OrderedJSON)] = [("devices", .integer(devices))]
        let skipped = Dictionary(uniqueKeysWithValues: skipped.map { ($0.key.rawValue, $0.value) })
        let counts = [
            ("platforms", platforms), ("deviceProfiles", deviceProfiles), ("timeZones", timeZones),
            ("skipped", skipped),
        ]
        for (name, numbers) in counts where !numbers.isEmpty { members.append((name, .counts(numbers))) }
        if let timeZoneSample { members.append(("timeZoneSample", .integer(timeZoneSample))) }
        return .object(members)
    }
}

extension OrderedJSON {
    /// Numbers by name.
    fileprivate static func counts(_ numbers: [String: Int]) -> OrderedJSON {
        .value(.object(JSONObject(numbers.mapValues { JSONValue.integer(Int64($0)) })))
    }
}

extension SavedChange.Audience {
    /// The audience, with every text understood; `path` names it in errors.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`.
    func planned(_ path: String) throws(SavedPlanError) -> PlannedAudience {
        var audience = PlannedAudience(
            devices: try devices.map { devices throws(SavedPlanError) in try counted(devices, path + ".devices") },
            description: description)
        audience.review.explanation = try explanation?.explanation(path + ".explanation")
        for (name, devices) in environments ?? [:] {
            let environment = try known(PushEnvironment(rawValue: name), path + ".environments", name)
            audience.review.environments[environment] = try counted(devices, path + ".environments")
        }
        if let last = lastDelivery {
            audience.review.lastDelivery = AudienceReview.LastDelivery(
                revision: last.revision, at: last.at, devices: try counted(last.devices, path + ".lastDelivery"))
        }
        for overlap in overlaps ?? [] {
            audience.review.overlaps.append(
                AudienceReview.Overlap(
                    campaign: overlap.campaign, devices: try counted(overlap.devices, path + ".overlaps")))
        }
        return audience
    }
}

extension SavedChange.Audience.Explanation {
    fileprivate func explanation(_ path: String) throws(SavedPlanError) -> AudienceExplanation {
        var reasons: [AudienceExplanation.Skip: Int] = [:]
        for (name, devices) in skipped ?? [:] {
            let skip = try known(AudienceExplanation.Skip(rawValue: name), path + ".skipped", name)
            reasons[skip] = try counted(devices, path + ".skipped")
        }
        for counts in [platforms, deviceProfiles, timeZones] {
            for devices in (counts ?? [:]).values { _ = try counted(devices, path) }
        }
        if let timeZoneSample { _ = try counted(timeZoneSample, path + ".timeZoneSample") }
        _ = try counted(devices, path + ".devices")
        return AudienceExplanation(
            devices: devices, platforms: platforms ?? [:], deviceProfiles: deviceProfiles ?? [:],
            timeZones: timeZones ?? [:], timeZoneSample: timeZoneSample, skipped: reasons)
    }
}

/// A number of devices, pairs or lines, as it can be: sums and shares of such numbers are safe to make.
///
/// - Throws: ``SavedPlanError`` with `notAPlan`, naming the member.
func counted(_ number: Int, _ member: String) throws(SavedPlanError) -> Int {
    guard (0...1_000_000_000_000).contains(number) else {
        throw .notAPlan("\(member) is no such number, '\(number)'")
    }
    return number
}
