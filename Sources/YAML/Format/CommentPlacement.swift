/// Indents comments on lines of their own along with the code they belong to.
enum CommentPlacement {
    static func place(_ list: inout TokenList) {
        var before: Token?
        let following = following(in: list)
        for index in list.tokens.indices {
            let token = list.tokens[index]
            if token.kind == .comment {
                guard token.breaks > 0 || index == 0 else { continue }
                list.tokens[index].indentation = indentation(
                    of: token, between: before, and: following[index], list)
            } else {
                // Nothing is carried over a document boundary.
                before = token.kind == .marker || token.kind == .directive ? nil : token
            }
        }
    }

    /// For each token the index of the next one, or of itself, that is not a comment; nil where a document ends.
    private static func following(in list: TokenList) -> [Int?] {
        var next: Int?
        var places = [Int?](repeating: nil, count: list.tokens.count)
        for index in list.tokens.indices.reversed() {
            switch list.tokens[index].kind {
            case .comment: break
            case .marker, .directive: next = nil
            case .dash, .question, .colon, .comma, .open, .close, .property, .alias, .scalar, .blockHeader, .blockText:
                next = index
            }
            places[index] = next
        }
        return places
    }

    private static func indentation(
        of comment: Token, between before: Token?, and following: Int?, _ list: TokenList
    ) -> Int {
        if comment.place.flowDepth > 0 { return list.indentation(at: comment.place) }
        let next = following.map { list.tokens[$0] }
        guard let before else { return next?.indentation ?? 0 }
        let inner = chain(from: before.place.block, list)
        guard let next else {
            return choose(comment.column, candidates(before, inner, list)) ?? 0
        }
        guard let common = inner.firstIndex(where: { $0 == next.place.block }) else { return next.indentation }
        if common == 0, !(next.place.isEntry && before.awaitsValue) { return next.indentation }
        return choose(comment.column, candidates(before, Array(inner[...common]), list)) ?? next.indentation
    }

    /// The blocks around a place, innermost first.
    private static func chain(from block: Int?, _ list: TokenList) -> [Int] {
        var chain: [Int] = []
        var block = block
        while let index = block {
            chain.append(index)
            block = list.blocks[index].parent
        }
        return chain
    }

    private static func candidates(_ before: Token, _ blocks: [Int], _ list: TokenList) -> [(old: Int, new: Int)] {
        var candidates = blocks.map { (old: list.blocks[$0].column ?? 0, new: list.blocks[$0].indentation) }
        if before.awaitsValue, let inner = candidates.first { candidates.insert((inner.old + 1, inner.new + 2), at: 0) }
        return candidates
    }

    /// The new column of the innermost block that does not begin to the right of a comment; the outer one of a tie.
    private static func choose(_ column: Int, _ candidates: [(old: Int, new: Int)]) -> Int? {
        var chosen: (old: Int, new: Int)?
        for candidate in candidates where candidate.old <= column && candidate.old >= chosen?.old ?? 0 {
            chosen = candidate
        }
        return chosen?.new ?? candidates.last?.new
    }
}

extension Token {
    /// True if a value could follow the token.
    fileprivate var awaitsValue: Bool {
        switch kind {
        case .dash, .question, .colon: true
        case .marker, .directive, .comment, .comma, .open, .close, .property, .alias, .scalar, .blockHeader,
            .blockText:
            false
        }
    }
}
