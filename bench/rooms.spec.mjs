// Cases side by side, each with a cookie, storage and a file of its own: what bench's rooms (side.go) run as deed cases too. ROOMS and BASE_URL say how many and where.

import { readFile } from 'node:fs/promises';
import { test, expect } from '@playwright/test';

const { BASE_URL, ROOMS } = process.env;

test.describe.configure({ mode: 'parallel' });

for (let i = 1; i <= Number(ROOMS); i++) {
  const who = `guest-${i}`;
  test(who, async ({ page }) => {
    await page.goto(`${BASE_URL}/?who=${who}`);
    await expect(page.getByText('new here')).toBeVisible();
    await page.getByRole('button', { name: 'Who am I', exact: true }).click();
    await expect(page.getByText(`you are ${who}`, { exact: true })).toBeVisible();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'My file', exact: true }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`of ${who}`);
  });
}
