// The Testing view: the tests of test files, what became of them, and which parts of the programs they have reached.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

// The command of the server, and the one of the lenses that it shows.
const RUN = 'tendon.test.run';
const FILES = '**/*.biceptest';
const SKIPPED = '**/node_modules/**';

// What the lens above a test, and a run, say. They are those of `tendon test -o json`.
interface Lens {
  range: { start: { line: number; character: number } };
  command?: { command: string; arguments?: { uri: string; test: string; coverage: boolean }[] };
}

interface Point {
  line: number;
  column: number;
}

interface Failure {
  message: string;
  file: string | null;
  start: Point | null;
  end: Point | null;
}

interface Test {
  name: string;
  case: string | null;
  id: string;
  status: 'passed' | 'failed' | 'skipped';
  seconds: number;
  failures: Failure[];
}

interface CoveragePoint {
  kind: string;
  name: string;
  start: Point;
  labels: Record<string, number>;
}

interface Report {
  files: { file: string; errors: { message: string }[]; tests: Test[] }[];
  coverage: { files: { file: string; points: CoveragePoint[] }[] } | null;
}

export function register(context: vscode.ExtensionContext, client: () => LanguageClient | undefined): void {
  const controller = vscode.tests.createTestController('tendon', 'Tendon');
  const view = new TestView(controller, client);
  const watcher = vscode.workspace.createFileSystemWatcher(FILES);
  const run = controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request, token) => view.run(request, token, false), true);
  const coverage = controller.createRunProfile(
    'Run with Coverage',
    vscode.TestRunProfileKind.Coverage,
    (request, token) => view.run(request, token, true),
    true,
  );
  coverage.loadDetailedCoverage = (_run, file) => Promise.resolve(file instanceof ReachedFile ? file.details : []);
  controller.resolveHandler = (item) => (item ? view.readTests(item) : view.findFiles());
  controller.refreshHandler = () => view.findFiles();
  context.subscriptions.push(
    controller,
    watcher,
    watcher.onDidCreate((uri) => void view.readTests(view.file(uri))),
    watcher.onDidChange((uri) => void view.readTests(view.file(uri))),
    watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
    // What a lens asks for shows in the view as well.
    vscode.commands.registerCommand(RUN, async (asked: { uri: string; test?: string; coverage?: boolean }) => {
      const file = view.file(vscode.Uri.parse(asked.uri));
      await view.readTests(file);
      const item = (asked.test !== undefined && file.children.get(asked.test)) || file;
      const profile = asked.coverage ? coverage : run;
      const cancel = new vscode.CancellationTokenSource();
      await view.run(new vscode.TestRunRequest([item], undefined, profile), cancel.token, asked.coverage === true);
    }),
  );
}

// What was reached of a program, with its parts.
class ReachedFile extends vscode.FileCoverage {
  constructor(
    uri: vscode.Uri,
    readonly details: vscode.FileCoverageDetail[],
  ) {
    const all = vscode.FileCoverage.fromDetails(uri, details);
    super(uri, all.statementCoverage, all.branchCoverage, all.declarationCoverage);
  }
}

class TestView {
  constructor(
    private readonly controller: vscode.TestController,
    private readonly client: () => LanguageClient | undefined,
  ) {}

  // The item of a test file; made if there is none.
  file(uri: vscode.Uri): vscode.TestItem {
    const known = this.controller.items.get(uri.toString());
    if (known) {
      return known;
    }
    const item = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  async findFiles(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles(FILES, SKIPPED)) {
      this.file(uri);
    }
  }

