// Enums, which are numbers on the wire.
enum Kind { NONE = 0, SMALL = 1, LARGE = 5, HUGE = 9 }
enum Sign { MINUS = -1, ZERO = 0, PLUS = 1 }
struct Root {
  1: Kind kind (vt.defined_only = "true")
  2: Kind some (vt.in = "[SMALL, LARGE]")
  3: optional Kind fixed (vt.const = "HUGE")
  4: list<Kind> kinds (vt.elem.defined_only = "true", vt.elem.not_in = "[NONE]")
  5: map<Kind, Sign> signs (vt.key.defined_only = "true", vt.value.defined_only = "true")
  6: Sign sign (vt.ne = "MINUS")
  7: set<Sign> all (vt.elem.defined_only = "true")
}
