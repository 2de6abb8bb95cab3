// Strings in well-known formats.
struct Root {
  1: optional string day (vt.format = "date")
  2: optional string moment (vt.format = "date-time")
  3: optional string length (vt.format = "duration")
  4: optional string mail (vt.format = "email")
  5: string host (vt.format = "hostname")
  6: optional string four (vt.format = "ipv4")
  7: optional string six (vt.format = "ipv6")
  8: optional string hour (vt.format = "time")
  9: optional string link (vt.format = "uri")
  10: optional string number (vt.format = "uuid")
  11: list<string> hosts (vt.elem.format = "ipv4")
}
// try "2024-02-29" "2023-02-29" "2024-02-29T12:30:00Z" "P1DT12H" "P" "joe@example.com" "joe@" "www.example.com" "-a.b" "192.0.2.1"
// try "192.0.2.256" "2001:db8::1" "::" "12:30:00+01:00" "https://example.com/a?b#c" "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
