package tendon.validation;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/** Scalars of which a value may be one. For generated code. */
public final class Members {
  private final Set<Object> members = new HashSet<>();

  void add(Object member) {
    members.add(form(member));
  }

  /** Whether a value is one of them. */
  public boolean holds(Object value) {
    return members.contains(form(value));
  }

  /** A form in which equal scalars are equal. */
  static Object form(Object value) {
    if (value instanceof Double) {
      double number = (Double) value;
      boolean whole = number == Math.rint(number) && number >= -0x1p63 && number < 0x1p63;
      return whole ? (Object) (long) number : value;
    }
    if (value instanceof Number) {
      return ((Number) value).longValue();
    }
    return value instanceof String ? ByteBuffer.wrap(Rules.utf8((String) value)) : value;
  }
}
