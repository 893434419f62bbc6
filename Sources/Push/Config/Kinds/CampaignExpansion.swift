internal import Base
internal import YAML

/// A part, or a campaign that parts and values are put into.
struct CampaignTemplate: Sendable {
    let declaration: Declaration
    let document: Document
    let file: ReadFile
}

/// The values that `${name}` stands for.
struct DeclaredValues: Sendable {
    /// Those of the workspace, by name.
    var shared: [String: Node] = [:]
    /// Those of each remote.
    var remotes: [String: [String: Node]] = [:]
}

/// Puts parts and values into the campaigns that use them: every later step sees plain campaigns.
///
/// What it makes of one file has the limits of a file, with every part counted as the nodes that it puts in.
struct CampaignExpansion {
    private let values: DeclaredValues
    private let remote: String?
    private let parts: [String: Document]
    private var names: DeclaredNames
    private var valueNames: NameSuggestions
    private var used: Set<String> = []
    private(set) var diagnostics: [Diagnostic] = []
    /// What is wrong with the parts themselves, wherever they are used.
    private var faultsOfParts: Set<Fault> = []

    // The document being made.
    private var composer = DocumentComposer([])
    private var faults: [Diagnostic] = []
    /// The remote whose values hold.
    private var source: String?
    /// True if null removes what it names although no part has it.
    private var isMerge = false
    /// True for a part by itself, whose values may be those of any remote.
    private var isPart = false
    /// The nodes and bytes that the file may still put in.
    private var room = (nodes: Limits.nodes, bytes: Limits.bytes)

    private static let dollar = UInt8(ascii: "$")
    private static let brace = UInt8(ascii: "{")

    init(_ templates: [CampaignTemplate], values: DeclaredValues, remote: String?, names: DeclaredNames) {
        self.values = values
        self.remote = remote
        self.names = names
        parts = Dictionary(
            templates.lazy.filter { $0.declaration.kind == .part }.map { ($0.declaration.name, $0.document) }
        ) { first, _ in first }
        let all = values.remotes.values.reduce(into: Set(values.shared.keys)) { $0.formUnion($1.keys) }
        valueNames = NameSuggestions(all.sorted())
    }

    /// True for a document that parts or values are put into.
    static func isNeeded(for kind: DocumentKind, _ document: Document) -> Bool {
        switch kind {
        case .part: true
        case .campaign: document.root.entry(named: "use") != nil || document.mentions(dollar, brace)
        case .workspace, .deviceProfile, .channel, .segment: false
        }
    }

    /// Reads the parts, for what is wrong with them, and the campaigns, in the order of their files.
    mutating func campaigns(of templates: [CampaignTemplate], in folder: WorkspaceFolder) -> [DeclaredCampaign] {
        var campaigns: [DeclaredCampaign] = []
        // What is wrong with a part is known before it is used.
        for kind in [DocumentKind.part, .campaign] {
            var context: ReadingContext?
            for template in templates where template.declaration.kind == kind {
                let file = template.file
                if context?.file != file.name {
                    context = ReadingContext(folder: folder, file: file.name, bytes: file.bytes)
                    room = (Limits.nodes, Limits.bytes)
                }
                guard let context else { continue }
                context.diagnostics = []
                let reader = DocumentReader(context: context, file: template.declaration.origin.file)
                if kind == .part {
                    let made = part(template.document)
                    _ = reader.declaration(of: made, isExpanded: true)
                    take(partsOwn(faults + context.diagnostics, made))
                } else if let made = campaign(template.document) {
                    if case .campaign(let campaign) = reader.declaration(of: made, isExpanded: true)?.content {
                        let parts = template.document.root["use"]?.elements.compactMap(\.string) ?? []
                        campaigns.append(campaign.put(together: parts, isWhole: faults.isEmpty))
                    }
                    let found = (faults + context.diagnostics).filter { !faultsOfParts.contains(Fault($0)) }
                    let origin = Origin(file: file.name, line: 1, fields: made)
                    diagnostics += found.map(origin.located)
                } else {
                    diagnostics += faults
                }
            }
        }
        for template in templates where template.declaration.kind == .part {
            let (name, origin) = (template.declaration.name, template.declaration.origin)
            guard !name.isEmpty, !used.contains(name) else { continue }
            diagnostics.append(
                Diagnostic(
                    .warning, .unusedPart, "no campaign uses part \(quoted(name))", at: origin.range(of: ["name"])))
        }
        return campaigns
    }

    /// What makes two diagnostics the same mistake: advice may depend on what else is there.
    private struct Fault: Hashable {
        let message: String
        let range: SourceRange?

        init(_ diagnostic: Diagnostic) { (message, range) = (diagnostic.message, diagnostic.range) }
    }

    private mutating func take(_ found: [Diagnostic]) {
        diagnostics += found
        faultsOfParts.formUnion(found.lazy.map(Fault.init))
    }

