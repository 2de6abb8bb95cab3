package tendon.validation;

/** A rule that a value breaks. */
public final class Violation {
  private final String path;
  private final String rule;
  private final String key;
  private final String value;
  private final String wanted;
  private final String message;

  Violation(String path, String rule, String key, String value, String wanted, String message) {
    this.path = path;
    this.rule = rule;
    this.key = key;
    this.value = value;
    this.wanted = wanted;
    this.message = message;
  }

  /** Where the value is: Order.items[3].price. */
  public String path() {
    return path;
  }

  /** The annotation: vt.elem.gt. */
  public String rule() {
    return rule;
  }

  /** What translations of the message can be filed under: Item.price.gt. */
  public String key() {
    return key;
  }

  /** The value found; empty if there is none, or if it has parts. */
  public String value() {
    return value;
  }

  /** What the rule compares with. */
  public String wanted() {
    return wanted;
  }

  /** What is wrong. */
  public String message() {
    return message;
  }

  Violation within(String before, boolean secret) {
    String shown = secret && !value.isEmpty() ? "<secret>" : value;
    return new Violation(before + path, rule, key, shown, wanted, message);
  }

  /** Names the place, what is wrong, the value, and the rule. */
  @Override
  public String toString() {
    String found = value.isEmpty() ? "" : ", found " + value;
    return path + ": " + message + found + " (" + rule + ")";
  }
}
