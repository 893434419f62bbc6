/// The app as pictures of its notifications show it.
package struct ShownApp: Hashable, Sendable {
    /// The name under its icon.
    package var name: String
    /// The icon, a PNG in base64; nil: the first letter of the name.
    package var icon: String?

    package init(name: String, icon: String? = nil) {
        self.name = name
        self.icon = icon
    }

    /// The problem with the bytes of an icon, in words that follow its name; nil when pictures can show it.
    package static func problem(withIcon bytes: [UInt8]) -> String? {
        guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            return "is no PNG"
        }
        guard bytes.count <= mostIconBytes else {
            return "has \(bytes.count.grouped) bytes; pages take up to \(mostIconBytes.grouped)"
        }
        // The header's width and height, after its length and name.
        func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (width, height) = (number(at: 16), number(at: 20))
        guard width == height, width > 0 else { return "is \(width) × \(height) pixels; it must be square" }
        return nil
    }

    /// The most bytes of an icon: every page with pictures contains it.
    package static let mostIconBytes = 65_536
}
