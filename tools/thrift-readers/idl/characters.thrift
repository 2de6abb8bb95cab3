// Text by its characters.
struct Root {
  1: string a (vt.min_rune_size = "2", vt.max_rune_size = "4")
  2: list<string> b (vt.elem.max_rune_size = "3")
  3: map<string, string> c (vt.key.max_rune_size = "2", vt.value.min_rune_size = "1")
  4: optional string d (vt.min_rune_size = "1", vt.max_size = "6")
  5: string e (vt.not_contains = "é")
}
// try "ab" "éé" "日本語" "é" "😀" "😀a"
