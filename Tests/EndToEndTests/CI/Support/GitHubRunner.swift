import Base
import Foundation
import Synchronization
import Testing

/// Runs jobs of the workflows as GitHub does: conditions, expressions, steps, the composite action, and each `run:` with the
/// shell that its `shell:` stands for.
final class GitHubRunner: Sendable {
    /// What became of a job.
    struct Result: Sendable {
        /// Whether its condition held.
        var ran = false
        /// What bugle ended with, as the steps' last script did.
        var code: Int32 = 0
        /// What its scripts printed.
        var log = ""
        /// What it wrote to the summary.
        var summary = ""
    }

    let checkout: Checkout
    let forge: Forge
    /// The environments that scripts were given.
    private let environments = Mutex<[[String: String]]>([])

    init(_ checkout: Checkout, _ forge: Forge) {
        self.checkout = checkout
        self.forge = forge
    }

    /// What scripts could read of the environment.
    var exposed: [[String: String]] { environments.withLock { $0 } }

    /// Runs one job.
    ///
    /// `run` is the number of the workflow's run, and `inputs` are of one that was started by hand. `fork` says whether
    /// it is a fork's pull request; nil: a push to main.
    func run(
        _ job: String, of workflow: String, run: Int, fork: Bool? = nil, inputs: JSONValue = [:],
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> Result {
        // One of the recipes, or one in the repository.
        let own = checkout.folder.appending(path: ".github/workflows/\(workflow)")
        let file =
            if let text = try? String(contentsOf: own, encoding: .utf8) {
                try #require(try RecipeFile.documents(text, workflow).first)
            } else {
                try RecipeFile.single("github/workflows/\(workflow)")
            }
        let declared = try #require(file["jobs"]?[job])
        let event: JSONValue =
            fork.map { fork -> JSONValue in
                [
                    "pull_request": [
                        "number": 7,
                        "head": [
                            "sha": "0123456789abcdef0123456789abcdef01234567",
                            "repo": ["full_name": .string(fork ? "stranger/push" : "example/push")],
                        ],
                    ]
                ]
            } ?? [:]
        let temporary = checkout.world.folder.appending(path: "runner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let commit = try await checkout.git("rev-parse", "HEAD")
        var context: JSONValue = [
            "github": [
                "event": event, "repository": "example/push", "repository_id": .integer(Int64(Forge.repository)),
                "api_url": .string(forge.url), "server_url": "https://github.example",
                "token": .string(Forge.token),
                "sha": .string(commit), "ref": fork == nil ? "refs/heads/main" : "refs/pull/7/merge",
            ],
            "inputs": inputs, "runner": ["temp": .string(temporary.path)],
            "vars": ["BUGLE_TRUSTED_HOSTS": .string(checkout.trustedHost)],
            // Even if GitHub gave a fork the secrets: no job that runs for one may take them.
            "secrets": .object(JSONObject(Checkout.secrets.mapValues { JSONValue.string($0) })),
        ]
        var result = Result()
        guard try Expression.holds(declared["if"], in: context, hasFailed: false) else { return result }
        result.ran = true
        // Of the steps that need it: what stands at the job is for all of them.
        #expect(declared["env"] == nil)
        let steps = declared["steps"]?.array ?? []
        for step in steps where result.code == 0 {
            let uses = try #require(step["uses"]?.string)
            if uses.hasPrefix("actions/checkout@") {
                #expect(step["with"]?["persist-credentials"] == false)
                continue
            }
            try #require(uses == "./.ci/bugle/github")
            context["env"] = try filled(step["env"], in: context)
            let job = Job(
                number: run, repository: fork == true ? 99 : Forge.repository, temporary: temporary, context: context,
                started: started)
            try await act(job, with: filled(step["with"], in: context), &result)
        }
        return result
    }

    private struct Job {
        let number: Int
        let repository: Int
        let temporary: URL
        var context: JSONValue
        let started: @Sendable (Int32) -> Void
    }

    private func filled(_ members: JSONValue?, in context: JSONValue) throws -> JSONValue {
        .object(try (members?.object ?? [:]).mapValues { .string(try Expression.filled($0.asText, in: context)) })
    }

    /// Runs the steps of the composite action.
    private func act(_ job: Job, with given: JSONValue, _ result: inout Result) async throws {
        var job = job
        let action = try RecipeFile.single("github/action.yml")
        var inputs: JSONObject = [:]
        for (name, declared) in action["inputs"]?.object ?? [:] {
            let standard = try declared["default"].map { try Expression.filled($0.asText, in: job.context) }
            inputs[name] = .string(given[name]?.string ?? standard ?? "")
        }
        let names = Set((given.object ?? [:]).keys)
        #expect(names.isSubset(of: inputs.keys))
        job.context["inputs"] = .object(inputs)
        var (outputs, hasFailed, code): (JSONObject, Bool, Int32) = ([:], false, 0)
        for step in action["runs"]?["steps"]?.array ?? [] {
            job.context["steps"] = .object(outputs)
            guard try Expression.holds(step["if"], in: job.context, hasFailed: hasFailed) else { continue }
            var written: JSONValue = [:]
            let status: Int32
            if let uses = step["uses"]?.string {
                status = try carry(uses, with: filled(step["with"], in: job.context), job, &written)
            } else {
                status = try await script(step, job, &written, &result)
            }
            if let id = step["id"]?.string { outputs[id] = ["outputs": written] }
            if status != 0, step["continue-on-error"]?.bool != true {
                hasFailed = true
                code = status
            }
        }
        result.code = code
    }

    /// What the two actions for artifacts do.
    private func carry(_ uses: String, with: JSONValue, _ job: Job, _ outputs: inout JSONValue) throws -> Int32 {
        let name = try #require(with["name"]?.string)
        let path = URL(filePath: try #require(with["path"]?.string))
        if uses.hasPrefix("actions/upload-artifact@") {
            guard let data = try? Data(contentsOf: path) else {
                #expect(with["if-no-files-found"] == "ignore")
                return 0
            }
            let id = forge.upload(
                name, run: job.number, repository: job.repository,
                head: job.context["github"]?["sha"]?.string ?? "", [path.lastPathComponent: data])
            outputs["artifact-url"] = .string("https://github.example/example/push/runs/\(job.number)/artifacts/\(id)")
            return 0
        }
        try #require(uses.hasPrefix("actions/download-artifact@"))
        #expect(with["github-token"]?.string == Forge.token)
        let run = with["run-id"]?.string.flatMap { Int($0) }
        guard let found = forge.artifacts.last(where: { $0.name == name && $0.run == run }) else { return 1 }
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        for (file, data) in found.files { try data.write(to: path.appending(path: file)) }
        return 0
    }

    private func script(
        _ step: JSONValue, _ job: Job, _ outputs: inout JSONValue, _ result: inout Result
    ) async throws -> Int32 {
        try #require(step["shell"] == "bash")
        let (output, summary) = (
            job.temporary.appending(path: "output-\(UUID().uuidString)"), job.temporary.appending(path: "summary")
        )
        for file in [output, summary] where !FileManager.default.fileExists(atPath: file.path) {
            try Data().write(to: file)
        }
        var environment = job.context["env"]?.asTexts ?? [:]
        environment.merge(try filled(step["env"], in: job.context).asTexts) { $1 }
        environment.merge([
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "example/push",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY_ID": "\(Forge.repository)", "GITHUB_SHA": job.context["github"]?["sha"]?.string ?? "",
            "GITHUB_RUN_ID": "\(job.number)", "GITHUB_RUN_NUMBER": "\(job.number)", "GITHUB_ACTOR": "somebody",
            "GITHUB_OUTPUT": output.path, "GITHUB_STEP_SUMMARY": summary.path,
            "GITHUB_ACTION_PATH": checkout.folder.appending(path: ".ci/bugle/github").path,
        ]) { $1 }
        environments.withLock { $0.append(environment) }
        let text = try #require(step["run"]?.string)
        let isCommand = step["id"]?.string == "run"
        let run = try await ShellScript.run(
            text, shell: ShellScript.bash, environment: environment, folder: checkout.folder
        ) { id in if isCommand { job.started(id) } }
        result.log += run.everything
        result.summary = try String(contentsOf: summary, encoding: .utf8)
        for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            outputs[sides[0]] = .string(sides[1])
        }
        return run.wasKilled ? 128 + run.status : run.status
    }
}
