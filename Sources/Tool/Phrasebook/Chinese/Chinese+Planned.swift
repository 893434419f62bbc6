internal import PushModel

extension Chinese {
    /// The Chinese text of a plan's words.
    ///
    /// A plan is saved in English, so its words are recognised by their sentences. The places of a sentence are
    /// translated in the same way, so that sentences within sentences are too.
    static func planned(_ text: String) -> String {
        for sentence in sentences {
            guard let parts = sentence.parts(of: text) else { continue }
            return sentence.filled(with: zip(parts, sentence.isVerbatim).map { $1 ? $0 : planned($0) })
        }
        return value(text)
    }

    /// A time or a duration in words; anything else unchanged.
    private static func value(_ text: String) -> String {
        guard text.utf8.first.map({ (0x30...0x39).contains($0) }) == true else { return text }
        if text.hasSuffix("Z"), let time = OffsetInstant(text) { return instant(time.instant) }
        // `2026-11-27 20:00 +08:00`
        if text.utf8.count >= 23, text.dropFirst(10).first == " " {
            let seconds = text.utf8.count == 23 ? ":00" : ""
            let written = text.prefix(10) + "T" + text.dropFirst(11).dropLast(7) + seconds + text.suffix(6)
            if let moment = OffsetInstant(String(written)) { return time(moment) }
        }
        if text.utf8.count == 10, let moment = OffsetInstant(text + "T00:00:00Z") { return day(moment.instant) }
        if let length = Duration(configurationText: text) { return exactly(length) }
        let units: [Substring: String] = ["s": "秒", "min": "分钟", "h": "小时", "d": "天"]
        let words = text.split(separator: " ")
        if words.count == 2, Int(words[0]) != nil, let unit = units[words[1]] { return "\(words[0]) \(unit)" }
        return text
    }

