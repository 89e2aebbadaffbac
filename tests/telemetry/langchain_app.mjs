// A retrieval chain of LangChain.js, instrumented by OpenInference as its documentation says.
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as callbackManager from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { BaseRetriever } from '@langchain/core/retrievers';
import { RunnablePassthrough, RunnableSequence } from '@langchain/core/runnables';
import { ChatOpenAI } from '@langchain/openai';
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({ serviceName: 'handbook' });
sdk.start();
new LangChainInstrumentation().manuallyInstrument(callbackManager);

class Handbook extends BaseRetriever {
  lc_namespace = ['handbook'];

  async _getRelevantDocuments() {
    return [
      new Document({ pageContent: 'Holidays are 25 days a year.', metadata: { source: 'leave.md', score: 0.9 } }),
      new Document({ pageContent: 'Sick days are not holidays.', metadata: { source: 'sick.md', score: 0.4 } }),
    ];
  }
}

const chain = RunnableSequence.from([
  {
    context: new Handbook().pipe((documents) => documents.map((each) => each.pageContent).join('\n')),
    question: new RunnablePassthrough(),
  },
  ChatPromptTemplate.fromMessages([
    ['system', 'Answer from: {context}'],
    ['human', '{question}'],
  ]),
  new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', configuration: { baseURL: process.env.MODEL_URL } }),
  new StringOutputParser(),
]);
await chain.invoke('How many holidays are there?');
await sdk.shutdown();
