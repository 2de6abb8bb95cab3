// Holds the grammar against fixtures, and against whole programs in the folders that are named.
//
// Below a line of a fixture, `//   ^^^ SCOPE` says what the innermost scope of these columns is, and `//<--- SCOPE` that of the columns from the
// first on, one for each dash. In programs nothing is illegal, and at their end everything is closed.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require('vscode-textmate');
const oniguruma = require('vscode-oniguruma');

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const entry = manifest.contributes.grammars.find((grammar) => grammar.scopeName === scope);
    return entry && parseRawGrammar(fs.readFileSync(path.join(root, entry.path), 'utf8'), entry.path);
  },
});

const failures = [];

// The tokens of each line, and the scopes at the end.
function tokenize(grammar, text) {
  let state = INITIAL;
  const lines = text.split(/\r?\n/).map((line) => {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    return { line, tokens: result.tokens };
  });
  return { lines, end: grammar.tokenizeLine('', state).tokens[0].scopes };
}

function expectation(line) {
  const marks = /^\s*\/\/\s*(\^+) (\S+)$/.exec(line);
  if (marks) {
    return { from: line.indexOf('^'), to: line.lastIndexOf('^') + 1, scope: marks[2] };
  }
  const start = /^\/\/<(-+) (\S+)$/.exec(line);
  return start && { from: 0, to: start[1].length, scope: start[2] };
}

let expectations = 0;
function checkFixture(grammar, file) {
  let source;
  tokenize(grammar, fs.readFileSync(file, 'utf8')).lines.forEach((current, index) => {
    const expected = expectation(current.line);
    if (!expected) {
      source = current;
      return;
    }
    expectations += 1;
    for (let column = expected.from; column < expected.to; column += 1) {
      const token = source.tokens.find((each) => each.startIndex <= column && column < each.endIndex);
      const scopes = token?.scopes ?? [];
      // The quotes of a string are punctuation inside of it.
      const inner = scopes.filter((scope) => expected.scope.startsWith('punctuation.') || !scope.startsWith('punctuation.'));
      if (inner.at(-1) !== expected.scope) {
        failures.push(`${file}:${index + 1}: column ${column + 1}: expected ${expected.scope}, found ${scopes.join(' ')}`);
        return;
      }
    }
  });
}

function checkProgram(grammar, file) {
  const { lines, end } = tokenize(grammar, fs.readFileSync(file, 'utf8'));
  lines.forEach(({ line, tokens }, index) => {
    const illegal = tokens.find((token) => token.scopes.some((scope) => scope.startsWith('invalid.')));
    if (illegal) {
      failures.push(`${file}:${index + 1}: illegal: ${line.slice(illegal.startIndex, illegal.endIndex)}`);
    }
  });
  if (end.length !== 1) {
    failures.push(`${file}: not closed at the end: ${end.join(' ')}`);
  }
}

function files(folder, pattern) {
  const all = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile() && pattern.test(entry.name)).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

const grammars = {
  '.bicep': await registry.loadGrammar('source.bicep'),
  '.bicepparam': await registry.loadGrammar('source.bicep-params'),
};
const kinds = /\.bicep(param)?$/;
files(path.join(here, 'fixtures'), kinds).forEach((file) => checkFixture(grammars[path.extname(file)], file));
const programs = process.argv.slice(2).flatMap((folder) => files(folder, kinds));
programs.forEach((file) => checkProgram(grammars[path.extname(file)], file));

failures.forEach((failure) => console.error(failure));
console.log(`${expectations} expectations and ${programs.length} programs, ${failures.length} failures`);
process.exitCode = failures.length > 0 || expectations === 0 ? 1 : 0;
