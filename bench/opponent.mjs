// Playwright, as the opponent of deed's benchmark. Keeps one browser with one page, reads commands as JSON lines on
// standard input, answers each with one JSON line on standard output:
//
//   {"id":1,"op":"click","name":"Add item 7"}  →  {"id":1,"ms":46.2}  or  {"id":1,"error":"…"}
//
// `ms` is taken here, around the calls that a user of Playwright would write, so neither the pipe nor Go is in it.
// Launching waits for the first command that needs a page; `cold` never touches the kept browser.

import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { launch } from './chromium.mjs';

let browser, page;

async function ready() {
  if (page) return;
  browser = await launch();
  page = await (await browser.newContext()).newPage();
}

const button = name => page.getByRole('button', { name, exact: true });
const textbox = name => page.getByRole('textbox', { name, exact: true });
const item = (name, list) => page.getByRole('list', { name: list, exact: true })
  .getByRole('listitem').filter({ hasText: new RegExp('^' + name + '$') });

/** What an agent does after each act: looks at the whole page. */
const look = () => page.locator('body').ariaSnapshot();

// Each runs within the measured time; what it returns goes into the answer.
const operations = {
  open: ({ url }) => page.goto(url).then(() => {}),

  click: ({ name }) => button(name).click(),
  async clickLook({ name, appears, list }) {
    await button(name).click();
    await item(appears, list).waitFor();
    return { length: (await look()).length };
  },

  fill: ({ name, text }) => textbox(name).fill(text),
  async fillCheck({ name, text }) {
    await textbox(name).fill(text);
    const value = await textbox(name).inputValue();
    if (value !== text) throw new Error(`the field holds ${JSON.stringify(value)}`);
  },

  press: ({ name, key }) => textbox(name).press(key),
  async pressLook({ name, key, appears, list }) {
    await textbox(name).press(key);
    await item(appears, list).waitFor();
    return { length: (await look()).length };
  },

  // The snapshot that Playwright's own MCP server gives to a model.
  snapshot: async () => ({ length: (await page.ariaSnapshot({ mode: 'ai' })).length }),

  // For checking that both sides did the same; never part of a result.
  evaluate: async ({ expression }) => ({ value: await page.evaluate(expression) }),
};

/** Launch, first page, close: only up to the loaded page is measured. */
async function cold({ url }) {
  const start = performance.now();
  const fresh = await launch();
  const tab = await fresh.newPage();
  await tab.goto(url);
  const ms = performance.now() - start;
  await fresh.close();
  return { ms };
}

async function answer(command) {
  if (command.op === 'versions') {
    await ready();
    return { value: { playwright: createRequire(import.meta.url)('playwright-core/package.json').version, browser: browser.version() } };
  }
  if (command.op === 'cold') return cold(command);
  const operation = operations[command.op];
  if (!operation) throw new Error(`unknown operation ${JSON.stringify(command.op)}`);
  await ready();
  const start = performance.now();
  const more = await operation(command);
  return { ms: performance.now() - start, ...more };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const command = JSON.parse(line);
  let out;
  try {
    out = await answer(command);
  } catch (error) {
    out = { error: String(error?.message ?? error).split('\n')[0] };
  }
  process.stdout.write(JSON.stringify({ id: command.id, ...out }) + '\n');
}
await browser?.close();
