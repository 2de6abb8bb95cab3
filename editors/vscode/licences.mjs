// Writes the licences of the packages that the extension is bundled with to `out/LICENSES.txt`; a package without one is an error.

import fs from 'node:fs';
import path from 'node:path';

const inputs = Object.keys(JSON.parse(fs.readFileSync('out/bundle.json', 'utf8')).inputs);
const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const packages = [...new Set(inputs.map((input) => folder.exec(input)?.[0]).filter(Boolean))].sort();
const texts = packages.map((each) => {
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(each, 'package.json'), 'utf8'));
  const file = fs.readdirSync(each).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${name} ${version} has no licence text`);
  }
  return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(each, file), 'utf8').trim()}\n`;
});
fs.writeFileSync('out/LICENSES.txt', texts.join('\n----\n\n'));
