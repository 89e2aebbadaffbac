// Makes the pictures of the documentation from the demo's story: node pictures.mjs FOLDER (WHENCE and WHENCE_EXPLORER as
// for the tests). Run pngquant over them to keep them small.
import { join } from 'node:path';
import { launch, openPage, ready } from './browser.mjs';
import { Server } from './server.mjs';

const PAGES = {
  neighbourhood: '#ref=Response:resp_20251011_00126&up=3&down=2&sel=Response:resp_20251010_00125',
  impact: '#ref=ContextUnit:cu_values_yaml_002&view=impact',
  answers: '#view=answers',
};

const server = await Server.start();
const browser = await launch();
for (const [name, hash] of Object.entries(PAGES)) {
  const page = await openPage(browser, `${server.url}/${hash}`, { viewport: { width: 1200, height: 680 } });
  await ready(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(process.argv[2] ?? '.', `${name}.png`) });
}
await browser.close();
await server.stop();
