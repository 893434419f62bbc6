extension Reason {
    /// What is found about a migration, and about what.
    package enum Move: String, ReasonCode {
        // What a finding is about.
        case pendingPushes, ledger, devices, deviceProfiles, clients, registrations, comparison, sample, audiences
        case resources, remote, domain, server, segmentNamed, campaignNamed, channelNamed
        // The old service.
        case isApplying, pushesWait, nonePending, notSettled, willRegister, titleCounts, cannotCompare
        // The new server.
        case simulates, reachesNone, pushesBy, noCredential, noProfiles, profileUndeclared, hasNoDevice
        case withoutWay, withoutWayAccepted, otherApp, seenToday, seenTodayCheck, haveArrived
        // Comparisons.
        case getPushes, seen, countOnce, pull, sampleFound, sampleMissing, classMissing
        case innerQueryShort, devicesDiffer, reachAlike, allDeliveriesThere, deliveriesMissing, allResourcesThere
        case resourcesMissing, ledgerNew, deliveriesOutdated
        // Audiences, and why their devices differ.
        case audienceAlike, audienceDiffers, becauseLater, becauseNotCopied, becauseRegistered, becauseTwins
        case becauseStale, becauseDead, becauseNoWay, becauseProfile, becauseRemoved, becauseOldOnly, becauseNewOnly
        case becauseUnknown
        // Campaigns.
        case renders, wayBytes, wayBytesOf, wouldBeRefused, takesDryRun, refusesDryRun, noDryRun, campaignsHeld, notHeld
        // What the move would lose.
        case lag, noneLost, wouldBeLost, wouldBeLostUnknown, follow
        // The domain.
        case isShared, otherServer, notBugle, unreachable, unreachableThere, noAddress, leadsToServer, leadsElsewhere,
            tlsUnchecked
        case hasCertificate, certificateNotBugle, noCertificate
        // What is next.
        case next, nextReady, nextMoved, pointDomain, pullAndRemove
        // The turn, step by step.
        case turn, stepDone, stepNext, stepLater, stepCopy, stepLedger, stepHold, stepDomain, stepArrivals, stepRelease
        case writeHold, leadDomain, removeHold, lookAgain, wayBack

        package var words: Phrase {
            switch self {
            case .pendingPushes: Phrase("pending pushes", "待发推送")
            case .ledger: Phrase("ledger", "台账")
            case .devices: Phrase("devices", "设备")
            case .deviceProfiles: Phrase("deviceProfiles", "deviceProfiles")
            case .clients: Phrase("clients", "客户端")
            case .registrations: Phrase("registrations", "注册")
            case .comparison: Phrase("comparison", "比较")
            case .sample: Phrase("sample", "抽样")
            case .audiences: Phrase("audiences", "受众")
            case .resources: Phrase("resources", "资源")
            case .remote: Phrase("remote {}", "远端 {}")
            case .domain: Phrase("domain {}", "域名 {}")
            case .server: Phrase("server {}", "服务器 {}")
            case .segmentNamed: Phrase("segment {}", "分群 {}")
            case .campaignNamed: Phrase("campaign {}", "推送活动 {}")
            case .channelNamed: Phrase("channel {}", "频道 {}")
            case .isApplying:
                Phrase("{} is applying to the old service: wait until it has ended", "{} 正在对原服务执行 apply：请等它结束")
            case .pushesWait:
                Phrase(
                    "{} wait at the old service, until {}, which will send them: cancel them ('hold: true', then 'bugle "
                        + "apply' on the old remote), or wait",
                    "原服务上有 {} 次推送等待发送（直到 {}），到时会发出：请取消（'hold: true' 后对原远端执行 'bugle apply'），或等待")
            case .nonePending: Phrase("none wait at the old service", "原服务上没有等待发送的推送")
            case .notSettled:
                Phrase(
                    "{} deliveries are not settled, such as {}: run 'bugle apply' on the old remote, or 'bugle resolve'",
                    "有 {} 次投递尚未了结，例如 {}：请对原远端执行 'bugle apply'，或执行 'bugle resolve'")
            case .willRegister:
                Phrase(
                    "{} devices were seen in the last 30 days and will register by themselves when their app starts; {} "
                        + "were not, and depend on the copy",
                    "{} 台设备在最近 30 天出现过，app 启动时会自行注册；{} 台没有，要靠复制的数据")
            case .titleCounts:
                Phrase(
                    "{}: {} devices of Apple's get pushes, {} were not seen for three months",
                    "{}：{} 台 Apple 设备可收到推送，{} 台三个月没有出现")
            case .cannotCompare:
                Phrase("what was written there after the last copy cannot be compared: {}", "上次复制之后在那里写入的内容无法比较：{}")
            case .simulates:
                Phrase(
                    "it simulates every device: name in its settings the workspace whose DeviceProfiles push to Apple",
                    "它模拟所有设备：请在其设置中写明用哪个工作区的 DeviceProfile 推送到 Apple")
            case .reachesNone:
                Phrase(
                    "it reaches no device: none of its DeviceProfiles has its credential there",
                    "它推送不到任何设备：它的 DeviceProfile 在那里都没有凭据")
            case .pushesBy: Phrase("pushes to devices by {}", "通过 {} 推送到设备")
            case .noCredential: Phrase("remote {} has no usable credential for it", "远端 {} 没有可用于它的凭据")
            case .noProfiles:
                Phrase(
                    "the workspace has none: declare the certificates or keys that push to Apple's devices",
                    "工作区中没有：请声明用于推送到 Apple 设备的证书或密钥")
            case .profileUndeclared:
                Phrase(
                    "{} devices have it and the workspace declares none: they would get nothing; 'bugle import' writes it",
                    "有 {} 台设备使用它，而工作区没有声明：它们会收不到推送；'bugle import' 可以写出它")
            case .withoutWay:
                Phrase(
                    "{} devices have no way at the new server: declare a DeviceProfile of their vendor, or say that they may "
                        + "stay without pushes with 'migration: {accept: [android-without-way]}' in bugle.yaml",
                    "{} 台设备在新服务器上没有推送通道：请声明其厂商的 DeviceProfile，或在 bugle.yaml 中写 'migration: {accept: [android-without-way]}'，"
                        + "表示它们可以收不到推送")
            case .withoutWayAccepted:
                Phrase(
                    "{} devices have no way at the new server, which the workspace accepts", "{} 台设备在新服务器上没有推送通道，工作区已接受"
                )
            case .otherApp:
                Phrase(
                    "its app id is {}, and that of {} is {}: apps have theirs compiled in, and could not register",
                    "它的 App ID 是 {}，而 {} 的是 {}：App ID 编译在 app 里，设备将无法注册")
            case .haveArrived: Phrase("{} devices have registered with the new server itself", "有 {} 台设备已直接向新服务器注册")
            case .hasNoDevice:
                Phrase(
                    "the new server has none: run 'bugle-server pull' or 'bugle-server import'",
                    "新服务器上没有：请执行 'bugle-server pull' 或 'bugle-server import'")
            case .seenToday: Phrase("{} devices were seen in the last day", "{} 台设备在最近一天出现过")
            case .seenTodayCheck:
                Phrase(
                    "{} devices were seen in the last day: check whether apps reach the server",
                    "{} 台设备在最近一天出现过：请检查 app 能否连到该服务器")
            case .getPushes:
                Phrase("{} get pushes at the old service, {} at the new server", "可收到推送的，原服务 {} 台，新服务器 {} 台")
            case .seen:
                Phrase(
                    "{} were seen in the last day at the old service, {} at the new server",
                    "最近一天出现过的，原服务 {} 台，新服务器 {} 台")
            case .countOnce: Phrase("registrations of one token count once", "同一 token 的多次注册只算一次")
            case .pull: Phrase("run 'bugle-server pull'", "请执行 'bugle-server pull'")
            case .sampleFound:
                Phrase("{} of {} devices of the old service are at the new server", "原服务的 {1} 台设备中，有 {0} 台在新服务器上")
            case .sampleMissing:
                Phrase(
                    "{} of {} devices of the old service are at the new server, by their ids: run 'bugle-server pull', and "
                        + "check whether both belong to the same app",
                    "原服务的 {1} 台设备中，按 id 有 {0} 台在新服务器上：请执行 'bugle-server pull'，并检查二者是否属于同一个应用")
            case .classMissing:
                Phrase(
                    "it queries the class {}, which is not at the new server: run 'bugle-server pull --class {}'",
                    "它查询了 class {}，而新服务器上没有：请执行 'bugle-server pull --class {}'")
            case .innerQueryShort:
                Phrase(
                    "a query within its condition finds {} objects at the old service, {} at the new server: run "
                        + "'bugle-server pull' with --class",
                    "其条件中的内层查询在原服务匹配 {} 个对象，在新服务器匹配 {} 个：请用 --class 执行 'bugle-server pull'")
            case .devicesDiffer: Phrase("{} devices at the old service, {} at the new server", "原服务 {} 台设备，新服务器 {} 台")
            case .reachAlike:
                Phrase(
                    "{} of {} channels, segments and conditions reach as many devices",
                    "频道、分群和条件共 {1} 个，检查了 {0} 个，设备数都相同")
            case .allDeliveriesThere: Phrase("all {} deliveries are at the new server", "全部 {} 次投递都在新服务器上")
            case .deliveriesMissing:
                Phrase(
                    "{} deliveries are not at the new server, such as {}, which would send them again",
                    "有 {} 次投递不在新服务器上，例如 {}，会重复发送")
            case .deliveriesOutdated:
                Phrase(
                    "{} deliveries were cancelled since they were copied, such as {}, which the new server would not send",
                    "有 {} 次投递在复制之后已被取消，例如 {}，新服务器不会发送")
            case .allResourcesThere: Phrase("all {} are at the new server", "全部 {} 个都在新服务器上")
            case .resourcesMissing: Phrase("{} are not at the new server, such as {}", "有 {} 个不在新服务器上，例如 {}")
            case .ledgerNew:
                Phrase(
                    "the new server does not know what was delivered, and would block every campaign: run 'bugle ledger copy "
                        + "--from {} --to {}', also when nothing was",
                    "新服务器不知道投递过什么，会拦截所有推送活动：请执行 'bugle ledger copy --from {} --to {}'，什么都没有投递过时也要执行")
            case .audienceAlike:
                Phrase("{} devices on both sides, {} of them compared by id", "两边都是 {} 台设备，其中 {} 台按 id 比较过")
            case .audienceDiffers:
                Phrase("{} devices at the old service, {} at the new server: {}", "原服务 {} 台设备，新服务器 {} 台：{}")
            case .becauseLater: Phrase("{} were written after the copy's last look", "{} 台在最后一次复制之后才写入")
            case .becauseNotCopied:
                Phrase(
                    "{} are not at the new server or only in an older version, such as {}: run 'bugle-server pull'",
                    "{} 台不在新服务器上，或只有旧版本，例如 {}：请执行 'bugle-server pull'")
            case .becauseRegistered: Phrase("{} have registered with the new server since", "{} 台此后已向新服务器注册")
            case .becauseTwins: Phrase("{} are older registrations of a device that is there", "{} 台是同一设备较早的注册")
            case .becauseStale: Phrase("{} were not seen for three months", "{} 台三个月没有出现")
            case .becauseDead: Phrase("{} have a token that was declared dead", "{} 台的 token 已失效")
            case .becauseNoWay: Phrase("{} have no way at the new server", "{} 台在新服务器上没有推送通道")
            case .becauseProfile:
                Phrase(
                    "{} have a deviceProfile that has no usable credential at the new server",
                    "{} 台的 deviceProfile 在新服务器上没有可用的凭据")
            case .becauseRemoved: Phrase("{} were removed at the old service", "{} 台在原服务上已被删除")
            case .becauseOldOnly:
                Phrase(
                    "{} are alike on both sides, such as {}, and only the old service finds them: it reads the condition "
                        + "differently",
                    "{} 台在两边内容相同，例如 {}，但只有原服务能查到：两边对条件的解释不同")
            case .becauseNewOnly:
                Phrase(
                    "{} are alike on both sides, such as {}, and only the new server finds them: it reads the condition "
                        + "differently",
                    "{} 台在两边内容相同，例如 {}，但只有新服务器能查到：两边对条件的解释不同")
            case .becauseUnknown: Phrase("{} for no known reason", "{} 台原因不明")
            case .renders: Phrase("renders for {}", "可以生成发往 {} 的内容")
            case .wayBytes: Phrase("{} {} bytes", "{} {} 字节")
            case .wayBytesOf: Phrase("{} {} of {} bytes", "{} {} 字节（上限 {}）")
            case .wouldBeRefused: Phrase("the new server would refuse it: {}", "新服务器会拒绝它：{}")
            case .takesDryRun: Phrase("{} takes it in a dry run", "{} 在试运行中接受了它")
            case .refusesDryRun: Phrase("{} refuses it in a dry run: {}", "{} 在试运行中拒绝了它：{}")
            case .noDryRun: Phrase("no dry run with {}: {}", "没有在 {} 试运行：{}")
            case .campaignsHeld: Phrase("no apply would send any", "apply 不会发送任何一个")
            case .notHeld:
                Phrase(
                    "an apply would send {}: write 'hold: true' into the files until the domain has moved",
                    "apply 会发送 {}：域名迁移完成之前，请在文件里写上 'hold: true'")
            case .lag: Phrase("lag", "滞后")
            case .noneLost:
                Phrase(
                    "no device would be lost if the domain turned now; the copy's last look was {} ago",
                    "如果现在切换域名，不会丢失任何设备；最后一次复制是在 {} 前")
            case .wouldBeLost:
                Phrase(
                    "{} devices would be lost if the domain turned now: they registered after the copy's last look, {} ago",
                    "如果现在切换域名，会丢失 {} 台设备：它们在最后一次复制（{} 前）之后才注册")
            case .wouldBeLostUnknown:
                Phrase(
                    "{} devices would be lost if the domain turned now: they registered after the newest that was copied",
                    "如果现在切换域名，会丢失 {} 台设备：它们在复制来的最新设备之后才注册")
            case .follow: Phrase("run 'bugle-server pull --follow'", "请执行 'bugle-server pull --follow'")
            case .isShared:
                Phrase(
                    "it is LeanCloud's own and cannot be moved: bind a domain to the app, ship it in an update, or name "
                        + "the one that apps call with --domain",
                    "这是 LeanCloud 自己的域名，无法迁移：请为应用绑定域名并随更新发布，或用 --domain 写明 app 访问的域名")
            case .otherServer: Phrase("another bugle-server than {} answers there", "那里应答的 bugle-server 不是 {}")
            case .notBugle:
                Phrase("the server there is not a bugle-server, or is an older one", "那里的服务器不是 bugle-server，或版本较旧")
            case .unreachable: Phrase("it cannot be reached: {}", "无法连接：{}")
            case .unreachableThere: Phrase("{} cannot be reached: {}", "无法连接 {}：{}")
            case .noAddress: Phrase("it has no address: is it the domain that apps call?", "它没有地址：这是 app 访问的域名吗？")
            case .leadsToServer: Phrase("leads to {}, as the new server's address does", "指向 {}，与新服务器的地址相同")
            case .leadsElsewhere: Phrase("leads to {}; the new server is at {}", "指向 {}；新服务器在 {}")
            case .tlsUnchecked:
                Phrase(
                    "TLS was not checked: {} is plain http; the proxy in front of it needs a certificate",
                    "没有检查 TLS：{} 是不加密的 http；它前面的代理需要证书")
            case .hasCertificate: Phrase("{} has a certificate for it", "{} 有它的证书")
            case .certificateNotBugle:
                Phrase(
                    "{} has a certificate for it, but the server there is not a bugle-server",
                    "{} 有它的证书，但那里的服务器不是 bugle-server")
            case .noCertificate: Phrase("{} has no certificate for it: {}", "{} 没有它的证书：{}")
            case .next: Phrase("Next: {}", "下一步：{}")
            case .nextReady: Phrase("The domain may be moved. Next: {}", "域名可以迁移了。下一步：{}")
            case .nextMoved: Phrase("The domain has been moved. Next: {}", "域名已迁移。下一步：{}")
            case .pointDomain:
                Phrase(
                    "point {} to the new server, run 'bugle-server pull' once more, from an address that still leads to "
                        + "LeanCloud, and run 'bugle migrate' again",
                    "把 {} 指向新服务器，从仍指向 LeanCloud 的地址再执行一次 'bugle-server pull'，然后再次执行 'bugle migrate'")
            case .turn: Phrase("The turn, step by step ([x] is done):", "切换步骤（[x] 表示已完成）：")
            case .stepDone: Phrase("  [x] {}. {}", "  [x] 第 {} 步：{}")
            case .stepNext: Phrase("  [>] {}. {}: {}", "  [>] 第 {} 步，{}：{}")
            case .stepLater: Phrase("  [ ] {}. {}: {}", "  [ ] 第 {} 步，{}：{}")
            case .stepCopy: Phrase("copy, and follow what registers", "复制数据，并持续跟进新的注册")
            case .stepLedger: Phrase("carry over what was delivered", "带过去投递记录")
            case .stepHold: Phrase("hold the campaigns", "暂停推送活动")
            case .stepDomain: Phrase("turn the domain", "切换域名")
            case .stepArrivals: Phrase("see the first registrations arrive", "等待第一批注册到达")
            case .stepRelease: Phrase("release the campaigns", "恢复推送活动")
            case .writeHold: Phrase("write 'hold: true' into {}", "在 {} 中写上 'hold: true'")
            case .leadDomain: Phrase("lead {} to {}", "把 {} 指向 {}")
            case .removeHold: Phrase("remove 'hold: true' from {}, then run {}", "从 {} 中去掉 'hold: true'，然后执行 {}")
            case .lookAgain: Phrase("open the app, then run {}", "打开 app，然后执行 {}")
            case .wayBack:
                Phrase(
                    "The way back, while the old service lives: lead {} back to it, then run {}",
                    "退回的办法（原服务仍在时）：把 {} 指回原服务，然后执行 {}")
            case .pullAndRemove:
                Phrase(
                    "run 'bugle-server pull' once more, from an address that still leads to LeanCloud, and remove the "
                        + "remote {}",
                    "从仍指向 LeanCloud 的地址再执行一次 'bugle-server pull'，然后删除远端 {}")
            }
        }
    }
}
