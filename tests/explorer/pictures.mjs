// Makes the pictures of the documentation from the demo's story: node pictures.mjs [FOLDER [NAME...]] (WHENCE and WHENCE_EXPLORER as
// for the tests). The picture of the README is `answer`, in .github; the others are in tools/explorer/pictures. Run pngquant over them
// to keep them small.
import { join } from 'node:path';
import { launch, openPage, ready } from './browser.mjs';
import { Server } from './server.mjs';

const PAGES = {
  neighbourhood: '#ref=Response:resp_20251011_00126&up=3&down=2&sel=Response:resp_20251010_00125',
  impact: '#ref=ContextUnit:cu_values_yaml_002&view=impact',
  answers: '#view=answers',
  answer: '#view=page&ref=Response:resp_20251012_00127',
};

/** What is seen without scrolling. */
const HEIGHTS = { answer: 980 };

const server = await Server.start();
const browser = await launch();
const [folder = '.', ...names] = process.argv.slice(2);
for (const name of names.length ? names : Object.keys(PAGES)) {
  const page = await openPage(browser, `${server.url}/${PAGES[name]}`, { viewport: { width: 1200, height: HEIGHTS[name] ?? 680 } });
  await ready(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
await browser.close();
await server.stop();
