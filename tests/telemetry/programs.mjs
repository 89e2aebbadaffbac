// Runs instrumented programs, and prints what was recorded of them.
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { startModel } from './model_server.mjs';
import { score } from './score.mjs';
import { Server } from './server.mjs';
import { names, scripts } from './stories.mjs';

/** Runs the program at `path` to its end, with exporters that send to `server`. */
export async function run(path, { model, server, args = [], env = {} }) {
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      ...process.env,
      MODEL_URL: model.url,
      WHENCE_URL: server.url,
      OTEL_SERVICE_NAME: names.service,
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'none',
      LANGFUSE_BASE_URL: server.url,
      LANGFUSE_PUBLIC_KEY: 'pk-lf-none',
      LANGFUSE_SECRET_KEY: 'sk-lf-none',
      AI_SDK_LOG_WARNINGS: 'false',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  assert.equal(code, 0);
}

const rows = [];

/**
 * Tests a package: `path` is its program, `env` more of the environment. `can` says what the package says otherwise than the most do, of all
 * stories and of one by its name; null leaves a story out.
 */
export function tell(name, path, { env, ...can } = {}) {
  const stories = Object.keys(scripts).filter((story) => can[story] !== null);
  test(name, async () => {
    const [server, model] = await Promise.all([Server.start(), startModel(stories.flatMap((story) => scripts[story]))]);
    try {
      await run(path, { model, server, args: stories, env });
      const steps = stories.flatMap((story) => scripts[story].map(() => story));
      assert.equal(model.requests.length, steps.length, 'calls made');
      for (const [at, request] of model.requests.entries()) {
        const story = steps[at];
        request.expect = {
          agent: story === 'chat' ? names.service : names.agent,
          passages: story === 'rag',
          ...(story === 'turns' && { conversation: names.session, person: names.user }),
          ...can.all,
          ...can[story],
        };
      }
      const result = await score(server, model.requests);
      rows.push({ name, ...result });
      assert.deepEqual(result.faults, []);
    } finally {
      model.stop();
      await server.stop();
    }
  });
}

after(() => {
  if (rows.length === 0) return;
  const columns = ['calls', 'responses', 'right', 'wrong', 'missing'];
  const sums = new Map();
  for (const row of rows) {
    const sum = sums.get(row.name) ?? sums.set(row.name, Object.fromEntries(columns.map((each) => [each, 0]))).get(row.name);
    for (const each of columns) sum[each] += row[each];
  }
  const width = Math.max(...[...sums.keys()].map((each) => each.length));
  console.log(`${'package'.padEnd(width)}  calls made  responses recorded  sources right  sources wrong  sources missing`);
  for (const [name, sum] of sums) {
    const numbers = [10, 18, 13, 13, 15].map((size, at) => String(sum[columns[at]]).padStart(size)).join('  ');
    console.log(`${name.padEnd(width)}  ${numbers}`);
  }
});
