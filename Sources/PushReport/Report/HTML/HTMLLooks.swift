internal import Push

/// The view for the template of pictures: the most common views first, the others folded.
enum HTMLLooks {
    /// Returns the view of a notification's looks: pictures if `isDrawn`, words in their place otherwise.
    static func view(of looks: [NotificationLook], _ items: HTMLItems, isDrawn: Bool) -> HTMLTemplates.View {
        guard isDrawn else {
            return [
                "isDrawn": false, "more": false,
                "told": looks.map {
                    ["caption": $0.caption, "lines": $0.lines(in: items.language)] as HTMLTemplates.View
                },
            ]
        }
        let (first, more) = figures(of: looks, items)
        return view(of: first, more: more)
    }

    /// The view of pictures that are shown, and of more that are folded.
    static func view(of first: [HTMLTemplates.View], more: [HTMLTemplates.View] = []) -> HTMLTemplates.View {
        ["isDrawn": true, "told": false, "first": first, "more": more.isEmpty ? false : ["figures": more] as Any]
    }

    /// The most common view of each look, and all others.
    static func figures(
        of looks: [NotificationLook], _ items: HTMLItems
    ) -> (first: [HTMLTemplates.View], more: [HTMLTemplates.View]) {
        let drawings = looks.map { NotificationDrawing($0, app: items.app, language: items.language) }
        return (
            drawings.compactMap { drawing in drawing.views.first.map { figure($0, of: drawing) } },
            drawings.flatMap { drawing in drawing.views.dropFirst().map { figure($0, of: drawing) } }
        )
    }

    private static func figure(
        _ view: NotificationDrawing.View, of drawing: NotificationDrawing
    ) -> HTMLTemplates.View {
        ["picture": drawing.figure(view), "caption": drawing.name(of: view)]
    }
}
