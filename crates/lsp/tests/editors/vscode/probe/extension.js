// What a person does with the extension, asked of VS Code itself: its own validation, sorting and edits are behind every answer.
//
// Each check is one call of `check`. The lines that it writes to `TENDON_PROBE` are shown by `run.mjs`; the last one says how it ended.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const vscode = require('vscode');

const WAIT = 60_000; // milliseconds; a debug build on a busy machine is slow, and nothing here is timed

const execute = vscode.commands.executeCommand;

async function wait(what, ready) {
  const end = Date.now() + WAIT;
  for (;;) {
    const answer = await ready();
    if (answer) {
      return answer;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function open(name) {
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
}

async function written(name, text) {
  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
  await vscode.workspace.fs.writeFile(file, Buffer.from(text));
  return file;
}

// The diagnostics of a document as `LINE CODE`.
function problems(document) {
  const found = vscode.languages.getDiagnostics(document.uri);
  return found.map((each) => `${each.range.start.line + 1} ${each.code?.value ?? each.code}`).sort();
}

function expectProblems(document, expected) {
  const shown = () => JSON.stringify(problems(document));
  return wait(() => `${JSON.stringify(expected)}; there is ${shown()}`, () => shown() === JSON.stringify(expected));
}

// The place of a mark in the first line that has a text.
function find(document, text, mark = text) {
  const at = document.getText().indexOf(text);
  assert.notEqual(at, -1, `no \`${text}\``);
  return document.positionAt(at + text.indexOf(mark));
}

// Adds text to the end of a document and answers the number of its first line.
async function append(editor, text) {
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  await editor.edit((edit) => edit.insert(end, text));
  return end.line + 1;
}

async function undo(document, before) {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), before);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

const checks = [];
const check = (name, run) => checks.push({ name, run });

check('open: the program is Bicep and the server answers', async () => {
  const { document } = await open('main.bicep');
  assert.equal(document.languageId, 'bicep');
  const symbols = await wait('symbols', () => execute('vscode.executeDocumentSymbolProvider', document.uri));
  assert.ok(symbols.some((symbol) => symbol.name === 'shelves'), symbols.map((symbol) => symbol.name).join());
  assert.deepEqual(problems(document), []);
});

check('diagnose: what is typed is checked, and what is undone is forgotten', async () => {
  const editor = await open('main.bicep');
  const before = editor.document.getText();
  const line = await append(editor, "\nvar stages = 'three' + 1\n") + 1;
  await expectProblems(editor.document, [`${line} BCP045`, `${line} no-unused-vars`]);
  await undo(editor.document, before);
  await expectProblems(editor.document, []);
});

check('complete: a symbol', async () => {
  const editor = await open('main.bicep');
  const before = editor.document.getText();
  await append(editor, '\noutput production bool = isProd');
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  const { items } = await execute('vscode.executeCompletionItemProvider', editor.document.uri, end);
  const labels = items.map((item) => item.label.label ?? item.label);
  assert.ok(labels.includes('isProduction'), labels.join());
  await undo(editor.document, before);
  await expectProblems(editor.document, []);
});

check('fix: the action of a finding', async () => {
  const editor = await open('main.bicep');
  const { document } = editor;
  const before = document.getText();
  const line = await append(editor, "\noutput label string = concat('shop-', stage)\n") + 1;
  await expectProblems(document, [`${line} prefer-interpolation`]);
  const at = find(document, "concat('shop-'");
  const actions = await execute('vscode.executeCodeActionProvider', document.uri, new vscode.Range(at, at));
  const fix = actions.find((action) => action.title === 'Use interpolation');
  assert.ok(fix?.edit, actions.map((action) => action.title).join());
  assert.ok(await vscode.workspace.applyEdit(fix.edit));
  assert.ok(document.getText().includes("output label string = 'shop-${stage}'"), document.getText());
  await expectProblems(document, []);
  await undo(document, before);
});

check('hover: a type and its description', async () => {
  const { document } = await open('main.bicep');
  const hovers = await execute('vscode.executeHoverProvider', document.uri, find(document, 'param shelves', 'shelves'));
  const text = hovers.flatMap((hover) => hover.contents.map((part) => part.value ?? part)).join('\n');
  assert.match(text, /param shelves/);
  assert.match(text, /The folders of files that it serves\./);
});

check('rename: a function, in every file that uses it', async () => {
  const { document } = await open('main.bicep');
  const at = find(document, "nameOf(stage, 'messages')");
  const edit = await execute('vscode.executeDocumentRenameProvider', document.uri, at, 'named');
  assert.ok(await vscode.workspace.applyEdit(edit));
  const types = (await open('types.bicep')).document;
  for (const each of [document, types]) {
    assert.ok(each.getText().includes('named('), each.getText());
    assert.ok(!each.getText().includes('nameOf'), each.getText());
    await expectProblems(each, []);
  }
});

check('definition: the file that declares it', async () => {
  const { document } = await open('main.bicep');
  const found = await execute('vscode.executeDefinitionProvider', document.uri, find(document, "named(stage, 'messages')"));
  const paths = found.map((place) => (place.targetUri ?? place.uri).path.split('/').pop());
  assert.deepEqual(paths, ['types.bicep']);
});

check('format: a document', async () => {
  const { document } = await open('modules/storage.bicep');
  await undo(document, document.getText().replaceAll(/^ +/gm, ' '));
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await execute('vscode.executeFormatDocumentProvider', document.uri, options);
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.match(document.getText(), /^ {2}sku: \{\n {4}name: /m);
  assert.deepEqual((await execute('vscode.executeFormatDocumentProvider', document.uri, options)) ?? [], []);
});

check('semantic tokens, folds, inlay hints and links are taken', async () => {
  const { document } = await open('main.bicep');
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const tokens = await execute('vscode.provideDocumentSemanticTokens', document.uri);
  assert.ok(tokens.data.length > 0);
  assert.ok((await execute('vscode.executeFoldingRangeProvider', document.uri)).length > 0);
  assert.ok(Array.isArray(await execute('vscode.executeInlayHintProvider', document.uri, all)));
  assert.ok((await execute('vscode.executeLinkProvider', document.uri)).length > 0);
});

check('parameters: a value that the program refuses', async () => {
  const { document } = await open('prod.bicepparam');
  assert.equal(document.languageId, 'bicep-params');
  await undo(document, document.getText().replace("param stage = 'prod'", "param stage = 'production'"));
  await expectProblems(document, [`${find(document, 'param stage').line + 1} BCP033`]);
});

check('manifests: a Radius manifest is checked, other YAML is not, and neither is formatted', async () => {
  const manifest = 'namespace: My.Types\ntypes:\n  things:\n    apiVersions: 3\n';
  const wrong = await vscode.workspace.openTextDocument(await written('types.yaml', manifest));
  await wait('problems of the manifest', () => problems(wrong).length > 0);
  const other = await vscode.workspace.openTextDocument(await written('pod.yaml', 'kind: Pod\nspec:   {}\n'));
  const options = { tabSize: 2, insertSpaces: true };
  for (const document of [wrong, other]) {
    assert.deepEqual((await execute('vscode.executeFormatDocumentProvider', document.uri, options)) ?? [], []);
  }
  assert.deepEqual(problems(other), []);
});

check('build: the command writes the template', async () => {
  await open('modules/storage.bicep');
  await execute('workbench.action.files.revert');
  await execute('tendon.build');
  const template = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'modules/storage.json');
  const text = await wait('the template', () => vscode.workspace.fs.readFile(template).then(String, () => undefined));
  assert.match(text, /"contentVersion"/);
});

exports.activate = () => {
  void run();
};

async function run() {
  const say = (line) => fs.appendFileSync(process.env.TENDON_PROBE, `${line}\n`);
  say(`VS Code ${vscode.version}`);
  for (const { name, run: work } of checks) {
    try {
      await work();
      say(`ok      ${name}`);
    } catch (error) {
      say(`FAILED  ${name}\n${error?.stack ?? error}\nend: failed`);
      return;
    }
  }
  say('end: ok');
}
