/* What rules ask, and what their functions do; null is an operand that leads nowhere. */

type Maybe<T> = T | null;

/** A rule that a value breaks. */
export interface Violation {
  /** Where the value is: Order.items[3].price. */
  readonly path: string;
  /** The annotation: vt.elem.gt. */
  readonly rule: string;
  /** What translations of the message can be filed under: Item.price.gt. */
  readonly key: string;
  /** The value found; empty if there is none, or if it has parts. */
  readonly value: string;
  /** What the rule compares with. */
  readonly wanted: string;
  /** What is wrong. */
  readonly message: string;
}

/** A value breaks a rule. */
export class ValidationError extends Error implements Violation {
  /** The type of a TApplicationException for a failed validation. */
  readonly type = 11;
  readonly path: string;
  readonly rule: string;
  readonly key: string;
  readonly value: string;
  readonly wanted: string;

  constructor(violation: Violation) {
    super(violation.message);
    Object.setPrototypeOf(this, ValidationError.prototype);
    this.name = "ValidationError";
    this.path = violation.path;
    this.rule = violation.rule;
    this.key = violation.key;
    this.value = violation.value;
    this.wanted = violation.wanted;
    this.message = written(violation);
  }
}

/** Names the place, what is wrong, the value, and the rule. */
export function written(violation: Violation): string {
  const found = violation.value === "" ? "" : `, found ${violation.value}`;
  return `${violation.path}: ${violation.message}${found} (${violation.rule})`;
}

/** The rules that are broken so far, the first one or all of them. */
export class Found {
  private found: Violation[] = [];

  private constructor(private readonly every: boolean) {}

  /** Is content with one broken rule. */
  static first(): Found {
    return new Found(false);
  }

  /** Wants every broken rule. */
  static all(): Found {
    return new Found(true);
  }

  /** Adds a broken rule; true if that is enough. */
  add(path: string, rule: string, key: string, value: string, wanted: string, message: string): boolean {
    this.found.push({ path, rule, key, value, wanted, message });
    return !this.every;
  }

  /** How many rules are broken so far. */
  mark(): number {
    return this.found.length;
  }

  /** Whether a rule was broken since then. */
  since(mark: number): boolean {
    return this.found.length > mark;
  }

  /** Moves what was found since then to where it is; true if that is enough. */
  within(mark: number, path: string, secret: boolean): boolean {
    for (let at = mark; at < this.found.length; at++) {
      const it = this.found[at] as Violation;
      const value = secret && it.value !== "" ? "<secret>" : it.value;
      this.found[at] = { ...it, path: path + it.path, value };
    }
    return !this.every;
  }

  /** What was found in a value of a type. */
  list(type: string): Violation[] {
    this.within(0, type, false);
    return this.found;
  }

  /** Throws the first broken rule of a value of a type. */
  raise(type: string): void {
    const first = this.list(type)[0];
    if (first !== undefined) {
      throw new ValidationError(first);
    }
  }
}

/** Why an operand of a rule has no value. */
class Broken {
  constructor(readonly why: string) {}
}

/** The text of why an operand has no value. */
export function reason(why: unknown): string {
  if (why instanceof Broken) {
    return why.why;
  }
  throw why;
}

/** Whether an answer is yes. */
export function isTrue(answer: Maybe<boolean>): boolean {
  return answer === true;
}

/** Whether an answer is no. */
export function isFalse(answer: Maybe<boolean>): boolean {
  return answer === false;
}

/** Whether an operand leads somewhere. */
export function has(value: any): boolean {
  return value != null;
}

/** A whole number of 64 bits: an Int64 of node-int64, a number, a bigint, or its digits. */
export function int(value: any): any {
  if (value == null || typeof value === "number") {
    return value ?? null;
  }
  let exact: bigint;
  if (typeof value === "bigint") {
    exact = value;
  } else if (typeof value === "string") {
    if (!/^-?[0-9]+$/.test(value)) {
      return Number(value);
    }
    exact = BigInt(value);
  } else {
    const bytes: any = value.buffer;
    const view = new DataView(bytes.buffer, bytes.byteOffset + value.offset, 8);
    exact = (BigInt(view.getInt32(0)) << BigInt(32)) | BigInt(view.getUint32(4));
  }
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : exact;
}

