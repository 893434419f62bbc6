/// One piece of a file that is not white space: what stays when the layout changes.
struct Token {
    /// What it is.
    enum Kind: Hashable {
        /// `---` or `...`.
        case marker
        /// A line that begins with `%`.
        case directive
        /// `#` and what follows on the line.
        case comment
        /// `-` before an element.
        case dash
        /// `?` before a key.
        case question
        /// `:` after a key.
        case colon
        /// `,` between elements in brackets.
        case comma
        /// `[` or `{`.
        case open
        /// `]` or `}`.
        case close
        /// `&name` or `!tag`.
        case property
        /// `*name`.
        case alias
        /// A plain or quoted value, on one line or several.
        case scalar
        /// `|` or `>` with its indicators.
        case blockHeader
        /// The lines below a block header, from the first to the last that is not empty.
        case blockText
    }

    let kind: Kind
    /// Its bytes in the file.
    let range: Range<Int>
    /// Characters before it on its line.
    let column: Int
    /// Line breaks between the token before and this one.
    let breaks: Int
    /// Whether white space stands right before it.
    let isApart: Bool
    /// Where it stands among the blocks.
    var place: Place
    /// Spaces before it when it is the first of its line.
    var indentation = 0
    /// Whether every line break after it belongs to its value.
    var keepsBreaks = false
    /// Whether a line break added after it would become part of its value.
    var endsWithoutBreak = false
    /// Spaces that a block text's lines have to lose.
    var oldIndentation = 0

    /// Where a token stands among the collections around it.
    struct Place {
        /// The innermost block collection, as an index; nil outside all.
        var block: Int?
        /// Whether it begins an entry of that collection, rather than standing in one.
        var isEntry = false
        /// The brackets around it.
        var flowDepth = 0
    }
}

/// A mapping or list without brackets.
struct Block {
    /// The one around it, as an index.
    let parent: Int?
    /// How many are around it.
    let depth: Int
    /// The column of its entries in the file; nil until the first is met.
    var column: Int?

    /// The column of its entries in the canonical layout: two a level.
    var indentation: Int { 2 * depth }
}

/// A file taken apart.
struct TokenList {
    let bytes: [UInt8]
    var tokens: [Token] = []
    var blocks: [Block] = []
    /// Line breaks after the last token.
    var trailingBreaks = 0

    /// The column at which a value inside a block collection stands on a line of its own.
    func valueIndentation(in block: Int?) -> Int { block.map { blocks[$0].indentation + 2 } ?? 0 }

    /// The column of a token that is the first of its line.
    func indentation(at place: Token.Place) -> Int {
        if place.flowDepth > 0 { return valueIndentation(in: place.block) + 2 * place.flowDepth }
        if place.isEntry, let block = place.block { return blocks[block].indentation }
        return valueIndentation(in: place.block)
    }

    /// What must be the same before and after: every token but the values, which are compared by what they mean.
    var frame: [[UInt8]] {
        tokens.filter { $0.kind != .scalar && $0.kind != .blockText }.map { Array(bytes[$0.range]) }
    }
}

extension UInt8 {
    /// Whether it is a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// Whether it ends a line, or is the first of two that do.
    var isBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
