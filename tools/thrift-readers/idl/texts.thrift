// Strings by their bytes.
struct Root {
  1: string id (vt.prefix = "id-", vt.min_size = "4")
  2: string file (vt.suffix = ".txt")
  3: string sentence (vt.contains = "and", vt.not_contains = "but")
  4: optional string code (vt.in = "[red, green, blue]")
  5: optional string fixed (vt.const = "yes")
  6: string free (vt.max_size = "12")
  7: optional string other (vt.not_in = "[none, null]")
}
// try "id-1" "id-22" "a.txt" ".txt" "you and me" "sand" "and but" "red" "yes"
