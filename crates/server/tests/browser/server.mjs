// A real server with an empty state, and requests to it.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export class Server {
  #child;
  #tendon;
  #folder;
  url = '';

  constructor(tendon, folder) {
    this.#tendon = tendon;
    this.#folder = folder;
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
  }

  // Starts it; again at the same address if it was stopped.
  async start(mode) {
    const address = this.url.replace('http://', '') || '127.0.0.1:0';
    const words = ['serve', '--http', '--listen', address, '--auth', mode, '--state', path.join(this.#folder, 'state'), '--log', 'error', '--grace', '0'];
    this.#child = spawn(this.#tendon, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((resolve, reject) => {
      let text = '';
      this.#child.on('error', reject);
      this.#child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
      this.#child.stdout.setEncoding('utf8').on('data', (data) => {
        text += data;
        if (text.includes('\n')) resolve(text.split('\n')[0]);
      });
    });
    this.url = /listening on (http:\S+)/.exec(line)?.[1] ?? '';
    if (!this.url) throw new Error(`the server says \`${line}\` and not where it listens`);
  }

  async stop() {
    if (!this.#child || this.#child.exitCode !== null) return;
    this.#child.removeAllListeners('exit');
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  token(name, role, scope) {
    const state = path.join(this.#folder, 'state');
    const made = spawnSync(this.#tendon, ['token', 'create', name, '--role', role, '--scope', scope, '--state', state], { encoding: 'utf8' });
    const token = /\btendon_\S+|\btdn\S+/.exec(made.stdout)?.[0] ?? made.stdout.trim().split(/\s+/).pop();
    if (made.status !== 0 || !token) throw new Error(`there is no token: ${made.stdout}${made.stderr}`);
    return token;
  }

  revoke(token) {
    const words = ['token', 'revoke', token.split('_')[1], '--state', path.join(this.#folder, 'state')];
    const done = spawnSync(this.#tendon, words, { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`the token is not revoked: ${done.stdout}${done.stderr}`);
  }

  async ask(method, address, token, body = undefined) {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${this.url}${address}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }
}
