// A link holds everything behind its `#`, packed: no server sees it.
const MOST = 1 << 20;

async function through(bytes, stream, most) {
    const writer = stream.writable.getWriter();
    writer.write(bytes).catch(() => {});
    writer.close().catch(() => {});
    const parts = [];
    let size = 0;
    const reader = stream.readable.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.length;
        if (size > most) {
            await reader.cancel();
            throw new Error('the link holds too much');
        }
        parts.push(value);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

export async function pack(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    if (bytes.length > MOST) throw new Error('this is too much for a link');
    const packed = await through(bytes, new CompressionStream('deflate-raw'), MOST);
    let text = '';
    for (const byte of packed) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export async function unpack(text) {
    const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'), MOST);
    const state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const isText = (value) => typeof value === 'string';
    const names = Object.keys(state?.files ?? {});
    if (names.length === 0 || names.length > 50 || !Object.values(state.files).every(isText)) {
        throw new Error('the link holds no files');
    }
    const rest = ['parameters', 'mocks', 'scope', 'contract', 'value'].map((name) => [name, isText(state[name]) ? state[name] : '']);
    return { files: { ...state.files }, open: names.includes(state.open) ? state.open : names[0], ...Object.fromEntries(rest) };
}
