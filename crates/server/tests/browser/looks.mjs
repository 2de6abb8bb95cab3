// What every page has to be, whatever is on it.

import fs from 'node:fs';

const fail = (what, found) => {
  throw new Error(`${what}\n  ${found.join('\n  ')}`);
};

// Holds a page against an accessibility checker, in the theme that it has.
export async function isAccessible(page, axe) {
  await page.run(axe);
  const found = await page.run(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], preload: false });
    return violations
      .filter((it) => it.impact === 'serious' || it.impact === 'critical')
      .flatMap((it) => it.nodes.map((node) => `${it.id} (${it.impact}): ${node.target.join(' ')}: ${node.failureSummary.replaceAll('\n', ' ')}`));
  });
  if (found.length > 0) fail('the page is not accessible:', found);
}

export const checker = (modules) => fs.readFileSync(`${modules}/axe-core/axe.min.js`, 'utf8');

// What somebody can do something with, and what is written large, does not lie on each other, and nothing sticks out of the page.
export async function isInPlace(page) {
  const found = await page.run(() => {
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth) {
      const wide = [...document.body.querySelectorAll('*')].filter((it) => it.getBoundingClientRect().right > innerWidth + 1 && !it.closest('.wide, pre, .skip'));
      wrong.push(`the page is ${document.documentElement.scrollWidth} wide and not ${innerWidth}: ${wide.slice(0, 5).map((it) => `${it.tagName}.${it.className}#${it.id}`)}`);
    }
    const boxes = [...document.querySelectorAll('a, button, input, select, textarea, summary, h1, h2, h3')]
      .filter((it) => !it.matches('.skip') && it.checkVisibility() && !it.closest('svg'))
      .map((it) => ({ it, box: it.getClientRects()[0] }))
      .filter(({ box }) => box && box.width > 0 && box.height > 0);
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        if (one.it.contains(other.it) || other.it.contains(one.it)) continue;
        const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // Parts that scroll on their own are cut, and so do not cover what is beside them.
        if (width > 2 && height > 2 && one.it.closest('.wide, .tree') === other.it.closest('.wide, .tree')) {
          wrong.push(`\`${one.it.innerText || one.it.id}\` and \`${other.it.innerText || other.it.id}\` overlap`);
        }
      }
    }
    return wrong;
  });
  if (found.length > 0) fail('the page is out of place:', found);
}

// Everything that can be used can be reached with the tabulator key, and one sees where one is.
export async function isReachable(page) {
  const expected = await page.run(() => {
    document.activeElement?.blur();
    scrollTo(0, 0);
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
    const usable = all.filter((it) => it.checkVisibility() && it.type !== 'hidden' && !it.disabled);
    usable.forEach((it, at) => it.setAttribute('data-tab', String(at)));
    // A field for a moment has a stop for each of its parts.
    return { count: usable.length, stops: usable.length + 8 * usable.filter((it) => it.type === 'datetime-local').length };
  });
  const seen = new Set();
  const wrong = [];
  for (let presses = 0; presses < expected.stops + 5 && seen.size < expected.count; presses += 1) {
    await page.press('Tab');
    const focused = await page.run(() => {
      const it = document.activeElement;
      const style = getComputedStyle(it);
      const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
      return { at: it.getAttribute('data-tab'), shown, name: `${it.tagName} ${it.id} ${it.innerText?.slice(0, 40)}` };
    });
    if (focused.at === null) continue;
    const is_new = !seen.has(focused.at);
    seen.add(focused.at);
    if (is_new && !focused.shown) wrong.push(`one does not see that ${focused.name} has the focus`);
  }
  if (seen.size < expected.count) {
    const missing = await page.run((seen) => [...document.querySelectorAll('[data-tab]')].filter((it) => !seen.includes(it.dataset.tab)).map((it) => it.outerHTML.slice(0, 120)), [...seen]);
    wrong.push(...missing.map((it) => `not reached: ${it}`));
  }
  await page.run(() => document.querySelectorAll('[data-tab]').forEach((it) => it.removeAttribute('data-tab')));
  if (wrong.length > 0) fail('the page cannot be used with the keyboard:', wrong);
}

// Nothing went wrong in the page: no script failed, the policy refused nothing, nobody else was asked.
export function isQuiet(page) {
  if (page.problems.length > 0) fail('the page has problems:', page.problems);
}
