// Functions in operands.
struct Root {
  1: i32 a (vt.gt = "@add($b, 1)")
  2: i32 b
  3: i64 even (vt.const = "@mul(@div($even, 2), 2)")
  4: i32 c
  5: string s
} (vt.assert = "@equal(@mod($c, 3), 0)", vt.assert = "@lt(@rune_len($s), 5)")
