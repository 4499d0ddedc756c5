//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod agent_crash;
mod agent_limits;
mod agent_memories;
mod agent_models;
mod agent_n8n;
mod agent_outcomes;
mod agent_tools;
mod agents;
mod ai_templates;
mod api_descriptions;
mod approvals;
mod bedrock;
mod binary;
mod budgets;
mod chains;
mod corpus;
mod crash;
mod credential_hosts;
mod databases;
mod disk;
#[cfg(unix)]
mod first_start;
mod hostile;
mod injection;
mod knowledge;
mod langchain_code;
#[cfg(unix)]
mod local_models;
mod long_term_memory;
mod mcp;
mod memories;
mod merge_sql;
mod operations;
mod polling;
mod read_pdf;
mod replay;
mod secrets;
mod server;
mod subflows;
mod support;
mod tables;
mod talk;
mod tools;
mod traces;
mod unavailable_nodes;
mod upgrade;
mod vault;
mod vendors;
mod vendors_anthropic;
mod web;
mod workflows;
