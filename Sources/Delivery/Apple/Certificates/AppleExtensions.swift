internal import SwiftASN1
internal import X509

/// The topics and environments that Apple writes into a push certificate.
///
/// Source: the extensions under 1.2.840.113635.100.6.3, and the subject's UID and common name.
struct AppleExtensions {
    var topics: [CertificateIdentity.Topic] = []
    var environments: Set<CertificateIdentity.Environment> = []
    let commonName: String?
    let uid: String?

    init(of certificate: Certificate) {
        commonName = certificate.subject.first(of: .RDNAttributeType.commonName)
        uid = certificate.subject.first(of: .userID)
        for oid in [ASN1ObjectIdentifier.pushTopics, .pushAdditionalTopics] {
            guard let value = certificate.extensions[oid: oid]?.value else { continue }
            add(Self.topics(in: value))
        }
        if certificate.extensions[oid: .pushDevelopment] != nil { environments.insert(.development) }
        if certificate.extensions[oid: .pushProduction] != nil { environments.insert(.production) }
        let named = commonName.flatMap(SubjectName.init)
        if environments.isEmpty, let named { environments = named.environments }
        if let uid {
            addUnlessNamed(uid)
        } else if let named {
            addUnlessNamed(named.topic)
        }
    }

    private mutating func add(_ found: [CertificateIdentity.Topic]) {
        for topic in found where !topics.contains(topic) { topics.append(topic) }
    }

    private mutating func addUnlessNamed(_ name: String) {
        if !topics.contains(where: { $0.name == name }) { topics.append(.init(name: name)) }
    }

    /// The topics with their kinds. Older certificates carry a bare marker here: no topics, but not an error.
    private static func topics(in value: ArraySlice<UInt8>) -> [CertificateIdentity.Topic] {
        guard let root = try? DER.parse(value), root.identifier == .sequence,
            case .constructed(let children) = root.content
        else { return [] }
        var topics: [CertificateIdentity.Topic] = []
        var name: String?
        for node in children {
            if let text = string(node) {
                if let name { topics.append(.init(name: name)) }
                name = text
            } else if let topic = name, case .constructed(let kinds) = node.content {
                let texts = kinds.compactMap(string)
                topics += texts.isEmpty ? [.init(name: topic)] : texts.map { .init(name: topic, kind: $0) }
                name = nil
            }
        }
        if let name { topics.append(.init(name: name)) }
        return topics
    }

    private static func string(_ node: ASN1Node) -> String? {
        (try? ASN1UTF8String(derEncoded: node)).map { String($0) }
    }
}

/// The topic and environments named by the common name of a certificate without extensions or UID, such as
/// `Apple Development IOS Push Services: com.example.app`.
private struct SubjectName {
    let topic: String
    let environments: Set<CertificateIdentity.Environment>

    init?(_ commonName: String) {
        guard let colon = commonName.firstIndex(of: ":") else { return nil }
        let service = commonName[..<colon]
        let id = commonName[commonName.index(after: colon)...].drop { $0 == " " }
        guard let (suffix, environments) = Self.meaning(of: service), !id.isEmpty else { return nil }
        topic = id.hasSuffix(suffix) ? String(id) : id + suffix
        self.environments = environments
    }

    private static func meaning(of service: Substring) -> (String, Set<CertificateIdentity.Environment>)? {
        switch service {
        case "Pass Type ID", "Website Push ID": return ("", [.production])
        case "VoIP Services": return (".voip", [.development, .production])
        case "WatchKit Services": return (".complication", [.development, .production])
        default: break
        }
        guard service.hasPrefix("Apple "), service.hasSuffix("Push Services") else { return nil }
        let words = service.split(separator: " ")
        if words.contains("Development") || words.contains("Sandbox") { return ("", [.development]) }
        if words.contains("Production") { return ("", [.production]) }
        return ("", [.development, .production])
    }
}

extension DistinguishedName {
    fileprivate func first(of type: ASN1ObjectIdentifier) -> String? {
        for name in self {
            for attribute in name where attribute.type == type { return String(attribute.value) }
        }
        return nil
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let userID: Self = [0, 9, 2342, 19_200_300, 100, 1, 1]
    fileprivate static let pushDevelopment: Self = [1, 2, 840, 113_635, 100, 6, 3, 1]
    fileprivate static let pushProduction: Self = [1, 2, 840, 113_635, 100, 6, 3, 2]
    fileprivate static let pushAdditionalTopics: Self = [1, 2, 840, 113_635, 100, 6, 3, 4]
    fileprivate static let pushTopics: Self = [1, 2, 840, 113_635, 100, 6, 3, 6]
}