    private static let sentences: [PlannedSentence] = [
        // These come before a sentence that begins with the same words.
        ("{} {=} is protected: release it with protected: false", "{} {} 受保护：先设置 protected: false"),
        ("channel", "频道"), ("segment", "分群"),
        // Audiences; a name contains no space, and names and conditions are kept verbatim.
        ("everyone", "全部设备"), ("everyone, {}", "全部设备，{}"), ("as recorded", "以记录为准"),
        ("{} listed device ({=}), {}", "指定的 {} 台设备（{}），{}"), ("{} listed devices ({=}), {}", "指定的 {} 台设备（{}），{}"),
        ("channels {=} or {=}, {}", "频道 {} 或 {}，{}"), ("channels {=} or {=}", "频道 {} 或 {}"),
        ("channel {=}, {}", "频道 {}，{}"), ("channel {=}", "频道 {}"),
        ("segments {=} and {=}, {}", "分群 {} 且 {}，{}"), ("segments {=} and {=}", "分群 {} 且 {}"),
        ("segment {=}, {}", "分群 {}，{}"), ("segment {=}", "分群 {}"),
        ("where {=}, on ios or android", "条件 {}，平台 ios 或 android"), ("where {=}, on ios", "条件 {}，平台 ios"),
        ("where {=}, on android", "条件 {}，平台 android"),
        // Text after a condition may belong to it.
        ("where {=}", "条件 {}"),
        ("on hold", "已暂停"), ("on hold, and its time is over", "已暂停，且已过有效时间"),
        ("on hold; it continues if released by {}", "已暂停；在 {} 之前解除即可继续"),
        ("on ios or android", "平台 ios 或 android"), ("on ios", "平台 ios"), ("on android", "平台 android"),
        ("on {}, deviceProfile {=}", "平台 {}，deviceProfile {}"), ("ios or android", "ios 或 android"),
        ("the server waits for Apple: {=}", "服务器在等待 Apple：{}"),
        // Expirations.
        ("after {}", "发送后 {}"), ("at {}", "{} 为止"), ("never", "不限"),
        // Reasons for a change.
        ("new", "新增"), ("changed", "有改动"), ("not recorded yet", "尚未记录"), ("no longer declared", "文件中不再声明"),
        ("protected from now on", "从现在起受保护"), ("no longer protected", "不再受保护"), ("not delivered yet", "尚未投递"),
        ("refused before: {=}", "之前被拒绝：{}"), ("no reason given", "未说明原因"),
        ("cancelled before, wanted again", "之前已取消，现在重新需要"), ("not sent before, wanted again", "之前未发送，现在重新需要"),
        ("its cancellation was interrupted", "取消操作曾中断"), ("changed while pending", "等待发送期间有改动"),
        ("changed while pending: {}", "等待发送期间有改动：{}"), ("its push is still pending", "其推送仍在等待发送"),
        ("a push of an earlier generation is still pending", "较早一次的推送仍在等待发送"),
        ("revision {} replaces revision {}", "版本 {} 取代版本 {}"),
        ("the campaign is recurring now", "该推送活动现在是周期性的"),
        ("the campaign is not recurring any more", "该推送活动不再是周期性的"), ("it is not recurring any more", "不再是周期性的"),
        ("renamed from {=}", "由 {} 更名"), ("it is {=} now", "现已更名为 {}"), ("it is not sent on {} any more", "不再于 {} 发送"),
        ("another delivery of {} counts", "以 {} 的另一次投递为准"), ("the remote sends the last one", "最后一次由远端发送"),
        ("its last day was {}", "最后一天是 {}"),
        ("the windows of {} occurrences ended, {} to {}", "{} 次的发送窗口已结束（{} 至 {}）"),
        ("no longer in the files for this remote", "文件中不再有面向该远端的这一项"),
        ("none of it was ever sent, and {}", "从未发送过：{}"),
        ("its new time has passed: {}", "新的时间已过：{}"), ("its window ended", "发送窗口已结束"),
        ("its window ended at {}", "发送窗口已于 {} 结束"), ("it expired at {}", "已于 {} 过期"),
        ("an apply must run between {} and {}", "须在 {} 与 {} 之间执行 apply"),
        ("it would start in quiet hours", "会在免打扰时段内开始"),
        ("it waits for the end of the quiet hours", "等待免打扰时段结束"), ("it is no longer wanted", "已不再需要"),
        // Outcomes of an earlier send.
        ("its outcome is unknown ({}): check the service's console, then run '{}'", "结果未知（{}）：请先查看服务的控制台，再执行 '{}'"),
        ("the rollout was halted: {}; decide about the rest: '{=}'", "分阶段发布已中止：{}；请决定其余设备：'{}'"),
        ("the rollout holds: {}; decide about the rest: '{=}'", "分阶段发布在等待决定：{}；请决定其余设备：'{}'"),
        (
            "the answers of {} devices were lost: '{=}' closes it, or sends to those devices only",
            "{} 台设备的应答丢失：'{}' 可以了结它，或只向这些设备发送"
        ),
        ("stage {=}/{=} baking: {}; verdict {}", "第 {} / {} 阶段观察中：{}；判定时间 {}"),
        ("wave {=}/{=} sent: {}; next {}", "第 {} / {} 批已发送：{}；下一批 {}"),
        ("test sent: {}; a winner may be named until {}", "测试已发送：{}；可在 {} 之前选定胜出的变体"),
        ("{} accepted, {} refused, {} in doubt", "{} 台已接受，{} 台被拒绝，{} 台存疑"),
        ("{} accepted, {} refused", "{} 台已接受，{} 台被拒绝"),
        ("stage {=} of {=} sent, {} devices; judged at {}, next: {=}", "第 {} / {} 阶段已发送，{} 台设备；{} 判定，之后执行：{}"),
        (
            "wave {=} of {=} sent, {} devices; the next opens at {}, next: {=}",
            "第 {} / {} 批已发送，{} 台设备；下一批于 {} 开始，之后执行：{}"
        ),
        ("test sent, {} devices; a winner may be named until {}, next: {=}", "测试已发送，{} 台设备；可在 {} 之前选定胜出的变体，之后执行：{}"),
        ("it waits for the end of the quiet hours, until {}, next: {=}", "等待免打扰时段结束（{}），之后执行：{}"),
        ("stage {=}: {}", "第 {} 阶段：{}"),
        ("its next part opens at {}", "下一部分在 {} 开始"), ("{}; {} between stages", "{}；各阶段间隔 {}"),
        ("{} answers, no rate passes its limit", "{} 个应答，各项比率均未越界"),
        ("opened is {} of {}, at most {}, below {}", "打开数为 {} / {}，至多 {}，低于下限 {}"),
        ("nobody counts who opened it", "没有统计打开数"),
        (
            "{} accepted, fewer than the {} from which {} can be told from none",
            "{0} 台已接受，少于能够区分 {2} 与零打开所需的 {1} 台"
        ),
        ("{} answers, fewer than the minimum of {}", "{} 个应答，少于下限 {}"),
        ("{=} is {} of {}, at least {}, above {}", "{} 为 {} / {}，至少 {}，超过上限 {}"),
        ("{=} by each device's clock, otherwise {=}", "以每台设备的时钟 {} 为准，否则以 {} 为准"),
        ("{=}; the rest within {}, otherwise {=}", "{}；其余设备在 {} 之内选定，否则 {}"),
        ("{=} by {=}", "{}（{}）"), ("rest", "其余"),
        ("it names a winner before its variants were tested", "变体尚未测试就写明了 winner"),
        ("a winner may be named until {}, otherwise {=}: {}", "可在 {} 之前选定胜出的变体，否则 {}：{}"),
        ("the winner is {=}, for {} more devices: {}", "胜出的变体是 {}，将发给其余 {} 台设备：{}"),
        ("the winner is {=}", "胜出的变体是 {}"),
        ("no winner was named until {}: {} more devices get nothing: {}", "到 {} 为止没有选定胜出的变体，其余 {} 台设备不再发送：{}"),
        ("no winner was named until {}: {} more devices get {=}: {}", "到 {} 为止没有选定胜出的变体，其余 {} 台设备收到 {}：{}"),
        ("no winner was named within {}: the rest gets nothing", "{} 之内没有选定胜出的变体，其余设备不再发送"),
        ("no winner was named within {}: {=}", "{} 之内没有选定胜出的变体，其余设备收到 {}"),
        ("its delivery has no variant {=}, but {=}", "正在进行的投递没有变体 {}，只有 {}"),
        ("{=} {} of {} accepted ({} to {}), {} opened ({} to {}); {}", "{}：{} / {} 已接受（{} 至 {}），{} 台打开（{} 至 {}）；{}"),
        ("{=} {} of {} accepted ({} to {}), {} opened ({} to {})", "{}：{} / {} 已接受（{} 至 {}），{} 台打开（{} 至 {}）"),
        ("{=} {} of {} accepted ({} to {}); {}", "{}：{} / {} 已接受（{} 至 {}）；{}"),
        ("{=} {} of {} accepted ({} to {})", "{}：{} / {} 已接受（{} 至 {}）"),
        ("the answer was lost", "没有收到应答"), ("it was not looked up", "未查询"),
        ("a send that was interrupted {} ago: {}", "{}前中断的发送：{}"), ("the remote refused it: {=}", "远端拒绝了它：{}"),
        ("the remote has it", "远端已收到"), ("the request is repeated under the same id", "以相同 id 重发请求"),
        ("the remote is asked again until {}", "在 {} 之前继续向远端查询"),
        ("the remote never received it, and it is sent now", "远端没有收到，现在发送"),
        ("the remote never received it, and it is no longer wanted", "远端没有收到，且已不再需要"),
        ("the remote never received it, and {}", "远端没有收到，且{}"), ("its outcome is unknown, {}", "结果未知，{}"),
        ("the service keeps its records for a week, and this one is {} old", "服务只保留一周的记录，而这条已有 {}"),
        ("nothing was sent yet", "尚未发送任何设备"), ("{} of {} devices are done, {} in doubt", "{} / {} 台设备已完成，{} 台存疑"),
        ("{} of {} devices are done", "{} / {} 台设备已完成"),
        ("the rest is not sent, {}: {} devices are missed", "其余不再发送，{}：错过 {} 台设备"),
        ("it ended before anything was sent, and the apply after this one may send it", "尚未发送即已结束，下一次 apply 可以发送"),
        // Reasons why a change is blocked.
        ("the policy requires an expiration", "规则要求写明有效期，但没有写"),
        ("allowEveryone is false", "allowEveryone 为 false，不允许推送给全部设备"),
        ("quiet hours are in effect now ({})", "现在处于免打扰时段（{}）"),
        (
            "it is sent to all at one instant, and quiet hours go by each device's clock ({})",
            "它在同一时刻发给所有设备，而免打扰时段以每台设备的时钟为准（{}）"
        ),
        ("{} is in quiet hours ({})", "{} 处于免打扰时段（{}）"), ("its audience could not be counted", "无法统计受众"),
        ("the certificate of {=} expires on {}, before the delivery does", "{} 的推送证书于 {} 到期，早于投递结束"),
        ("{} devices exceed the development environment's limit of {}", "{} 台设备超过开发环境的上限 {}"),
        (
            "the payload is too large with the values of some devices ({}): up to {} bytes",
            "部分设备（{} 台）代入自己的字段值后 payload 过大：最大 {} 字节"
        ),
        ("{} devices exceed maxAudience {}", "{} 台设备超过 maxAudience {}"),
        ("{} devices are fewer than minAudience {}", "{} 台设备少于 minAudience {}"),
        ("{} devices exceed the {} that need no further approval", "{} 台设备超过无需更多批准的 {} 台"),
        ("{} devices exceed the {} to which the planned audience may grow", "{} 台设备超过计划受众可增长到的 {} 台"),
        ("not sent: nobody was in its audience", "未发送：受众中没有设备"),
        ("not sent: the time of all its devices was over", "未发送：所有设备的时间都已过"),
        (
            "an inner query matches {} objects, but the service evaluates only {}",
            "内层查询匹配 {} 个对象，而服务只查看前 {} 个"
        ),
        (
            "this remote's ledger is empty: run 'bugle ledger copy' or 'bugle ledger start'",
            "该远端的台账是空的：请执行 'bugle ledger copy' 或 'bugle ledger start'"
        ),
        (
            "this app's ledger has {} deliveries of workspace {=}: renamed? say 'formerly: [{=}]' in the Workspace "
                + "document, or run 'bugle ledger start' if this one is new",
            "该应用的台账中有工作区 {1} 的 {0} 次投递：是改名了吗？请在 Workspace 文档中写明 'formerly: [{2}]'；如果这是新的工作区，请执行 'bugle ledger start'"
        ),
        (
            "this app's ledger has deliveries of workspaces {=}: is this one of them, renamed? say 'formerly' in the "
                + "Workspace document, or run 'bugle ledger start' if this one is new",
            "该应用的台账中有工作区 {} 的投递：本工作区是由其中之一改名的吗？请在 Workspace 文档中写明 'formerly'；如果这是新的工作区，请执行 'bugle ledger start'"
        ),
        (
            "the ledger has {} deliveries of workspace {=} beside those of {=}, and only one of them can be this "
                + "workspace: change 'formerly' in the Workspace document",
            "台账中除 {2} 的投递外，还有工作区 {1} 的 {0} 次投递，二者只能有一个是本工作区：请修改 Workspace 文档中的 'formerly'"
        ),
        (
            "is this {=} renamed? It was delivered with the same content and is no longer in the files: say 'formerly: "
                + "[{=}]', or 'revision: {}' to deliver it again",
            "这是 {} 改名而来的吗？它已按相同内容投递，且已不在文件中：请写明 'formerly: [{}]'；要再发一次请写 'revision: {}'"
        ),
        (
            "is it {=} now? That one is new and has the same content: say 'formerly: [{=}]' there, or a higher 'revision' "
                + "to deliver it again",
            "它现在叫 {} 吗？后者是新的，内容相同：请在其中写明 'formerly: [{}]'；要再发一次请提高 'revision'"
        ),
        (
            "{=} was {=} before, and that delivery has the same id: choose another name, or raise 'revision'",
            "{} 曾名 {}，那次投递的标识与此相同：请换一个名称，或提高 'revision'"
        ),
        ("it is due at {}, in less than 5 minutes", "将于 {} 发出，已不足 5 分钟"),
        ("{} sends exceed maxSendsPerApply {}", "{} 次发送超过 maxSendsPerApply {}"),
        ("{} cancels exceed maxCancelsPerApply {}", "{} 次取消超过 maxCancelsPerApply {}"),
        ("the workspace has no campaign at all while deliveries are pending", "工作区没有任何推送活动，却有投递等待发送"),
        ("needs {}, has {} ({=}); {}", "需要 {}，现有 {} 人（{}）；{}"), ("needs {}, has {} ({=})", "需要 {}，现有 {} 人（{}）"),
        ("needs {}, has none; {}", "需要 {}，目前没有；{}"), ("needs {}, has none", "需要 {}，目前没有"),
        ("{} approvals from {=}", "{} 人批准（须属于 {}）"), ("{} approval from {=}", "{} 人批准（须属于 {}）"),
        ("{} approvals", "{} 人批准"), ("{} approval", "{} 人批准"),
        ("no approvals were given with --approvals", "没有用 --approvals 提供批准"),
        ("{=}'s is of an older state; {}", "{} 批准的是较早的状态；{}"), ("{=}'s is of an older state", "{} 批准的是较早的状态"),
        ("{=}'s is dated in the future; {}", "{} 的批准时间在将来；{}"), ("{=}'s is dated in the future", "{} 的批准时间在将来"),
        ("{=}'s was dismissed; {}", "{} 的批准已撤销；{}"), ("{=}'s was dismissed", "{} 的批准已撤销"),
        ("{=} is an author; {}", "{} 是作者；{}"), ("{=} is an author", "{} 是作者"),
        ("{=} is in none of these teams; {}", "{} 不属于这些团队；{}"), ("{=} is in none of these teams", "{} 不属于这些团队"),
        (
            "it came with an earlier commit, whose authors are not known: change it, and have that approved",
            "它来自较早的提交，作者不详：请修改它，并让修改获得批准"
        ),
        ("which state the files have is not known: {=}", "无法确定文件处于哪个状态：{}"),
        ("the rules on approvals of the commit before cannot be read: {=}", "无法读取上一个提交中关于批准的规则：{}"),
        // Local clocks.
        ("clocks there go back {} at {}", "当地时钟于 {1} 拨慢 {0}"), ("clocks there go forward {} at {}", "当地时钟于 {1} 拨快 {0}"),
        ("in quiet hours", "处于免打扰时段"), ("at night there", "当地为夜间"),
    ].map(PlannedSentence.init)
}

