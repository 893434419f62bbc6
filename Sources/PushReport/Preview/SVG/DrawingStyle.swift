/// The colours and fonts of drawings, as one style sheet: light, dark, or following the viewer's device.
enum DrawingStyle {
    /// The rules, all under the class `bp`.
    static let css =
        ".bp{\(font)\(light)}.bp.dark{\(dark)}@media(prefers-color-scheme:dark){.bp.auto{\(dark)}}\(rules)"

    private static let font =
        "font-family:-apple-system,Roboto,'Helvetica Neue',Arial,'PingFang SC','Noto Sans CJK SC',sans-serif;"

    // p panel, q chip, u text on both; w wallpaper, v waves; c card, t text, s secondary text; a shade, k tile, l its
    // accent.
    private static let light =
        "--p:#f2f2f7;--q:#e2e2ea;--u:#44454d;--w:#2f52b8;--v:#527ce0;--c:#f5f6fa;--t:#0b0b0e;--s:#5b5c65;--a:#e6e7f0;"
        + "--k:#fff;--l:#c3d3ff;--d:#d0d1dc"
    private static let dark =
        "--p:#16161a;--q:#34353e;--u:#c6c7d1;--w:#151b3f;--v:#3b4a9c;--c:#2b2c34;--t:#fff;--s:#b4b5c0;--a:#101116;"
        + "--k:#26272f;--l:#3a4a80;--d:#4a4b57"

    private static let rules =
        ".bp text{fill:var(--t);font-size:15px;unicode-bidi:isolate}.bp .p{fill:var(--p)}.bp .w{fill:var(--w)}"
        + ".bp .v{fill:var(--v);opacity:.4}.bp .c{fill:var(--c)}.bp .a{fill:var(--a)}.bp .k{fill:var(--k)}"
        + ".bp .l{fill:var(--l)}.bp .q{fill:var(--q)}.bp .d{fill:var(--d)}.bp .o{fill:#fff}.bp .z{opacity:.35}.bp .b{opacity:.6}"
        + ".bp .y{fill:#000;opacity:.45}.bp .j{fill:#e0323f}.bp .x{fill:none;stroke:var(--s);stroke-width:1.6}"
        + ".bp tspan{unicode-bidi:isolate;white-space:pre}.bp .h{font-weight:600}.bp .s{fill:var(--s);font-size:13px}.bp .e{text-anchor:end}.bp .m{text-anchor:middle}"
        + ".bp .f{fill:var(--s);font-size:11px;font-weight:700;letter-spacing:.3px}.bp .i{font-style:italic}"
        + ".bp .g{font-size:14px}.bp .n{fill:var(--s);font-size:12px}.bp .u{fill:var(--u);font-size:12px}"
        + ".bp .W{fill:#fff}.bp .B{fill:#fff;font-size:12px;font-weight:600}.bp .D{fill:#fff;font-weight:600}"
        + ".bp .T{fill:#fff;font-size:76px;font-weight:300}.bp .I{fill:#fff;font-size:19px;font-weight:600}"
        + ".bp .r{direction:rtl}.bp-icons{position:absolute}"
}
