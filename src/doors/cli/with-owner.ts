/** Runs something as the owner: through a running server's socket, or through one started for the moment. */
import type { JsonObject } from '../../kernel/json.ts';
import type { House } from './verb.ts';
import { callOwner, isServing, listenForOwner, type OwnerAnswer } from './owner-socket.ts';

export interface Owner {
  get(path: string): Promise<OwnerAnswer>;
  post(path: string, body: JsonObject): Promise<OwnerAnswer>;
}

export async function withOwner<T>(house: House, work: (owner: Owner) => Promise<T>): Promise<T> {
  const config = house.readConfig(process.env);
  const folder = config.dataFolder;
  const owner: Owner = {
    get: (path) => callOwner(folder, 'GET', path),
    post: (path, body) => callOwner(folder, 'POST', path, JSON.stringify(body)),
  };
  if (await isServing(folder)) return work(owner);
  const deployment = await house.compose(config);
  const app = deployment.http((error) => console.error(error));
  const server = await listenForOwner(app, folder);
  try {
    return await work(owner);
  } finally {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
    await app.close();
    await deployment.close();
    if (deployment.newTerminalKey !== undefined)
      console.error(`Owner key (shown once): ${deployment.newTerminalKey}`);
  }
}
