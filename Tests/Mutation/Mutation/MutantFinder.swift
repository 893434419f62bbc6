internal import SwiftSyntax

/// Finds the mutants of a file, and the edits that put them into it.
///
/// Edits only insert, and replace single words, so every line stays where it is.
final class MutantFinder: SyntaxVisitor {
    private(set) var mutants: [Mutant] = []
    private(set) var edits: [Edit] = []
    private let first: Int
    private let file: String
    private let lines: SourceLocationConverter
    /// The names of local constants that are assigned later: without the assignment the file does not compile.
    private let assignedLater: Set<String>
    private let sourceLines: [Substring]

    /// Visits a folded tree; the first mutant gets the number `first`.
    init(_ tree: Syntax, file: String, first: Int) {
        (self.first, self.file) = (first, file)
        lines = SourceLocationConverter(fileName: file, tree: tree)
        sourceLines = tree.description.split(separator: "\n", omittingEmptySubsequences: false)
        let names = LateNames(viewMode: .sourceAccurate)
        names.walk(tree)
        assignedLater = names.names
        super.init(viewMode: .sourceAccurate)
        walk(tree)
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.expression, Syntax(node).owner?.returnsBool == true { negate(value) }
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        // The compiler knows that a loop without a condition does not end.
        if node.parent?.parent?.parent?.is(WhileStmtSyntax.self) != true { wrap(node, "negated", "not") }
        return .visitChildren
    }

    /// Negates a condition, unless its own mutant is its negation.
    private func negate(_ condition: ExprSyntax) {
        if condition.is(BooleanLiteralExprSyntax.self) { return }
        if let infix = condition.as(InfixOperatorExprSyntax.self), infix.word.isEquality { return }
        wrap(condition, "negated", "not")
    }

    // MARK: Operators and literals

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let word = node.word
        // Tuples are compared by functions of their own, to which no generic one leads.
        if word.isEquality || node.leftOperand.isPair && Self.functions[word] != nil {
            wrap(node, "negated", "not")
        } else if let (function, mutant) = Self.functions[word] {
            let number = add("'\(word)' is '\(mutant)'", at: node)
            surround(node, "Mutant.\(function)(\(number), ", ")")
            edits.append(Edit(node.operator, ","))
        }
        return .visitChildren
    }

    private static let functions = [
        "&&": ("both", "||"), "||": ("either", "&&"), "<": ("less", "<="), "<=": ("lessOrEqual", "<"),
        ">": ("greater", ">="), ">=": ("greaterOrEqual", ">"),
    ]

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        wrap(node, "\(node.literal.text) is one more", "next")
        return .visitChildren
    }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        var words = SQLWords(node.segments.description)
        guard words.isSQL else { return .visitChildren }
        for case .stringSegment(let segment) in node.segments {
            for (offset, word, mutant) in words.mutants(of: segment.content.text) {
                let number = add("SQL '\(word)' is '\(mutant)'", at: node)
                let start = segment.content.positionAfterSkippingLeadingTrivia.utf8Offset + offset
                edits.append(
                    Edit(
                        start..<start + word.utf8.count, "\\(Mutant.word(\(number), \"\(word)\", \"\(mutant)\"))"))
            }
        }
        return .visitChildren
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if let expression = node.item.as(ExprSyntax.self) {
            if node.isValue, Syntax(node).owner?.returnsBool == true { negate(expression) }
            if mayBeDropped(expression, node) {
                let number = add("dropped", at: node)
                surround(node, "if !Mutant.isChosen(\(number)) { ", " }")
            }
        }
        return .visitChildren
    }

    private func mayBeDropped(_ expression: ExprSyntax, _ item: CodeBlockItemSyntax) -> Bool {
        let act = expression.withoutMarks
        if let infix = act.as(InfixOperatorExprSyntax.self) {
            guard infix.operator.is(AssignmentExprSyntax.self) || infix.word.isAssignment else { return false }
            if Syntax(item).owner?.is(InitializerDeclSyntax.self) == true { return false }
            return infix.leftOperand.as(DeclReferenceExprSyntax.self).map {
                !assignedLater.contains($0.baseName.text)
            } ?? true
        }
        guard let call = act.as(FunctionCallExprSyntax.self), !item.isValue else { return false }
        return call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text != "init"
    }

    // MARK: What must stay as it is

    // The compiler reads these itself.
    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        // Room that is reserved changes no result.
        ["minimumCapacity", "reserving"].contains(node.label?.text) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return name == "reserveCapacity" ? .skipChildren : .visitChildren
    }

    // MARK: Edits

    private func wrap(_ node: some SyntaxProtocol, _ change: String, _ function: String) {
        let number = add(change, at: node)
        surround(node, "Mutant.\(function)(\(number), ", ")")
    }

    private func surround(_ node: some SyntaxProtocol, _ start: String, _ end: String) {
        let from = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let to = node.endPositionBeforeTrailingTrivia.utf8Offset
        edits.append(Edit(from..<from, start))
        edits.append(Edit(to..<to, end, closes: from))
    }

    private func add(_ change: String, at node: some SyntaxProtocol) -> Int {
        let line = lines.location(for: node.positionAfterSkippingLeadingTrivia).line
        let text = sourceLines[line - 1].drop { $0 == " " }
        mutants.append(
            Mutant(
                number: first + mutants.count, file: file, name: Syntax(node).owner?.declaredName ?? "", change: change,
                text: String(text)))
        return first + mutants.count - 1
    }
}

