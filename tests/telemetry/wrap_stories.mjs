// The stories by OpenAI's client, its chat completions or its responses (API=responses), recorded by `wrap` of whence-client.
import { OpenAI } from 'openai7';
import { connect } from 'whence-client';
import { wrap } from 'whence-client/openai';
import { byChat, byResponses, names, tell } from './stories.mjs';

const db = connect(process.env.WHENCE_URL);
let isSession = false;
const client = wrap(new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none', maxRetries: 0 }), db, {
  agent: names.agent,
  conversation: () => isSession && names.session,
  person: () => isSession && names.user,
});
await tell(process.argv.slice(2), process.env.API === 'responses' ? byResponses(client) : byChat(client), {
  session: (act) => {
    isSession = true;
    return act();
  },
});
await db.close();
