# Makes the transitions of the model from the table: WAS_x(s) is true of a state before, DO_x(s) does it, MAY_x(f, g) asks
# for what must be so, under a fence and about a generation.
/^#/ || NF == 0 { next }
NF != 5 { printf "%s:%d: five columns are expected\n", FILENAME, FNR >"/dev/stderr"; exit 1 }
function constant(name) {
    if (!(name in known)) known[name] = count++
    return toupper(name)
}
BEGIN { known["none"] = 0; count = 1 }
$1 != "lock" {
    name = ($1 == "journal" && $2 == "reopen") ? "reopenJournal" : $2
    n = split($3, before, ",")
    was = ""
    for (i = 1; i <= n; i++) was = was (i > 1 ? " || " : "") "(s) == " constant(before[i])
    line[++lines] = sprintf("#define WAS_%s(s) (%s)", name, was)
    line[++lines] = sprintf("#define DO_%s(s) assert(WAS_%s(s)); s = %s", name, name, constant($4))
    may = ""
    n = split($5, needs, ",")
    for (i = 1; i <= n; i++) may = may (i > 1 ? " && " : "") "IS_" needs[i] "(f, g)"
    line[++lines] = sprintf("#define MAY_%s(f, g) (%s)", name, may)
}
$1 == "lock" && $4 == "held" {
    line[++lines] = sprintf("#define DO_%s(s, who) assert((s) %s 0); s = who", $2, $3 == "free" ? "==" : "!=")
}
$1 == "lock" && $4 == "free" { line[++lines] = sprintf("#define DO_%s(s) assert((s) != 0); s = 0", $2) }
END {
    for (name in known) printf "#define %s %d\n", toupper(name), known[name]
    for (i = 1; i <= lines; i++) print line[i]
}
