internal import Mutation
internal import Testing

/// What is found in small texts, and what stands in their place.
struct MutantTests {
    private func mutated(_ source: String) throws -> String {
        try MutatedSource(source, file: "A.swift", first: 1).text
    }

    @Test(arguments: [
        ("if a { b }", "if Mutant.not(1, a) { b }"),
        ("guard a == 1 else { throw b }", "guard Mutant.not(1, a == Mutant.next(2, 1)) else { throw b }"),
        ("x = a < b", "if !Mutant.isChosen(1) { x = Mutant.less(2, a , b) }"),
        ("x = try a >= b()", "if !Mutant.isChosen(1) { x = try Mutant.greaterOrEqual(2, a , b()) }"),
        ("if a && b || c {}", "if Mutant.not(1, Mutant.either(2, Mutant.both(3, a , b) , c)) {}"),
        ("for a in b where c {}", "for a in b where Mutant.not(1, c) {}"),
        ("x = a ? true : b", "if !Mutant.isChosen(1) { x = Mutant.not(2, a) ? Mutant.not(3, true) : b }"),
        ("x = (a, b) < (c, d)", "if !Mutant.isChosen(1) { x = Mutant.not(2, (a, b) < (c, d)) }"),
    ])
    func conditionsAndBoundsAreShifted(source: String, expected: String) throws {
        #expect(try mutated(source) == expected)
    }

    @Test(arguments: [
        ("func a() { try b() }", "func a() { if !Mutant.isChosen(1) { try b() } }"),
        ("c += d", "if !Mutant.isChosen(1) { c += d }"),
        // What a function, a closure or a branch returns stays.
        ("func a() -> Int { b() }", "func a() -> Int { b() }"),
        ("let a = b { c() }", "let a = b { c() }"),
        ("let a = if let b { c(b) } else { d }", "let a = if let b { c(b) } else { d }"),
        ("func a() -> B { switch c { case .d: e() } }", "func a() -> B { switch c { case .d: e() } }"),
        (
            "func a() -> B { switch c { case .d: e() }; return f }",
            "func a() -> B { switch c { case .d: if !Mutant.isChosen(1) { e() } }; return f }"
        ),
        // And what must be there for the file to compile.
        ("init() { a = b }", "init() { a = b }"),
        ("func a() { let b: C; b = c }", "func a() { let b: C; b = c }"),
    ])
    func statementsAreDroppedWhereTheFileCompilesWithoutThem(source: String, expected: String) throws {
        #expect(try mutated(source) == expected)
    }

    @Test(arguments: [
        ("func a() -> Bool { b }", "func a() -> Bool { Mutant.not(1, b) }"),
        ("func a() -> Bool { if let c { return b } }", "func a() -> Bool { if let c { return Mutant.not(1, b) } }"),
        ("var a: Bool { false }", "var a: Bool { Mutant.not(1, false) }"),
        ("enum A: Int { case b = 1 }", "enum A: Int { case b = 1 }"),
        ("while true { a = b }", "while true { if !Mutant.isChosen(1) { a = b } }"),
        ("switch a { case 1: break }", "switch a { case 1: break }"),
    ])
    func whatIsReturnedIsNegatedAndWhatTheCompilerReadsStays(source: String, expected: String) throws {
        #expect(try mutated(source) == expected)
    }

    @Test func theWordsOfSQLAreChangedButForWhatIsAssigned() throws {
        let source = #"let a = "UPDATE t SET b = ? WHERE c = ? AND d <= ? AND SETS IS NOT NULL""#
        let changes = try MutatedSource(source, file: "A.swift", first: 1).mutants.map(\.change)
        #expect(
            changes == [
                "SQL '=' is '<>'", "SQL 'AND' is 'OR'", "SQL '<=' is '<'", "SQL 'AND' is 'OR'",
                "SQL 'IS NOT NULL' is 'IS NULL'",
            ])
        #expect(try mutated(#"let a = "b AND""#) == #"let a = "b AND""#)
        #expect(
            try mutated(#"let a = "DELETE FROM t WHERE b < ?""#)
                == #"let a = "DELETE FROM t WHERE b \(Mutant.word(1, "<", "<=")) ?""#)
    }

    @Test func aMutantIsDescribedByItsPlaceAndNotByItsLine() throws {
        let source = "struct A {\n    func b() {\n        if c { d(2) }\n    }\n}\n"
        let descriptions = try MutatedSource(source, file: "A.swift", first: 7).mutants
        #expect(descriptions.map(\.number) == [7, 8, 9])
        #expect(descriptions.map(\.change) == ["negated", "dropped", "2 is one more"])
        #expect(descriptions.first?.description == "A.swift | b | negated | if c { d(2) }")
    }
}
