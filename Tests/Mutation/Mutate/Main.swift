internal import Foundation
internal import Mutation

/// Puts the mutants of chosen files into a copy of the tree: `mutate TREE`. Prints their numbers and descriptions.
@main
struct Mutate {
    /// What decides whether, when and to whom a push goes out.
    static let files = [
        "Push": ["Model/Remote/Verdict", "Plan/Campaigns/CampaignRow", "Plan/Campaigns/Resumption"],
        "DeviceRegistry": [
            "AudienceFreezing", "DeliveryParts", "DeployLock", "Frequency", "JournalRows", "JournalSending", "Stops",
        ].map { "Journal/" + $0 },
        "HTTP": ["HTTP2Connection", "HTTP2Request", "HTTP2Session", "HeaderCompression"].map { "HTTP2/" + $0 },
    ]

    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: mutate TREE\n".utf8))
            exit(64)
        }
        let sources = URL(fileURLWithPath: CommandLine.arguments[1]).appendingPathComponent("Sources")
        let support = try String(contentsOfFile: "Tests/Mutation/Mutant.swift", encoding: .utf8)
        var (number, seen): (Int, [String: Int]) = (1, [:])
        for (module, names) in files.sorted(by: { $0.key < $1.key }) {
            let folder = sources.appendingPathComponent(module)
            for name in names {
                let url = folder.appendingPathComponent(name + ".swift")
                let source = try MutatedSource(
                    try String(contentsOf: url, encoding: .utf8), file: url.lastPathComponent, first: number)
                try source.text.write(to: url, atomically: true, encoding: .utf8)
                number += source.mutants.count
                for mutant in source.mutants {
                    // Places with one description are told apart by their order.
                    seen[mutant.description, default: 0] += 1
                    let place = seen[mutant.description] ?? 1
                    print("\(mutant.number)\t\(mutant.description)" + (place > 1 ? " #\(place)" : ""))
                }
            }
            try support.write(
                to: folder.appendingPathComponent("Mutant.swift"), atomically: true, encoding: .utf8)
        }
    }
}
