import Base
import Push
import Testing

/// The tables of fields, from which everything else comes.
@Suite struct FieldTableTests {
    /// One field with the keys that lead to it from its document.
    struct Place: Sendable, CustomStringConvertible {
        var kind: DocumentKind
        var path: [String]
        var field: FieldSpec

        var description: String { ([kind.rawValue] + path + [field.name]).joined(separator: ".") }
    }

    static let places: [Place] = DocumentKind.allCases.flatMap { places(of: $0.description, $0, []) }

    private static func places(of map: MapDescription, _ kind: DocumentKind, _ path: [String]) -> [Place] {
        map.fields.flatMap { field -> [Place] in
            let inner = path + [field.name]
            return [Place(kind: kind, path: path, field: field)] + places(in: field.type, kind, inner)
        }
    }

    private static func places(in type: FieldType, _ kind: DocumentKind, _ path: [String]) -> [Place] {
        switch type {
        case .map(let map): places(of: map, kind, path)
        case .entries(let inner, _): places(in: inner, kind, path + ["x"])
        case .either(let types): types.flatMap { places(in: $0, kind, path) }
        case .reference(let inner): places(in: inner, kind, path)
        case .list(.map(let map), _): places(of: map, kind, path + ["0"])
        case .constant, .name, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .scalar, .choice,
            .duration,
            .instant, .sendTime, .date, .recurrenceDay, .percentage, .timeOfDay, .timeZone, .url, .endpoint, .path,
            .workspacePath, .glob, .secret,
            .condition, .object, .list:
            []
        }
    }

    @Test func everyKindLeadsToAllMappings() {
        let names = Set(Self.places.map(\.description))
        #expect(Self.places.count > 100)
        for name in [
            "Workspace.remotes.x.hosts.broadcast", "Workspace.policy.quotas.devicesPerDay",
            "DeviceProfile.certificate.passphrase", "Channel.broadcast.storage", "Segment.where",
            "Campaign.message.android.silent", "Campaign.message.sound.volume", "Campaign.expiration.after",
        ] {
            #expect(names.contains(name), "\(name)")
        }
        #expect(!names.contains("Campaign.message.silent"))
        #expect(!names.contains("Campaign.message.ios.vendors"))
    }

    @Test(arguments: places)
    func aFieldIsDescribed(_ place: Place) {
        #expect(!place.field.documentation.isEmpty)
        #expect(!place.field.documentation.hasSuffix("."))
        #expect((1...24).contains(place.field.name.utf8.count))
    }

    /// Every field of the tables is read: a value that can fit none of them is said at its place.
    @Test(arguments: places.filter { $0.field.name != "kind" })
    func aFieldIsRead(_ place: Place) async {
        let type = if case .either(let types) = place.field.type { types[0] } else { place.field.type }
        let isList = if case .list = type { true } else { false }
        let value = isList ? "{a: [b]}" : "[[b]]"
        var line = ""
        if let first = place.path.first {
            line = "\(first): "
            // An element of a list has no key.
            for key in place.path.dropFirst() { line += key == "0" ? "[" : "{\(key): " }
            line += "{\(place.field.name): "
        } else {
            line = "\(place.field.name): "
        }
        let column = line.unicodeScalars.count + 1
        let ends =
            place.path.isEmpty ? "" : "}" + place.path.dropFirst().reversed().map { $0 == "0" ? "]" : "}" }.joined()
        let text = "kind: \(place.kind.rawValue)\n\(line)\(value)\(ends)\n"
        let lines = await place.kind == .workspace ? SampleFiles.lines(workspace: text) : SampleFiles.lines(text)
        let isSaid = lines.contains {
            $0.hasPrefix("2:\(column): error: ") && ($0.hasSuffix("[wrong-type]") || $0.hasSuffix("[plain-secret]"))
        }
        #expect(isSaid, "\(text)\(lines)")
    }

    @Test func namesAreComparedByteForByte() {
        let fields = Campaign.fields.description
        #expect(fields.place(of: Array("audience".utf8)[...]).map { fields.fields[$0].name } == "audience")
        for name in ["audiencE", "Audience", "", "\0", "audienc", "audiences"] {
            #expect(fields.place(of: Array(name.utf8)[...]) == nil, "\(name)")
        }
    }
}