  // The tests of a file are those above which the server shows lenses.
  async readTests(file: vscode.TestItem): Promise<void> {
    const client = this.client();
    if (!client || !file.uri || file.parent) {
      return;
    }
    const params = { textDocument: { uri: file.uri.toString() } };
    const lenses = (await client.sendRequest<Lens[] | null>('textDocument/codeLens', params)) ?? [];
    const names = new Set<string>();
    for (const { range, command } of lenses) {
      const name = command?.command === RUN ? command.arguments?.[0]?.test : undefined;
      if (name === undefined || names.has(name)) {
        continue;
      }
      names.add(name);
      const item = file.children.get(name) ?? this.controller.createTestItem(name, name, file.uri);
      const { line, character } = range.start;
      item.range = new vscode.Range(line, character, line, character + name.length);
      file.children.add(item);
    }
    file.children.forEach((item) => {
      if (!names.has(item.id)) {
        file.children.delete(item.id);
      }
    });
  }

  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, coverage: boolean): Promise<void> {
    if (!request.include) {
      await this.findFiles();
    }
    const wanted: vscode.TestItem[] = [...(request.include ?? [])];
    if (!request.include) {
      this.controller.items.forEach((item) => wanted.push(item));
    }
    const run = this.controller.createTestRun(request);
    for (const item of wanted) {
      if (token.isCancellationRequested) {
        break;
      }
      await this.runItem(run, item, coverage);
    }
    run.end();
  }

  // Runs a file, a test of it, or a case of a test.
  private async runItem(run: vscode.TestRun, item: vscode.TestItem, coverage: boolean): Promise<void> {
    const path = [item];
    for (let outer = item.parent; outer; outer = outer.parent) {
      path.unshift(outer);
    }
    const [file, test, one] = path;
    if (!file?.uri) {
      return;
    }
    await this.readTests(file);
    run.started(item);
    const filter = one ? [`::${test?.id}[${one.id}]`] : [];
    const asked = { uri: file.uri.toString(), test: test?.id, filter, coverage };
    try {
      const client = this.client();
      if (!client) {
        throw new Error('the language server does not run');
      }
      const params = { command: RUN, arguments: [asked] };
      const report = await client.sendRequest<Report>('workspace/executeCommand', params);
      this.show(run, file, item, report);
    } catch (error) {
      run.errored(item, new vscode.TestMessage(error instanceof Error ? error.message : String(error)));
    }
  }

  private show(run: vscode.TestRun, file: vscode.TestItem, asked: vscode.TestItem, report: Report): void {
    for (const { errors, tests } of report.files) {
      if (errors.length > 0) {
        run.errored(asked, errors.map((error) => new vscode.TestMessage(error.message)));
        continue;
      }
      for (const test of tests) {
        const item = this.item(file, test);
        const milliseconds = test.seconds * 1000;
        if (test.status === 'passed') {
          run.passed(item, milliseconds);
        } else if (test.status === 'skipped') {
          run.skipped(item);
        } else {
          run.failed(item, test.failures.map((failure) => message(failure)), milliseconds);
        }
      }
    }
    for (const reached of report.coverage?.files ?? []) {
      const details = reached.points.map(detail);
      run.addCoverage(new ReachedFile(resolved(reached.file), details));
    }
  }

  // The item of a test, or of a case of it, which is made when it has run for the first time.
  private item(file: vscode.TestItem, test: Test): vscode.TestItem {
    let item = file.children.get(test.name);
    if (!item) {
      item = this.controller.createTestItem(test.name, test.name, file.uri);
      file.children.add(item);
    }
    if (test.case === null) {
      return item;
    }
    let one = item.children.get(test.case);
    if (!one) {
      one = this.controller.createTestItem(test.case, `[${test.case}]`, file.uri);
      one.range = item.range;
      item.children.add(one);
    }
    return one;
  }
}

// The server tells files from where it was started: the first folder that is open.
function resolved(file: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.Uri.file(path.isAbsolute(file) ? file : path.join(folder, file));
}

function position(point: Point): vscode.Position {
  return new vscode.Position(point.line - 1, point.column - 1);
}

function message(failure: Failure): vscode.TestMessage {
  const made = new vscode.TestMessage(failure.message);
  if (failure.file !== null && failure.start && failure.end) {
    const range = new vscode.Range(position(failure.start), position(failure.end));
    made.location = new vscode.Location(resolved(failure.file), range);
  }
  return made;
}

// A resource or a function is declared, everything else is a branch.
function detail(point: CoveragePoint): vscode.FileCoverageDetail {
  const at = position(point.start);
  const labels = Object.entries(point.labels);
  const hits = labels.reduce((sum, [, count]) => sum + count, 0);
  if (point.kind === 'resource' || point.kind === 'function') {
    return new vscode.DeclarationCoverage(point.name, hits, at);
  }
  const branches = labels.map(([label, count]) => new vscode.BranchCoverage(count, at, `${point.kind} ${label}`));
  return new vscode.StatementCoverage(hits, at, branches);
}
