/** The form of a credential: made from the schema of its kind, with what people should know about each field. */
import { humanize } from "./credentialKinds";

/** What `GET /credentials/schema/{type}` gives. */
export interface CredentialSchema {
  properties?: Record<string, { type?: string }>;
  required?: readonly string[];
  additionalProperties?: boolean;
}

export type FieldKind = "text" | "secret" | "long" | "flag" | "number" | "json" | "choice";

export interface CredentialFormField {
  name: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  hint?: string;
  placeholder?: string;
  options?: readonly string[];
  /** Few people need it; it is shown when asked for. */
  rare: boolean;
}

const SECRETS =
  /password|secret|token$|apikey|^api_key$|privatekey|passphrase|servicerole|^key$|^value$|authkey|writekey|webhookuri/i;
const LONG = /privatekey|certificate|^ca$|^cert$|^key$|json$|additionalbodyproperties/i;
const ADVANCED =
  /^(allowed|ssh|sshTunnel|ignoreSSL|allowUnauthorized|disable|httpNode|httpWarning|inpersonate|delegated|headerName|headerValue|header$|organizationId|maxConnections|connectTimeout|sendAdditional|additionalBody|useDynamic|serverUrl|hostName|passphrase|scopes$)/i;

const CHOICES: Record<string, readonly string[]> = {
  "oAuth2Api.grantType": ["authorizationCode", "clientCredentials", "pkce"],
  "oAuth2Api.authentication": ["header", "body"],
  "oAuth1Api.signatureMethod": ["HMAC-SHA1", "HMAC-SHA256", "HMAC-SHA512"],
  "postgres.ssl": ["disable", "allow", "require"],
  "jwtAuth.keyType": ["passphrase", "pemKey"],
  "jwtAuth.algorithm": [
    "HS256",
    "HS384",
    "HS512",
    "RS256",
    "RS384",
    "RS512",
    "ES256",
    "ES384",
    "PS256",
    "PS384",
    "PS512",
  ],
  "*.allowedHttpRequestDomains": ["all", "domains", "none"],
};

const HINTS: Record<string, string> = {
  "openAiApi.url": "For OpenAI-compatible servers. Leave empty to use OpenAI.",
  "openAiApi.organizationId": "Only if the key belongs to several organizations.",
  "ollamaApi.baseUrl":
    "Private addresses must be allowed with HEDDLE_EGRESS_ALLOW when Heddle starts.",
  "ollamaApi.apiKey": "Only for servers behind a gateway that requires one.",
  "httpCustomAuth.json": 'An object with headers, qs or body: { "headers": { "X-Key": "…" } }',
  "*.allowedHttpRequestDomains": "Hosts that HTTP requests may send this credential to.",
  "*.allowedDomains": "Comma-separated hosts, such as api.example.com, *.example.org.",
};

/** Labels where the name of the field would say too little beside the credential's own name. */
const LABELS: Record<string, string> = {
  "httpHeaderAuth.name": "Header name",
  "httpHeaderAuth.value": "Header value",
  "httpQueryAuth.name": "Parameter name",
  "httpQueryAuth.value": "Parameter value",
  "*.allowedHttpRequestDomains": "Allowed hosts",
  "*.allowedDomains": "Hosts",
};

const PLACEHOLDERS: Record<string, string> = {
  "openAiApi.url": "https://api.openai.com/v1",
  "ollamaApi.baseUrl": "http://localhost:11434",
  "httpHeaderAuth.name": "X-Api-Key",
  "httpQueryAuth.name": "api_key",
  "postgres.host": "localhost",
  "postgres.port": "5432",
  "mySql.host": "localhost",
  "mySql.port": "3306",
  "redis.host": "localhost",
  "redis.port": "6379",
  "smtp.port": "465",
  "imap.port": "993",
};

/** The fields in the order of the schema, those that few need last. */
export function listFields(type: string, schema: CredentialSchema): CredentialFormField[] {
  const about = (table: Record<string, string>, name: string) =>
    table[`${type}.${name}`] ?? table[`*.${name}`];
  const fields = Object.entries(schema.properties ?? {})
    // A token that the service gave is written by the sign-in, not by hand.
    .filter(([name]) => name !== "oauthTokenData" && name !== "httpWarning")
    .map(([name, { type: holds }]): CredentialFormField => {
      const options = CHOICES[`${type}.${name}`] ?? CHOICES[`*.${name}`];
      const required = schema.required?.includes(name) ?? false;
      return {
        name,
        label: about(LABELS, name) ?? humanize(name),
        kind: options ? "choice" : fieldKind(type, name, holds),
        required,
        hint: about(HINTS, name),
        placeholder: about(PLACEHOLDERS, name),
        options,
        rare: !required && ADVANCED.test(name),
      };
    });
  return [...fields.filter((field) => !field.rare), ...fields.filter((field) => field.rare)];
}

/** Whether a kind may have fields that its schema does not name; then further ones can be added by hand. */
export function allowsExtraFields(schema: CredentialSchema): boolean {
  return schema.additionalProperties === true;
}

function fieldKind(type: string, name: string, holds: string | undefined): FieldKind {
  if (holds === "boolean") return "flag";
  if (holds === "number") return "number";
  if (type === "httpCustomAuth" && name === "json") return "json";
  if (LONG.test(name) && !/^(key|value)$/.test(name) && !name.endsWith("Key")) return "long";
  if (/privateKey|clientPrivateKey/.test(name) || (type === "httpSslAuth" && name === "key"))
    return "long";
  return SECRETS.test(name) ? "secret" : "text";
}

/** What was typed: fields that were touched, by name. */
export type CredentialValues = Record<string, string | number | boolean | undefined>;

/** What is missing or cannot be, by field; empty when the form can be sent. */
export function validateFields(
  fields: readonly CredentialFormField[],
  values: CredentialValues,
  isNew: boolean,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of fields) {
    const value = values[field.name];
    if (isNew && field.required && (value === undefined || value === ""))
      found[field.name] = `${field.label} is required.`;
    if (field.kind === "json" && typeof value === "string" && value.trim() !== "") {
      try {
        JSON.parse(value);
      } catch (error) {
        found[field.name] = `Invalid JSON: ${(error as Error).message}.`;
      }
    }
  }
  return found;
}

/** What is sent: for a new credential all that has a value, for one that is there only what was typed anew. */
export function credentialData(
  values: CredentialValues,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | number | boolean] =>
        entry[1] !== undefined && entry[1] !== "",
    ),
  );
}
