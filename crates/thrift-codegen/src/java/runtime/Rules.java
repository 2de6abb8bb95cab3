package tendon.validation;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What rules ask, and what their functions do; null is an operand that leads nowhere. For generated code. */
public final class Rules {
  private Rules() {}

  private static final String DOES_NOT_FIT = "`%s` of %d and %d does not fit 64 bits";

  /** Whether an answer is yes. */
  public static boolean isTrue(Boolean answer) {
    return answer != null && answer;
  }

  /** Whether an answer is no. */
  public static boolean isFalse(Boolean answer) {
    return answer != null && !answer;
  }

  /** Whether an operand leads somewhere. */
  public static Boolean has(Object value) {
    return value != null;
  }

  /** -1, 0, 1, or 2 if one of them is not a number; exact for whole numbers and doubles. */
  private static int order(Number a, Number b) {
    boolean real = a instanceof Double;
    boolean other = b instanceof Double;
    if (real && other) {
      double left = (Double) a;
      double right = (Double) b;
      return left < right ? -1 : left > right ? 1 : left == right ? 0 : 2;
    }
    if (real) {
      int turned = order(b, a);
      return turned == 2 ? 2 : -turned;
    }
    long whole = a.longValue();
    if (!other) {
      return Long.compare(whole, b.longValue());
    }
    double right = (Double) b;
    if (right != right) {
      return 2;
    }
    if (right >= 0x1p63) {
      return -1;
    }
    if (right < -0x1p63) {
      return 1;
    }
    long floor = (long) right;
    double rest = right - floor;
    if (whole != floor) {
      return whole < floor ? -1 : 1;
    }
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
  }

  /** Whether a number is less than another. */
  public static Boolean lt(Number a, Number b) {
    return a == null || b == null ? null : (Boolean) (order(a, b) == -1);
  }

  /** Whether a number is at most another. */
  public static Boolean le(Number a, Number b) {
    return a == null || b == null ? null : (Boolean) (order(a, b) <= 0);
  }

  /** Whether a number is greater than another. */
  public static Boolean gt(Number a, Number b) {
    return a == null || b == null ? null : (Boolean) (order(a, b) == 1);
  }

  /** Whether a number is at least another. */
  public static Boolean ge(Number a, Number b) {
    if (a == null || b == null) {
      return null;
    }
    int found = order(a, b);
    return found == 0 || found == 1;
  }

  /** Whether two scalars are equal; texts are their bytes. */
  public static Boolean same(Object a, Object b) {
    if (a == null || b == null) {
      return null;
    }
    if (a instanceof Number && b instanceof Number) {
      return order((Number) a, (Number) b) == 0;
    }
    if (a instanceof String && b instanceof ByteBuffer || a instanceof ByteBuffer && b instanceof String) {
      return buffer(a).equals(buffer(b));
    }
    return a.equals(b);
  }

  /** Whether two scalars differ. */
  public static Boolean differ(Object a, Object b) {
    Boolean same = same(a, b);
    return same == null ? null : (Boolean) !same;
  }

  /** Whether all are true. */
  public static Boolean and(Boolean... conditions) {
    boolean all = true;
    for (Boolean condition : conditions) {
      if (condition == null) {
        return null;
      }
      all &= condition;
    }
    return all;
  }

  /** Whether one is true. */
  public static Boolean or(Boolean... conditions) {
    boolean any = false;
    for (Boolean condition : conditions) {
      if (condition == null) {
        return null;
      }
      any |= condition;
    }
    return any;
  }

  /** Whether it is false. */
  public static Boolean not(Boolean condition) {
    return condition == null ? null : (Boolean) !condition;
  }