    /// The faults of a part by itself: what it lacks, the campaign or another part may have.
    private func partsOwn(_ found: [Diagnostic], _ part: Document) -> [Diagnostic] {
        let place = part.root.entries.first { _ in true }?.key.range
        return found.filter { $0.code != .missingKey || $0.range == place }
    }
}

// MARK: - Documents

extension CampaignExpansion {
    /// A layer's node.
    private struct Piece {
        var node: Node
        var layer: Int
    }

    private mutating func part(_ document: Document) -> Document {
        (source, isMerge, isPart) = (remote, true, true)
        return made(of: [DocumentLayer(document.root)], .part)
    }

    /// The campaign with its parts and values; nil, which is reported, when that is more than a file may have.
    private mutating func campaign(_ document: Document) -> Document? {
        guard room.nodes > 0, room.bytes > 0 else {
            faults = []
            return nil
        }
        let root = document.root
        var layers: [DocumentLayer] = []
        faults = []
        for node in root["use"]?.elements ?? root.elements {
            guard let name = node.string, spend(nodes: 1) else { continue }
            used.insert(name)
            if let part = parts[name]?.root["campaign"] {
                if part.kind == .mapping { layers.append(DocumentLayer(part, part: name, use: node.range)) }
            } else if names[name] == nil, NameRule.resource.accepts(name) {
                let (message, help) = names.missing(name)
                faults.append(Diagnostic(.error, .unknownReference, message, at: node.range, help: help))
            }
        }
        layers.append(DocumentLayer(root))
        (source, isMerge, isPart) = (remote(of: layers), layers.count > 1, false)
        let unknown = faults
        let made = made(of: layers, Campaign.fields.description)
        faults = unknown + faults
        guard room.nodes > 0, room.bytes > 0 else {
            let place = root.entry(named: "use")?.key ?? root
            faults = [
                Diagnostic(
                    .error, .limitExceeded,
                    "more than 100,000 nodes or 1 MiB of text in one file with all parts and values put in",
                    at: place.range)
            ]
            return nil
        }
        return made
    }

    /// The remote whose values a campaign gets: the one at hand if it is meant for it, else the first that it is meant for.
    private func remote(of layers: [DocumentLayer]) -> String? {
        let names = layers.lazy.reversed().compactMap { $0.root["remotes"] }.first?.elements.compactMap(\.string) ?? []
        return names.isEmpty || remote.map(names.contains) == true ? remote : names[0]
    }

    private mutating func made(of layers: [DocumentLayer], _ map: MapDescription) -> Document {
        faults = []
        composer = DocumentComposer(layers)
        merge(layers.indices.reversed().map { Piece(node: layers[$0].root, layer: $0) }, map)
        let made = composer
        composer = DocumentComposer([])
        return made.document()
    }

    /// Takes from what the file may still put in; false when that is too much.
    private mutating func spend(nodes: Int = 0, bytes: Int = 0) -> Bool {
        room.nodes -= nodes
        room.bytes -= bytes
        return room.nodes > 0 && room.bytes > 0
    }

    /// Adds the entries of mappings, the first of which overrides the others.
    private mutating func merge(_ pieces: [Piece], _ map: MapDescription?) {
        let place = composer.open(pieces[0].node, of: pieces[0].layer)
        let isTop = map?.isOfCampaign ?? false
        var count = 0
        for (key, stack) in fields(of: pieces, isTop: isTop) {
            let spec = key.node.utf8.flatMap { map?.place(of: $0) }.map { map?.fields[$0] } ?? nil
            let held = Self.held(stack, isRemoved: isMerge && spec != nil)
            guard let first = held.first else { continue }
            composer.add(key.node, of: key.layer)
            count += 1
            if first.node.kind == .mapping {
                merge(held, spec?.type.mapOfValue)
            } else {
                copy(first, isLiteral: isTop && spec?.isLiteral ?? false)
            }
        }
        composer.close(place, count: count)
    }

    /// The keys of mappings, each once, with what each mapping has there.
    private mutating func fields(of pieces: [Piece], isTop: Bool) -> [(key: Piece, stack: [Piece])] {
        var fields: [(key: Piece, stack: [Piece])] = []
        var places: [ArraySlice<UInt8>: Int] = [:]
        for piece in pieces {
            // A part's own mistake, which is reported.
            let isPart = isTop && pieces.count > 1 && piece.layer != pieces[0].layer
            for entry in piece.node.entries {
                guard let name = entry.key.utf8, spend(nodes: 2, bytes: name.count) else { return fields }
                if isPart, MapDescription.partless.contains(where: entry.key.hasText) { continue }
                let value = Piece(node: entry.value, layer: piece.layer)
                if let place = places[name] {
                    fields[place].stack.append(value)
                } else {
                    if pieces.count > 1 { places[name] = fields.count }
                    fields.append((Piece(node: entry.key, layer: piece.layer), [value]))
                }
            }
        }
        return fields
    }

