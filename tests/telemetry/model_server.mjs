// A model on loopback that speaks the chat API of OpenAI: it answers with what it is told to, and calls a tool first
// where a question has one.
import { createServer } from 'node:http';

/** Starts it. `answer` is what it says; `tool`, where given, is called once with `toolArguments` before it answers. */
export async function startModel({ answer, tool, toolArguments = {} }) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { model, messages } = JSON.parse(body);
    const mustCall = tool && !messages.some((message) => message.role === 'tool');
    const message = mustCall
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: tool, arguments: JSON.stringify(toolArguments) } },
          ],
        }
      : { role: 'assistant', content: answer };
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: `${model}-2026`,
        choices: [{ index: 0, message, finish_reason: mustCall ? 'tool_calls' : 'stop' }],
        usage: { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 },
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