  /** The sum of two whole numbers. */
  public static Long add(Long a, Long b) {
    if (a == null || b == null) {
      return null;
    }
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw new Broken(String.format(DOES_NOT_FIT, "add", a, b));
    }
    return sum;
  }

  /** The sum of two numbers. */
  public static Double add(Number a, Number b) {
    return a == null || b == null ? null : (Double) (a.doubleValue() + b.doubleValue());
  }

  /** Two texts put together. */
  public static Object add(Object a, Object b) {
    if (a == null || b == null) {
      return null;
    }
    if (a instanceof String && b instanceof String) {
      return (String) a + b;
    }
    ByteBuffer left = buffer(a).duplicate();
    ByteBuffer right = buffer(b).duplicate();
    ByteBuffer joined = ByteBuffer.allocate(left.remaining() + right.remaining());
    joined.put(left).put(right).flip();
    return joined;
  }

  /** The difference of two whole numbers. */
  public static Long sub(Long a, Long b) {
    if (a == null || b == null) {
      return null;
    }
    long rest = a - b;
    if (((a ^ b) & (a ^ rest)) < 0) {
      throw new Broken(String.format(DOES_NOT_FIT, "sub", a, b));
    }
    return rest;
  }

  /** The difference of two numbers. */
  public static Double sub(Number a, Number b) {
    return a == null || b == null ? null : (Double) (a.doubleValue() - b.doubleValue());
  }

  /** The product of two whole numbers. */
  public static Long mul(Long a, Long b) {
    if (a == null || b == null) {
      return null;
    }
    try {
      return Math.multiplyExact((long) a, (long) b);
    } catch (ArithmeticException overflow) {
      throw new Broken(String.format(DOES_NOT_FIT, "mul", a, b));
    }
  }

  /** The product of two numbers. */
  public static Double mul(Number a, Number b) {
    return a == null || b == null ? null : (Double) (a.doubleValue() * b.doubleValue());
  }

  /** The quotient of two whole numbers, truncated towards zero. */
  public static Long div(Long a, Long b) {
    if (a == null || b == null) {
      return null;
    }
    if (b == 0) {
      throw new Broken("`div` by zero");
    }
    if (a == Long.MIN_VALUE && b == -1) {
      throw new Broken(String.format(DOES_NOT_FIT, "div", a, b));
    }
    return a / b;
  }

  /** The quotient of two numbers. */
  public static Double div(Number a, Number b) {
    return a == null || b == null ? null : (Double) (a.doubleValue() / b.doubleValue());
  }

  /** The rest of a division of whole numbers, with the sign of the first. */
  public static Long mod(Long a, Long b) {
    if (a == null || b == null) {
      return null;
    }
    if (b == 0) {
      throw new Broken("`mod` by zero");
    }
    return a % b;
  }

  /** The rest of a division, with the sign of the first number. */
  public static Double mod(Number a, Number b) {
    return a == null || b == null ? null : (Double) (a.doubleValue() % b.doubleValue());
  }

  /** Nanoseconds since 1970. */
  public static Long nowNano() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** Seconds since 1970. */
  public static Long now() {
    return Instant.now().getEpochSecond();
  }

  /** The bytes of a text. */
  public static long size(String text) {
    long size = 0;
    for (int at = 0; at < text.length(); at++) {
      char unit = text.charAt(at);
      if (unit < 0x80) {
        size++;
      } else if (unit < 0x800) {
        size += 2;
      } else if (Character.isHighSurrogate(unit)
          && at + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(at + 1))) {
        size += 4;
        at++;
      } else {
        size += 3;
      }
    }
    return size;
  }

  /** The bytes of a binary. */
  public static long size(ByteBuffer bytes) {
    return bytes.remaining();
  }

  /** The elements of a list or set. */
  public static long size(Collection<?> elements) {
    return elements.size();
  }

  /** The entries of a map. */
  public static long size(Map<?, ?> entries) {
    return entries.size();
  }

  /** The bytes, elements or entries of a value. */
  public static Long length(Object value) {
    if (value instanceof String) {
      return size((String) value);
    }
    if (value instanceof ByteBuffer) {
      return size((ByteBuffer) value);
    }
    if (value instanceof Collection) {
      return size((Collection<?>) value);
    }
    return value instanceof Map ? (Long) size((Map<?, ?>) value) : null;
  }

  /** The characters of a text. */
  public static long runes(Object value) {
    String text = subject(value);
    return text.codePointCount(0, text.length());
  }

  /** The characters of a text. */
  public static Long characters(Object value) {
    return value == null ? null : (Long) runes(value);
  }

  /** The bytes of a text or a binary. */
  public static ByteBuffer buffer(Object value) {
    if (value instanceof ByteBuffer) {
      return (ByteBuffer) value;
    }
    if (value instanceof byte[]) {
      return ByteBuffer.wrap((byte[]) value);
    }
    if (value instanceof UUID) {
      ByteBuffer bytes = ByteBuffer.allocate(16);
      UUID uuid = (UUID) value;
      bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).flip();
      return bytes;
    }
    return ByteBuffer.wrap(utf8((String) value));
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A text or a binary as text; each byte that is not UTF-8 is one replacement character. */
  public static String subject(Object value) {
    if (value instanceof String) {
      return (String) value;
    }
    ByteBuffer bytes = buffer(value);
    StringBuilder text = new StringBuilder(bytes.remaining());
    int end = bytes.limit();
    for (int at = bytes.position(); at < end; ) {
      int found = decoded(bytes, at, end);
      at += found < 0 || found < 0x80 ? 1 : found < 0x800 ? 2 : found < 0x10000 ? 3 : 4;
      text.appendCodePoint(found < 0 ? 0xfffd : found);
    }
    return text.toString();
  }

  /** The character at a place, or -1. */
  private static int decoded(ByteBuffer bytes, int at, int end) {
    int first = bytes.get(at) & 0xff;
    if (first < 0x80) {
      return first;
    }
    int more = first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0;
    if (more == 0 || at + more >= end) {
      return -1;
    }
    int found = first & (0x3f >> more);
    for (int next = 1; next <= more; next++) {
      int unit = bytes.get(at + next) & 0xff;
      if ((unit & 0xc0) != 0x80) {
        return -1;
      }
      found = found << 6 | unit & 0x3f;
    }
    boolean overlong = more == 2 && found < 0x800 || more == 3 && found < 0x10000;
    boolean surrogate = found >= 0xd800 && found <= 0xdfff;
    return overlong || surrogate || found > 0x10ffff ? -1 : found;
  }

  /** Whether a text begins with another. */
  public static Boolean hasPrefix(Object value, Object part) {
    if (value == null || part == null) {
      return null;
    }
    if (value instanceof String && part instanceof String) {
      return ((String) value).startsWith((String) part);
    }
    return isAt(buffer(value), 0, buffer(part));
  }

  /** Whether a text ends with another. */
  public static Boolean hasSuffix(Object value, Object part) {
    if (value == null || part == null) {
      return null;
    }
    if (value instanceof String && part instanceof String) {
      return ((String) value).endsWith((String) part);
    }
    ByteBuffer bytes = buffer(value);
    ByteBuffer wanted = buffer(part);
    return isAt(bytes, bytes.remaining() - wanted.remaining(), wanted);
  }

  /** Whether a text contains another. */
  public static Boolean contains(Object value, Object part) {
    if (value == null || part == null) {
      return null;
    }
    if (value instanceof String && part instanceof String) {
      return ((String) value).contains((String) part);
    }
    // Bytes as characters: the search is then that of the library.
    String bytes = latin(buffer(value));
    return bytes.contains(latin(buffer(part)));
  }

  /** Whether a text does not contain another. */
  public static Boolean lacks(Object value, Object part) {
    return not(contains(value, part));
  }

  private static String latin(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return new String(copy, StandardCharsets.ISO_8859_1);
  }

  private static boolean isAt(ByteBuffer bytes, int at, ByteBuffer part) {
    if (at < 0 || at + part.remaining() > bytes.remaining()) {
      return false;
    }
    for (int next = 0; next < part.remaining(); next++) {
      if (bytes.get(bytes.position() + at + next) != part.get(part.position() + next)) {
        return false;
      }
    }
    return true;
  }

  /** Whether two elements are equal. */
  public static boolean repeats(Collection<?> elements) {
    Set<Object> seen = new HashSet<>();
    for (Object element : elements) {
      boolean odd = element == null || element instanceof Double && ((Double) element).isNaN();
      if (!odd && !seen.add(Members.form(element))) {
        return true;
      }
    }
    return false;
  }

  /** An element of a list or set. */
  public static <T> T item(Collection<T> elements, int index) {
    if (elements == null || elements.size() <= index) {
      return null;
    }
    if (elements instanceof java.util.List) {
      return ((java.util.List<T>) elements).get(index);
    }
    int at = 0;
    for (T element : elements) {
      if (at++ == index) {
        return element;
      }
    }
    return null;
  }

  /** The value behind a key. */
  public static <V> V entry(Map<?, V> entries, Object key) {
    return entries == null || key == null ? null : entries.get(key);
  }

  /** A whole number of any width. */
  public static Long integer(Number number) {
    return number == null ? null : (Long) number.longValue();
  }

  /** A number as a double. */
  public static Double real(Number number) {
    return number == null ? null : (Double) number.doubleValue();
  }

  /** The number of a member of an enum. */
  public static Long number(org.apache.thrift.TEnum member) {
    return member == null ? null : (Long) (long) member.getValue();
  }

  /** The value of a field, whose type the interface file says. */
  @SuppressWarnings("unchecked")
  public static <T> T cast(Object value) {
    return (T) value;
  }

  /** Bytes from their digits. */
  public static ByteBuffer bytes(String digits) {
    ByteBuffer bytes = ByteBuffer.allocate(digits.length() / 2);
    for (int at = 0; at < digits.length(); at += 2) {
      bytes.put((byte) Integer.parseInt(digits.substring(at, at + 2), 16));
    }
    bytes.flip();
    return bytes.asReadOnlyBuffer();
  }

  /** A text in pieces. */
  public static String whole(String... pieces) {
    return String.join("", pieces);
  }

  /** A pattern. */
  public static Program program(String sets, String code) {
    return new Program(sets, code);
  }

  /** Scalars of which a value may be one. */
  public static Members set(Object... members) {
    Members set = new Members();
    for (Object member : members) {
      set.add(member);
    }
    return set;
  }

  /** Whole numbers of which a value may be one. */
  public static Members numbers(String members) {
    Members set = new Members();
    for (String member : members.split(",")) {
      set.add(Long.parseLong(member));
    }
    return set;
  }

  /** A value for a message. */
  public static String shown(Object value) {
    if (value == null) {
      return "";
    }
    String text;
    if (value instanceof String) {
      text = quoted((String) value);
    } else if (value instanceof ByteBuffer || value instanceof UUID) {
      text = "0x" + hex(buffer(value));
    } else if (value instanceof Double) {
      text = decimal((Double) value, true);
    } else {
      text = value.toString();
    }
    if (text.length() <= 80) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(79)) ? 79 : 80;
    return text.substring(0, end) + "...";
  }

  /** The key of an entry in a path. */
  public static String key(Object key) {
    if (key instanceof Double) {
      return "[" + decimal((Double) key, true) + "]";
    }
    if (key instanceof Number || key instanceof Boolean) {
      return "[" + key + "]";
    }
    if (key instanceof org.apache.thrift.TEnum) {
      return "[" + ((org.apache.thrift.TEnum) key).getValue() + "]";
    }
    if (!(key instanceof String || key instanceof ByteBuffer)) {
      return "['<object>']";
    }
    String text = subject(key).replace("\\", "\\\\").replace("'", "\\'");
    return "['" + text.replace("\n", "\\n").replace("\t", "\\t") + "']";
  }

  private static String hex(ByteBuffer bytes) {
    StringBuilder digits = new StringBuilder();
    for (int at = bytes.position(); at < bytes.limit(); at++) {
      digits.append(String.format("%02x", bytes.get(at)));
    }
    return digits.toString();
  }

  private static String quoted(String text) {
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
    return "\"" + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "\"";
  }

  /** The shortest digits that mean a double. */
  private static String decimal(double number, boolean point) {
    if (Double.isNaN(number)) {
      return "NaN";
    }
    if (Double.isInfinite(number)) {
      return number > 0 ? "+Inf" : "-Inf";
    }
    BigDecimal exact = new BigDecimal(number);
    BigDecimal shortest = exact;
    for (int digits = 1; digits <= 17; digits++) {
      shortest = exact.round(new MathContext(digits));
      if (shortest.doubleValue() == number) {
        break;
      }
    }
    String text = shortest.signum() == 0 ? "0" : shortest.stripTrailingZeros().toPlainString();
    if (shortest.signum() == 0 && 1 / number < 0) {
      text = "-0";
    }
    return point && text.indexOf('.') < 0 ? text + ".0" : text;
  }

  /** A value under a verb of `sprintf`. */
  public static String verb(String verb, Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof String || value instanceof ByteBuffer) {
      switch (verb) {
        case "x":
          return hex(buffer(value));
        case "q":
          return quoted(subject(value));
        default:
          return subject(value);
      }
    }
    if (value instanceof Double) {
      double number = (Double) value;
      boolean plain = verb.equals("f") && !Double.isNaN(number) && !Double.isInfinite(number);
      return plain
          ? new BigDecimal(number).setScale(6, java.math.RoundingMode.HALF_EVEN).toPlainString()
          : decimal(number, false);
    }
    if (value instanceof Long && verb.equals("x")) {
      long number = (Long) value;
      return number < 0 ? "-" + Long.toUnsignedString(-number, 16) : Long.toString(number, 16);
    }
    return value.toString();
  }

  /** Texts put together. */
  public static String join(String... parts) {
    for (String part : parts) {
      if (part == null) {
        return null;
      }
    }
    return String.join("", parts);
  }
}
