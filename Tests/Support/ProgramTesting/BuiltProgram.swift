internal import Foundation
package import SystemPackage

/// The programs of this package as the build left them beside the tests, or those in the folder `BUGLE_PROGRAMS`: optimised
/// ones, say.
package enum BuiltProgram {
    /// A program that the build did not leave there.
    package struct Missing: Error, CustomStringConvertible {
        /// Which one.
        package let description: String
    }

    /// True if other programs than those beside the tests are used.
    package static var areOthers: Bool { folder != nil }

    private static let folder = ProcessInfo.processInfo.environment["BUGLE_PROGRAMS"]
        .map { URL(filePath: $0, directoryHint: .isDirectory).absoluteURL }

    /// The path of a program; an absolute path is one.
    ///
    /// - Throws: ``Missing`` when it is not there.
    package static func path(_ name: String) throws(Missing) -> FilePath {
        if name.hasPrefix("/") { return FilePath(name) }
        let beside = [
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let candidates = (folder.map { [$0] } ?? beside).map { $0.appending(path: name).path }
        guard let built = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Missing(description: "\(name) is not built")
        }
        return FilePath(built)
    }
}