/// A sentence of a plan with places, in English and in another language.
struct PlannedSentence: Sendable {
    private let english: [String]
    /// For each place, true if its text is the user's own (`{=}`) and is not translated.
    let isVerbatim: [Bool]
    /// The first byte, unless the sentence begins with a place: it tells most sentences apart.
    private let start: UInt8?
    private let other: String

    init(_ english: String, _ other: String) {
        isVerbatim = english.split(separator: "{").dropFirst(english.hasPrefix("{") ? 0 : 1).map { $0.hasPrefix("=") }
        let english = english.replacing("{=}", with: "{}")
        self.english = english.split(separator: "{}", omittingEmptySubsequences: false).map(String.init)
        start = english.hasPrefix("{}") ? nil : english.utf8.first
        self.other = other
    }

    /// The texts in the places; nil when the text is another sentence.
    func parts(of text: String) -> [String]? {
        guard start == nil || start == text.utf8.first, let first = english.first, let last = english.last,
            text.hasPrefix(first)
        else { return nil }
        guard english.count > 1 else { return text == first ? [] : nil }
        var rest = text.dropFirst(first.count)
        var parts: [String] = []
        for piece in english.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: piece), range.lowerBound > rest.startIndex else { return nil }
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        guard rest.hasSuffix(last), rest.count > last.count else { return nil }
        return parts + [String(rest.dropLast(last.count))]
    }

    /// The sentence with its places filled, in order or by number.
    func filled(with parts: [String]) -> String {
        var text = ""
        var next = parts.startIndex
        var rest = other[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            let number = Int(rest[rest.index(after: open)..<close])
            text += parts[number ?? next]
            next += 1
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}
