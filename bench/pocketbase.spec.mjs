// The flow of ../e2e/pocketbase.deed.yaml as a Playwright Test, step by step and expectation by expectation, as somebody writes it who knows both.
// bench runs it beside `deed run` (see flow.go); BASE_URL, EMAIL, PASSWORD and COLLECTION say where.

import { test, expect } from '@playwright/test';

const { BASE_URL, EMAIL, PASSWORD, COLLECTION } = process.env;

test('a collection, and a record in it, come, change and go', async ({ page }) => {
  const button = (name, scope = page) => scope.getByRole('button', { name, exact: true });
  const heading = name => page.getByRole('heading', { name, exact: true });
  const cell = name => page.getByRole('cell', { name, exact: true });
  const panel = page.locator('[data-modal-state="open"]').last(); // it has no role of its own
  const footer = panel.getByRole('contentinfo');
  const title = panel.getByRole('textbox', { name: /title$/ });
  const answered = (method, path, status) => page.waitForResponse(r => r.request().method() === method && path.test(new URL(r.url()).pathname) && r.status() === status);
  const records = new RegExp(`/api/collections/${COLLECTION}/records`);

  const start = performance.now();
  await page.goto(BASE_URL + '/_/');
  await expect(heading('Superuser login')).toBeVisible();
  await page.getByRole('textbox', { name: /^Email/ }).fill(EMAIL);
  await expect(page.getByRole('textbox', { name: /^Email/ })).toHaveValue(EMAIL);
  await page.getByRole('textbox', { name: /^Password/ }).fill(PASSWORD);
  await expect(page.getByRole('textbox', { name: /^Password/ })).toHaveValue(PASSWORD);

  let done = answered('POST', /auth-with-password$/, 200);
  await button('Login').click();
  await done;
  await expect(page).toHaveURL(/\/_\/#\/collections/);
  await expect(button('New collection')).toBeVisible();
  await expect(heading('Superuser login')).toBeHidden();

  await button('New collection').click();
  await expect(heading('Create collection')).toBeVisible();
  await panel.getByRole('textbox', { name: /^Name/ }).fill(COLLECTION);
  await expect(panel.getByRole('textbox', { name: /^Name/ })).toHaveValue(COLLECTION);
  await button('New field').click();
  await expect(button('Plain text')).toBeVisible();
  await button('Plain text').click();
  await expect(button('Plain text')).toBeHidden();
  const field = panel.getByPlaceholder('Field name*').nth(1); // the label of the field's name is an icon
  await expect(field).toHaveValue('text');
  await field.fill('title');
  await expect(field).toHaveValue('title');
  done = answered('POST', /\/api\/collections$/, 200);
  await button('Create', footer).click();
  await done;
  await expect(heading('Create collection')).toBeHidden();
  await expect(page.getByRole('columnheader', { name: /title$/ })).toBeVisible();
  await expect(page.getByText(`Successfully created collection "${COLLECTION}".`)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/_/#/collections\\?collection=${COLLECTION}`));

  await button('New record').first().click();
  await expect(heading(`Create ${COLLECTION} record`)).toBeVisible();
  await title.fill('First draft');
  await expect(title).toHaveValue('First draft');
  done = answered('POST', records, 200);
  await button('Create', footer).click();
  await done;
  await expect(heading(`Create ${COLLECTION} record`)).toBeHidden();
  await expect(cell('First draft')).toBeVisible();
  await expect(page.getByText('Total: 1', { exact: true })).toBeVisible();

  await cell('First draft').click();
  await expect(heading(`Edit ${COLLECTION} record`)).toBeVisible();
  await expect(title).toHaveValue('First draft');
  await title.fill('Second draft');
  await expect(title).toHaveValue('Second draft');
  done = answered('PATCH', records, 200);
  await button('Save changes', footer).click();
  await done;
  await expect(heading(`Edit ${COLLECTION} record`)).toBeHidden();
  await expect(cell('First draft')).toBeHidden();
  await expect(cell('Second draft')).toHaveCount(1);
  await expect(cell('Second draft')).toBeVisible();

  await cell('Second draft').click();
  await expect(heading(`Edit ${COLLECTION} record`)).toBeVisible();
  await button('More options', panel).click();
  await expect(button('Delete')).toBeVisible();
  await button('Delete').click();
  await expect(heading('Do you really want to delete the selected record?')).toBeVisible();
  done = answered('DELETE', records, 204);
  await button('Delete record').click();
  await done;
  await expect(heading('Do you really want to delete the selected record?')).toBeHidden();
  await expect(cell('Second draft')).toBeHidden();
  await expect(page.getByText('No records found.')).toBeVisible();
  await expect(page.getByText('Total: 0', { exact: true })).toBeVisible();
  test.info().annotations.push({ type: 'took', description: String(performance.now() - start) });
});
