// swift-tools-version: 6.2
import PackageDescription

/// Every module: existentials are spelled, imports are internal unless said otherwise, members come from declared
/// imports only, and a warning stops the build.
let strict: [SwiftSetting] =
    ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
    .map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]

/// For `.ci/fuzz` the modules count which of their edges an input takes, and the packages that they use do not.
let counted: [SwiftSetting] =
    Context.environment["BUGLE_FUZZ"] == nil ? [] : [.unsafeFlags(["-Xfrontend", "-sanitize=fuzzer"])]

/// The compiler reads a whole module again for every 25 files, unless told otherwise; in a library's flags this is refused.
let owned = strict + counted + [.unsafeFlags(["-driver-batch-size-limit", "1000"], .when(configuration: .debug))]

/// What stores and sends is optimised for the tests as well, which then take a third of the time; for what only reads
/// files, arguments, requests and templates, optimising takes longer than it saves.
let shipped = owned + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Modules that touch C: every unsafe use is marked.
let audit: [SwiftSetting] = [.strictMemorySafety()]
let audited = shipped + audit

let common: [Target.Dependency] = ["Base", "CLibrary"]

func module(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil,
    settings: [SwiftSetting] = shipped
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    settings: [SwiftSetting] = shipped
) -> Target {
    .executableTarget(
        name: name, dependencies: common + dependencies, path: path, exclude: exclude, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name + "Tests", dependencies: common + dependencies, exclude: exclude, swiftSettings: owned)
}

func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: common + dependencies, path: "Tests/Support/" + name, swiftSettings: owned)
}

