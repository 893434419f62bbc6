internal import Base
internal import DeviceRegistry
internal import Push

/// How the value of a setting is written, in all of its sources.
struct SettingFormat<Value> {
    /// What stands for the value in the help; nil for an option without one.
    let placeholder: String?
    var isPath = false
    /// True if the file may give a list of values.
    var isList = false
    /// The value that names a source, if a file may name one.
    var source: ((SecretSource) -> Value)?
    /// Reads a text.
    let parse: (String) throws(SettingError) -> Value

    /// Creates a format that reads a text or says what the setting takes.
    init(_ placeholder: String?, takes values: String, _ parse: @escaping (String) -> Value?) {
        self.init(placeholder: placeholder) { (text) throws(SettingError) in
            guard let value = parse(text) else { throw SettingError("takes \(values)") }
            return value
        }
    }

    private init(placeholder: String?, parse: @escaping (String) throws(SettingError) -> Value) {
        self.placeholder = placeholder
        self.parse = parse
    }

    /// The same for a setting that may be absent.
    var optional: SettingFormat<Value?> {
        let parse = parse
        var format = SettingFormat<Value?>(placeholder: placeholder) { (text) throws(SettingError) in try parse(text) }
        (format.isPath, format.isList, format.source) = (isPath, isList, source)
        return format
    }
}

extension SettingFormat where Value == SecretSource {
    /// A key, which is in the variable of the setting or in the source that a file names.
    static var secret: Self {
        var format = Self(nil, takes: "a source") { _ in nil }
        format.source = { $0 }
        return format
    }
}

extension SettingFormat where Value == DataPlace {
    static var place: Self {
        var format = Self(placeholder: "FILE|URL") { (text) throws(SettingError) in try DataPlace(text) }
        (format.isPath, format.source) = (true, DataPlace.secret)
        return format
    }
}

extension SettingFormat where Value == ListenAddress {
    static var address: Self {
        Self("HOST:PORT", takes: "HOST:PORT, or [ADDRESS]:PORT for IPv6, with a port up to 65535") { ListenAddress($0) }
    }
}

extension SettingFormat where Value == Bool {
    static var flag: Self { Self("BOOLEAN", takes: "true or false") { Bool($0) } }

    /// A flag whose option takes no value.
    static var presence: Self { Self(nil, takes: "true or false") { Bool($0) } }
}

extension SettingFormat where Value == Int {
    static func count(_ range: ClosedRange<Int>) -> Self {
        Self("COUNT", takes: range.words) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// A size such as `20MB`, in binary multiples as LeanCloud counts.
    static var size: Self {
        Self("SIZE", takes: "a size such as 500kB or 20MB, up to 1024MB") { text in
            var (digits, unit) = (text[...], 1)
            for (name, size) in [("kB", 1024), ("MB", 1024 * 1024)] where text.hasSuffix(name) {
                (digits, unit) = (text.dropLast(name.count), size)
            }
            guard let number = Int(digits), (1...1_073_741_824).contains(number), number * unit <= 1_073_741_824 else {
                return nil
            }
            return number * unit
        }
    }
}

extension SettingFormat where Value == ConnectionShare {
    static var share: Self {
        let range = 1...1_000_000
        return Self("COUNT", takes: range.words + " or off") { text in
            if text == "off" { return .off }
            return Int(text).flatMap { range.contains($0) ? .most($0) : nil }
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var words: String { "a whole number from \(lowerBound) to \(upperBound)" }
}

extension SettingFormat where Value == Duration {
    static var duration: Self { Self("DURATION", takes: durationWords) { Duration(setting: $0) } }
}

extension SettingFormat where Value == Duration? {
    static var durationOrOff: Self {
        Self("DURATION", takes: durationWords + " or off") { text in
            text == "off" ? .some(nil) : Duration(setting: text).map(Optional.some)
        }
    }
}

private let durationWords = "a time such as 30s, 15m or 2h, up to a year"

extension Duration {
    fileprivate init?(setting text: String) {
        // Tests use milliseconds.
        let milliseconds = text.hasSuffix("ms") ? Int64(text.dropLast(2)).map(Duration.milliseconds) : nil
        guard let duration = milliseconds ?? Duration(configurationText: text), duration > .zero,
            duration <= .seconds(31_622_400)
        else { return nil }
        self = duration
    }
}

extension SettingFormat where Value: CaseIterable & RawRepresentable<String> {
    static func choice(_ placeholder: String) -> Self {
        Self(placeholder, takes: Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0) }
    }
}

extension SettingFormat where Value == String {
    static func path(_ placeholder: String) -> Self {
        var format = Self(placeholder, takes: "a path") { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
        format.isPath = true
        return format
    }

    static var appID: Self {
        Self("ID", takes: "the app's id: visible ASCII without spaces") { text in
            let isID = !text.isEmpty && text.utf8.count <= 256 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isID ? text : nil
        }
    }

    static var host: Self {
        Self("HOST", takes: "HOST or HOST:PORT; it is always reached over https") { host($0) }
    }

    /// The scheme, host and port of a backend: requests to it must not be readable on the way.
    static var origin: Self {
        Self("URL", takes: "https://HOST or https://HOST:PORT, or http:// with an address of this machine") { text in
            let url = text.hasSuffix("/") ? String(text.dropLast()) : text
            let isPlain = url.hasPrefix("http://")
            guard isPlain || url.hasPrefix("https://") else { return nil }
            let authority = String(url.dropFirst(isPlain ? 7 : 8))
            guard !authority.contains("/"), host(authority) == authority else { return nil }
            let address = ListenAddress(authority + (ListenAddress(authority) == nil ? ":80" : ""))
            return !isPlain || address?.isLoopback == true ? url : nil
        }
    }

    private static func host(_ text: String) -> String? {
        var host = text[...]
        if host.hasPrefix("https://") { host = host.dropFirst("https://".count) }
        if host.hasSuffix("/") { host.removeLast() }
        let isPlain = host.utf8.allSatisfy { $0.isLetterOrDigit || ".-:[]".utf8.contains($0) }
        guard !host.isEmpty, isPlain, ListenAddress(String(host)) != nil || !host.contains(":") else { return nil }
        return String(host)
    }
}

extension SettingFormat where Value == TrustedProxies {
    static var proxies: Self {
        let values = "addresses such as ::1 and networks such as 10.0.0.0/8 (no bit set after the prefix), no names"
        var format = Self("NETWORKS", takes: values) { text in
            TrustedProxies(text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") })
        }
        format.isList = true
        return format
    }
}

extension SettingFormat where Value == [String] {
    static var fields: Self {
        var format = Self(placeholder: "FIELDS") { (text) throws(SettingError) in
            // An empty list has no separator either.
            let parts = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
            var fields: [String] = []
            for part in parts {
                let field = part.split(separator: " ").joined(separator: " ")
                do throws(RegistryError) {
                    try Registry.checkIndexable(field)
                } catch {
                    let shown = quoted(String(field.prefix(64)))
                    throw SettingError(
                        "takes names of fields, letters, digits and '_' without dots, which \(shown) is not")
                }
                if !fields.contains(field) { fields.append(field) }
            }
            guard fields.count <= Registry.mostIndexedFields else {
                throw SettingError("takes \(Registry.mostIndexedFields) fields at most, and these are \(fields.count)")
            }
            return fields
        }
        format.isList = true
        return format
    }
}
