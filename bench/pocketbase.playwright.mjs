// The flow of ../e2e/pocketbase.deed.yaml, written by hand for Playwright: the opponent on a real application.
//
//   cd e2e && go run .                       prints BASE_URL=… EMAIL=… PASSWORD=…
//   BASE_URL=… EMAIL=… PASSWORD=… node pocketbase.playwright.mjs [--runs N] [--look DIR]
//
// Prints one JSON line a run: {"collection","ms","steps":[{"step","ms"}]}. Every step waits for its effect, as the
// case file does, with the assertions that a careful author would write. --look keeps a screenshot and an
// aria snapshot of every step in DIR.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { launch } from './chromium.mjs';

const { values: flags } = parseArgs({ options: { runs: { type: 'string', default: '1' }, look: { type: 'string' } } });
const { BASE_URL, EMAIL, PASSWORD } = process.env;
if (!BASE_URL || !EMAIL || !PASSWORD) {
  console.error('pocketbase.playwright.mjs: BASE_URL, EMAIL and PASSWORD are needed; cd e2e && go run . prints them');
  process.exit(2);
}

/** The effect is there: visible, and if a text is given, with it. */
const appears = locator => locator.waitFor({ state: 'visible' });
const disappears = locator => locator.waitFor({ state: 'hidden' });

async function flow(browser, collection) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const steps = [];
  const step = async (name, body) => {
    const start = performance.now();
    await body();
    steps.push({ step: name, ms: round(performance.now() - start) });
    if (flags.look) {
      const stem = join(flags.look, String(steps.length).padStart(2, '0') + '-' + name.replace(/\W+/g, '-'));
      await page.screenshot({ path: stem + '.png' });
      await writeFile(stem + '.yaml', await page.ariaSnapshot({ mode: 'ai' }));
    }
  };
  const button = (name, scope = page) => scope.getByRole('button', { name, exact: true });
  const heading = name => page.getByRole('heading', { name, exact: true });
  const cell = name => page.getByRole('cell', { name, exact: true });
  const panel = page.locator('[data-modal-state="open"]').last(); // it has no role of its own
  const footer = panel.getByRole('contentinfo');

  const start = performance.now();
  await step('open', async () => {
    await page.goto(BASE_URL + '/_/');
    await appears(heading('Superuser login'));
  });
  await step('email', () => page.getByRole('textbox', { name: /^Email/ }).fill(EMAIL));
  await step('password', () => page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD));
  await step('sign in', async () => {
    await button('Login').click();
    await page.waitForURL('**/_/#/collections**');
    await appears(button('New collection'));
  });
  await step('new collection', async () => {
    await button('New collection').click();
    await appears(heading('Create collection'));
  });
  await step('collection name', () => panel.getByRole('textbox', { name: /^Name/ }).fill(collection));
  await step('new field', async () => {
    await button('New field').click();
    await appears(button('Plain text'));
  });
  await step('plain text', async () => {
    await button('Plain text').click();
    await disappears(button('Plain text'));
  });
  await step('field name', async () => {
    // The label of the field's name is an icon; its place is what tells it from the others.
    const name = panel.getByPlaceholder('Field name*').nth(1);
    if (await name.inputValue() !== 'text') throw new Error('the new field is not where it was expected');
    await name.fill('title');
  });
  await step('create collection', async () => {
    await button('Create', footer).click();
    await disappears(heading('Create collection'));
    await appears(page.getByRole('columnheader', { name: /title$/ }));
  });
  await step('new record', async () => {
    await button('New record').first().click();
    await appears(heading(`Create ${collection} record`));
  });
  await step('record title', () => panel.getByRole('textbox', { name: /title$/ }).fill('First draft'));
  await step('create record', async () => {
    await button('Create', footer).click();
    await appears(cell('First draft'));
    await appears(page.getByText('Total: 1', { exact: true }));
  });
  await step('open record', async () => {
    await cell('First draft').click();
    await appears(heading(`Edit ${collection} record`));
  });
  await step('new title', () => panel.getByRole('textbox', { name: /title$/ }).fill('Second draft'));
  await step('save record', async () => {
    await button('Save changes', footer).click();
    await appears(cell('Second draft'));
    await disappears(cell('First draft'));
  });
  await step('open record again', async () => {
    await cell('Second draft').click();
    await appears(heading(`Edit ${collection} record`));
  });
  await step('more options', async () => {
    await button('More options', panel).click();
    await appears(button('Delete'));
  });
  await step('delete', async () => {
    await button('Delete').click();
    await appears(heading('Do you really want to delete the selected record?'));
  });
  await step('confirm', async () => {
    await button('Delete record').click();
    await disappears(cell('Second draft'));
    await appears(page.getByText('Total: 0', { exact: true }));
  });
  const ms = round(performance.now() - start);
  await context.close();
  return { collection, ms, steps };
}

const round = ms => Math.round(ms * 10) / 10;

if (flags.look) await mkdir(flags.look, { recursive: true });
const browser = await launch();
try {
  for (let i = 0; i < Number(flags.runs); i++)
    console.log(JSON.stringify(await flow(browser, `posts_${Date.now().toString(36)}_${i}`)));
} finally {
  await browser.close();
}
