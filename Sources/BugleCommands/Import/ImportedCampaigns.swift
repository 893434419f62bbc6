internal import Base
internal import LeanCloud
internal import Push

/// Turns the scheduled pushes of a remote into campaigns.
///
/// A campaign is only written if its own text, read back within the workspace and encoded again, gives an equivalent
/// request: nothing is changed silently.
struct ImportedCampaigns {
    let source: ImportSource
    let contents: ImportContents

    /// A push that may become a campaign.
    struct Candidate {
        let push: KeptPush
        let request: PushRequest
        let hasExpiration: Bool
        let name: String
        /// The possible campaigns for it, the best first.
        var options: [Campaign]
        /// The error with the first of them.
        var reason: String?
        /// A remark to write into the file.
        var remark: String?

        /// The file's path in the workspace.
        var path: String { "\(ImportDraft.folder)/campaigns/\(name).yaml" }
        /// The name used in messages.
        var title: String { ImportedCampaigns.title(of: push) }
    }

    static func title(of push: KeptPush) -> String { "scheduled push \(push.push.id) for \(push.push.at.text)" }

    /// Returns the pushes that may become campaigns; the others are added to the skipped ones.
    func candidates(_ draft: inout ImportDraft, exists: (String) -> Bool) -> [Candidate] {
        var found: [Candidate] = []
        for push in contents.unmanaged {
            let title = Self.title(of: push)
            do throws(Inexpressible) {
                let request = try KeptRequest(push).request
                let decoder = try LeanCloudDecoder(request)
                let name = CampaignName.make(for: push)
                let options = decoder.campaigns(named: name, origin: Origin(file: "", line: 1))
                let candidate = Candidate(
                    push: push, request: request, hasExpiration: decoder.hasExpiration, name: name, options: options)
                if push.push.at <= contents.now {
                    draft.skip(title, "it is due")
                } else if source.declares(.campaign, name) {
                    draft.skip(title, "the workspace declares campaign '\(name)'", isLoss: false)
                } else if exists(candidate.path) {
                    draft.skip(title, "\(candidate.path) already exists")
                } else {
                    found.append(candidate)
                }
            } catch {
                draft.skip(title, "it \(error.description)")
            }
        }
        return found
    }

    /// Returns the candidates that give the same requests within the workspace; `channels` are the channels about to be
    /// declared, as documents.
    func settled(
        _ candidates: [Candidate], channels: [String], _ draft: inout ImportDraft
    ) async -> [Candidate] {
        var open = candidates
        var settled: [Candidate] = []
        while !open.isEmpty {
            let loaded = await load(settled + open, channels)
            var next: [Candidate] = []
            for var candidate in open {
                let verdict = verdict(on: candidate, in: loaded)
                candidate.remark = verdict.remark
                guard let reason = verdict.reason else {
                    settled.append(candidate)
                    continue
                }
                candidate.reason = candidate.reason ?? reason
                candidate.options.removeFirst()
                if candidate.options.isEmpty {
                    draft.skip(candidate.title, candidate.reason ?? reason)
                } else {
                    next.append(candidate)
                }
            }
            open = next
        }
        return settled.sorted { ($0.push.push.at, $0.push.push.id) < ($1.push.push.at, $1.push.push.id) }
    }

    private func load(_ candidates: [Candidate], _ channels: [String]) async -> LoadedWorkspace {
        let bench = source.bench
        let parts = stride(from: 0, to: channels.count, by: ImportDraft.documentsPerFile).map { start in
            let end = min(start + ImportDraft.documentsPerFile, channels.count)
            return (
                path: "\(ImportDraft.folder)/new-channels-\(start).yaml",
                text: channels[start..<end].joined(separator: "---\n")
            )
        }
        return await WorkspaceLoader.load(
            directory: bench.loaded.folder, displayedAs: bench.displayName,
            adding: parts + candidates.map { (path: $0.path, text: text(of: $0)) })
    }

    private func verdict(on candidate: Candidate, in loaded: LoadedWorkspace) -> (reason: String?, remark: String?) {
        func isOwn(_ diagnostic: Diagnostic) -> Bool {
            diagnostic.severity == .error && diagnostic.range?.file.hasSuffix(candidate.path) == true
        }
        if let fault = loaded.diagnostics.first(where: isOwn) { return (fault.message, nil) }
        guard var workspace = loaded.readable,
            let campaign = workspace.campaigns.first(where: { $0.name == candidate.name })
        else { return ("the workspace cannot be read with it", nil) }
        let encoded = Checker.request(of: campaign, in: workspace, encoder: LeanCloudEncoder())
        if let fault = encoded.findings.first(where: { $0.severity == .error }) { return (fault.message, nil) }
        workspace.campaigns = [campaign]
        if let fault = Checker.policyFindings(workspace).first(where: isOwn) { return (fault.message, nil) }
        do throws(Inexpressible) {
            let differences = try LeanCloudDecoder.differences(between: candidate.request, and: encoded.request)
            let real = differences.filter { $0 != .addedTopic }
            if real.isEmpty {
                let topic = encoded.request.body["topic"]?.string ?? ""
                return (nil, differences.isEmpty ? nil : "The workspace's device profile adds the topic \(topic).")
            }
            if real == [.topic] {
                return (
                    "it names a topic or team that no declared device profile with a token has: declare one first", nil
                )
            }
            let words = real.map(\.rawValue).joined(separator: ", ")
            return ("a campaign cannot express it exactly: it would change \(words)", nil)
        } catch {
            return ("the request of its campaign \(error.description)", nil)
        }
    }

    /// Returns the file of a candidate: it is on hold, because the remote will send the existing push itself.
    func text(of candidate: Candidate) -> String {
        guard var campaign = candidate.options.first else { return "" }
        let push = candidate.push.push
        campaign.hold = true
        var comments = ["Made by 'bugle import' of scheduled push \(push.id) on \(source.remote.name)."]
        if !candidate.hasExpiration {
            comments.append("The service's list names no expiration: if the push has one, say it here.")
        }
        if let remark = candidate.remark { comments.append(remark) }
        return ConfigurationText.text(
            of: campaign, comments: comments,
            holdComments: [
                "\(source.remote.name) still has that push and will send it. Before this line is removed, cancel it",
                "in the console or with DELETE /1.1/scheduledPushMessages/\(push.id), or devices get it twice.",
            ])
    }
}
