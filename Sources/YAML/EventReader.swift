internal import CYAML

/// Walks the events of one text: owns libyaml's parser and a copy of the bytes it reads.
///
/// `yaml_parser_t` holds its own address once it has an input, so it lives in one heap allocation that never moves.
@safe struct EventReader: ~Copyable {
    /// An error of libyaml, with its context.
    struct Problem {
        var message: String
        var mark: Mark
        var context: String?
        var contextMark: Mark
    }

    // Allocated in `init`, released in `deinit`, and never shared.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let isReady: Bool

    /// Copies `bytes`, which are UTF-8 without a byte-order mark.
    init(_ bytes: ArraySlice<UInt8>) {
        // Freed in `deinit` only. One byte more than needed: libyaml requires an input that is not null.
        unsafe input = .allocate(capacity: bytes.count + 1)
        unsafe _ = input.initialize(from: bytes)
        unsafe parser = .allocate(capacity: 1)
        unsafe event = .allocate(capacity: 1)
        // libyaml zeroes both before it reads from them; 0 means that memory ran out and nothing is left to delete.
        unsafe isReady = yaml_parser_initialize(parser) == 1
        guard isReady else { return }
        // Neither the parser nor the input moves or is freed before `deinit`.
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        // The parser points into the input, so it is deleted first.
        if isReady { unsafe yaml_parser_delete(parser) }
        unsafe event.deallocate()
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// Returns the next event, appending a scalar's value to `text` and storing a node's anchor and tag in `names`.
    mutating func next(appendingTo text: inout [UInt8], naming names: inout EventNames) -> Event {
        // 0: the text is not well-formed, or memory ran out.
        guard isReady, unsafe yaml_parser_parse(parser, event) == 1 else { return Event(kind: .failure) }
        // The event's memory is released before this returns.
        defer { unsafe yaml_event_delete(event) }
        return unsafe Self.read(event, &text, &names)
    }

    /// The reason why the last event was a failure.
    var problem: Problem {
        // A parser that is ready can be read until `deinit`.
        guard isReady, unsafe parser.pointee.error != YAML_MEMORY_ERROR else {
            return Problem(message: "not enough memory", mark: Mark(), context: nil, contextMark: Mark())
        }
        // libyaml's texts are string constants of the library.
        let context = unsafe parser.pointee.context.map { unsafe String(cString: $0) }
        let isReader = unsafe parser.pointee.error == YAML_READER_ERROR
        return Problem(
            message: unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "not well-formed YAML",
            mark: unsafe Mark(isReader ? parser.pointee.mark : parser.pointee.problem_mark), context: context,
            contextMark: unsafe Mark(parser.pointee.context_mark))
    }
}

extension EventReader {
    /// Copies the needed parts out of the union, through the member for the event's type.
    private static func read(
        _ event: UnsafeMutablePointer<yaml_event_t>, _ text: inout [UInt8], _ names: inout EventNames
    ) -> Event {
        // The C event and the strings it owns outlive this call.
        var result = unsafe Event(
            kind: kind(event.pointee.type), start: Mark(event.pointee.start_mark), end: Mark(event.pointee.end_mark))
        switch result.kind {
        case .scalar:
            let scalar = unsafe event.pointee.data.scalar
            unsafe text.append(contentsOf: UnsafeBufferPointer(start: scalar.value, count: scalar.length))
            result.style = unsafe style(scalar.style)
            result.hasNames = unsafe keep(scalar.anchor, scalar.tag, in: &names)
        case .mappingStart:
            let mapping = unsafe event.pointee.data.mapping_start
            result.style = unsafe mapping.style == YAML_FLOW_MAPPING_STYLE ? .flow : .block
            result.hasNames = unsafe keep(mapping.anchor, mapping.tag, in: &names)
        case .sequenceStart:
            let sequence = unsafe event.pointee.data.sequence_start
            result.style = unsafe sequence.style == YAML_FLOW_SEQUENCE_STYLE ? .flow : .block
            result.hasNames = unsafe keep(sequence.anchor, sequence.tag, in: &names)
        case .alias:
            result.hasNames = unsafe keep(event.pointee.data.alias.anchor, nil, in: &names)
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd, .failure: break
        }
        return result
    }

    private static func kind(_ type: yaml_event_type_t) -> Event.Kind {
        switch type {
        case YAML_SCALAR_EVENT: .scalar
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_MAPPING_END_EVENT: .mappingEnd
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_ALIAS_EVENT: .alias
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_STREAM_START_EVENT: .streamStart
        // `YAML_STREAM_END_EVENT`, and `YAML_NO_EVENT`, which libyaml returns after the end.
        default: .streamEnd
        }
    }

    private static func style(_ style: yaml_scalar_style_t) -> Event.Style {
        switch style {
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        default: .plain
        }
    }

    private static func keep(
        _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?,
        in names: inout EventNames
    ) -> Bool {
        // Both are C strings that the event owns.
        guard unsafe anchor != nil || tag != nil else { return false }
        names.anchor = unsafe anchor.map { unsafe String(cString: $0) }
        names.tag = unsafe tag.map { unsafe String(cString: $0) }
        return true
    }
}

extension Mark {
    fileprivate init(_ mark: yaml_mark_t) {
        // A text is at most 1 MiB, so every count fits.
        index = UInt32(truncatingIfNeeded: mark.index)
        line = UInt32(truncatingIfNeeded: mark.line)
        column = UInt32(truncatingIfNeeded: mark.column)
    }
}

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

/// The libyaml in use.
package enum LibyamlVersion {
    /// The version, such as `0.2.5`.
    package static var text: String {
        // A constant of the library.
        unsafe String(cString: yaml_get_version_string())
    }
}