/** Whether two scalars are equal; texts are their bytes. */
export function same(a: any, b: any): Maybe<boolean> {
  if (a == null || b == null) {
    return null;
  }
  if (isText(a) && isText(b)) {
    return typeof a === "string" && typeof b === "string" ? a === b : bytesOf(a).equals(bytesOf(b));
  }
  // A number and a bigint are equal if they mean the same.
  return typeof a === "boolean" || typeof b === "boolean" ? a === b : a == b;
}

/** Whether two scalars differ. */
export function differ(a: any, b: any): Maybe<boolean> {
  return not(same(a, b));
}

/** Whether a number is less than another. */
export function lt(a: any, b: any): Maybe<boolean> {
  return a == null || b == null ? null : a < b;
}

/** Whether a number is at most another. */
export function le(a: any, b: any): Maybe<boolean> {
  return a == null || b == null ? null : a <= b;
}

/** Whether a number is greater than another. */
export function gt(a: any, b: any): Maybe<boolean> {
  return a == null || b == null ? null : a > b;
}

/** Whether a number is at least another. */
export function ge(a: any, b: any): Maybe<boolean> {
  return a == null || b == null ? null : a >= b;
}

/** Whether all are true. */
export function and(...conditions: Maybe<boolean>[]): Maybe<boolean> {
  return conditions.includes(null) ? null : conditions.every((it) => it === true);
}

/** Whether one is true. */
export function or(...conditions: Maybe<boolean>[]): Maybe<boolean> {
  return conditions.includes(null) ? null : conditions.includes(true);
}

/** Whether it is false. */
export function not(condition: Maybe<boolean>): Maybe<boolean> {
  return condition === null ? null : !condition;
}

function computed(name: string, a: any, b: any, compute: (a: bigint, b: bigint) => bigint): any {
  if (a == null || b == null) {
    return null;
  }
  const [left, right] = [BigInt(a), BigInt(b)];
  if ((name === "div" || name === "mod") && right === BigInt(0)) {
    throw new Broken(`\`${name}\` by zero`);
  }
  const result = compute(left, right);
  if (BigInt.asIntN(64, result) !== result) {
    throw new Broken(`\`${name}\` of ${left} and ${right} does not fit 64 bits`);
  }
  return int(result);
}

/** The sum of two whole numbers. */
export function addInt(a: any, b: any): any {
  return computed("add", a, b, (x, y) => x + y);
}

/** The difference of two whole numbers. */
export function subInt(a: any, b: any): any {
  return computed("sub", a, b, (x, y) => x - y);
}

/** The product of two whole numbers. */
export function mulInt(a: any, b: any): any {
  return computed("mul", a, b, (x, y) => x * y);
}

/** The quotient of two whole numbers, truncated towards zero. */
export function divInt(a: any, b: any): any {
  return computed("div", a, b, (x, y) => x / y);
}

/** The rest of a division of whole numbers, with the sign of the first. */
export function modInt(a: any, b: any): any {
  return computed("mod", a, b, (x, y) => x % y);
}

/** The sum of two numbers, or two texts put together. */
export function add(a: any, b: any): any {
  if (a == null || b == null) {
    return null;
  }
  if (isText(a) && isText(b)) {
    return typeof a === "string" && typeof b === "string" ? a + b : Buffer.concat([bytesOf(a), bytesOf(b)]);
  }
  return Number(a) + Number(b);
}

/** The difference of two numbers. */
export function sub(a: any, b: any): Maybe<number> {
  return a == null || b == null ? null : Number(a) - Number(b);
}

/** The product of two numbers. */
export function mul(a: any, b: any): Maybe<number> {
  return a == null || b == null ? null : Number(a) * Number(b);
}

/** The quotient of two numbers. */
export function div(a: any, b: any): Maybe<number> {
  return a == null || b == null ? null : Number(a) / Number(b);
}

/** The rest of a division, with the sign of the first number. */
export function mod(a: any, b: any): Maybe<number> {
  return a == null || b == null ? null : Number(a) % Number(b);
}

