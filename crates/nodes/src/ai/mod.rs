//! Agents and what they are made of.

mod agent_core_react;
mod agent_tool;
mod ai_agent;
mod chat;
mod embeddings;
mod memory;
mod models;
mod said;
mod supplies;
pub(crate) mod tools;
mod world;

pub use embeddings::embed_texts::EMBED_TEXTS;

use models::alike::{Chat, DeepSeek, Groq, Mistral, OpenRouter, XAi};
use node_api::{Entry, run, supply, trigger};

pub static NODES: &[Entry] = &[
    trigger::<chat::trigger::ChatTrigger>(),
    run::<ai_agent::AiAgent>(),
    run::<agent_core_react::AgentCoreReact>(),
    supply::<models::openai::OpenAiModel>(),
    supply::<models::openai::OpenAiCompatibleModel>(),
    supply::<models::anthropic::AnthropicModel>(),
    supply::<models::gemini::GeminiModel>(),
    supply::<models::ollama::OllamaModel>(),
    supply::<models::azure::AzureOpenAiModel>(),
    supply::<models::fallback::ModelFallback>(),
    supply::<models::selector::ModelSelector>(),
    supply::<models::openai_n8n::LmChatOpenAi>(),
    supply::<models::openai_n8n::LmOpenAi>(),
    supply::<models::anthropic::LmChatAnthropic>(),
    supply::<models::gemini::LmChatGoogleGemini>(),
    supply::<models::azure::LmChatAzureOpenAi>(),
    supply::<models::ollama::LmChatOllama>(),
    supply::<models::ollama::LmOllama>(),
    supply::<Chat<OpenRouter>>(),
    supply::<Chat<Groq>>(),
    supply::<Chat<DeepSeek>>(),
    supply::<Chat<Mistral>>(),
    supply::<Chat<XAi>>(),
    run::<embeddings::embed_texts::EmbedTexts>(),
    supply::<embeddings::openai::EmbeddingsOpenAi>(),
    supply::<embeddings::openai::EmbeddingsAzureOpenAi>(),
    supply::<embeddings::openai::EmbeddingsMistralCloud>(),
    supply::<embeddings::others::EmbeddingsGoogleGemini>(),
    supply::<embeddings::others::EmbeddingsOllama>(),
    supply::<embeddings::others::EmbeddingsCohere>(),
    supply::<memory::buffer::BufferMemory>(),
    supply::<memory::buffer::WindowMemory>(),
    supply::<memory::sqlite::SqliteMemory>(),
    supply::<memory::redis::RedisMemory>(),
    supply::<memory::summary::SummaryMemory>(),
    supply::<memory::vector::VectorMemory>(),
    supply::<memory::vector::HybridMemory>(),
    supply::<memory::buffer_window::MemoryBufferWindow>(),
    supply::<memory::redis_chat::MemoryRedisChat>(),
    supply::<memory::postgres_chat::MemoryPostgresChat>(),
    run::<memory::manager::MemoryManager>(),
    supply::<agent_tool::AgentTool>(),
    supply::<tools::calculator::CalculatorTool>(),
    supply::<tools::calculator::ToolCalculator>(),
    supply::<tools::code::CodeTool>(),
    supply::<tools::code::ToolCode>(),
    supply::<tools::workflow::WorkflowTool>(),
    supply::<tools::workflow::ToolWorkflow>(),
    supply::<tools::workflow::ToolWorkflowOld>(),
    supply::<tools::think::ThinkTool>(),
    supply::<tools::think::ToolThink>(),
    supply::<tools::search::ToolWikipedia>(),
    supply::<tools::search::ToolSerpApi>(),
    supply::<tools::search::ToolSearXng>(),
    supply::<tools::search::ToolWolframAlpha>(),
];
