// The extension: starts `tendon lsp` for the files that it knows, and again when its settings change.

import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';
import * as tests from './tests';

// The first part of the names of all settings; the client reads `tendon.trace.server` by it.
const SECTION = 'tendon';

// What the server is asked about. Files that are not saved yet have a language and no name.
const DOCUMENTS: LanguageClientOptions['documentSelector'] = [
  { language: 'bicep', scheme: 'file' },
  { language: 'bicep', scheme: 'untitled' },
  { language: 'bicep-params', scheme: 'file' },
  { language: 'bicep-params', scheme: 'untitled' },
  { pattern: '**/bicepconfig.json', scheme: 'file' },
  { pattern: '**/*.thrift', scheme: 'file' },
  // Manifests of Radius have no name of their own; the server leaves other YAML alone.
  { language: 'yaml', scheme: 'file' },
];

// The commands of the extension, and those of the server that they ask for.
const COMMANDS = [
  ['tendon.build', 'build'],
  ['tendon.generateParams', 'generateParams'],
  ['tendon.restoreModules', 'forceModulesRestore'],
] as const;

// The settings that the server knows from its start on.
const STARTING = ['tendon.path', 'tendon.arguments', 'tendon.restore'];

let client: LanguageClient | undefined;

// Starts and stops follow each other: each waits for the one before.
let last: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('tendon.restart', () => inTurn(restart)),
    ...COMMANDS.map(([name, command]) => vscode.commands.registerCommand(name, () => run(command))),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (STARTING.some((setting) => event.affectsConfiguration(setting))) {
        void inTurn(restart);
      }
    }),
  );
  tests.register(context, () => client);
  await inTurn(start);
}

export function deactivate(): Promise<void> {
  return inTurn(stop);
}

function inTurn(work: () => Promise<void>): Promise<void> {
  last = last.then(work);
  return last;
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const command = settings.get<string>('path', '').trim() || 'tendon';
  const server: ServerOptions = { command, args: ['lsp', ...settings.get<string[]>('arguments', [])] };
  const started = new LanguageClient(SECTION, 'Tendon', server, {
    documentSelector: DOCUMENTS,
    // Commands that are announced would be commands of VS Code, whose names other extensions may have as well.
    initializationOptions: { restore: settings.get<boolean>('restore', false), announceCommands: false },
  });
  client = started;
  try {
    await started.start();
  } catch (error) {
    client = undefined;
    // Nobody waits for the answer here, so that a new path in the settings can start the server meanwhile.
    void offerSettings(command, error);
  }
}

// Asks the server to do something with the file that is being edited, and shows what it says.
async function run(command: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || !document || !['bicep', 'bicep-params'].includes(document.languageId)) {
    void vscode.window.showWarningMessage('Open a Bicep file first.');
    return;
  }
  const params = { command, arguments: [document.uri.toString()] };
  try {
    void vscode.window.showInformationMessage(await client.sendRequest<string>('workspace/executeCommand', params));
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  try {
    await running?.dispose();
  } catch {
    // It has ended by itself, which the client has shown already.
  }
}

async function offerSettings(command: string, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const choice = await vscode.window.showErrorMessage(
    `The language server \`${command} lsp\` does not start: ${reason}`,
    'Open Settings',
  );
  if (choice) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'tendon.path');
  }
}
