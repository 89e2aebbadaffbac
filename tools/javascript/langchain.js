// Records what LangChain.js does: new WhenceCallbackHandler(db) among the `callbacks` of a call.
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { distinct, quietly, retrieval, toolUnit, usageOf } from './calls.js';

export class WhenceCallbackHandler extends BaseCallbackHandler {
  name = 'whence';
  awaitHandlers = true; // a retrieval is known before the model is called

  constructor(db, { agent = 'langchain' } = {}) {
    super();
    this.db = db;
    this.agent = agent;
    this.runs = new Map(); // run -> what is known of it, until it ends
  }

  begin(id, parent, known = {}) {
    const tree = this.runs.get(parent)?.tree ?? { sources: [] };
    this.runs.set(id, { ...known, tree, began: Date.now() });
  }

  take(id) {
    const run = this.runs.get(id);
    this.runs.delete(id);
    return run;
  }

  handleChainStart(_chain, _inputs, id, parent) {
    this.begin(id, parent);
  }

  handleChainEnd(_outputs, id) {
    this.take(id);
  }

  handleChainError(_error, id) {
    this.take(id);
  }

  handleRetrieverStart(_retriever, question, id, parent) {
    this.begin(id, parent, { question });
  }

  async handleRetrieverEnd(documents, id) {
    const run = this.take(id);
    if (!run) return;
    try {
      const found = documents.map(({ pageContent, metadata, id: named }) => ({
        content: pageContent,
        name: metadata?.source ?? named,
        page: metadata?.page ?? metadata?.loc?.pageNumber,
        score: metadata?.score,
      }));
      const records = await retrieval(id, run.question, found);
      this.db.enqueue(records);
      run.tree.sources.push(...records.slice(1).map((chunk) => ({ ref: `RetrievedChunk:${chunk.chunk_id}` })));
    } catch {
      // What cannot be recorded does not concern the chain.
    }
  }

  handleRetrieverError(_error, id) {
    this.take(id);
  }

  handleToolStart(tool, _input, id, parent, _tags, _metadata, runName) {
    this.begin(id, parent, { tool: runName ?? tool?.name ?? tool?.id?.at(-1) ?? 'tool' });
  }

  handleToolEnd(output, id) {
    const run = this.take(id);
    if (run) quietly(() => run.tree.sources.push(toolUnit(run.tool, output?.content ?? output)));
  }

  handleToolError(_error, id) {
    this.take(id);
  }

  handleChatModelStart(_model, messages, id, parent, _extra, _tags, metadata) {
    const prompt = quietly(() =>
      messages.flat().map((message) => `${message.getType()}: ${typeof message.content === 'string' ? message.content : JSON.stringify(message.content)}`).join('\n'),
    );
    this.begin(id, parent, { prompt, model: metadata?.ls_model_name });
  }

  handleLLMStart(_model, prompts, id, parent, _extra, _tags, metadata) {
    this.begin(id, parent, { prompt: prompts.join('\n'), model: metadata?.ls_model_name });
  }

  handleLLMEnd(output, id) {
    const run = this.take(id);
    if (!run) return;
    quietly(() => {
      const { text, message } = output.generations[0][0];
      this.db.record({
        agent: this.agent,
        model: message?.response_metadata?.model_name ?? run.model,
        prompt: run.prompt,
        content: text || JSON.stringify(message?.tool_calls ?? ''),
        usage: usageOf(message?.usage_metadata?.input_tokens, message?.usage_metadata?.output_tokens),
        latency_ms: Date.now() - run.began,
        context_units: distinct(run.tree.sources),
      });
    });
  }

  handleLLMError(_error, id) {
    this.take(id);
  }
}
