/// One piece of a file that is not white space: the part that stays when the layout changes.
struct Token {
    /// The kinds of tokens.
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
    /// The byte range in the file.
    let range: Range<Int>
    /// The number of characters before it on its line.
    let column: Int
    /// The number of line breaks between the previous token and this one.
    let breaks: Int
    /// True if white space stands right before it.
    let isApart: Bool
    /// The place among the blocks.
    var place: Place
    /// The number of spaces before it when it is the first on its line.
    var indentation = 0
    /// True if every line break after it belongs to its value.
    var keepsBreaks = false
    /// True if a line break added after it would become part of its value.
    var endsWithoutBreak = false
    /// The number of spaces to remove from a block text's lines.
    var oldIndentation = 0

    /// The place of a token among the collections around it.
    struct Place {
        /// The index of the innermost block collection; nil outside all.
        var block: Int?
        /// True if it begins an entry of that collection, rather than standing in one.
        var isEntry = false
        /// The number of brackets around it.
        var flowDepth = 0
    }
}

/// A mapping or list without brackets.
struct Block {
    /// The index of the enclosing block.
    let parent: Int?
    /// The number of enclosing blocks.
    let depth: Int
    /// The column of its entries in the file; nil until the first one is read.
    var column: Int?

    /// The column of its entries in the canonical layout: two per level.
    var indentation: Int { 2 * depth }
}

/// The tokens of a file.
struct TokenList {
    let bytes: [UInt8]
    var tokens: [Token] = []
    var blocks: [Block] = []
    /// The number of line breaks after the last token.
    var trailingBreaks = 0

    /// The column of a value on a line of its own inside a block collection.
    func valueIndentation(in block: Int?) -> Int { block.map { blocks[$0].indentation + 2 } ?? 0 }

    /// The column of a token that is the first on its line.
    func indentation(at place: Token.Place) -> Int {
        if place.flowDepth > 0 { return valueIndentation(in: place.block) + 2 * place.flowDepth }
        if place.isEntry, let block = place.block { return blocks[block].indentation }
        return valueIndentation(in: place.block)
    }

    /// The tokens that must be the same before and after: all but the values, which are compared by meaning.
    var frame: [[UInt8]] {
        tokens.filter { $0.kind != .scalar && $0.kind != .blockText }.map { Array(bytes[$0.range]) }
    }
}

extension UInt8 {
    /// True for a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// True for a byte that ends a line, or the first of two that do.
    var isBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
