//! The credential types: one file each, and one row here. Lists show them in this order within their
//! group.

mod active_campaign;
mod airtable;
mod airtable_oauth2;
mod airtable_token;
mod anthropic;
mod apify;
mod apollo;
mod asana;
mod asana_oauth2;
mod autopilot;
mod aws;
mod azure_open_ai;
mod baserow_token;
mod bitly;
mod brevo;
mod browserless;
mod calendly;
mod click_up;
mod cloudflare;
mod cohere;
mod contentful;
mod crypto;
mod customer_io;
mod deep_l;
mod deep_seek;
mod digital_ocean;
mod directus;
mod discord_bot;
mod discord_oauth2;
mod discord_webhook;
mod dropbox_oauth2;
mod elasticsearch;
mod eleven_labs;
mod facebook_graph;
mod firecrawl;
mod freshdesk;
mod ghost_content;
mod github;
mod github_oauth2;
mod gitlab;
mod gitlab_oauth2;
mod google;
mod google_oauth2;
mod google_palm;
mod grafana;
mod groq;
mod help_scout;
mod home_assistant;
mod http_basic_auth;
mod http_bearer_auth;
mod http_custom_auth;
mod http_digest_auth;
mod http_header_auth;
mod http_multiple_headers_auth;
mod http_query_auth;
mod http_ssl_auth;
mod hubspot;
mod hubspot_app_token;
mod hubspot_oauth2;
mod hugging_face;
mod hunter;
mod imap;
mod intercom;
mod jina_ai;
mod jira_software_cloud;
mod jira_software_server;
mod jira_software_server_pat;
mod jwt_auth;
mod klaviyo;
mod lemlist;
mod linear;
mod linked_in_oauth2;
mod mailchimp;
mod mailgun;
mod mattermost;
mod mcp_client_command;
mod mcp_client_http;
mod mcp_client_sse;
mod mcp_oauth2;
mod microsoft_oauth2;
mod mistral_cloud;
mod monday_com;
mod mysql;
mod n8n;
mod nasa;
mod netlify;
mod news;
mod noco_db;
mod noco_db_api_token;
mod notion;
mod notion_oauth2;
mod oauth1;
mod oauth2;
mod ollama;
mod open_ai;
mod open_router;
mod open_weather_map;
mod pager_duty;
mod perplexity;
mod phantombuster;
mod pinecone;
mod pipedrive;
mod postgres;
mod qdrant;
mod redis;
mod rocketchat;
mod sea_table;
mod sear_xng;
mod segment;
mod send_grid;
mod send_in_blue;
mod sentry_io;
mod sentry_io_server;
mod serp;
mod shopify;
mod shopify_access_token;
mod slack;
mod slack_oauth2;
mod smtp;
mod spotify_oauth2;
mod ssh_tunnel;
mod storyblok_content;
mod strapi_token;
mod stripe;
mod supabase;
mod tavily;
mod telegram;
#[cfg(test)]
mod tests;
mod todoist;
mod totp;
mod trello;
mod twilio;
mod twist;
mod twitter_oauth2;
mod typeform;
mod uptime_robot;
mod url_scan_io;
mod vercel_ai_gateway;
mod video_db;
mod virus_total;
mod weaviate;
mod webflow;
mod whats_app;
mod wolfram_alpha;
mod woo_commerce;
mod wordpress;
mod x_ai;
mod xero_oauth2;
mod zendesk;
mod zoom_oauth2;

use node_api::credential::{CredentialRegistry, CredentialSpec};

/// What the file of a type needs.
mod prelude {
    pub(super) use node_api::credential::{
        CredentialField as Field, CredentialGroup, CredentialSpec, CredentialTest, FieldKind,
    };
}

