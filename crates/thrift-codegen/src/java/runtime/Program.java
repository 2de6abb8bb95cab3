package tendon.validation;

/** A pattern that runs in time proportional to the text. For generated code. */
public final class Program {
  private final char[] kinds;
  private final int[] firsts;
  private final int[] seconds;
  private final int[][] sets;

  Program(String sets, String code) {
    String[] instructions = code.split(" ");
    int count = instructions.length;
    kinds = new char[count];
    firsts = new int[count];
    seconds = new int[count];
    for (int at = 0; at < count; at++) {
      String instruction = instructions[at];
      kinds[at] = instruction.charAt(0);
      String[] numbers = instruction.substring(1).split(",");
      firsts[at] = numbers[0].isEmpty() ? 0 : Integer.parseInt(numbers[0]);
      seconds[at] = numbers.length < 2 ? 0 : Integer.parseInt(numbers[1]);
    }
    String[] texts = sets.split(";");
    this.sets = new int[texts.length][];
    for (int at = 0; at < texts.length; at++) {
      String[] ranges = texts[at].isEmpty() ? new String[0] : texts[at].split(",");
      int[] bounds = new int[2 * ranges.length];
      for (int range = 0; range < ranges.length; range++) {
        int dash = ranges[range].indexOf('-');
        bounds[2 * range] = Integer.parseInt(ranges[range].substring(0, dash), 36);
        bounds[2 * range + 1] = Integer.parseInt(ranges[range].substring(dash + 1), 36);
      }
      this.sets[at] = bounds;
    }
  }

  /** Whether some part of a text matches. */
  public boolean matches(String text) {
    int count = kinds.length;
    int[] now = new int[count];
    int[] next = new int[count];
    int[] stack = new int[2 * count + 1];
    int[] seen = new int[count];
    int states = 0;
    int length = text.length();
    int before = -1;
    int at = 0;
    for (int step = 1; ; step++) {
      int current = at < length ? character(text, at) : -1;
      // Every position may begin a match.
      int waiting = states;
      System.arraycopy(now, 0, next, 0, states);
      states = 0;
      for (int each = 0; each <= waiting; each++) {
        int depth = 0;
        stack[depth++] = each < waiting ? next[each] : 0;
        while (depth > 0) {
          int state = stack[--depth];
          if (seen[state] == step) {
            continue;
          }
          seen[state] = step;
          switch (kinds[state]) {
            case 'm':
              return true;
            case 'c':
              now[states++] = state;
              break;
            case 's':
              stack[depth++] = seconds[state];
              stack[depth++] = firsts[state];
              break;
            default:
              if (holds(state, before, current)) {
                stack[depth++] = state + 1;
              }
          }
        }
      }
      if (current < 0) {
        return false;
      }
      int kept = 0;
      for (int each = 0; each < states; each++) {
        if (contains(sets[firsts[now[each]]], current)) {
          now[kept++] = now[each] + 1;
        }
      }
      states = kept;
      before = current;
      at += Character.charCount(text.codePointAt(at));
    }
  }

  private static int character(String text, int at) {
    int found = text.codePointAt(at);
    return found >= 0xd800 && found <= 0xdfff ? 0xfffd : found;
  }

  private boolean holds(int state, int before, int current) {
    switch (kinds[state]) {
      case '^':
        return before < 0;
      case '$':
        return current < 0;
      case '[':
        return before < 0 || before == '\n';
      case ']':
        return current < 0 || current == '\n';
      default:
        int[] word = sets[firsts[state]];
        boolean left = contains(word, before);
        boolean right = contains(word, current);
        switch (kinds[state]) {
          case 'b':
            return left != right;
          case 'B':
            return left == right;
          case '<':
            return !left && right;
          default:
            return left && !right;
        }
    }
  }

  private static boolean contains(int[] bounds, int found) {
    int low = 0;
    int high = bounds.length / 2 - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (found < bounds[2 * middle]) {
        high = middle - 1;
      } else if (found > bounds[2 * middle + 1]) {
        low = middle + 1;
      } else {
        return true;
      }
    }
    return false;
  }
}
