/** The descriptions of all nodes, from a server that is started for this. */
import { OWNER, startServer } from "../journeys/harness.mjs";

export async function nodeTypes() {
  const server = await startServer();
  try {
    const setup = await fetch(`${server.base}/api/setup`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: server.base },
      body: JSON.stringify({ token: server.token, ...OWNER }),
    });
    if (!setup.ok) throw new Error(`setup: ${setup.status} ${await setup.text()}`);
    const cookie = setup.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const answer = await fetch(`${server.base}/api/v1/node-types`, { headers: { cookie } });
    if (!answer.ok) throw new Error(`node-types: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  } finally {
    await server.stop();
  }
}
