// Starts the same Chromium that deed drives, with the flags that deed gives it.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const places = ['/usr/lib/chromium/chromium', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

export function executable() {
  const path = process.env.DEED_BROWSER || places.find(existsSync);
  if (!path) throw new Error('no Chromium found; set DEED_BROWSER');
  return path;
}

export const launch = () => chromium.launch({
  executablePath: executable(),
  args: ['--disable-quic'],
  chromiumSandbox: process.getuid?.() !== 0, // it cannot start as root
});
