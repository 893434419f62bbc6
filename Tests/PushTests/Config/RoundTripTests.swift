import Base
import Push
import Testing

/// Every field of a campaign from its file into the model and back, made from the tables.
@Suite struct RoundTripTests {
    /// What a campaign uses is not in it any more.
    static let places = FieldTableTests.places.filter {
        $0.kind == .campaign && !["kind", "use"].contains($0.field.name)
    }

    private static let base: JSONValue = [
        "kind": "Campaign", "name": "score", "audience": ["channels": ["Giants"]], "message": ["body": "Hi"],
    ]

    /// A document whose mapping at a path has the fields that it must have, and these.
    private static func document(_ path: [String], in map: MapDescription, _ own: [String: JSONValue]) -> JSONValue {
        func fill(_ value: JSONValue?, _ path: ArraySlice<String>, _ map: MapDescription, isTop: Bool) -> JSONValue {
            var value = value ?? [:]
            if !isTop {
                for field in map.fields where field.presence == .required && value[field.name] == nil {
                    value[field.name] = sample(field)
                }
            }
            guard let name = path.first else {
                for (name, sample) in own { value[name] = sample }
                return value
            }
            guard let field = map.fields.first(where: { $0.name == name }) else { return value }
            let inner = field.type.maps.first
            if case .entries = field.type, let inner {
                value[name] = ["de": fill(nil, path.dropFirst(2), inner, isTop: false)]
                return value
            }
            value[name] = inner.map {
                fill(isTop && value[name]?.object != nil ? value[name] : nil, path.dropFirst(), $0, isTop: false)
            }
            return value
        }
        return fill(base, path[...], map, isTop: true)
    }

    /// A value that is not the default.
    private static func sample(_ field: FieldSpec) -> JSONValue {
        let usual = if case .byDefault(let text) = field.presence { text } else { "" }
        return sample(field.type, besides: usual)
    }

    private static func sample(_ type: FieldType, besides usual: String) -> JSONValue {
        switch type {
        case .constant(let text): .string(text)
        case .name: "other"
        case .text: "text"
        case .boolean: .bool(usual != "true")
        case .onlyTrue: true
        case .integer(let range): .integer(Int64(range.lowerBound + 7))
        case .oneOfIntegers(let values): .integer(Int64(values.last ?? 0))
        case .number: 0.25
        case .choice(let values): .string(values.first { !usual.contains($0) } ?? "")
        case .duration: "90s"
        case .list(.percentage, _): ["12%", "100%"]
        case .instant, .sendTime: "2026-11-27T20:00:00+08:00"
        case .date: "2026-12-01"
        case .recurrenceDay: 15
        case .list(let type, _): [sample(type, besides: usual)]
        case .condition, .object: ["a": 1]
        case .entries(.map(let map), _): ["de": sample(.map(map), besides: usual)]
        case .entries: ["a": "b"]
        case .either(let types): types.first.map { sample($0, besides: usual) } ?? nil
        case .map(let map):
            .object(
                JSONObject(
                    map.fields.filter { $0.presence == .required || map.required.isEmpty }
                        .prefix(max(1, map.required.count))
                        .map { (key: $0.name, value: sample($0)) }))
        case .percentage: "12%"
        case .timeZone: "Asia/Shanghai"
        case .scalar, .timeOfDay, .url, .endpoint, .path, .workspacePath, .glob, .secret, .reference: nil
        }
    }

    /// The campaigns of these documents, in their order, whatever is wrong with them beside their fields.
    private func read(_ texts: [String]) async throws -> [Campaign] {
        let campaigns = try #require(await SampleFiles.load(texts).readable).campaigns
        let byFile = Dictionary(campaigns.map { ($0.origin.file, $0) }) { first, _ in first }
        return try texts.indices.map { try #require(byFile["\($0).yaml"]) }
    }

    /// The hash of a workspace that declares the campaign.
    private func digest(_ campaign: Campaign) -> Digest {
        let origin = Origin(file: "", line: 1)
        let segment = Segment(name: "other", origin: origin, condition: ["a": 1])
        return Workspace(name: "giants", origin: origin, segments: [segment], campaigns: [campaign]).desiredDigest
    }

    @Test func everyFieldIsReadWrittenAndHashed() async throws {
        func documents(_ own: (FieldSpec) -> [String: JSONValue]) -> [String] {
            Self.places.map { Self.document($0.path, in: $0.kind.description, own($0.field)).canonicalText }
        }
        let texts = documents { [$0.name: Self.sample($0)] }
        let (with, without) = try await (read(texts), read(documents { _ in [:] }))
        let written = with.map { ConfigurationText.text(of: $0) }
        let back = try await read(written)
        for (index, place) in Self.places.enumerated() {
            #expect(ConfigurationText.text(of: back[index]) == written[index])
            #expect(digest(back[index]) == digest(with[index]), "\(texts[index])\n\(written[index])")
            if place.field.presence != .required {
                #expect(digest(without[index]) != digest(with[index]), "\(texts[index])")
            }
        }
    }

    /// A property that no field sets would be at its default for ever.
    @Test func everyPropertyOfACampaignIsSetByAField() async throws {
        func properties(_ campaign: Campaign) -> [String: String] {
            let children = [Mirror(reflecting: campaign), Mirror(reflecting: campaign.audience)].flatMap(\.children)
            return Dictionary(children.map { ($0.label ?? "", "\($0.value)") }) { first, _ in first }
        }
        let places = Self.places.filter { $0.path.count < 2 && $0.path != ["message"] }
        let documents = places.map {
            Self.document($0.path, in: $0.kind.description, [$0.field.name: Self.sample($0.field)]).canonicalText
        }
        let campaigns = try await read([Self.base.canonicalText] + documents).map(properties)
        let usual = try #require(campaigns.first)
        let found = campaigns.flatMap { campaign in campaign.filter { usual[$0.key] != $0.value }.keys }
        #expect(
            Set(usual.keys).subtracting(found)
                == ["message", "occurrence", "languageField", "holdout", "frequency", "events", "fence", "parts"],
            "a message has tests of its own, only the planner makes an occurrence, the policy and the remote have the others"
        )
    }
}
