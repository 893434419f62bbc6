package import Diagnostics

/// Apple's two push environments.
package enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Apps from the App Store, TestFlight or ad hoc.
    case production
    /// Apps that Xcode installed.
    case development
}

/// The platforms a campaign can reach.
package enum Platform: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Apple's.
    case ios
    /// Google's and its vendors'.
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

    /// The word in lines for people: `deviceProfile`, `channel`, `segment`, `campaign`.
    package var word: String { rawValue.prefix(1).lowercased() + rawValue.dropFirst() }
}

/// Where something was declared.
package struct Origin: Sendable {
    /// The file, relative to the workspace.
    package var file: String
    /// The line of the document's first key, from 1.
    package var line: Int
    /// Finds the lines of single fields.
    package var fields: (any FieldLocating)?

    /// Joins a file, a line and a finder of fields.
    package init(file: String, line: Int, fields: (any FieldLocating)? = nil) {
        self.file = file
        self.line = line
        self.fields = fields
    }

    /// Where a field stands; the document's first line when that is not known.
    package func range(of path: [FieldPathElement]) -> SourceRange {
        fields?.range(of: path) ?? SourceRange(file: file, start: SourcePosition(line: line, column: 1))
    }
}