func library(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/" + name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

func product(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

let argumentParser = product("ArgumentParser", "swift-argument-parser")
let logging = product("Logging", "swift-log")
let mustache = product("Mustache", "swift-mustache")
let hummingbird =
    ["HummingbirdCore", "HummingbirdTLS"].map { product($0, "hummingbird") }
    + [product("HTTPTypes", "swift-http-types"), product("NIOHTTPTypes", "swift-nio-extras")]
let nio =
    ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOTLS"].map { product($0, "swift-nio") }
    + ["NIOHPACK", "NIOHTTP2"].map { product($0, "swift-nio-http2") } + [product("NIOSSL", "swift-nio-ssl")]
let security =
    [("Crypto", "swift-crypto"), ("SwiftASN1", "swift-asn1"), ("X509", "swift-certificates")].map(product)
let rsa = product("CryptoExtras", "swift-crypto")
let sqlite = ["GRDB", "GRDBSQLite"].map { product($0, "GRDB.swift") }
let subprocess = [product("Subprocess", "swift-subprocess"), product("SystemPackage", "swift-system")]

/// C behind its wrappers, and what every module stands on.
let system: [Target] = [
    library("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    library("CCurl", "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    library("CNghttp2", "libnghttp2", apt: "libnghttp2-dev", brew: "libnghttp2"),
    library("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    library("CPostgres", "libpq", apt: "libpq-dev", brew: "libpq"),
    library("COpenSSL", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
    .systemLibrary(name: "CBuild", path: "Sources/System/CBuild"),
    .target(name: "CLibrary", path: "Sources/System/CLibrary", swiftSettings: owned),
]

let modules: [Target] = [
    // Words of the field that the language lacks; located diagnostics, JSON, records.
    module("Base", ["CLibrary", "COpenSSL"], settings: audited),
    // A tree in which every node knows its line, and the layout of source text; not what the files say.
    module("YAML", ["Base", "CYAML"], settings: audited),
    // HTTP/1.1 and HTTP/2 over libcurl; not what a push is.
    module("HTTP", ["CCurl", "CLibrary", "CNghttp2"], settings: audited),
    // The resources, the files that describe them, and the plan: values, without a remote to write to.
    module("Push", common + ["YAML"] + security, settings: owned),
    // What people read, in every language. The page's template and style are compiled in: the program is one file.
    module(
        "PushReport", common + ["CBuild", "HTTP", "Push", "YAML", argumentParser, mustache] + security,
        resources: [.embedInCode("Report/HTML/Resources")], settings: owned + audit),
    // Acting. What writes to a remote is a contract of its own: planning cannot name it.
    module("Apply", ["Base", "Push"]),
    // LeanCloud, and what speaks its API.
    module("LeanCloud", ["Apply", "Base", "HTTP", "Push"] + security),
    // Devices, other objects and the journal of deliveries, in SQLite or PostgreSQL.
    module("DeviceRegistry", common + ["CPostgres", "Push"] + sqlite, settings: audited),
    // Straight to Apple: the engine, and what it knows of Apple's service.
    module(
        "Delivery", ["Apply", "Base", "COpenSSL", "DeviceRegistry", "HTTP", "Push", rsa] + security, settings: audited),
    // The server. Its console's templates and files are compiled in.
    module(
        "PushServer",
        common + ["CZlib", "Delivery", "DeviceRegistry", "HTTP", "LeanCloud", "Push", "PushReport", "YAML", logging]
            + hummingbird + nio + security,
        resources: [.embedInCode("Console/Resources")], settings: owned + audit),
    program(
        "bugle-server", ["Delivery", "DeviceRegistry", "Push", "PushReport", "PushServer", argumentParser, logging]),
    // The tool.
    program(
        "BugleCommands",
        ["Apply", "CMalloc", "Delivery", "DeviceRegistry", "HTTP", "LeanCloud", "Push", "PushReport", "YAML"]
            + [argumentParser] + subprocess, settings: owned),
    // Apple's service as the articles of APNs describe it, and Android's beside it, for tests and the demo.
    program("APNsSimulator", [argumentParser, rsa] + nio + security, settings: owned),
    // What apps use. It stands on Foundation only, and builds for Apple's platforms.
    module("BugleClient", [], settings: strict),
]

/// What is measured, mutated and simulated as a program of its own.
let tools: [Target] = [
    .systemLibrary(name: "CPushBench", path: "Tests/Benchmarks/apns-push"),
    program("apns-sender", ["CMalloc", "CPushBench", "Delivery", "Push"], path: "Tests/Benchmarks/apns-sender"),
    program("json-reading", ["CMalloc"], path: "Tests/Benchmarks/json-reading"),
    program(
        "apns-delivery", ["CMalloc", "CPushBench", "Delivery", "DeviceRegistry", "Push"] + sqlite,
        path: "Tests/Benchmarks/apns-delivery"),
    program("simulation", ["SimulationTesting"], path: "Tests/Simulation"),
    program(
        "fuzz",
        ["BaseTesting", "Delivery", "DeviceRegistry", "HTTP", "LeanCloud", "Push", "PushReport", "PushServer"]
            + ["RemoteTesting", "YAML", argumentParser, logging], path: "Tests/Fuzz", exclude: ["Corpus"]),
]

/// What tests of planning stand on, and those of devices.
let push: [Target.Dependency] = ["BaseTesting", "ProgramTesting", "Push", "RemoteTesting"]
let registry = push + ["Delivery", "DeviceRegistry", "RegistryTesting"]

let checks: [Target] = [
    // A disk below SQLite, in memory, with faults.
    .target(name: "CFaultyDisk", path: "Tests/Support/CFaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
    support("BaseTesting"),
    support("RemoteTesting", ["Apply", "HTTP", "Push"]),
    support("HTTPTesting", ["BaseTesting"] + nio + security),
    support("DeliveryTesting", ["Delivery", "DeviceRegistry", "Push"]),
    support("RegistryTesting", ["DeviceRegistry", "Push"] + subprocess),
    support("HistoryTesting"),
    support("ProgramTesting", ["Push"] + subprocess),
    support(
        "SimulationTesting",
        ["Apply", "CFaultyDisk", "Delivery", "DeliveryTesting", "DeviceRegistry", "HTTP", "LeanCloud", "Push"]
            + ["RemoteTesting"]),
    tests("Base", ["BaseTesting"]),
    tests("YAML", ["BaseTesting", "ProgramTesting", "YAML"]),
    tests("HTTP", ["BaseTesting", "CCurl", "CNghttp2", "HTTP", "HTTPTesting"] + nio),
    tests("Push", push + ["YAML"] + security),
    tests(
        "PushReport", push + ["Delivery", "HTTP", "LeanCloud", "PushReport"],
        exclude: ["Notify/Goldens", "Preview/Goldens", "Report/Goldens"]),
    tests("Apply", push + ["Apply"]),
    tests("LeanCloud", push + ["Apply", "HTTP", "LeanCloud"]),
    tests("DeviceRegistry", registry + ["DeliveryTesting", "HistoryTesting"] + sqlite + subprocess),
    tests(
        "Delivery",
        registry + ["Apply", "COpenSSL", "DeliveryTesting", "HTTP", "HTTPTesting", rsa] + nio + security + subprocess),
    tests(
        "PushServer",
        registry + ["APNsSimulator", "bugle-server", "HTTP", "HTTPTesting", "LeanCloud", "PushReport", "PushServer"]
            + [logging, product("NIOEmbedded", "swift-nio")] + hummingbird + nio + security + sqlite + subprocess),
    tests("BugleClient", ["BugleClient", "DeviceRegistry", "Push", "PushServer", "RegistryTesting"]),
    tests("APNsSimulator", ["APNsSimulator", "HTTP"] + nio + security),
    tests("BugleCommands", push + ["Apply", "BugleCommands", "HTTP", argumentParser]),
    tests("Simulation", registry + ["Apply", "CFaultyDisk", "DeliveryTesting", "SimulationTesting"] + sqlite),
    tests(
        "EndToEnd",
        registry + ["APNsSimulator", "bugle-server", "BugleCommands", "HTTPTesting", "PushServer", "YAML"] + subprocess),
]

let package = Package(
    name: "bugle",
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "BugleClient", targets: ["BugleClient"])]
        + [("bugle", "BugleCommands"), ("bugle-server", "bugle-server"), ("push-simulator", "APNsSimulator")]
        .map { .executable(name: $0, targets: [$1]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: system + modules + tools + checks,
    swiftLanguageModes: [.v6]
)

#if os(macOS)
    // On Linux the toolchain brings it: the part of Foundation that needs no ICU.
    for target in package.targets where target.type != .system && target.name != "BugleClient" {
        target.dependencies.append("FoundationEssentials")
    }
    package.targets.append(
        .target(name: "FoundationEssentials", path: "Sources/System/FoundationEssentials", swiftSettings: owned))
#endif
