// Bytes and no text, which the JSON protocol writes as base64.
struct Root {
  1: binary head (vt.prefix = "MZ", vt.max_size = "10")
  2: optional binary key (vt.const = "secret")
  3: list<binary> parts (vt.elem.max_size = "4", vt.elem.min_size = "1")
  4: map<i32, binary> blobs (vt.value.min_size = "2", vt.key.gt = "0")
  5: optional binary tag (vt.in = "[aa, bb]")
  6: binary body (vt.not_contains = "evil")
}
// try "MZ" "MZabc" "xy" "secret" "aa" "bb" "an evil text"
