internal import Foundation
package import SystemPackage

/// The programs of this package as the build left them beside the tests.
package enum BuiltProgram {
    /// A program that the build did not leave there.
    package struct Missing: Error, CustomStringConvertible {
        /// Which one.
        package let description: String
    }

    /// The path of a program; an absolute path is one.
    ///
    /// - Throws: ``Missing`` when it is not beside the tests.
    package static func path(_ name: String) throws(Missing) -> FilePath {
        if name.hasPrefix("/") { return FilePath(name) }
        let folders = [
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let candidates = folders.map { $0.appending(path: name).path }
        guard let built = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Missing(description: "\(name) is not built")
        }
        return FilePath(built)
    }
}
