internal import Base

/// Combines the declarations of all files, and checks what only all of them together can show.
struct WorkspaceAssembly {
    var diagnostics: [Diagnostic] = []
    /// The name of `bugle.yaml` in diagnostics.
    let main: String
    /// True when `bugle.yaml` itself has errors.
    private let mainHasErrors: Bool

    private var workspaces: [(declaration: Declaration, content: DeclaredWorkspace)] = []
    /// The workspace's policy; nil without a Workspace document.
    var policy: Policy? { workspaces.first?.content.policy }
    /// The texts of the app's keys; nil when the files name none.
    var strings: StringCatalog? { workspaces.first?.content.strings }
    var profiles: [DeviceProfile] = []
    var profileNames = DeclaredNames(.deviceProfile)
    var channels: [Channel] = []
    var channelNames = DeclaredNames(.channel)
    var segments: [Segment] = []
    var segmentNames = DeclaredNames(.segment)
    var campaigns: [DeclaredCampaign] = []
    var campaignNames = DeclaredNames(.campaign)
    var remoteNames: Set<String> = []
    var remoteSuggestions = NameSuggestions([])
    var profilesByName: [String: DeviceProfile] = [:]
    var segmentsByName: [String: Segment] = [:]

    /// Creates the assembly from files in path order.
    init(_ files: [ReadFile], main: String) {
        self.main = main
        mainHasErrors = files.contains { $0.name == main && $0.diagnostics.hasErrors }
        campaignNames.reserveCapacity(files.count)
        for declaration in files.lazy.flatMap(\.declarations) {
            switch declaration.content {
            case .workspace(let content): workspaces.append((declaration, content))
            case .deviceProfile(let profile):
                if add(declaration, to: \.profileNames), let profile { profiles.append(profile) }
            case .channel(let channel): if add(declaration, to: \.channelNames) { channels.append(channel) }
            case .segment(let segment): if add(declaration, to: \.segmentNames) { segments.append(segment) }
            case .campaign(let campaign):
                // A duplicate is still read, so that its other problems are reported too.
                _ = add(declaration, to: \.campaignNames)
                campaigns.append(campaign)
            }
        }
        // The one in bugle.yaml is the workspace; the others keep their order.
        let isMain = { (declaration: Declaration) in declaration.origin.file == FileTree.marker }
        workspaces = workspaces.filter { isMain($0.declaration) } + workspaces.filter { !isMain($0.declaration) }
        checkSecretReferences(files)
    }

    private mutating func add(
        _ declaration: Declaration, to names: WritableKeyPath<WorkspaceAssembly, DeclaredNames>
    ) -> Bool {
        guard let first = self[keyPath: names].add(declaration) else { return true }
        diagnostics.append(.alreadyDeclared(declaration, first: first))
        return false
    }

    /// The names that documents of each kind declare, readable or not.
    var names: [DeclaredNames] { [profileNames, channelNames, segmentNames, campaignNames] }

    /// Builds the workspace; nil when there is no Workspace document. Call it once.
    mutating func workspace() -> Workspace? {
        profilesByName = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
        segmentsByName = Dictionary(segments.map { ($0.name, $0) }) { first, _ in first }
        checkWorkspaceDocuments()
        checkDefaultProfiles()
        let remotes = workspaces.first?.content.remoteNames ?? []
        (remoteNames, remoteSuggestions) = (Set(remotes), NameSuggestions(remotes))
        checkFormerNames()
        // Sorted while they are small; the workspace receives them in order.
        let campaigns = campaigns.sorted { $0.campaign.name < $1.campaign.name }.map { finished($0) }
        guard let (declaration, content) = workspaces.first else { return nil }
        checkEvents(content.remotes, declaration.origin)
        return Workspace(
            name: declaration.name, origin: declaration.origin, formerly: content.formerly, language: content.language,
            app: content.app, strings: content.strings, defaultRemote: content.defaultRemote,
            remotes: Dictionary(content.remotes.map { ($0.name, $0) }) { first, _ in first }, policy: content.policy,
            deviceProfiles: profiles, channels: channels, segments: segments, campaigns: campaigns)
    }

    private mutating func checkWorkspaceDocuments() {
        guard let first = workspaces.first?.declaration else {
            // Other errors in bugle.yaml may be the reason.
            guard !mainHasErrors else { return }
            let start = SourceRange(file: main, start: SourcePosition(line: 1, column: 1))
            diagnostics.append(
                Diagnostic(
                    .error, .workspaceDocument, "there is no Workspace document in bugle.yaml", at: start,
                    help: "it needs kind: Workspace and name: NAME; 'bugle init DIR' writes one"))
            return
        }
        let place = first.origin.range(of: ["kind"])
        if first.origin.file != FileTree.marker {
            diagnostics.append(
                Diagnostic(.error, .workspaceDocument, "the Workspace document must be in bugle.yaml", at: place))
        }
        for second in workspaces.dropFirst() {
            diagnostics.append(
                Diagnostic(
                    .error, .workspaceDocument, "a second Workspace document; the first is in \(place.shortText)",
                    at: second.declaration.origin.range(of: ["kind"]), related: [.init("the first", at: place)]))
        }
    }
}
