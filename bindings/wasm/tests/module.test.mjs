// The module in Node.js: what it answers, what it refuses, and that a deep text ends in an answer.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';

const { Project } = createRequire(import.meta.url)(process.env.TENDON_MODULE);
const codes = (found) => found.map((it) => `${it.place?.file}:${it.place?.line}:${it.place?.column} ${it.code}`);
const project = (files) => {
    const made = new Project();
    for (const [name, text] of Object.entries(files)) made.setFile(name, text);
    return made;
};

test('a program and its module compile, and an edit is seen', () => {
    const files = { 'main.bicep': "module part 'part.bicep' = { params: { size: 4 } }\noutput o int = part.outputs.o\n", 'part.bicep': 'param size int\noutput o int = size\n' };
    const it = project(files);
    const { template, diagnostics } = it.compile('main.bicep');
    assert.deepEqual(diagnostics, []);
    assert.equal(JSON.parse(template).outputs.o.type, 'int');
    it.setFile('part.bicep', 'param size string\noutput o int = length(size)\n');
    assert.deepEqual(codes(it.compile('main.bicep').diagnostics), ['main.bicep:1:46 BCP036']);
    assert.deepEqual(it.fileNames(), ['main.bicep', 'part.bicep']);
});

test('columns are UTF-16 code units', () => {
    const [found] = project({ 'a.bicep': "output o string = '😀${a}'\n" }).compile('a.bicep').diagnostics;
    assert.deepEqual([found.code, found.place.column, found.place.start], ['BCP057', 24, 23]);
});

test('an editor is answered, with the types of resources beside the module', () => {
    const it = project({ 'a.bicep': "resource s 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'abc'\n  location: 'x'\n  kin: 'StorageV2'\n  properties: { allowBlobPublic: 1 }\n}\n" });
    it.setDay(2026, 1, 31);
    const about = (code) => it.compile('a.bicep').diagnostics.filter((found) => found.code === code);
    assert.deepEqual(codes(about('BCP037')), []);
    it.useTypes(fs.readFileSync(process.env.TENDON_TYPES));
    assert.deepEqual(codes(about('BCP037')), ['a.bicep:5:17 BCP037']);
    assert.equal(about('BCP089')[0].fixes[0].replacements[0].text, 'kind');
    assert.throws(() => it.useTypes(new Uint8Array([1, 2, 3])), /cannot be unpacked/);
    assert.ok(it.complete('a.bicep', 4, 3).some((item) => item.label === 'sku'));
    assert.match(it.hover('a.bicep', 1, 10).markdown, /storageAccounts/);
    assert.equal(it.tokens('a.bicep')[0].kind, 'keyword');
    assert.match(it.format('a.bicep').text, /^resource s /);
});

test('a prediction is told parameters and mocks', () => {
    const it = project({ 'a.bicep': "param n string\nresource s 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: n }\noutput e string = s.properties.primaryEndpoints.blob\n" });
    const told = { parameters: { n: 'abc' }, mocks: { reference: { s: { primaryEndpoints: { blob: 'https://b/' } } } } };
    assert.equal(JSON.parse(it.snapshot('a.bicep', told).text).outputs.e, 'https://b/');
    assert.match(JSON.parse(it.snapshot('a.bicep', { parameters: 'n: abc' }).text).outputs.e, /^\[reference\(/);
    assert.deepEqual(codes(it.snapshot('a.bicep').diagnostics), ['a.bicep:1:1 InvalidTemplate']);
    assert.equal(it.evaluate('a.bicep', "toUpper(parameters('n'))", told).text, '"ABC"\n');
    assert.match(it.picture('a.bicep', 'svg').text, /^<svg /);
    assert.throws(() => it.picture('a.bicep', 'png'), /no form of pictures/);
    assert.throws(() => it.snapshot('a.bicep', { parameter: {} }), /unknown field/);
});

test('contracts of every language check values', () => {
    const it = project({ 'order.json': '{"properties": {"n": {"type": "integer", "minimum": 1}}}', 'main.bicep': '@minLength(3)\nparam name string\n', 'a.thrift': 'struct A { 1: required i32 n (vt.gt = "0") }\n' });
    const check = (reference, text) => {
        const contract = it.contract(reference);
        const { valid, diagnostics } = contract.check('value', text);
        contract.free();
        assert.equal(valid, diagnostics.length === 0);
        return codes(diagnostics);
    };
    assert.deepEqual(check('order.json', 'n: 1'), []);
    assert.deepEqual(check('order.json', '{"n": 0}'), ['value:1:7 minimum']);
    assert.deepEqual(check('main.bicep', '{"name": "ab"}'), ['value:1:10 InvalidTemplate']);
    assert.deepEqual(check('a.thrift#A', '{"n": 0}'), ['value:1:7 gt']);
    assert.throws(() => it.contract('order.json#Nothing'), /leads nowhere/);
    assert.equal(it.contractFindings('order.json#Nothing')[0].code, 'contract/unknown-definition');
});

test('messages are validated on their bytes', () => {
    const it = project({ 'a.thrift': 'struct A { 1: required i32 n (vt.gt = "0") }\n' });
    const messages = it.messages('a.thrift#A');
    const message = (n) => new Uint8Array([8, 0, 1, 0, 0, 0, n, 0]);
    assert.equal(messages.validate(message(1), 'binary').valid, true);
    const refused = messages.validate(message(0), 'binary');
    assert.deepEqual([refused.violations[0].path, refused.violations[0].written.line], ['A.n', 1]);
    assert.equal(messages.validate(new Uint8Array([8]), 'binary').valid, false);
    assert.throws(() => messages.validate(message(1), 'text'), /no protocol/);
});

test('what is deep or endless ends in an answer', () => {
    const nested = (n) => `var a = ${'['.repeat(n)}${']'.repeat(n)}\noutput o array = a\n`;
    for (const depth of [50, 110, 240, 5_000]) {
        const it = project({ 'a.bicep': nested(depth) });
        const { template, diagnostics } = it.compile('a.bicep');
        assert.equal(template === null, diagnostics.some((found) => found.severity === 'error'), `${depth}`);
        it.format('a.bicep');
        it.tokens('a.bicep');
        it.complete('a.bicep', 1, 9 + depth);
        assert.equal(it.snapshot('a.bicep').text === null, template === null, `${depth}`);
    }
    const it = project({ 'list.json': '{"type": "array", "items": {"$ref": "#"}}', 'a.thrift': 'struct A { 1: optional A a }\n' });
    assert.equal(it.contract('list.json').check('value', '['.repeat(9_000) + ']'.repeat(9_000)).valid, false);
    const deep = new Uint8Array(20_000);
    for (let at = 0; at < 15_000; at += 3) deep.set([12, 0, 1], at);
    assert.equal(it.messages('a.thrift#A').validate(deep, 'binary').valid, false);
});

test('the example of the page runs', () => {
    const page = fs.readFileSync(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');
    const [, example] = page.match(/```js\n([\s\S]*?)```/);
    new Function('Project', 'assert', example)(Project, assert);
});
