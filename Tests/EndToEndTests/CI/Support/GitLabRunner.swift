import Base
import Foundation
import Testing

/// Runs jobs of the component as GitLab does: inputs, rules, variables, and the scripts with the shell of the image.
struct GitLabRunner: Sendable {
    let checkout: Checkout
    let forge: Forge
    /// The shell of the image.
    let shell: [String]

    struct Result: Sendable {
        /// Whether a rule took it in.
        var ran = false
        var code: Int32 = 0
        var log = ""
        /// What its script could read of the environment.
        var exposed: [String: String] = [:]
    }

    /// The jobs, with the inputs in place and what they extend taken in.
    static func jobs(_ inputs: [String: String] = [:]) throws -> JSONObject {
        let text = try RecipeFile.text("gitlab/templates/bugle.yml")
        let parts = text.components(separatedBy: "\n---\n")
        try #require(parts.count == 2)
        let spec = try #require(try RecipeFile.documents(parts[0], "spec").first)["spec"]?["inputs"]?.object ?? [:]
        var body = parts[1]
        for (name, declared) in spec {
            let value = try #require(inputs[name] ?? declared["default"]?.string, "\(name) has no value")
            body = body.replacingOccurrences(of: "$[[ inputs.\(name) ]]", with: value)
        }
        #expect(!body.contains("$[["))
        let declared = try #require(try RecipeFile.documents(body, "jobs").first?.object)
        return declared.mapValues { job in
            guard let base = job["extends"]?.string.flatMap({ declared[$0] }) else { return job }
            return merged(base, with: job)
        }
    }

    private static func merged(_ base: JSONValue, with own: JSONValue) -> JSONValue {
        guard let base = base.object, let own = own.object else { return own }
        return .object(base.merging(own) { merged($0, with: $1) })
    }

    /// Runs a job of the pipeline with this number.
    ///
    /// The variables are what tells the pipelines apart, such as `CI_PIPELINE_SOURCE`.
    func run(_ name: String, pipeline: Int, _ variables: [String: String]) async throws -> Result {
        let job = try #require(
            try Self.jobs([
                "image": "any", "comment-author": Forge.bot, "remote": "production",
            ])[name])
        let known = [
            "CI": "true", "GITLAB_CI": "true", "CI_PROJECT_ID": "42", "CI_API_V4_URL": forge.url + "/api/v4",
            "CI_PIPELINE_ID": "\(pipeline)", "CI_PIPELINE_IID": "\(pipeline)", "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_ID": "3", "CI_JOB_URL": "https://gitlab.example/example/push/-/jobs/3",
            "CI_PROJECT_URL": "https://gitlab.example/example/push", "CI_MERGE_REQUEST_IID": "7",
            "CI_COMMIT_SHA": try await checkout.git("rev-parse", "HEAD"), "CI_JOB_TOKEN": Forge.token,
        ].merging(variables) { $1 }
        var result = Result()
        let rules = try #require(job["rules"]?.array)
        guard rules.contains(where: { Self.holds($0["if"]?.string ?? "", known) }) else { return result }
        result.ran = true
        var environment = known
        // Variables of an environment are there for its jobs only.
        if job["environment"] != nil {
            environment.merge(Checkout.secrets) { $1 }
            environment["BUGLE_TRUSTED_HOSTS"] = checkout.trustedHost
            environment["BUGLE_COMMENT_TOKEN"] = variables["BUGLE_COMMENT_TOKEN"] ?? Forge.token
            environment["BUGLE_APPROVALS_TOKEN"] = Forge.token
        }
        for (name, value) in job["variables"]?.asTexts ?? [:] { environment[name] = Self.expanded(value, known) }
        let lines = (job["before_script"]?.array ?? []) + (job["script"]?.array ?? [])
        let run = try await ShellScript.run(
            lines.map(\.asText).joined(separator: "\n"), shell: shell, environment: environment, folder: checkout.folder
        )
        result.code = run.status
        result.log = run.everything
        // In a shell of its own, and whatever it ends with.
        if let after = job["after_script"]?.array {
            let told = try await ShellScript.run(
                after.map(\.asText).joined(separator: "\n"), shell: shell, environment: environment,
                folder: checkout.folder)
            result.log += told.everything
        }
        result.exposed = environment
        return result
    }

    static func expanded(_ text: String, _ variables: [String: String]) -> String {
        text.replacing(/\$([A-Z_0-9]+)/) { variables[String($0.output.1)] ?? "" }
    }

    /// Whether a rule of terms joined by `&&` holds.
    static func holds(_ rule: String, _ variables: [String: String]) -> Bool {
        func value(_ text: Substring) -> String {
            let text = text.trimmingCharacters(in: .whitespaces)
            return text.hasPrefix("\"")
                ? String(text.dropFirst().dropLast()) : variables[String(text.dropFirst())] ?? ""
        }
        return rule.split(separator: "&&").allSatisfy { term in
            let sides = term.split(separator: "==")
            return sides.count == 2 ? value(sides[0]) == value(sides[1]) : !value(term).isEmpty
        }
    }
}