/** Nanoseconds since 1970. */
export function nowNano(): any {
  return int(BigInt(Date.now()) * BigInt(1000000));
}

/** Seconds since 1970. */
export function now(): number {
  return Math.floor(Date.now() / 1000);
}

function isText(value: any): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** Of no particular type, since versions of its declaration differ. */
function bytesOf(value: any): any {
  return typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
}

/** The bytes of a text or a binary, the elements of a list or set, the entries of a map. */
export function size(value: any): number {
  if (typeof value === "string") {
    return Buffer.byteLength(value, "utf8");
  }
  if (typeof value.length === "number" && (Array.isArray(value) || value instanceof Uint8Array)) {
    return value.length;
  }
  return value instanceof Map || value instanceof Set ? value.size : Object.keys(value).length;
}

/** The bytes, elements or entries of a value. */
export function length(value: any): Maybe<number> {
  return value == null ? null : size(value);
}

/** The characters of a text. */
export function runes(value: any): number {
  let count = 0;
  for (const _ of subject(value)) {
    count++;
  }
  return count;
}

/** The characters of a text. */
export function characters(value: any): Maybe<number> {
  return value == null ? null : runes(value);
}

/** A text or a binary as text; each byte that is not UTF-8 is one replacement character. */
export function subject(value: any): string {
  if (typeof value === "string") {
    return value;
  }
  const bytes = bytesOf(value);
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const found = decoded(bytes, at);
    at += found < 0x80 ? 1 : found < 0x800 ? 2 : found < 0x10000 ? 3 : 4;
    text += found < 0 ? "\ufffd" : String.fromCodePoint(found);
  }
  return text;
}

/** The character at a place, or -1. */
function decoded(bytes: any, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) {
    return first;
  }
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
  if (more === 0 || at + more >= bytes.length) {
    return -1;
  }
  let found = first & (0x3f >> more);
  for (let next = 1; next <= more; next++) {
    const unit = bytes[at + next] as number;
    if ((unit & 0xc0) !== 0x80) {
      return -1;
    }
    found = (found << 6) | (unit & 0x3f);
  }
  const overlong = (more === 2 && found < 0x800) || (more === 3 && found < 0x10000);
  const surrogate = found >= 0xd800 && found <= 0xdfff;
  return overlong || surrogate || found > 0x10ffff ? -1 : found;
}

/** Whether a text begins with another. */
export function hasPrefix(value: any, part: any): Maybe<boolean> {
  if (value == null || part == null) {
    return null;
  }
  if (typeof value === "string" && typeof part === "string") {
    return value.startsWith(part);
  }
  const [bytes, wanted] = [bytesOf(value), bytesOf(part)];
  return bytes.subarray(0, wanted.length).equals(wanted);
}

/** Whether a text ends with another. */
export function hasSuffix(value: any, part: any): Maybe<boolean> {
  if (value == null || part == null) {
    return null;
  }
  if (typeof value === "string" && typeof part === "string") {
    return value.endsWith(part);
  }
  const [bytes, wanted] = [bytesOf(value), bytesOf(part)];
  return bytes.subarray(Math.max(0, bytes.length - wanted.length)).equals(wanted);
}

/** Whether a text contains another. */
export function contains(value: any, part: any): Maybe<boolean> {
  if (value == null || part == null) {
    return null;
  }
  if (typeof value === "string" && typeof part === "string") {
    return value.includes(part);
  }
  return bytesOf(value).includes(bytesOf(part));
}

/** Whether a text does not contain another. */
export function lacks(value: any, part: any): Maybe<boolean> {
  return not(contains(value, part));
}

/** A form in which equal scalars are equal. */
function form(value: any): any {
  if (value instanceof Uint8Array) {
    return "t" + Buffer.from(value).toString("latin1");
  }
  if (typeof value === "string") {
    return "t" + Buffer.from(value, "utf8").toString("latin1");
  }
  return typeof value === "object" ? int(value) : value;
}

/** Whether two elements are equal. */
export function repeats(elements: any): boolean {
  const seen = new Set<any>();
  for (const element of elements) {
    const it = form(element);
    if (it == null || it !== it) {
      continue;
    }
    if (seen.has(it)) {
      return true;
    }
    seen.add(it);
  }
  return false;
}

