// Makes the pictures of the documentation from the demo's story, and two from stories of the tests: node pictures.mjs [FOLDER [NAME...]]
// (WHENCE and WHENCE_EXPLORER as for the tests). The picture of the README is `answer`, in .github; the others are in
// tools/explorer/pictures. Run `pngquant --ext .png --force 64` over them to keep them small.
import { join } from 'node:path';
import { launch, openPage, ready } from './browser.mjs';
import { Server } from './server.mjs';
import { writeHot, writeVersions } from './stories/picture_records.mjs';

/** The hash of each page, and what is seen of it without scrolling. */
const PAGES = {
  neighbourhood: { hash: '#ref=Response:resp_20251011_00126&up=3&down=2', width: 1440, height: 760 },
  impact: { hash: '#ref=ContextUnit:cu_values_yaml_002&view=impact', width: 1440, height: 760 },
  answers: { hash: '#view=answers' },
  answer: { hash: '#view=page&ref=Response:resp_20251012_00127', height: 980 },
  keyword: { hash: '#ref=Keyword:529-plan&up=4&down=0', width: 1000, height: 640 },
  'many-uses': { hash: '#ref=ContextUnit:cu_hot', width: 1200, height: 640, write: (server) => writeHot(server, 3000) },
  versions: { hash: '#ref=ContextUnit:cu_version_6', width: 1000, height: 640, write: (server) => writeVersions(server, 12) },
};

const browser = await launch();
const [folder = '.', ...names] = process.argv.slice(2);
for (const name of names.length ? names : Object.keys(PAGES)) {
  const { hash, width = 1200, height = 680, write } = PAGES[name];
  const server = await Server.start();
  await write?.(server);
  const page = await openPage(browser, `${server.url}/${hash}`, { viewport: { width, height } });
  await ready(page);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
  await server.stop();
}
await browser.close();
