package tendon.validation;

/** Why an operand of a rule has no value. For generated code. */
public final class Broken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Broken(String why) {
    super(why, null, false, false);
  }
}
