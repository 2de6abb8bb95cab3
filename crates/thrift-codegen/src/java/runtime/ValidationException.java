package tendon.validation;

/** A value breaks a rule. Its type is 11, which says that a validation failed. */
public final class ValidationException extends org.apache.thrift.TApplicationException {
  private static final long serialVersionUID = 1L;

  /** The type of a TApplicationException for a failed validation. */
  public static final int VALIDATION_FAILED = 11;

  private final transient Violation violation;

  ValidationException(Violation violation) {
    super(VALIDATION_FAILED, violation.toString());
    this.violation = violation;
  }

  /** The rule that is broken. */
  public Violation violation() {
    return violation;
  }
}
