// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that bugle's needs no swift-syntax.
let strict: [SwiftSetting] =
    ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map { .enableUpcomingFeature($0) }
    + [.treatAllWarnings(as: .error)]

let syntax = ["SwiftOperators", "SwiftParser", "SwiftSyntax"].map {
    Target.Dependency.product(name: $0, package: "swift-syntax")
}

let package = Package(
    name: "mutation",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1")],
    targets: [
        .target(name: "Mutation", dependencies: syntax, path: "Mutation", swiftSettings: strict),
        .executableTarget(name: "mutate", dependencies: ["Mutation"], path: "Mutate", swiftSettings: strict),
        .testTarget(name: "MutationTests", dependencies: ["Mutation"], path: "MutationTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
