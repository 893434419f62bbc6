internal import APNs
internal import DeviceRegistry
package import JSONValue
package import PushModel
internal import PushRemote

extension DeliveryAudience {
    /// Reads what the encoder says of a request's audience: its condition and its routes.
    ///
    /// - Throws: `RemoteError` with `refused` naming the member that is not right.
    init(counted: JSONValue) throws(RemoteError) {
        guard let condition = counted["where"], condition.object != nil else {
            throw RemoteError(.refused, "the audience that is counted has no 'where'")
        }
        guard let members = counted["routes"]?.array, !members.isEmpty else {
            throw RemoteError(.refused, "the audience that is counted has no 'routes'")
        }
        var routes: [DeliveryRoute] = []
        for member in members {
            guard let profile = member["profile"]?.string, let topic = member["topic"]?.string else {
                throw RemoteError(.refused, "a route of the audience that is counted has no 'profile' or 'topic'")
            }
            routes.append(DeliveryRoute(profile: profile, topic: topic, isDefault: member["default"]?.bool ?? false))
        }
        self.init(selection: .condition(condition), routes: routes)
    }
}

extension APNsEncoder {
    /// The condition with the routes: devices of other profiles and topics are not reached.
    package func audience(of request: PushRequest) -> JSONValue? {
        guard let condition = request.body["where"], let routes = request.body["routes"] else { return nil }
        return ["where": condition, "routes": routes]
    }
}
