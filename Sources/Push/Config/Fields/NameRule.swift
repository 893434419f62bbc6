extension NameRule {
    /// The rule as a regular expression in ECMA-262's dialect with the `u` flag, for searching in the name.
    package var pattern: String {
        switch self {
        case .resource: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
        case .deviceProfile: "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
        case .channel: "^[A-Za-z0-9_=\\-\\p{Unified_Ideograph}]{1,64}$"
        case .remote: "^[a-z0-9-]{1,32}$"
        case .label: "^[^=/]+$"
        case .environmentVariable: "^[A-Za-z_][A-Za-z0-9_]*$"
        case .bundleIdentifier: "^(?=.{1,255}$)[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$"
        case .appleIdentifier: "^[A-Z0-9]{10}$"
        case .customKey: "^(?!_)(?!(\(ReservedKey.names.joined(separator: "|")))$)[\\s\\S]"
        case .anyKey: "[\\s\\S]"
        case .language: "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"
        case .installationField: "^[A-Za-z][A-Za-z0-9_]{0,127}$"
        }
    }

    /// The rule in words that follow "use …".
    package var words: String {
        switch self {
        case .resource: "1 to 63 lower-case letters, digits and '-', with no '-' at either end"
        case .deviceProfile: "a letter, then at most 63 letters, digits, '_' and '-'"
        case .channel: "1 to 64 ASCII letters, digits, '_', '-', '=' and CJK ideographs"
        case .remote: "1 to 32 lower-case letters, digits and '-'"
        case .label: "a name without '=' and '/'"
        case .environmentVariable: "letters, digits and '_', with no digit at the beginning"
        case .bundleIdentifier: "letters, digits and '-' in parts that '.' joins, such as com.example.app"
        case .appleIdentifier: "10 upper-case letters and digits"
        case .customKey: "a key that is not reserved and does not begin with '_'"
        case .anyKey: "a key that is not empty"
        case .language: "a language as BCP 47 names it, such as en, pt-BR or zh-Hant"
        case .installationField: "a letter, then at most 127 letters, digits and '_'"
        }
    }

    /// ``words`` in Chinese.
    package var chinese: String {
        switch self {
        case .resource: "1 到 63 个小写字母、数字或 '-'，首尾不能是 '-'"
        case .deviceProfile: "以字母开头，其后最多 63 个字母、数字、'_' 或 '-'"
        case .channel: "1 到 64 个 ASCII 字母、数字、'_'、'-'、'=' 或汉字"
        case .remote: "1 到 32 个小写字母、数字或 '-'"
        case .label: "不含 '=' 和 '/' 的名称"
        case .environmentVariable: "字母、数字或 '_'，不以数字开头"
        case .bundleIdentifier: "用 '.' 连接的若干段，每段为字母、数字或 '-'，如 com.example.app"
        case .appleIdentifier: "10 个大写字母或数字"
        case .customKey: "不是保留字段、也不以 '_' 开头的字段名"
        case .anyKey: "非空的字段名"
        case .language: "BCP 47 语言标签，如 en、pt-BR、zh-Hant"
        case .installationField: "以字母开头，其后最多 127 个字母、数字或 '_'"
        }
    }

    /// The thing that a name of this rule names, for "… is not a valid …".
    var subject: String {
        switch self {
        case .resource: "name"
        case .deviceProfile: "name of a device profile"
        case .channel: "name of a channel"
        case .remote: "name of a remote"
        case .label: "label"
        case .environmentVariable: "name of an environment variable"
        case .bundleIdentifier: "bundle id"
        case .appleIdentifier: "id of a team or key"
        case .customKey, .anyKey: "key"
        case .language: "language"
        case .installationField: "field of an installation"
        }
    }
}

extension NameRule {
    /// True when a name follows the rule.
    package func accepts(_ name: String) -> Bool {
        let bytes = name.utf8
        switch self {
        case .resource:
            return (1...63).contains(bytes.count) && bytes.allSatisfy { $0.isLowerOrDigit || $0 == .dash }
                && bytes.first != .dash && bytes.last != .dash
        case .deviceProfile:
            return (1...64).contains(bytes.count) && bytes.first?.isLetter == true
                && bytes.allSatisfy { $0.isLetterOrDigit || $0 == .underscore || $0 == .dash }
        case .channel:
            return (1...64).contains(name.unicodeScalars.count) && name.unicodeScalars.allSatisfy(Self.isOfChannel)
        case .remote: return (1...32).contains(bytes.count) && bytes.allSatisfy { $0.isLowerOrDigit || $0 == .dash }
        case .label: return !name.isEmpty && !bytes.contains(UInt8(ascii: "=")) && !bytes.contains(UInt8(ascii: "/"))
        case .environmentVariable:
            return bytes.first.map { $0.isLetter || $0 == .underscore } == true
                && bytes.allSatisfy { $0.isLetterOrDigit || $0 == .underscore }
        case .bundleIdentifier:
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return parts.count > 1 && bytes.count <= 255
                && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetterOrDigit || $0 == .dash } }
        case .appleIdentifier:
            return bytes.count == 10 && bytes.allSatisfy { $0.isLetterOrDigit && !(0x61...0x7A).contains($0) }
        case .customKey: return !name.isEmpty && bytes.first != .underscore && !ReservedKey.contains(name)
        case .anyKey: return !name.isEmpty
        case .language: return LanguageTag.isName(name)
        case .installationField: return PersonalValue.isField(name)
        }
    }

    private static func isOfChannel(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.properties.isUnifiedIdeograph }
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        return byte.isLetterOrDigit || byte == .underscore || byte == .dash || byte == UInt8(ascii: "=")
    }
}

extension UInt8 {
    static let dash = UInt8(ascii: "-")
    static let underscore = UInt8(ascii: "_")

    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    var isLetterOrDigit: Bool { isLetter || isDigit }
    var isLowerOrDigit: Bool { (0x61...0x7A).contains(self) || isDigit }
}

/// The custom keys that a service reserves.
enum ReservedKey {
    /// All reserved names; names that begin with `_` are reserved too.
    static let names = [
        "aps", "alert", "title", "badge", "sound", "category", "thread-id", "content-available", "mutable-content",
        "collapse-id", "apns-priority", "apns-push-type", "target-content-id", "url-args", "silent", "action", "ios",
        "android", "mi", "hms", "mz", "honor", "vivo", "oppo", "fcm", "wp",
    ]

    private static let set = Set(names)

    static func contains(_ name: String) -> Bool { set.contains(name) }
}
