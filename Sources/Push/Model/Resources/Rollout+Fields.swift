extension Rollout {
    /// The fields of a rollout in a file.
    package static let fields = FieldTable(
        "Campaign.rollout", "Stages, each of which is judged before the next one starts; straight to Apple only",
        "分阶段发布：每一阶段判定通过后才开始下一阶段；仅限直连 Apple", blank: Rollout(stages: [], bake: Rollout.usualBake, stopWhen: Limits()),
        [
            FieldRow(
                required: "stages", .shares,
                "The shares that have been sent to after each stage: rising, the last is 100%",
                "各阶段结束后累计触达的比例：逐级递增，最后一级为 100%", { $0.stages }, { $0.stages = $1 }),
            FieldRow(
                "bake", .duration, default: "30m", "The time between a stage's last answer and its verdict",
                "一个阶段收到最后一个应答之后，等待多久再判定", unless: usualBake, { $0.bake }, { $0.bake = $1 }),
            FieldRow(
                required: "stopWhen", .map(Limits.fields),
                "The limits with which it is halted; what decides is the bound of a rate (Wilson, 95 %) that is certain to pass one",
                "触发即中止的界限；以比率的威尔逊区间（95%）中确定越界的一端为准", { $0.stopWhen }, { $0.stopWhen = $1 }),
            FieldRow(
                "minimum", .positive, default: "300", "With fewer answers a stage is not judged: the rollout holds",
                "应答数少于它就不作判定：发布暂停，等待人工决定", unless: 300, { $0.minimum }, { $0.minimum = $1 }),
        ])

    /// The time between a stage and its verdict unless a file says another.
    private static let usualBake = Duration.seconds(1800)

    /// Writes the rollout for hashing.
    package func hash(to writer: inout ContentWriter) {
        writer.write("stages", stages.map(\.text))
        writer.write("bake", Int(bake.wholeSeconds))
        writer.write("stopWhenRefused", stopWhen.refused?.text)
        writer.write("stopWhenDeadTokens", stopWhen.deadTokens?.text)
        writer.write("stopWhenInDoubt", stopWhen.inDoubt?.text)
        writer.write("stopWhenOpenedBelow", stopWhen.opened?.below.text)
        writer.write("minimumAnswers", minimum)
    }
}

extension Rollout.Limits {
    static let fields = FieldTable(
        "Campaign.rollout.stopWhen", "The shares of a stage's answers with which the rollout is halted; at least one",
        "一个阶段的应答中，触发中止的比例；至少写一个", blank: Rollout.Limits(), rules: [.notEmpty],
        [
            FieldRow(
                "refused", .share, "Refused by Apple for another reason than the token", "因令牌以外的原因被 Apple 拒绝的比例",
                { $0.refused }, { $0.refused = $1 }),
            FieldRow(
                "deadTokens", .share, "Refused because the token is dead or wrong", "因令牌失效或有误而被拒绝的比例",
                { $0.deadTokens }, { $0.deadTokens = $1 }),
            FieldRow(
                "inDoubt", .share, "Without an answer", "没有收到应答的比例", { $0.inDoubt }, { $0.inDoubt = $1 }),
            FieldRow(
                "opened", .map(Rollout.Floor.fields),
                "The app was opened by it, as devices report within 'bake'; needs 'policy.events'",
                "设备在 'bake' 之内上报的打开比例；需要 'policy.events'", { $0.opened }, { $0.opened = $1 }),
        ])
}

extension Rollout.Floor {
    static let fields = FieldTable(
        "Campaign.rollout.stopWhen.opened", "A share of the devices that a stage reached", "占该阶段已触达设备的比例",
        blank: Rollout.Floor(below: .whole),
        [
            FieldRow(
                required: "below", .share, "The rollout is halted when the share is certain to be smaller",
                "确定低于该比例时中止发布", { $0.below }, { $0.below = $1 })
        ])
}

extension FieldForm<Share> {
    /// A share such as `1%` or `0.25%`.
    static let share = FieldForm<String>.string(.percentage).map({ Share($0) }, \.text)
}

extension FieldForm<[Share]> {
    /// A list of shares.
    static let shares = FieldForm<[String]>.list(.list(of: .percentage, ListRule(minimum: 2))).map(
        { texts in texts.compactMap { Share($0) } }, { $0.map(\.text) })
}