/// The names that are declared without a value.
private final class LateNames: SyntaxVisitor {
    private(set) var names: Set<String> = []

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if node.initializer == nil, node.accessorBlock == nil { names.insert(node.pattern.trimmedDescription) }
        return .visitChildren
    }
}

// MARK: - Places

extension InfixOperatorExprSyntax {
    fileprivate var word: String { self.operator.trimmedDescription }
}

extension String {
    fileprivate var isEquality: Bool { ["==", "!=", "===", "!=="].contains(self) }
    fileprivate var isAssignment: Bool {
        count > 1 && last == "=" && !isEquality && !["<=", ">="].contains(self)
    }
}

extension ExprSyntax {
    fileprivate var isPair: Bool { self.as(TupleExprSyntax.self).map { $0.elements.count > 1 } ?? false }

    /// The expression behind `try`, `await` and `unsafe`.
    fileprivate var withoutMarks: ExprSyntax {
        if let node = self.as(TryExprSyntax.self) { return node.expression.withoutMarks }
        if let node = self.as(AwaitExprSyntax.self) { return node.expression.withoutMarks }
        if let node = self.as(UnsafeExprSyntax.self) { return node.expression.withoutMarks }
        return self
    }
}

extension CodeBlockItemSyntax {
    fileprivate var isSole: Bool { parent?.as(CodeBlockItemListSyntax.self)?.count == 1 }

    /// True if the item may be what its function, closure, branch or case returns.
    fileprivate var isValue: Bool {
        guard isSole, var place = parent?.parent else { return false }
        if place.is(ClosureExprSyntax.self) || place.is(AccessorBlockSyntax.self) { return true }
        if place.is(CodeBlockSyntax.self), let owner = place.parent { place = owner }
        if let function = place.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        if place.is(AccessorDeclSyntax.self) { return true }
        if place.is(SwitchCaseSyntax.self) || place.is(IfExprSyntax.self) {
            while let outer = place.parent, !place.is(ExpressionStmtSyntax.self) {
                // `let x = if …`, `return switch …`
                if place.is(InitializerClauseSyntax.self) || place.is(ReturnStmtSyntax.self) { return true }
                if place.is(InfixOperatorExprSyntax.self) { return true }
                if place.is(CodeBlockItemSyntax.self) { break }
                place = outer
            }
            let item = place.as(CodeBlockItemSyntax.self) ?? place.parent?.as(CodeBlockItemSyntax.self)
            return item?.isValue ?? true
        }
        return false
    }
}

extension Syntax {
    /// The declaration or closure that a place belongs to.
    fileprivate var owner: Syntax? {
        guard let parent else { return nil }
        let isOwner =
            parent.is(FunctionDeclSyntax.self) || parent.is(InitializerDeclSyntax.self)
            || parent.is(PatternBindingSyntax.self) && parent.isNamed || parent.is(DeinitializerDeclSyntax.self)
            || parent.is(SubscriptDeclSyntax.self) || parent.is(ClosureExprSyntax.self)
        return isOwner ? parent : parent.owner
    }

    /// True for a property, not for a local value.
    private var isNamed: Bool {
        guard let list = parent?.parent?.parent else { return true }
        return !list.is(CodeBlockItemSyntax.self) || list.parent?.parent?.is(SourceFileSyntax.self) == true
    }

    fileprivate var returnsBool: Bool {
        if let function = self.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause?.type.trimmedDescription == "Bool"
        }
        let binding = self.as(PatternBindingSyntax.self)
        return binding?.accessorBlock != nil && binding?.typeAnnotation?.type.trimmedDescription == "Bool"
    }

    /// The name of the declaration, or of the one around a closure.
    fileprivate var declaredName: String {
        if let function = self.as(FunctionDeclSyntax.self) { return function.name.text }
        if let binding = self.as(PatternBindingSyntax.self) { return binding.pattern.trimmedDescription }
        if self.is(ClosureExprSyntax.self) { return owner?.declaredName ?? "" }
        return self.is(InitializerDeclSyntax.self) ? "init" : self.is(SubscriptDeclSyntax.self) ? "subscript" : "deinit"
    }
}
