//! Python that every generated module holds, and the layout of calls.

use crate::lines::Lines;

/// How wide black lets a line be.
const WIDTH: usize = 88;

/// Writes a call as black lays it out: on one line, else with all arguments on the next, else one on each.
pub(super) fn call(lines: &mut Lines, head: &str, arguments: &[String]) {
    let joined = arguments.join(", ");
    let room = WIDTH.saturating_sub(lines.width());
    let width = |text: &str| text.chars().count();
    if width(head) + width(&joined) + 2 <= room {
        return lines.line(format!("{head}({joined})"));
    }
    lines.open(format!("{head}("));
    match width(&joined) + 4 <= room {
        true => lines.line(joined),
        // A single argument gets no comma: it was not one of several.
        false if arguments.len() == 1 => lines.line(joined),
        false => arguments.iter().for_each(|argument| lines.line(format!("{argument},"))),
    }
    lines.close(")");
}

/// The error and the helpers.
pub(super) const SUPPORT: &str = r#"
class ValidationError(ValueError):
    """A rule that a value breaks."""

    def __init__(self, path, rule, key, value, wanted, message):
        super().__init__("%s: %s%s (%s)" % (path, message, _found(value), rule))
        self.path = path
        self.rule = rule
        self.key = key
        self.value = value
        self.wanted = wanted
        self.message = message


class _Broken(Exception):
    """Why a function gave no value."""


_SECRET = "<secret>"


def _found(value):
    if value is _SECRET:
        return ", found <secret>"
    if not isinstance(value, (bool, int, float, str, bytes)):
        return ""
    text = repr(value)
    return ", found %s" % (text if len(text) <= 80 else text[:80] + "...")


def _bytes(value):
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return bytes(value)


def _text(value):
    if isinstance(value, str):
        return value
    return bytes(value).decode("utf-8", "surrogateescape")


def _subject(value):
    return "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in _text(value))


def _size(value):
    return len(_bytes(value)) if isinstance(value, str) else len(value)


def _key(value):
    if isinstance(value, bool):
        return "[%s]" % str(value).lower()
    if isinstance(value, (int, float)):
        return "[%r]" % (int(value) if isinstance(value, int) else value)
    if isinstance(value, (str, bytes)):
        text = _text(value).replace("\\", "\\\\").replace("'", "\\'")
        return "['%s']" % text.replace("\n", "\\n").replace("\t", "\\t")
    return "['<object>']"


def _or(value, stand_in):
    return stand_in if value is None else value


def _get(value, name, absent=None):
    return None if value is None else _or(getattr(value, name, None), absent)


def _item(value, index):
    if value is None or len(value) <= index:
        return None
    return next(item for at, item in enumerate(value) if at == index)


def _entry(value, key):
    return None if value is None else value.get(key)


def _call(function, *arguments):
    if any(argument is None for argument in arguments):
        return None
    return function(*arguments)


def _checked(name, a, b, result):
    if not -(2**63) <= result < 2**63:
        raise _Broken("`%s` of %d and %d does not fit 64 bits" % (name, a, b))
    return result


def _number(name, a, b, result):
    if isinstance(a, int) and isinstance(b, int):
        return _checked(name, a, b, result)
    return result


def _add(a, b):
    if isinstance(a, (str, bytes)):
        return _text(_bytes(a) + _bytes(b))
    return _number("add", a, b, a + b)


def _sub(a, b):
    return _number("sub", a, b, a - b)


def _mul(a, b):
    return _number("mul", a, b, a * b)


def _div(a, b):
    if isinstance(a, int) and isinstance(b, int):
        if b == 0:
            raise _Broken("`div` by zero")
        quotient = abs(a) // abs(b)
        return _checked("div", a, b, quotient if (a < 0) == (b < 0) else -quotient)
    if b == 0:
        return float("nan") if a == 0 or a != a else float("inf") * (1 if a > 0 else -1)
    return a / b


def _mod(a, b):
    if isinstance(a, int) and isinstance(b, int):
        if b == 0:
            raise _Broken("`mod` by zero")
        rest = abs(a) % abs(b)
        return rest if a >= 0 else -rest
    if b == 0 or a - a != 0:
        return float("nan")
    rest = abs(a) % abs(b)
    return rest if a >= 0 else -rest


def _repeats(values):
    values = [value for value in values if value == value]
    return len(values) != len({_bytes(v) if isinstance(v, str) else v for v in values})


def _same(a, b):
    if isinstance(a, (str, bytes)) and isinstance(b, (str, bytes)):
        return _bytes(a) == _bytes(b)
    return a == b


def _differs(a, b):
    return not _same(a, b)


def _all(*conditions):
    return all(conditions)


def _any(*conditions):
    return any(conditions)


def _runes(value):
    return len(_text(value))


def _join(*parts):
    return "".join(parts)


def _verb(verb, value):
    if isinstance(value, (str, bytes)):
        if verb == "x":
            return _bytes(value).hex()
        if verb == "q":
            return '"%s"' % _text(value).replace("\\", "\\\\").replace('"', '\\"')
        return _text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if verb == "x":
        return "%x" % value
    if verb == "f":
        return "%f" % value
    return str(value)
"#;
