// Playwright Test as `deed run` is measured: nothing is recorded, the same Chromium with the same flags.

import { defineConfig } from '@playwright/test';
import { executable } from './chromium.mjs';

export default defineConfig({
  testDir: '.',
  fullyParallel: true,
  workers: Number(process.env.WORKERS || 1),
  retries: 0,
  outputDir: process.env.OUTPUT,
  reporter: 'json',
  use: {
    trace: 'off', video: 'off', screenshot: 'off',
    launchOptions: {
      executablePath: executable(),
      args: ['--disable-quic'],
      chromiumSandbox: process.getuid?.() !== 0, // it cannot start as root
    },
  },
});
