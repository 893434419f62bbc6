/// A position in the text as libyaml counts it: characters, lines and columns from 0, without the byte-order mark.
struct Mark: Equatable {
    var index: UInt32 = 0
    var line: UInt32 = 0
    var column: UInt32 = 0
}

/// One parser event of libyaml, copied out of the C event.
struct Event {
    enum Kind: UInt8 {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias
        case scalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// The text is not well-formed; `EventReader.problem` has the reason.
        case failure
    }

    enum Style: UInt8 {
        case plain
        case quoted
        /// `|` or `>`, or an indented collection.
        case block
        /// A collection in brackets.
        case flow
    }

    var kind: Kind
    var style = Style.plain
    var start = Mark()
    var end = Mark()
    /// True if the node has an anchor or a tag, which `EventNames` then holds.
    var hasNames = false
}

/// The names that few events have, kept apart so that events are cheap to pass on.
struct EventNames {
    /// The name after `&`, or after `*` in an alias.
    var anchor: String?
    /// The tag, its handle resolved.
    var tag: String?
}
