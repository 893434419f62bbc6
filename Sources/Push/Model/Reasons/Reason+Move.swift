extension Reason {
    /// What is found about a migration, and about what.
    package enum Move: String, ReasonCode {
        // What a finding is about.
        case pendingPushes, ledger, devices, deviceProfiles, clients, registrations, comparison, sample, audiences
        case resources, remote, domain, server, segmentNamed, campaignNamed, channelNamed
        // The old service.
        case isApplying, pushesWait, nonePending, notSettled, willRegister, titleCounts, cannotCompare
        // The new server.
        case simulates, reachesNone, pushesBy, noCredential, noProfiles, profileUndeclared, androidKept, hasNoDevice
        case seenToday, seenTodayCheck
        // Comparisons.
        case getPushes, seen, countOnce, pull, sampleFound, sampleMissing, classMissing
        case innerQueryShort, devicesDiffer, reachAlike, allDeliveriesThere, deliveriesMissing, allResourcesThere
        case resourcesMissing
        // The domain.
        case isShared, otherServer, notBugle, unreachable, unreachableThere, noAddress, leadsToServer, leadsElsewhere,
            tlsUnchecked
        case hasCertificate, certificateNotBugle, noCertificate
        // What is next.
        case next, nextReady, nextMoved, pointDomain, pullAndRemove

        package var words: (english: String, chinese: String) {
            switch self {
            case .pendingPushes: ("pending pushes", "待发推送")
            case .ledger: ("ledger", "台账")
            case .devices: ("devices", "设备")
            case .deviceProfiles: ("deviceProfiles", "deviceProfiles")
            case .clients: ("clients", "客户端")
            case .registrations: ("registrations", "注册")
            case .comparison: ("comparison", "比较")
            case .sample: ("sample", "抽样")
            case .audiences: ("audiences", "受众")
            case .resources: ("resources", "资源")
            case .remote: ("remote {}", "远端 {}")
            case .domain: ("domain {}", "域名 {}")
            case .server: ("server {}", "服务器 {}")
            case .segmentNamed: ("segment {}", "分群 {}")
            case .campaignNamed: ("campaign {}", "推送活动 {}")
            case .channelNamed: ("channel {}", "频道 {}")
            case .isApplying:
                ("{} is applying to the old service: wait until it has ended", "{} 正在对原服务执行 apply：请等它结束")
            case .pushesWait:
                (
                    "{} wait at the old service, until {}, which will send them: cancel them ('hold: true', then 'bugle "
                        + "apply'), or wait",
                    "原服务上有 {} 次推送等待发送（直到 {}），到时会发出：请取消（'hold: true' 后执行 'bugle apply'），或等待"
                )
            case .nonePending: ("none wait at the old service", "原服务上没有等待发送的推送")
            case .notSettled:
                (
                    "{} deliveries are not settled, such as {}: run 'bugle apply' on the old remote, or 'bugle resolve'",
                    "有 {} 次投递尚未了结，例如 {}：请对原远端执行 'bugle apply'，或执行 'bugle resolve'"
                )
            case .willRegister:
                (
                    "{} devices were seen in the last 30 days and will register by themselves when their app starts; {} "
                        + "were not, and depend on the copy",
                    "{} 台设备在最近 30 天出现过，app 启动时会自行注册；{} 台没有，要靠复制的数据"
                )
            case .titleCounts:
                (
                    "{}: {} devices of Apple's get pushes, {} were not seen for three months",
                    "{}：{} 台 Apple 设备可收到推送，{} 台三个月没有出现"
                )
            case .cannotCompare:
                (
                    "what was written there after the last copy cannot be compared: {}",
                    "上次复制之后在那里写入的内容无法比较：{}"
                )
            case .simulates:
                (
                    "it simulates every device: name in its settings the workspace whose DeviceProfiles push to Apple",
                    "它模拟所有设备：请在其设置中写明用哪个工作区的 DeviceProfile 推送到 Apple"
                )
            case .reachesNone:
                (
                    "it reaches no device: none of its DeviceProfiles has its credential there",
                    "它推送不到任何设备：它的 DeviceProfile 在那里都没有凭据"
                )
            case .pushesBy: ("pushes to Apple's devices by {}", "通过 {} 推送到 Apple 设备")
            case .noCredential: ("remote {} has no usable credential for it", "远端 {} 没有可用于它的凭据")
            case .noProfiles:
                (
                    "the workspace has none: declare the certificates or keys that push to Apple's devices",
                    "工作区中没有：请声明用于推送到 Apple 设备的证书或密钥"
                )
            case .profileUndeclared:
                (
                    "{} devices have it and the workspace declares none: they would get nothing; 'bugle import' writes it",
                    "有 {} 台设备使用它，而工作区没有声明：它们会收不到推送；'bugle import' 可以写出它"
                )
            case .androidKept:
                (
                    "{} devices: the new server keeps them, and pushes to Apple's only",
                    "{} 台设备：新服务器会保留它们，但只推送到 Apple 设备"
                )
            case .hasNoDevice:
                (
                    "the new server has none: run 'bugle-server pull' or 'bugle-server import'",
                    "新服务器上没有：请执行 'bugle-server pull' 或 'bugle-server import'"
                )
            case .seenToday: ("{} devices were seen in the last day", "{} 台设备在最近一天出现过")
            case .seenTodayCheck:
                (
                    "{} devices were seen in the last day: check whether apps reach the server",
                    "{} 台设备在最近一天出现过：请检查 app 能否连到该服务器"
                )
            case .getPushes:
                ("{} get pushes at the old service, {} at the new server", "可收到推送的，原服务 {} 台，新服务器 {} 台")
            case .seen:
                (
                    "{} were seen in the last day at the old service, {} at the new server",
                    "最近一天出现过的，原服务 {} 台，新服务器 {} 台"
                )
            case .countOnce: ("registrations of one token count once", "同一 token 的多次注册只算一次")
            case .pull: ("run 'bugle-server pull'", "请执行 'bugle-server pull'")
            case .sampleFound:
                (
                    "{} of {} devices of the old service are at the new server",
                    "原服务的 {1} 台设备中，有 {0} 台在新服务器上"
                )
            case .sampleMissing:
                (
                    "{} of {} devices of the old service are at the new server, by their ids: run 'bugle-server pull', and "
                        + "check whether both belong to the same app",
                    "原服务的 {1} 台设备中，按 id 有 {0} 台在新服务器上：请执行 'bugle-server pull'，并检查二者是否属于同一个应用"
                )
            case .classMissing:
                (
                    "it queries the class {}, which is not at the new server: run 'bugle-server pull --class {}'",
                    "它查询了 class {}，而新服务器上没有：请执行 'bugle-server pull --class {}'"
                )
            case .innerQueryShort:
                (
                    "a query within its condition finds {} objects at the old service, {} at the new server: run "
                        + "'bugle-server pull' with --class",
                    "其条件中的内层查询在原服务匹配 {} 个对象，在新服务器匹配 {} 个：请用 --class 执行 'bugle-server pull'"
                )
            case .devicesDiffer: ("{} devices at the old service, {} at the new server", "原服务 {} 台设备，新服务器 {} 台")
            case .reachAlike:
                (
                    "{} of {} channels, segments and conditions reach as many devices",
                    "频道、分群和条件共 {1} 个，检查了 {0} 个，设备数都相同"
                )
            case .allDeliveriesThere: ("all {} deliveries are at the new server", "全部 {} 次投递都在新服务器上")
            case .deliveriesMissing:
                (
                    "{} deliveries are not at the new server, such as {}, which would send them again",
                    "有 {} 次投递不在新服务器上，例如 {}，会重复发送"
                )
            case .allResourcesThere: ("all {} are at the new server", "全部 {} 个都在新服务器上")
            case .resourcesMissing: ("{} are not at the new server, such as {}", "有 {} 个不在新服务器上，例如 {}")
            case .isShared:
                (
                    "it is LeanCloud's own and cannot be moved: bind a domain to the app, ship it in an update, or name "
                        + "the one that apps call with --domain",
                    "这是 LeanCloud 自己的域名，无法迁移：请为应用绑定域名并随更新发布，或用 --domain 写明 app 访问的域名"
                )
            case .otherServer: ("another bugle-server than {} answers there", "那里应答的 bugle-server 不是 {}")
            case .notBugle:
                ("the server there is not a bugle-server, or is an older one", "那里的服务器不是 bugle-server，或版本较旧")
            case .unreachable: ("it cannot be reached: {}", "无法连接：{}")
            case .unreachableThere: ("{} cannot be reached: {}", "无法连接 {}：{}")
            case .noAddress:
                ("it has no address: is it the domain that apps call?", "它没有地址：这是 app 访问的域名吗？")
            case .leadsToServer: ("leads to {}, as the new server's address does", "指向 {}，与新服务器的地址相同")
            case .leadsElsewhere: ("leads to {}; the new server is at {}", "指向 {}；新服务器在 {}")
            case .tlsUnchecked:
                (
                    "TLS was not checked: {} is plain http; the proxy in front of it needs a certificate",
                    "没有检查 TLS：{} 是不加密的 http；它前面的代理需要证书"
                )
            case .hasCertificate: ("{} has a certificate for it", "{} 有它的证书")
            case .certificateNotBugle:
                (
                    "{} has a certificate for it, but the server there is not a bugle-server",
                    "{} 有它的证书，但那里的服务器不是 bugle-server"
                )
            case .noCertificate: ("{} has no certificate for it: {}", "{} 没有它的证书：{}")
            case .next: ("Next: {}", "下一步：{}")
            case .nextReady: ("The domain may be moved. Next: {}", "域名可以迁移了。下一步：{}")
            case .nextMoved: ("The domain has been moved. Next: {}", "域名已迁移。下一步：{}")
            case .pointDomain:
                (
                    "point {} to the new server, run 'bugle-server pull' once more, from an address that still leads to "
                        + "LeanCloud, and run 'bugle migrate' again",
                    "把 {} 指向新服务器，从仍指向 LeanCloud 的地址再执行一次 'bugle-server pull'，然后再次执行 'bugle migrate'"
                )
            case .pullAndRemove:
                (
                    "run 'bugle-server pull' once more, from an address that still leads to LeanCloud, and remove the "
                        + "remote {}",
                    "从仍指向 LeanCloud 的地址再执行一次 'bugle-server pull'，然后删除远端 {}"
                )
            }
        }
    }
}