/** An element of a list or set. */
export function item(elements: any, index: number): any {
  if (elements == null) {
    return null;
  }
  let at = 0;
  for (const element of Array.isArray(elements) ? elements.slice(index, index + 1) : elements) {
    if (Array.isArray(elements) || at++ === index) {
      return element ?? null;
    }
  }
  return null;
}

/** The value behind a key. */
export function entry(entries: any, key: any): any {
  if (entries == null || key == null) {
    return null;
  }
  if (entries instanceof Map) {
    return entries.get(key) ?? null;
  }
  return Object.prototype.hasOwnProperty.call(entries, key) ? entries[key] ?? null : null;
}

/** The entries of a map. Keys of an object are texts, whatever they are in the interface file: `n` numbers, `l` whole numbers of
 * 64 bits, `b` truth values, `t` texts. */
export function entriesOf(entries: any, kind: string): [any, any][] {
  if (entries instanceof Map) {
    return [...entries].map(([key, value]) => [kind === "l" ? int(key) : key, value]);
  }
  return Object.keys(entries).map((key) => {
    switch (kind) {
      case "n":
        return [Number(key), entries[key]];
      case "l":
        return [int(key), entries[key]];
      case "b":
        return [key === "true", entries[key]];
      default:
        return [key, entries[key]];
    }
  });
}

/** A field of a struct, as an operand. */
export function field(it: any, name: string, absent: any): any {
  return it == null ? null : it[name] ?? absent;
}

/** Bytes from their digits. */
export function bytes(digits: string): any {
  return Buffer.from(digits, "hex");
}

/** A text in pieces. */
export function whole(...pieces: string[]): string {
  return pieces.join("");
}

/** Texts put together. */
export function join(...parts: Maybe<string>[]): any {
  return parts.includes(null) ? null : parts.join("");
}

/** Scalars of which a value may be one. */
export class Members {
  private readonly members: Set<any>;

  constructor(members: any[]) {
    this.members = new Set(members.map(form));
  }

  /** Whether a value is one of them. */
  holds(value: any): boolean {
    // A set finds NaN, which equals nothing.
    return value === value && this.members.has(form(value));
  }
}

/** Scalars of which a value may be one. */
export function set(...members: any[]): Members {
  return new Members(members);
}

/** Whole numbers of which a value may be one. */
export function numbers(members: string): Members {
  return new Members(members.split(",").map(int));
}

/** A value for a message. */
export function shown(value: any): string {
  if (value == null) {
    return "";
  }
  let text: string;
  if (typeof value === "string") {
    text = JSON.stringify(value);
  } else if (value instanceof Uint8Array) {
    text = "0x" + Buffer.from(value).toString("hex");
  } else {
    text = String(value);
  }
  return text.length <= 80 ? text : [...text.slice(0, 80)].join("").replace(/[\ud800-\udbff]$/, "") + "...";
}

/** A double for a message, never like a whole number. */
export function shownReal(value: any): string {
  return value == null ? "" : decimal(Number(value), true);
}

