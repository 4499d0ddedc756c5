/**
 * The kinds of credentials there are to choose from, and what is said about their fields.
 *
 * The server's schema of a kind tells which fields it has; this tells people what they are. A kind that is not written down here
 * is shown by its name, so nothing is missing when the server learns a new one.
 */

export interface CredentialKind {
  type: string;
  name: string;
  group: "Models" | "Any service" | "Databases and email" | "Services";
  /** Where a key of this kind is made. */
  link?: string;
}

const kind = (
  type: string,
  name: string,
  group: CredentialKind["group"],
  link?: string,
): CredentialKind => ({
  type,
  name,
  group,
  link,
});

const KNOWN: readonly CredentialKind[] = [
  kind("openAiApi", "OpenAI", "Models", "https://platform.openai.com/api-keys"),
  kind("anthropicApi", "Anthropic", "Models", "https://console.anthropic.com/settings/keys"),
  kind("googlePalmApi", "Google Gemini", "Models", "https://aistudio.google.com/apikey"),
  kind("azureOpenAiApi", "Azure OpenAI", "Models", "https://portal.azure.com"),
  kind("mistralCloudApi", "Mistral", "Models", "https://console.mistral.ai/api-keys"),
  kind("groqApi", "Groq", "Models", "https://console.groq.com/keys"),
  kind("openRouterApi", "OpenRouter", "Models", "https://openrouter.ai/keys"),
  kind("deepSeekApi", "DeepSeek", "Models", "https://platform.deepseek.com/api_keys"),
  kind("xAiApi", "xAI", "Models", "https://console.x.ai"),
  kind("cohereApi", "Cohere", "Models", "https://dashboard.cohere.com/api-keys"),
  kind("ollamaApi", "Ollama", "Models"),
  kind("huggingFaceApi", "Hugging Face", "Models", "https://huggingface.co/settings/tokens"),
  kind("httpHeaderAuth", "Header", "Any service"),
  kind("httpBearerAuth", "Bearer token", "Any service"),
  kind("httpBasicAuth", "Username and password", "Any service"),
  kind("httpDigestAuth", "Digest", "Any service"),
  kind("httpQueryAuth", "Query parameter", "Any service"),
  kind("httpCustomAuth", "Custom (JSON)", "Any service"),
  kind("httpSslAuth", "Client certificate", "Any service"),
  kind("oAuth2Api", "OAuth 2", "Any service"),
  kind("oAuth1Api", "OAuth 1", "Any service"),
  kind("jwtAuth", "JWT", "Any service"),
  kind("totpApi", "One-time passwords (TOTP)", "Any service"),
  kind("crypto", "Signing keys", "Any service"),
  kind("postgres", "PostgreSQL", "Databases and email"),
  kind("mySql", "MySQL and MariaDB", "Databases and email"),
  kind("redis", "Redis", "Databases and email"),
  kind("smtp", "Email sending (SMTP)", "Databases and email"),
  kind("imap", "Email reading (IMAP)", "Databases and email"),
  kind("qdrantApi", "Qdrant", "Databases and email"),
  kind("pineconeApi", "Pinecone", "Databases and email"),
  kind("supabaseApi", "Supabase", "Databases and email"),
  kind("slackApi", "Slack", "Services", "https://api.slack.com/apps"),
  kind("githubApi", "GitHub", "Services", "https://github.com/settings/tokens"),
  kind("gitlabApi", "GitLab", "Services"),
  kind("notionApi", "Notion", "Services", "https://www.notion.so/my-integrations"),
  kind("airtableTokenApi", "Airtable", "Services"),
  kind("telegramApi", "Telegram", "Services"),
  kind("discordBotApi", "Discord bot", "Services"),
  kind("googleApi", "Google service account", "Services"),
  kind("stripeApi", "Stripe", "Services"),
  kind("hubspotAppToken", "HubSpot", "Services"),
  kind("jiraSoftwareCloudApi", "Jira", "Services"),
  kind("linearApi", "Linear", "Services"),
  kind("twilioApi", "Twilio", "Services"),
  kind("sendGridApi", "SendGrid", "Services"),
  kind("mattermostApi", "Mattermost", "Services"),
  kind("serpApi", "SerpApi", "Services"),
  kind("wolframAlphaApi", "Wolfram|Alpha", "Services"),
  kind("deepLApi", "DeepL", "Services"),
  kind("n8nApi", "n8n or Heddle", "Services"),
];

const GROUPS: readonly CredentialKind["group"][] = [
  "Models",
  "Any service",
  "Databases and email",
  "Services",
];

/** Every kind: those written down here, and those that a node uses besides. */
export function listKinds(used: Iterable<string>): CredentialKind[] {
  const known = new Map(KNOWN.map((one) => [one.type, one]));
  for (const type of used) if (!known.has(type)) known.set(type, findKind(type));
  return [...known.values()].sort(
    (one, other) =>
      GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) ||
      KNOWN.indexOf(one) - KNOWN.indexOf(other),
  );
}

export function findKind(type: string): CredentialKind {
  return (
    KNOWN.find((one) => one.type === type) ??
    kind(type, humanize(type.replace(/(OAuth2)?Api$/, "")), "Services")
  );
}

/** The word for a name in code: `accessTokenUrl` becomes `Access token URL`. */
export function humanize(name: string): string {
  const spaced = name
    .replace(/_/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(" ")
    .filter(Boolean)
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()))
    .join(" ");
  return spaced === "" ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const ACRONYMS = new Set([
  "api",
  "url",
  "id",
  "ssl",
  "ssh",
  "tls",
  "jwt",
  "http",
  "json",
  "ca",
  "uri",
  "sid",
  "totp",
]);
