// Bytes that need not be text.
struct Root {
  1: binary head (vt.prefix = "MZ", vt.max_size = "10")
  2: binary body (vt.min_size = "2", vt.not_contains = "evil")
  3: optional binary key (vt.const = "secret")
  4: list<binary> parts (vt.elem.max_size = "4")
  5: map<string, binary> blobs (vt.value.min_size = "1")
  6: optional binary tag (vt.in = "[aa, bb]")
}
// try "MZ" "MZabc" "xy" "secret" "aa" "bb" "an evil text"