/** The key of an entry in a path. */
export function key(key: any): string {
  if (typeof key !== "string" && !(key instanceof Uint8Array)) {
    return `[${String(key)}]`;
  }
  const text = subject(key).replace(/\\/g, "\\\\").replace(/'/g, "\\'");
  return `['${text.replace(/\n/g, "\\n").replace(/\t/g, "\\t")}']`;
}

/** The key of an entry that is a double. */
export function keyReal(key: any): string {
  return `[${shownReal(key)}]`;
}

/** The key of an entry that has parts. */
export function keyOther(_key: any): string {
  return "['<object>']";
}

/** The shortest digits that mean a double, without an exponent. */
function decimal(value: number, point: boolean): string {
  if (value !== value) {
    return "NaN";
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  let text = String(Math.abs(value));
  const parts = /^([0-9]+)(?:\.([0-9]+))?e([+-][0-9]+)$/.exec(text);
  if (parts !== null) {
    const digits = (parts[1] as string) + (parts[2] ?? "");
    const at = (parts[1] as string).length + Number(parts[3]);
    if (at <= 0) {
      text = "0." + "0".repeat(-at) + digits;
    } else if (at >= digits.length) {
      text = digits + "0".repeat(at - digits.length);
    } else {
      text = digits.slice(0, at) + "." + digits.slice(at);
    }
  }
  return sign + (point && !text.includes(".") ? text + ".0" : text);
}

/** A value under a verb of `sprintf`. */
export function verb(verb: string, value: any): any {
  if (value == null) {
    return null;
  }
  if (isText(value)) {
    switch (verb) {
      case "x":
        return bytesOf(value).toString("hex");
      case "q":
        return JSON.stringify(subject(value));
      default:
        return subject(value);
    }
  }
  if (verb === "x") {
    return BigInt(value).toString(16);
  }
  if (verb === "f" && Number.isFinite(value) && Math.abs(value) < 1e21) {
    return Number(value).toFixed(6);
  }
  if (typeof value === "number") {
    return verb === "f" && Number.isFinite(value) ? decimal(value, false) + ".000000" : decimal(value, false);
  }
  return String(value);
}

/** A pattern. */
export function program(sets: string, code: string): Program {
  return new Program(sets, code);
}

/** A pattern that runs in time proportional to the text. */
export class Program {
  private readonly kinds: string[] = [];
  private readonly firsts: number[] = [];
  private readonly seconds: number[] = [];
  private readonly sets: number[][];

  constructor(sets: string, code: string) {
    for (const instruction of code.split(" ")) {
      const [first, second] = instruction.slice(1).split(",");
      this.kinds.push(instruction.charAt(0));
      this.firsts.push(Number(first ?? 0));
      this.seconds.push(Number(second ?? 0));
    }
    const bounds = (set: string): number[] => (set === "" ? [] : set.split(/[-,]/).map((it) => parseInt(it, 36)));
    this.sets = sets.split(";").map(bounds);
  }

  /** Whether some part of a text matches. */
  matches(text: string): boolean {
    const count = this.kinds.length;
    const seen = new Int32Array(count);
    const stack: number[] = [];
    let now: number[] = [];
    let before = -1;
    let at = 0;
    for (let step = 1; ; step++) {
      const unit = at < text.length ? (text.codePointAt(at) as number) : -1;
      const current = unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit;
      const next: number[] = [];
      // Every position may begin a match.
      now.push(0);
      for (const start of now) {
        stack.push(start);
        while (stack.length > 0) {
          const state = stack.pop() as number;
          if (seen[state] === step) {
            continue;
          }
          seen[state] = step;
          switch (this.kinds[state]) {
            case "m":
              return true;
            case "c":
              next.push(state);
              break;
            case "s":
              stack.push(this.seconds[state] as number, this.firsts[state] as number);
              break;
            default:
              if (this.holds(state, before, current)) {
                stack.push(state + 1);
              }
          }
        }
      }
      if (current < 0) {
        return false;
      }
      now = [];
      for (const state of next) {
        if (isIn(this.sets[this.firsts[state] as number] as number[], current)) {
          now.push(state + 1);
        }
      }
      before = current;
      at += unit > 0xffff ? 2 : 1;
    }
  }

  private holds(state: number, before: number, current: number): boolean {
    const kind = this.kinds[state];
    switch (kind) {
      case "^":
        return before < 0;
      case "$":
        return current < 0;
      case "[":
        return before < 0 || before === 10;
      case "]":
        return current < 0 || current === 10;
      default: {
        const word = this.sets[this.firsts[state] as number] as number[];
        const [left, right] = [isIn(word, before), isIn(word, current)];
        return kind === "b" ? left !== right : kind === "B" ? left === right : kind === "<" ? !left && right : left && !right;
      }
    }
  }
}

function isIn(bounds: number[], found: number): boolean {
  let low = 0;
  let high = bounds.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (found < (bounds[2 * middle] as number)) {
      high = middle - 1;
    } else if (found > (bounds[2 * middle + 1] as number)) {
      low = middle + 1;
    } else {
      return true;
    }
  }
  return false;
}
