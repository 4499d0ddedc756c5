// A real OpenID Connect provider, at which one signs in by writing who one is.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const CLIENT = { id: "heddle", secret: "a-secret-of-the-client" };

/** The people there: by the name that they sign in with. */
const PEOPLE = {
  ada: { email: "ada@example.com", email_verified: true, given_name: "Ada" },
  grace: { email: "grace@example.com", email_verified: true, given_name: "Grace" },
  mallory: { email: "ada@example.com", email_verified: false },
};

/** Starts it for a Heddle that is not there yet: `registerAt` says where that one is. */
export async function startOidcProvider() {
  let provider;
  const server = createServer((request, response) => void answer(provider, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  return {
    host: new URL(issuer).host,
    settings: {
      HEDDLE_OIDC_ISSUER: issuer,
      HEDDLE_OIDC_CLIENT_ID: CLIENT.id,
      HEDDLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      HEDDLE_OIDC_NAME: "Example ID",
      HEDDLE_OIDC_NEW_USERS: "viewer",
    },
    registerAt: (base) => {
      provider = new Provider(issuer, configuration(base));
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

function configuration(base) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${base}/api/oidc/callback`],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a key for the cookies of a test"] },
    pkce: { required: () => true },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["given_name", "family_name", "name"],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...PEOPLE[id] }),
    }),
    // Nobody is asked whether Heddle may know their address.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  };
}

async function answer(provider, request, response) {
  if (!request.url.startsWith("/sign-in/")) return provider.callback()(request, response);
  const who = new URL(request.url, "http://provider").searchParams.get("who");
  if (who === null) {
    response.setHeader("content-type", "text/html");
    const links = Object.keys(PEOPLE).map((name) => `<li><a href="?who=${name}">${name}</a>`);
    response.end(
      `<!doctype html><title>Example ID</title><link rel="icon" href="data:,"><ul>${links.join("")}</ul>`,
    );
  } else if (who in PEOPLE) {
    await provider.interactionFinished(request, response, { login: { accountId: who } });
  }
}
