/** A part of a file. Lines and columns are from 1; columns and offsets are UTF-16 code units. */
export interface TextPlace {
    file: string;
    line: number;
    column: number;
    endLine: number;
    endColumn: number;
    start: number;
    end: number;
}

/** What is replaced, and by what. */
export interface Replacement {
    place: TextPlace;
    text: string;
}

/** Something that is to be said about a file or a value. */
export interface PlacedDiagnostic {
    severity: 'error' | 'warning' | 'info';
    code: string;
    message: string;
    hint?: string;
    place?: TextPlace;
    /** Where the rule stands that is broken. */
    rule?: TextPlace;
    /** The value that it is about, as a JSON pointer. */
    pointer?: string;
    fixes?: { title: string; replacements: Replacement[] }[];
}

export interface CompiledProgram {
    /** The template, or the parameters of a parameters file, as JSON; null if something is an error. */
    template: string | null;
    diagnostics: PlacedDiagnostic[];
}

/** A result, or why there is none. */
export interface Made {
    text: string | null;
    diagnostics: PlacedDiagnostic[];
}

export interface HoverText {
    place: TextPlace;
    markdown: string;
}

export interface ListedCompletion {
    label: string;
    kind: string;
    detail?: string;
    documentation?: string;
    sortText: string;
    filterText?: string;
    edit: Replacement;
    additionalEdits?: Replacement[];
}

/** A word with what it is; `start` and `end` are offsets. */
export interface PaintedToken {
    start: number;
    end: number;
    kind: string;
}

/** What a prediction is told. */
export interface PredictionInputs {
    /** Values by name, or the text of a parameters file. */
    parameters?: Record<string, unknown> | string;
    /** What functions such as `reference` say, by function and resource. */
    mocks?: Record<string, unknown> | string;
    /** The scope, such as `/subscriptions/S/resourceGroups/G`. */
    scope?: string;
    location?: string;
    /** The name of the deployment. */
    name?: string;
}

export interface CheckResult {
    valid: boolean;
    diagnostics: PlacedDiagnostic[];
}

export interface NamedViolation {
    path: string;
    pointer: string;
    rule: string;
    message: string;
    found?: string;
    hint?: string;
    written?: TextPlace;
}

export interface MessageResult {
    valid: boolean;
    /** Why the message cannot be read. */
    error?: string;
    violations: NamedViolation[];
}
