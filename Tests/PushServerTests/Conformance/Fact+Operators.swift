extension Fact {
    private static let given = Step(
        "POST /batch",
        """
        {"requests":[
         {"method":"POST","path":"/1.1/classes/City","body":{"name":"here","big":true,
          "at":{"__type":"GeoPoint","latitude":40,"longitude":-30}}},
         {"method":"POST","path":"/1.1/classes/_User","body":{"username":"u",
          "location":{"__type":"GeoPoint","latitude":40.01,"longitude":-30}}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"a","n":1,"s":"alpha","tags":["x","y"],
          "when":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"},"deep":{"k":5},
          "at":{"__type":"GeoPoint","latitude":40.05,"longitude":-30}}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"b","n":2.5,"s":"beta","tags":["y"],
          "when":{"__type":"Date","iso":"2021-01-01T00:00:00.000Z"},"deep":{"k":7},
          "at":{"__type":"GeoPoint","latitude":40.01,"longitude":-30}}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"c","n":10,"s":"here","tags":[]}}]}
        """,
        has: #"[{"success":{"objectId":"$city"}},{"success":{"objectId":"$user"}},{},{},{}]"#)

    private static func finds(_ claim: String, _ condition: String, _ names: String) -> Fact {
        let results = names.split(separator: " ").map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
        return Fact(
            "2.4", claim, given,
            Step(
                #"PUT /classes/City/$city"#,
                #"{"fans":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"_User","objectId":"$user"}]}}"#
            ),
            Step(
                "POST /classes/Note",
                """
                {"name":"p","owner":{"__type":"Pointer","className":"_User","objectId":"$user"},
                 "city":{"__type":"Pointer","className":"City","objectId":"$city"}}
                """, 201),
            Step("GET /classes/Note?where=\(condition)", has: #"{"results":[\#(results)]}"#))
    }

    private static func refused(_ claim: String, _ condition: String, code: Int) -> Fact {
        Fact("2.4", claim, given, Step.refused("GET /classes/Note?where=\(condition)", 400, code: code))
    }

    private static let center = #"{"__type":"GeoPoint","latitude":40,"longitude":-30}"#

    /// Section 2.4: the operators of `where`.
    static let operators: [Fact] = [
        finds("a value is compared for equality", #"{"n":1}"#, "a"),
        finds("on a list, equality means that it is contained", #"{"tags":"y"}"#, "a b"),
        finds("$ne is what does not equal", #"{"n":{"$ne":1}}"#, "b c p"),
        finds("$lt and $gt", #"{"n":{"$gt":1,"$lt":10}}"#, "b"),
        finds("$lte and $gte", #"{"n":{"$gte":1,"$lte":2.5}}"#, "a b"),
        finds("$in", #"{"s":{"$in":["alpha","beta","other"]}}"#, "a b"),
        finds("$nin", #"{"s":{"$nin":["alpha","beta"]}}"#, "c p"),
        finds("$all", #"{"tags":{"$all":["x","y"]}}"#, "a"),
        finds("$exists", #"{"deep":{"$exists":true}}"#, "a b"),
        finds("$exists with false", #"{"tags":{"$exists":false}}"#, "p"),
        finds("$size", #"{"tags":{"$size":2}}"#, "a"),
        finds("$regex", #"{"s":{"$regex":"^al"}}"#, "a"),
        finds("$regex knows \\Q and \\E", #"{"s":{"$regex":"\\Qbeta\\E"}}"#, "b"),
        finds("$options", #"{"s":{"$regex":"^AL","$options":"i"}}"#, "a"),
        finds(
            "$inQuery with className", #"{"city":{"$inQuery":{"where":{"big":true},"className":"City"}}}"#, "p"),
        finds(
            "$notInQuery", #"{"city":{"$notInQuery":{"where":{"big":true},"className":"City"}}}"#, "a b c"),
        finds(
            "the short $inQuery means users, with miles",
            #"{"owner":{"$inQuery":{"location":{"$nearSphere":\#(center),"$maxDistanceInMiles":10.0}}}}"#, "p"),
        finds(
            "$select", #"{"s":{"$select":{"query":{"className":"City","where":{"big":true}},"key":"name"}}}"#, "c"),
        finds(
            "$dontSelect", #"{"s":{"$dontSelect":{"query":{"className":"City","where":{}},"key":"name"}}}"#, "a b p"),
        finds("$nearSphere sorts by distance", #"{"at":{"$nearSphere":\#(center)}}"#, "b a"),
        finds("$maxDistanceInMiles", #"{"at":{"$nearSphere":\#(center),"$maxDistanceInMiles":2}}"#, "b"),
        finds("$maxDistanceInKilometers", #"{"at":{"$nearSphere":\#(center),"$maxDistanceInKilometers":2}}"#, "b"),
        finds("$maxDistanceInRadians", #"{"at":{"$nearSphere":\#(center),"$maxDistanceInRadians":0.0003}}"#, "b"),
        finds("$maxDistance is radians", #"{"at":{"$nearSphere":\#(center),"$maxDistance":0.0003}}"#, "b"),
        finds("$minDistance is radians", #"{"at":{"$nearSphere":\#(center),"$minDistance":0.0003}}"#, "a"),
        finds(
            "$within a $box",
            #"{"at":{"$within":{"$box":[{"__type":"GeoPoint","latitude":40.02,"longitude":-31},{"__type":"GeoPoint","latitude":41,"longitude":-29}]}}}"#,
            "a"),
        finds("$or", #"{"$or":[{"n":1},{"n":10}]}"#, "a c"),
        finds("$and", #"{"$and":[{"n":{"$gt":1}},{"tags":"y"}]}"#, "b"),
        finds("a list of conditions is $and", #"[{"n":{"$gt":1}},{"tags":"y"}]"#, "b"),
        finds("keys may have dots", #"{"deep.k":7}"#, "b"),
        finds("a Date is compared", #"{"when":{"$gt":{"__type":"Date","iso":"2020-06-01T00:00:00Z"}}}"#, "b"),
        finds("a Pointer is compared", #"{"city":{"__type":"Pointer","className":"City","objectId":"$city"}}"#, "p"),
        finds(
            "createdAt is asked for with a Date",
            #"{"createdAt":{"$lte":{"__type":"Date","iso":"2026-11-21T12:00:00.000Z"}}}"#, "a b c p"),
        Fact(
            "2.4", "$relatedTo finds the objects of a relation", given,
            Step(
                "PUT /classes/City/$city",
                #"{"fans":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"_User","objectId":"$user"}]}}"#
            ),
            Step(
                #"GET /classes/_User?where={"$relatedTo":{"object":{"__type":"Pointer","className":"City","objectId":"$city"},"key":"fans"}}"#,
                has: #"{"results":[{"username":"u"}]}"#)),
        refused("an unknown operator is refused", #"{"n":{"$near":1}}"#, code: 102),
        refused(
            "a GeoPoint lies on the globe: 302",
            #"{"at":{"$nearSphere":{"__type":"GeoPoint","latitude":91,"longitude":0}}}"#, code: 302),
        refused("a condition is JSON", #"{"n":"#, code: 107),
    ]
}
