internal import Base
internal import Testing

/// A record that is described once: what it is written as, read from, and described by.
@Suite struct RecordTests {
    enum Colour: String, CaseIterable, Sendable { case red, green }

    struct Point: Hashable, Sendable {
        var x = 0
        var y: Int?
    }

    struct Shape: Hashable, Sendable {
        var name = ""
        var colour = Colour.red
        var note: String?
        var isFilled = false
        var points: [Point] = []
        var counts: [Colour: Int] = [:]
        var origin = Point()
    }

    static let point = Record<Point>(
        Point(),
        [
            Field("x", .count, "Across.", { $0.x }, { $0.x = $1 }),
            Field(optional: "y", .integer(minimum: nil), "Down.", { $0.y }, { $0.y = $1 }),
        ])

    static let shape = Record<Shape>(
        Shape(),
        [
            Field("name", .text, "Its name.", { $0.name }, { $0.name = $1 }),
            Field("colour", .choice(Colour.self), "Its colour.", { $0.colour }, { $0.colour = $1 }),
            Field("note", orNull: .text, "A remark.", { $0.note }, { $0.note = $1 }),
            Field(optional: "filled", .flag, "Filled.", unless: false, { $0.isFilled }, { $0.isFilled = $1 }),
            Field(
                "points", .list(of: .record(point), "A point.", maximum: 3), "Its points.", { $0.points },
                { $0.points = $1 }),
            Field(
                optional: "counts", .counts(of: Colour.self), "Counts.", unless: [:], { $0.counts }, { $0.counts = $1 }),
            Field(group: point, { $0.origin }, { $0.origin = $1 }),
        ])

    static let full = Shape(
        name: "s", colour: .green, note: "n", isFilled: true, points: [Point(x: 1, y: -2), Point(x: 3)],
        counts: [.red: 2], origin: Point(x: 7, y: 8))

    @Test(arguments: [Shape(), full]) func whatIsWrittenIsReadBack(shape: Shape) throws {
        #expect(try Self.shape.read(Self.shape.json(of: shape).unordered) == shape)
    }

    @Test func membersStandInTheOrderOfTheFieldsAndUsualValuesAreLeftOut() {
        #expect(Self.shape.members(of: Shape()).map(\.0) == ["name", "colour", "note", "points", "x"])
        #expect(
            Self.shape.members(of: Self.full).map(\.0)
                == ["name", "colour", "note", "filled", "points", "counts", "x", "y"])
    }

    @Test(
        arguments: [
            ("name", nil, "name is missing"), ("name", .null, "name is null"), ("name", 1, "name has the wrong type"),
            ("colour", "blue", "colour has a value that this version does not know, 'blue'"),
            ("note", 1, "note has the wrong type"), ("filled", "yes", "filled has the wrong type"),
            ("points", [:], "points has the wrong type"), ("points", [["x": 1], [:]], "points[1].x is missing"),
            ("points", [["x": 1, "y": "a"]], "points[0].y has the wrong type"),
            ("points", [["x": -1]], "points[0].x is not an allowed number, '-1'"),
            ("points", [["x": 1], ["x": 1], ["x": 1], ["x": 1]], "points has more than 3 elements"),
            ("counts", ["blue": 1], "counts has a value that this version does not know, 'blue'"),
            ("x", nil, "x is missing"),
        ] as [(String, JSONValue?, String)])
    func theMemberAtFaultIsNamed(name: String, value: JSONValue?, words: String) throws {
        var object = try #require(Self.shape.json(of: Self.full).unordered.object)
        object[name] = value
        let error = try #require(throws: RecordError.self) { try Self.shape.read(.object(object)) }
        #expect(error.text() == words)
        #expect(error.text(in: "shapes[4]") == "shapes[4]." + words)
        #expect(error.member.map { words.hasPrefix($0) } == true)
    }

    @Test func whatALaterVersionAddsIsPassedOverAndNullIsNoValue() throws {
        var object = try #require(Self.shape.json(of: Self.full).unordered.object)
        object["later"] = ["a": 1]
        object["note"] = nil
        object["filled"] = .null
        let read = try Self.shape.read(.object(object))
        #expect(read.note == nil && !read.isFilled && read.points == Self.full.points)
    }

    @Test func theSchemaNamesEachMemberAndWhichAreAlwaysThere() throws {
        let schema = Self.shape.schema("A shape.").unordered
        #expect(schema["required"] == ["name", "colour", "note", "points", "x"])
        #expect(schema["properties"]?.object?.count == 8)
        #expect(schema["properties"]?["note"]?["type"] == ["string", "null"])
        #expect(schema["properties"]?["colour"]?["enum"] == ["red", "green"])
        #expect(schema["properties"]?["points"]?["items"]?["description"] == "A point.")
    }

    @Test func aValueThatStandsAsAnotherIsCheckedWhenItIsRead() throws {
        let even = JSONForm<Int>.count.standing(for: { (half: Int) in half * 2 }) { number throws(RecordError) in
            guard number % 2 == 0 else { throw RecordError(.number(number)) }
            return number / 2
        }
        #expect(even.write(4).unordered == 8)
        #expect(try even.read(6) == 3)
        #expect(throws: RecordError(.number(7))) { try even.read(7) }
    }
}
