// swift-tools-version: 6.2
import PackageDescription

/// Every module: existentials are spelled, imports are internal unless said otherwise, members come from declared
/// imports only, and a warning stops the build.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Modules that touch C: every unsafe use is marked.
let audited: [SwiftSetting] = strict + [.strictMemorySafety()]

/// Tests: as strict, without the audit.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil, exclude: [String] = []
) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil,
    settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// What several tests stand on.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/" + name, swiftSettings: strict)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

/// A library of the system's.
func library(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// Modules that stand in one folder of `Sources`.
func room(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    return targets
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let hummingbird = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let httpTypes: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix"].map { .product(name: $0, package: "swift-nio") }
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP: [Target.Dependency] = [nioHTTP1, nioHTTP2, nioHPACK, nioSSL]

/// What everything stands on: C behind its wrappers, and words of the field that the language lacks.
let base = room(
    "Base",
    [
        library("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
        library("CCurl", "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        library("CNghttp2", "libnghttp2", apt: "libnghttp2-dev", brew: "libnghttp2"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CBuild"),
        library("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        library("CPostgres", "libpq", apt: "libpq-dev", brew: "libpq"),
        library("COpenSSL", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        module("CLibrary"),
        // Words of the field that the language lacks: a pool, a back-off, a seeded generator, a file that is replaced.
        module("Basics", ["CLibrary"]),
        module("Diagnostics"),
        // Hashes of a great many short texts.
        module("Digests", ["COpenSSL"], settings: audited),
        module("JSONValue", ["Diagnostics"]),
        module("Records", ["JSONValue"]),
        module("CurlHTTP", ["CCurl", "CLibrary", "CNghttp2"], settings: audited),
    ])

/// The tool: it reads files, plans, applies, and shows.
let tool = room(
    "Tool",
    [
        module("LocatedYAML", ["CYAML", "Diagnostics", "JSONValue"], settings: audited),
        // Layout of YAML source text; it knows nothing of what the files say.
        module("YAMLFormat", ["Diagnostics", "LocatedYAML"]),
        module("PushModel", ["Basics", "Diagnostics", "Digests", "JSONValue", "Records", crypto]),
        module("PushConfig", ["Basics", "CLibrary", "Diagnostics", "JSONValue", "LocatedYAML", "PushModel"]),
        module("PushPlan", ["Diagnostics", "JSONValue", "PushModel", "Records", crypto]),
        // Acting. What writes to a remote is a contract of its own: planning cannot name it.
        module("PushRemote", ["PushModel"]),
        module("PushApply", ["Basics", "PushModel", "PushPlan", "PushRemote"]),
        // What people read, in every language.
        module("Phrasebook", ["Diagnostics", "PushModel", mustache]),
        module("PushPreview", ["Diagnostics", "JSONValue", "Phrasebook", "PushModel"]),
        // The page's template and style are compiled in: the program is one file.
        module(
            "PushReport",
            ["Diagnostics", "JSONValue", "Phrasebook", "PushModel", "PushPlan", "PushPreview", "Records"],
            resources: [.embedInCode("HTML/Resources")]),
        // What both programs say of themselves: which build it is, help, and how they begin and end.
        module(
            "ProgramVersion",
            ["CBuild", "CLibrary", "CurlHTTP", "Diagnostics", "LocatedYAML", "PushPlan", argumentParser],
            settings: audited),
        module(
            "BugleCommands",
            [
                "APNs", "APNsDelivery", "APNsRemote", "Basics", "CLibrary", "CurlHTTP", "DeliveryJournal",
                "DeviceRegistry", "Diagnostics", "JSONValue", "LeanCloudClient", "LeanCloudRemote", "Phrasebook",
                "PostgresClient", "PostgresStorage", "ProgramVersion", "PushApply", "PushConfig", "PushModel",
                "PushPlan", "PushPreview", "PushRemote", "PushReport", "Records", "RegistryModel", "YAMLFormat",
                argumentParser, subprocess,
            ]),
        program("bugle", ["BugleCommands", "CLibrary", "CMalloc", argumentParser]),
    ])

/// Straight to Apple.
let apple = room(
    "Apple",
    [
        module(
            "APNs", ["Basics", "COpenSSL", "CurlHTTP", "Diagnostics", "JSONValue", "PushModel", crypto, x509, asn1],
            settings: audited),
        module(
            "APNsDelivery",
            [
                "APNs", "Basics", "CurlHTTP", "DeliveryJournal", "Diagnostics", "JSONValue", "PushModel",
                "RegistryModel",
            ]),
        module(
            "APNsRemote",
            [
                "APNs", "APNsDelivery", "Basics", "DeliveryJournal", "Diagnostics", "JSONValue", "PushModel",
                "PushRemote", "RegistryModel",
            ]),
    ])

/// LeanCloud, and what speaks its API.
let leanCloud = room(
    "LeanCloud",
    [
        module("LeanCloudClient", ["Basics", "CurlHTTP", "Diagnostics", "JSONValue", "PushModel", crypto]),
        module(
            "LeanCloudRemote",
            ["Basics", "CurlHTTP", "Diagnostics", "JSONValue", "LeanCloudClient", "PushModel", "PushRemote"]),
    ])

/// The server, and the registry of devices that the tool reads as well.
let server = room(
    "Server",
    [
        // Files out of tar, zip and gzip, read once and written nowhere.
        module("Archives", ["CLibrary", "CZlib"], settings: audited),
        module("PostgresClient", ["Basics", "CLibrary", "CPostgres", "Diagnostics"], settings: audited),
        // LeanCloud's objects, the changes to them, and the conditions on them as SQL; no database.
        module("RegistryModel", ["Diagnostics", "JSONValue", "PushModel"]),
        // What becomes of locks, records and deliveries, over the transactions of any database.
        module("DeliveryJournal", ["Diagnostics", "JSONValue", "PushModel", "Records", "RegistryModel"]),
        // The registry in PostgreSQL: devices and the journal.
        module(
            "PostgresStorage",
            ["Basics", "DeliveryJournal", "JSONValue", "PostgresClient", "PushModel", "RegistryModel"]),
        // The registry in SQLite: devices and other objects, the server's pushes, and the journal.
        module(
            "DeviceRegistry",
            ["Basics", "CLibrary", "DeliveryJournal", "JSONValue", "PushModel", "RegistryModel", grdb, sqlite]),
        // The console's templates and files are compiled in: the program is one file.
        module(
            "RegistryTransfer",
            [
                "Archives", "Basics", "CurlHTTP", "DeviceRegistry", "Diagnostics", "JSONValue", "LeanCloudClient",
                "PushModel", "RegistryModel",
            ]),
        module(
            "PushServer",
            [
                "APNs", "APNsDelivery", "Basics", "CLibrary", "CurlHTTP", "DeliveryJournal", "DeviceRegistry",
                "Diagnostics", "JSONValue", "LocatedYAML", "Phrasebook", "PostgresClient", "PushModel", "PushPreview",
                "RegistryModel", crypto, hummingbird, hummingbirdTLS, logging, nioHTTP1, nioSSL,
            ] + nio + httpTypes, resources: [.embedInCode("Console/Resources")]),
        program(
            "bugle-server",
            [
                "APNs", "APNsDelivery", "Basics", "CLibrary", "DeliveryJournal", "DeviceRegistry", "Diagnostics",
                "JSONValue",
                "PostgresClient", "PostgresStorage", "ProgramVersion", "PushConfig", "PushModel", "PushReport",
                "PushServer", "RegistryModel", "RegistryTransfer", argumentParser, logging,
            ]),
    ])

/// Apple's service as the articles of APNs describe it, for tests and the demo.
let simulator = room(
    "Simulator",
    [
        module(
            "APNsSimulator",
            [
                "Basics", "CLibrary", "JSONValue", asn1, crypto, nioHTTP1, nioHTTP2, nioHPACK, nioSSL, x509,
                .product(name: "NIOTLS", package: "swift-nio"),
            ] + nio),
        program("apns-simulator", ["APNsSimulator", "Basics", "CLibrary", argumentParser]),
    ])

/// What apps use.
let client = room(
    "Client",
    [
        // It stands on Foundation only, and builds for Apple's platforms.
        module("BugleClient")
    ])

let package = Package(
    name: "bugle",
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "BugleClient", targets: ["BugleClient"]),
        .executable(name: "bugle", targets: ["bugle"]),
        .executable(name: "bugle-server", targets: ["bugle-server"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
    ],
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
    targets: base + tool + apple + leanCloud + server + simulator + client + [
        // What the sender is measured with: Tests/Benchmarks/sender.
        .systemLibrary(name: "CPushBench", path: "Tests/Benchmarks/apns-push"),
        program(
            "apns-sender", ["APNs", "CLibrary", "CMalloc", "CPushBench", "Diagnostics", "PushModel"],
            path: "Tests/Benchmarks/apns-sender"),
        program("json-reading", ["CLibrary", "CMalloc", "JSONValue"], path: "Tests/Benchmarks/json-reading"),
        program(
            "apns-delivery",
            [
                "APNs", "APNsDelivery", "Basics", "CLibrary", "CMalloc", "CPushBench", "DeliveryJournal",
                "DeviceRegistry", "Diagnostics", "JSONValue", "PostgresClient", "PostgresStorage", "PushModel",
                "RegistryModel", grdb,
            ], path: "Tests/Benchmarks/apns-delivery"),

        // Tests, in the order of the modules; the last run the built programs.
        tests("Basics", ["Basics", "CLibrary"]),
        tests(
            "BugleCommands",
            [
                "BugleCommands", "CLibrary", "CurlHTTP", "JSONValue", "PushApply", "PushModel", "PushPlan",
                argumentParser,
            ]),
        tests("Diagnostics", ["Diagnostics"]),
        support("CostTesting", ["CLibrary"]),
        tests("JSONValue", ["Basics", "CostTesting", "JSONValue"]),
        tests("Records", ["JSONValue", "Records"]),
        tests("LocatedYAML", ["Basics", "CostTesting", "Diagnostics", "JSONValue", "LocatedYAML"]),
        tests("YAMLFormat", ["Basics", "Diagnostics", "LocatedYAML", "YAMLFormat"]),
        support("SchemaTesting", ["JSONValue"]),
        tests("SchemaTesting", ["JSONValue", "SchemaTesting"]),
        tests("PushModel", ["Diagnostics", "JSONValue", "PushModel", "PushPlan", "RemoteTesting", crypto]),
        support("GoldenTesting"),
        tests(
            "PushConfig",
            [
                "Basics", "CostTesting", "Diagnostics", "GoldenTesting", "JSONValue", "LocatedYAML", "PushConfig",
                "PushModel", "PushPlan", "SchemaTesting", "YAMLFormat",
            ]),
        support("RemoteTesting", ["Basics", "CurlHTTP", "JSONValue", "PushModel", "PushPlan", "PushRemote"]),
        tests(
            "PushPlan",
            ["Basics", "CostTesting", "Diagnostics", "JSONValue", "PushModel", "PushPlan", "Records", "RemoteTesting"]),
        support("HTTPTesting", ["Basics", "CLibrary", x509, asn1, crypto] + nio + nioHTTP),
        tests("CurlHTTP", ["CCurl", "CLibrary", "CurlHTTP", "HTTPTesting"] + nio + nioHTTP),
        tests(
            "APNs",
            [
                "APNs", "APNsDelivery", "Basics", "COpenSSL", "CostTesting", "CurlHTTP", "Diagnostics", "HTTPTesting",
                "JSONValue", "PushModel", crypto, x509, asn1,
            ] + nio + nioHTTP),
        support(
            "DeliveryTesting",
            [
                "APNs", "APNsDelivery", "Basics", "DeliveryJournal", "JSONValue", "PushModel", "RegistryModel",
            ]),
        tests(
            "APNsDelivery",
            [
                "APNs", "APNsDelivery", "Basics", "DeliveryJournal", "DeliveryTesting", "DeviceRegistry", "JSONValue",
                "PushModel", "RegistryModel",
            ]),
        tests(
            "APNsRemote",
            [
                "APNs", "APNsDelivery", "APNsRemote", "Basics", "CurlHTTP", "DeliveryJournal", "DeviceRegistry",
                "Diagnostics", "JSONValue", "PushModel", "PushRemote", "RegistryModel", "RemoteTesting",
            ]),
        tests("APNsSimulator", ["APNsSimulator", "CurlHTTP", "JSONValue", crypto] + nio + nioHTTP),
        tests(
            "LeanCloudRemote",
            [
                "Basics", "CurlHTTP", "Diagnostics", "JSONValue", "LeanCloudClient", "LeanCloudRemote", "PushModel",
                "PushRemote", "RemoteTesting",
            ]),
        tests(
            "PushApply",
            ["Basics", "Diagnostics", "JSONValue", "PushApply", "PushModel", "PushPlan", "PushRemote", "RemoteTesting"]),
        tests(
            "PushPreview", ["CostTesting", "Diagnostics", "GoldenTesting", "JSONValue", "PushModel", "PushPreview"],
            exclude: ["Goldens"]),
        tests(
            "PushReport",
            [
                "APNsRemote", "Diagnostics", "GoldenTesting", "JSONValue", "LeanCloudRemote", "PageTesting",
                "Phrasebook", "PushConfig", "PushModel", "PushPlan", "PushPreview", "PushReport", "Records",
                "RemoteTesting", "SchemaTesting",
            ], exclude: ["Goldens"]),
        support(
            "StoreTesting", ["Basics", "DeliveryJournal", "DeviceRegistry", "JSONValue", "PushModel", "RegistryModel"]),
        support("QueryTesting", ["Basics", "DeviceRegistry", "JSONValue", "PushModel", "RegistryModel"]),
        tests("RegistryModel", ["CostTesting", "JSONValue", "PushModel", "RegistryModel"]),
        tests("DeliveryJournal", ["Basics", "DeliveryJournal"]),
        tests(
            "DeviceRegistry",
            [
                "DeliveryJournal", "DeviceRegistry", "JSONValue", "PushModel", "QueryTesting", "RegistryModel",
                "RegistryTesting", "StoreTesting", grdb,
            ]),
        support("PostgresTesting", ["PostgresClient", "PostgresStorage", subprocess, systemPackage]),
        support(
            "RegistryTesting",
            ["DeviceRegistry", "PostgresClient", "PostgresStorage", "PostgresTesting", "RegistryModel"]),
        tests(
            "Postgres",
            [
                "APNs", "APNsDelivery", "Basics", "DeliveryJournal", "DeliveryTesting", "DeviceRegistry", "JSONValue",
                "PostgresClient", "PostgresStorage", "PostgresTesting", "PushModel", "QueryTesting", "RegistryModel",
                "StoreTesting",
            ]),
        tests("Archives", ["Archives", "Basics", subprocess, systemPackage]),
        tests(
            "RegistryTransfer",
            [
                "Archives", "Basics", "bugle-server", "CLibrary", "CurlHTTP", "DeviceRegistry", "Diagnostics",
                "JSONValue", "LeanCloudClient", "LeanCloudRemote", "PushModel", "PushServer", "RegistryModel",
                "RegistryTesting", "RegistryTransfer", grdb, subprocess, systemPackage,
            ]),
        tests(
            "PushServer",
            [
                "APNs", "APNsDelivery", "APNsRemote", "APNsSimulator", "Basics", "CostTesting", "CurlHTTP",
                "DeliveryJournal",
                "DeviceRegistry", "Diagnostics", "HTTPTesting", "JSONValue", "LeanCloudClient", "LeanCloudRemote",
                "PageTesting", "ProgramTesting", "PostgresClient", "PostgresStorage", "PostgresTesting", "PushConfig",
                "PushModel",
                "PushPreview", "PushServer", "RegistryModel", "RegistryTesting", asn1, crypto, grdb, logging, nioSSL,
                subprocess, x509, systemPackage, .product(name: "HTTPTypes", package: "swift-http-types"),
            ] + nio),
        tests(
            "BugleClient",
            [
                "BugleClient", "DeliveryJournal", "DeviceRegistry", "JSONValue", "PushModel", "PushServer",
                "RegistryModel",
            ]),
        support(
            "SimulationTesting",
            [
                "APNs", "APNsDelivery", "APNsRemote", "Basics", "CurlHTTP", "DeliveryJournal", "DeliveryTesting",
                "DeviceRegistry", "Diagnostics", "JSONValue", "LeanCloudClient", "LeanCloudRemote", "PushApply",
                "PushModel", "PushPlan", "PushRemote", "RegistryModel", "RemoteTesting",
            ]),
        tests(
            "Simulation",
            [
                "APNs", "APNsDelivery", "APNsRemote", "Basics", "DeliveryJournal", "DeliveryTesting", "DeviceRegistry",
                "JSONValue", "PushApply", "PushModel", "PushPlan", "PushRemote", "RegistryModel", "RemoteTesting",
                "SimulationTesting",
            ]),
        program("simulation", ["CLibrary", "SimulationTesting"], path: "Tests/Simulation"),
        // Mutates what strangers can give to the readers: Tests/Fuzz/Corpus.
        program(
            "fuzz",
            [
                "APNs", "Archives", "Basics", "CLibrary", "CostTesting", "CurlHTTP", "DeviceRegistry", "Diagnostics",
                "JSONValue", "LeanCloudClient", "LeanCloudRemote", "LocatedYAML", "PushConfig", "PushModel",
                "PushPlan", "PushPreview", "PushServer", "RegistryModel", "RemoteTesting", argumentParser, logging,
            ], path: "Tests/Fuzz", exclude: ["Corpus"]),
        support("PageTesting", ["JSONValue", "ProgramTesting", "PushModel", subprocess, systemPackage]),
        support("ProgramTesting", ["CLibrary", subprocess, systemPackage]),
        tests(
            "EndToEnd",
            [
                "APNs", "apns-simulator", "APNsDelivery", "bugle", "bugle-server", "CLibrary", "DeliveryJournal",
                "DeviceRegistry", "Diagnostics", "HTTPTesting", "JSONValue", "LocatedYAML", "PageTesting",
                "PostgresClient",
                "PostgresStorage", "PostgresTesting", "ProgramTesting", "PushModel", "PushPlan", "PushServer",
                "RegistryModel", "RegistryTesting", subprocess, systemPackage,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

#if os(macOS)
    // On Linux the toolchain brings it: the part of Foundation that needs no ICU.
    for target in package.targets where target.type != .system && target.name != "BugleClient" {
        target.dependencies.append("FoundationEssentials")
    }
    package.targets += room("Base", [module("FoundationEssentials")])
#endif
