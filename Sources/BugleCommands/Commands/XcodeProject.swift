internal import Base
internal import FoundationEssentials
internal import Push

/// What an app's Xcode project says that its pushes need.
struct XcodeProject: Equatable {
    /// The project's file name.
    let name: String
    /// The app's bundle id.
    let bundleID: String
    /// The team that signs it; nil if none is set.
    let team: String?
    /// The languages of its texts.
    let languages: [String]
    /// The string catalogs beside it, relative to the project's folder.
    let catalogs: [String]

    /// The largest project file that is read, in bytes.
    private static let sizeLimit = 16 << 20

    /// Finds the project in the folder of a workspace, or in the current one or the one above the workspace's.
    static func find(for workspace: String) -> XcodeProject? {
        for folder in [workspace, ".", "\(workspace)/.."] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".xcodeproj") {
                let path = "\(folder)/\(name)/project.pbxproj"
                guard let data = FileManager.default.contents(atPath: path), data.count <= sizeLimit else { continue }
                let catalogs = ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [])
                    .filter { $0.hasSuffix(".xcstrings") }.sorted()
                let text = String(decoding: data, as: UTF8.self)
                if let project = XcodeProject(name: name, text: text, catalogs: catalogs) { return project }
            }
        }
        return nil
    }

    /// Reads the text of a `project.pbxproj`; nil if it names no bundle id.
    init?(name: String, text: String, catalogs: [String]) {
        // An extension's bundle id is the app's with an ending; one with a variable is nobody's to know here.
        let ids = Self.values(of: "PRODUCT_BUNDLE_IDENTIFIER", in: text).filter(NameRule.bundleIdentifier.accepts)
        guard let bundleID = ids.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) else { return nil }
        self.name = name
        self.bundleID = bundleID
        team = Self.values(of: "DEVELOPMENT_TEAM", in: text).first(where: NameRule.appleIdentifier.accepts)
        var regions: [String] = []
        if let list = text.firstRange(of: "knownRegions = (") {
            regions = text[list.upperBound...].prefix { $0 != ")" }.split(separator: ",").map(Self.word)
        }
        // 'Base' is none.
        languages = regions.filter(NameRule.language.accepts)
        self.catalogs = catalogs
    }

    private static func values(of key: String, in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, word(parts[0]) == key else { return nil }
            return word(parts[1].prefix { $0 != ";" })
        }
    }

    private static func word(_ text: Substring) -> String {
        String(text.filter { !$0.isWhitespace && $0 != "\"" })
    }

    /// Comments for the end of bugle.yaml: what to write for this app, once its key is at hand.
    var proposal: String {
        var lines = [
            "",
            "# From \(escaped(name)), for pushes straight to Apple: uncomment it when you have a key (.p8) of your team.",
        ]
        if !languages.isEmpty { lines.append("# The app's languages: \(languages.joined(separator: ", ")).") }
        if !catalogs.isEmpty {
            lines.append(
                "# Its texts, if they are in this folder: 'strings: [\(catalogs.map(escaped).joined(separator: ", "))]' above."
            )
        }
        lines += [
            "# ---", "# kind: DeviceProfile", "# name: app", "# environment: production", "# topic: \(bundleID)",
            "# default: true", "# token:", "#   teamId: \(team ?? "ABCDE12345         # your team's")",
            "#   keyId: F4K3K3Y1D0           # the key's", "#   key: {env: APNS_KEY}",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