    /// What holds of a field's values: the first, with the mappings that it is merged over; nothing when it is null and
    /// there is something to remove.
    private static func held(_ stack: [Piece], isRemoved: Bool) -> [Piece] {
        if stack[0].node.isNull { return stack.count > 1 || isRemoved ? [] : stack }
        guard stack[0].node.kind == .mapping else { return [stack[0]] }
        return Array(stack.prefix { $0.node.kind == .mapping })
    }

    /// Adds a node with everything in it.
    private mutating func copy(_ piece: Piece, isLiteral: Bool) {
        let (node, layer) = (piece.node, piece.layer)
        guard node.kind != .scalar else { return add(piece, isLiteral: isLiteral) }
        let place = composer.open(node, of: layer)
        var count = 0
        for element in node.elements {
            guard spend(nodes: 1) else { break }
            copy(Piece(node: element, layer: layer), isLiteral: isLiteral)
            count += 1
        }
        for entry in node.entries {
            guard spend(nodes: 2, bytes: entry.key.utf8?.count ?? 0) else { break }
            composer.add(entry.key, of: layer)
            copy(Piece(node: entry.value, layer: layer), isLiteral: isLiteral)
            count += 1
        }
        composer.close(place, count: count)
    }
}

extension MapDescription {
    /// True for the fields of a campaign or part themselves.
    var isOfCampaign: Bool { self === Campaign.fields.description || self === Self.part || self === Self.partCampaign }
}

extension FieldSpec {
    /// True for a field of a campaign or part in which `${` is nothing special: a name, or what decides which values hold.
    var isLiteral: Bool { MapDescription.partless.contains(name) || name == "remotes" }
}

extension FieldType {
    /// The fields of a mapping in the place of the value itself.
    fileprivate var mapOfValue: MapDescription? {
        switch self {
        case .map(let map): map
        case .either(let types): types.lazy.compactMap(\.mapOfValue).first
        default: nil
        }
    }
}

// MARK: - Values

extension CampaignExpansion {
    private mutating func add(_ piece: Piece, isLiteral: Bool) {
        let (node, layer) = (piece.node, piece.layer)
        let bytes = node.utf8 ?? []
        guard spend(bytes: bytes.count) else { return composer.add(nil, inPlaceOf: node, of: layer) }
        guard !isLiteral, node.isString, bytes.contains(Self.dollar) else { return composer.add(node, of: layer) }
        var (text, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let dollar = rest.firstIndex(of: Self.dollar) {
            text += rest[..<dollar]
            rest = rest[dollar...]
            if rest.starts(with: "$${".utf8) {
                text += "${".utf8
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "${".utf8) {
                guard let (value, end) = value(in: rest, at: node) else {
                    return composer.add(nil, inPlaceOf: node, of: layer)
                }
                if rest.startIndex == bytes.startIndex, end == bytes.endIndex {
                    return composer.add(value, inPlaceOf: node, of: layer)
                }
                text += value.utf8 ?? []
                guard spend(bytes: value.utf8?.count ?? 0) else {
                    return composer.add(nil, inPlaceOf: node, of: layer)
                }
                rest = bytes[end...]
            } else {
                text.append(Self.dollar)
                rest = rest.dropFirst()
            }
        }
        composer.add(text + rest, inPlaceOf: node, of: layer)
    }

    /// The value that a text begins with the name of, and the end of that name; nil, which is reported, when there is none.
    private mutating func value(in text: ArraySlice<UInt8>, at node: Node) -> (value: Node, end: Int)? {
        let end = text.firstIndex(of: UInt8(ascii: "}")) ?? text.startIndex
        let name = String(decoding: text[(text.startIndex + 2)..<max(end, text.startIndex + 2)], as: UTF8.self)
        guard NameRule.value.accepts(name) else {
            report(
                "'${' begins the name of a value: ${name}", at: node, help: "write $${ where the text itself is meant")
            return nil
        }
        if let value = source.flatMap({ values.remotes[$0]?[name] }) ?? values.shared[name] {
            return usable(value, end)
        }
        let others = values.remotes.filter { $0.value[name] != nil }.keys.sorted()
        guard let other = others.first else {
            let ending = valueNames.ending(for: name)
            report(
                "value \(quoted(name)) is not declared\(ending)", at: node,
                help: ending.isEmpty
                    ? "declare it under 'values' in bugle.yaml, write {{\(name)|…}} for a value of the device, "
                        + "or $${ where the text itself is meant" : nil)
            return nil
        }
        if isPart { return values.remotes[other]?[name].flatMap { usable($0, end) } }
        report(
            "value \(quoted(name)) is not declared for remote \(quoted(source ?? ""))", at: node,
            help: "add it to the remote's 'values', or to the workspace's")
        return nil
    }

    /// The value; nil for one that is reported where it is declared.
    private func usable(_ value: Node, _ end: Int) -> (value: Node, end: Int)? {
        value.kind == .scalar && !value.isNull && !value.isInvalid ? (value, end + 1) : nil
    }

    private mutating func report(_ message: String, at node: Node, help: String?) {
        faults.append(Diagnostic(.error, .unknownReference, message, at: node.range, help: help))
    }
}
