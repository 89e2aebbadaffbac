// The TypeScript declarations, compiled in strict mode.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

test('the declarations', () => {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));
  const source = fileURLToPath(new URL('types.mts', import.meta.url));
  execFileSync(process.execPath, [compiler, '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', source], { stdio: 'inherit' });
});
