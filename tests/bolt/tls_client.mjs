// One query by the address alone, in a process of its own: whom a driver trusts is settled when node starts (NODE_EXTRA_CA_CERTS).
//   node tls_client.mjs DRIVER URL
// Prints {answer} or {code, message} as JSON.
const [name, url] = process.argv.slice(2);
const { default: neo4j } = await import(name);
const driver = neo4j.driver(url, neo4j.auth.none(), { maxTransactionRetryTime: 0 });
try {
  const { records } = await driver.executeQuery('RETURN 1 AS one');
  console.log(JSON.stringify({ answer: Number(records[0].get('one')) }));
} catch ({ code, message }) {
  console.log(JSON.stringify({ code, message }));
} finally {
  await driver.close();
}
