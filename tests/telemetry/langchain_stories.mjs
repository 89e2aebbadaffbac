// The stories by LangChain.js, instrumented by OpenInference as its documentation says.
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import { setSession, setUser } from '@arizeai/openinference-core';
import * as callbackManager from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { BaseRetriever } from '@langchain/core/retrievers';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { context } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { names, tell, tools } from './stories.mjs';

const sdk = new NodeSDK();
sdk.start();
new LangChainInstrumentation().manuallyInstrument(callbackManager);

class Handbook extends BaseRetriever {
  lc_namespace = ['handbook'];

  constructor(found) {
    super();
    this.found = found;
  }

  async _getRelevantDocuments() {
    return this.found.map(({ id, text, score }) => new Document({ pageContent: text, metadata: { source: id, score } }));
  }
}

const model = new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', maxRetries: 0, configuration: { baseURL: process.env.MODEL_URL } });
const used = Object.fromEntries(
  Object.entries(tools).map(([name, { description, parameters, run }]) => [
    name,
    tool(async (given) => run(given), { name, description, schema: parameters }),
  ]),
);

/** The configuration of the chain around, by which LangChain knows what is within what. */
let around;

const messageOf = ({ role, text, id, message }) => {
  if (message) return message;
  if (role === 'system') return new SystemMessage(text);
  if (role === 'tool') return new ToolMessage({ content: text, tool_call_id: id });
  return role === 'user' ? new HumanMessage(text) : new AIMessage(text);
};

async function ask(messages, { tools: given, stream }) {
  const bound = given ? model.bindTools(Object.values(used)) : model;
  const input = messages.map(messageOf);
  let message;
  if (stream) for await (const piece of await bound.stream(input, around)) message = message ? message.concat(piece) : piece;
  else message = await bound.invoke(input, around);
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args }));
  return { text: message.text, calls, message };
}

await tell(process.argv.slice(2), ask, {
  agent: (name, act, question) => RunnableLambda.from((_, config) => {
      around = config;
      return act();
    })
      .withConfig({ runName: name })
      .invoke(question),
  tool: async ({ id, name, arguments: args }) => (await used[name].invoke({ type: 'tool_call', id, name, args }, around)).content,
  retrieve: async (question, act) => new Handbook(await act()).invoke(question, around),
  session: (act) => context.with(setUser(setSession(context.active(), { sessionId: names.session }), { userId: names.user }), act),
});
await sdk.shutdown();