/// Every credential type that ships, the usual ones of each group first.
static CREDENTIALS: &[fn() -> CredentialSpec] = &[
    open_ai::spec,
    anthropic::spec,
    google_palm::spec,
    azure_open_ai::spec,
    aws::spec,
    mistral_cloud::spec,
    groq::spec,
    open_router::spec,
    deep_seek::spec,
    x_ai::spec,
    cohere::spec,
    ollama::spec,
    hugging_face::spec,
    jina_ai::spec,
    perplexity::spec,
    vercel_ai_gateway::spec,
    http_header_auth::spec,
    http_bearer_auth::spec,
    http_basic_auth::spec,
    http_digest_auth::spec,
    http_multiple_headers_auth::spec,
    http_query_auth::spec,
    http_custom_auth::spec,
    http_ssl_auth::spec,
    oauth2::spec,
    mcp_oauth2::spec,
    mcp_client_http::spec,
    mcp_client_sse::spec,
    mcp_client_command::spec,
    oauth1::spec,
    jwt_auth::spec,
    totp::spec,
    crypto::spec,
    postgres::spec,
    mysql::spec,
    redis::spec,
    smtp::spec,
    imap::spec,
    qdrant::spec,
    pinecone::spec,
    supabase::spec,
    elasticsearch::spec,
    weaviate::spec,
    active_campaign::spec,
    airtable_token::spec,
    airtable::spec,
    airtable_oauth2::spec,
    apify::spec,
    apollo::spec,
    asana::spec,
    asana_oauth2::spec,
    autopilot::spec,
    baserow_token::spec,
    bitly::spec,
    brevo::spec,
    send_in_blue::spec,
    browserless::spec,
    calendly::spec,
    click_up::spec,
    cloudflare::spec,
    contentful::spec,
    customer_io::spec,
    deep_l::spec,
    digital_ocean::spec,
    directus::spec,
    discord_oauth2::spec,
    discord_bot::spec,
    discord_webhook::spec,
    dropbox_oauth2::spec,
    eleven_labs::spec,
    facebook_graph::spec,
    firecrawl::spec,
    freshdesk::spec,
    ghost_content::spec,
    github::spec,
    github_oauth2::spec,
    gitlab::spec,
    gitlab_oauth2::spec,
    google_oauth2::spec,
    google::spec,
    grafana::spec,
    help_scout::spec,
    home_assistant::spec,
    hubspot_app_token::spec,
    hubspot::spec,
    hubspot_oauth2::spec,
    hunter::spec,
    intercom::spec,
    jira_software_cloud::spec,
    jira_software_server::spec,
    jira_software_server_pat::spec,
    klaviyo::spec,
    lemlist::spec,
    linear::spec,
    linked_in_oauth2::spec,
    mailchimp::spec,
    mailgun::spec,
    mattermost::spec,
    microsoft_oauth2::spec,
    monday_com::spec,
    n8n::spec,
    nasa::spec,
    netlify::spec,
    news::spec,
    noco_db_api_token::spec,
    noco_db::spec,
    notion::spec,
    notion_oauth2::spec,
    open_weather_map::spec,
    pager_duty::spec,
    phantombuster::spec,
    pipedrive::spec,
    rocketchat::spec,
    sear_xng::spec,
    sea_table::spec,
    segment::spec,
    send_grid::spec,
    sentry_io::spec,
    sentry_io_server::spec,
    serp::spec,
    shopify_access_token::spec,
    shopify::spec,
    slack::spec,
    slack_oauth2::spec,
    spotify_oauth2::spec,
    storyblok_content::spec,
    strapi_token::spec,
    stripe::spec,
    tavily::spec,
    telegram::spec,
    todoist::spec,
    trello::spec,
    twilio::spec,
    twist::spec,
    typeform::spec,
    uptime_robot::spec,
    url_scan_io::spec,
    video_db::spec,
    virus_total::spec,
    webflow::spec,
    whats_app::spec,
    wolfram_alpha::spec,
    woo_commerce::spec,
    wordpress::spec,
    twitter_oauth2::spec,
    xero_oauth2::spec,
    zendesk::spec,
    zoom_oauth2::spec,
];

/// All credential types, ready to be looked up.
pub fn registry() -> CredentialRegistry {
    CredentialRegistry::new(CREDENTIALS.iter().map(|spec| spec()))
}
