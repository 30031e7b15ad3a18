// What somebody tries first, with the version of the SDK that is named on the command line: create, write, read, follow.
// Trust comes from NODE_EXTRA_CA_CERTS alone.

const { CosmosClient } = await import(process.argv[2]);
const client = new CosmosClient({ endpoint: process.env.TIDEMARK_ENDPOINT, key: process.env.TIDEMARK_KEY });
const { database } = await client.databases.createIfNotExists({ id: 'demo' });
const { container } = await database.containers.createIfNotExists({ id: 'tides', partitionKey: { paths: ['/port'] } });
await container.items.upsert({ id: '1', port: 'Brest', metres: 7.2 });
const { resource, diagnostics } = await container.item('1', 'Brest').read();
const feed = container.items.changeFeed('Brest', { startFromBeginning: true });
const { result, etag } = await feed.fetchNext();
// Only the newer one says whom it has asked.
const contacted = diagnostics?.clientSideRequestStatistics.locationEndpointsContacted;
const endpoints = [...(contacted ?? [await client.getWriteEndpoint()])];
process.stdout.write(JSON.stringify({ metres: resource.metres, changes: result.map(({ id }) => id), etag, endpoints }));
client.dispose();
