// Strings by regular expressions.
struct Root {
  1: string slug (vt.pattern = "^[a-z][a-z0-9-]*$")
  2: string date (vt.pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
  3: optional string mail (vt.pattern = "^[^@]+@[^@]+$")
  4: list<string> tags (vt.elem.pattern = "^#")
  5: map<string, string> marks (vt.key.pattern = "^[A-Z]+$", vt.value.pattern = "[0-9]")
}
// try "abc" "a-1" "2024-01-31" "a@b" "#tag" "#" "AB" "x9" "Z"
