package tendon.validation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The rules that are broken so far, the first one or all of them. For generated code. */
public final class Found {
  private final boolean all;
  private List<Violation> list = Collections.emptyList();

  private Found(boolean all) {
    this.all = all;
  }

  /** Is content with one broken rule. */
  public static Found first() {
    return new Found(false);
  }

  /** Wants every broken rule. */
  public static Found all() {
    return new Found(true);
  }

  /** Adds a broken rule; true if that is enough. */
  public boolean add(String path, String rule, String key, String value, String wanted, String message) {
    if (list.isEmpty()) {
      list = new ArrayList<>();
    }
    list.add(new Violation(path, rule, key, value, wanted, message));
    return !all;
  }

  /** How many rules are broken so far. */
  public int mark() {
    return list.size();
  }

  /** Whether a rule was broken since then. */
  public boolean since(int mark) {
    return list.size() > mark;
  }

  /** Moves what was found since then to where it is; true if that is enough. */
  public boolean within(int mark, String path, boolean secret) {
    for (int at = mark; at < list.size(); at++) {
      list.set(at, list.get(at).within(path, secret));
    }
    return !all;
  }

  /** Whether nothing more is wanted. */
  public boolean isEnough() {
    return !all && !list.isEmpty();
  }

  /** What was found in a value of a type. */
  public List<Violation> list(String type) {
    within(0, type, false);
    return list;
  }

  /** Throws the first broken rule of a value of a type. */
  public void raise(String type) throws ValidationException {
    if (!list.isEmpty()) {
      throw new ValidationException(list(type).get(0));
    }
  }
}
