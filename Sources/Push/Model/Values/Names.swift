package import Base

/// Apple's two push environments.
package enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Apps from the App Store, TestFlight or ad hoc.
    case production
    /// Apps installed by Xcode.
    case development
}

/// The platforms a campaign can reach.
package enum Platform: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Apple's platform.
    case ios
    /// The platform of Google and its vendors.
    case android

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue > rhs.rawValue }
}

/// The kinds of resources, in the order in which they are created.
package enum ResourceKind: String, Hashable, Sendable, CaseIterable {
    /// A certificate or key that pushes to a set of devices.
    case deviceProfile = "DeviceProfile"
    /// A name that devices subscribe to.
    case channel = "Channel"
    /// A named condition on installations.
    case segment = "Segment"
    /// A message to an audience.
    case campaign = "Campaign"

    /// The word in text for people: `deviceProfile`, `channel`, `segment`, `campaign`.
    package var word: String { rawValue.prefix(1).lowercased() + rawValue.dropFirst() }
}

/// The place of a declaration.
package struct Origin: Sendable {
    /// The file, relative to the workspace.
    package var file: String
    /// The line of the document's first key, from 1.
    package var line: Int
    /// Finds the lines of single fields.
    package var fields: (any FieldLocating)?

    package init(file: String, line: Int, fields: (any FieldLocating)? = nil) {
        self.file = file
        self.line = line
        self.fields = fields
    }

    /// The position of a field; the document's first line when it is unknown.
    package func range(of path: [FieldPathElement]) -> SourceRange {
        fields?.range(of: path) ?? SourceRange(file: file, start: SourcePosition(line: line, column: 1))
    }
}
