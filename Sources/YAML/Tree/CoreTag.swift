/// The tags of the core schema of YAML 1.2.
enum CoreTag: String {
    case null
    case bool
    case int
    case float
    case str
    case seq
    case map
    /// `!`: the tag of a quoted scalar.
    case nonSpecific

    private static let prefix = "tag:yaml.org,2002:"

    /// Recognises a tag whose handle is resolved.
    init?(_ tag: String) {
        if tag == "!" {
            self = .nonSpecific
        } else if tag.hasPrefix(Self.prefix), let known = Self(rawValue: String(tag.dropFirst(Self.prefix.count))),
            known != .nonSpecific
        {
            self = known
        } else {
            return nil
        }
    }

    /// A tag as usually written: `!!str`.
    static func spelling(_ tag: String) -> String {
        tag.hasPrefix(prefix) ? "!!" + tag.dropFirst(prefix.count) : tag
    }

    /// The form of a scalar with this tag; nil when its text does not fit.
    func form(of text: ArraySlice<UInt8>) -> ScalarResolution? {
        let resolved = ScalarResolution(text)
        switch (self, resolved) {
        case (.str, _), (.nonSpecific, _): return .string
        case (.null, .null), (.bool, .bool), (.int, .integer), (.int, .hugeInteger), (.float, .float),
            (.float, .notFinite):
            return resolved
        case (.float, .integer), (.float, .hugeInteger):
            // `0o17` and `0x1f` are not floats.
            return ScalarResolution.double(text) == nil || text.contains { $0 >= UInt8(ascii: "A") } ? nil : .float
        default: return nil
        }
    }
}
