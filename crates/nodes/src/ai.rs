//! Agents and what they are made of.

mod agent_core_react;
mod agent_host;
mod agent_limits;
mod agent_n8n;
mod agent_output;
mod agent_tool;
mod ai_agent;
mod answer_format;
mod approval_options;
mod batches;
mod chains;
mod chat;
mod chat_input;
mod client_tools;
mod embeddings;
mod guardrails;
pub mod knowledge;
mod langchain_code;
mod mcp;
mod mcp_trigger;
mod memory;
mod models;
mod parsers;
mod prompt;
mod retrievers;
mod sub_nodes;
pub(crate) mod tools;
mod vectors;
mod vendors;

pub use embeddings::embed_texts::EMBED_TEXTS;
pub use tools::calculator::probe_calculator;

use memory::unavailable::{self, UnavailableMemoryNode};
use models::openai_compatible::{DeepSeek, Groq, Mistral, OpenRouter, VendorChatModel, XAi};
pub use tools::registry::{TOOL_REGISTRY, schema_problem};

use node_api::{NodeEntry, run, run_and_supply, supply, trigger};
use vectors::VectorStoreNode;

pub static NODES: &[NodeEntry] = &[
    trigger::<chat::trigger::ChatTrigger>(),
    trigger::<chat::respond::RespondToChat>(),
    trigger::<mcp_trigger::McpTrigger>(),
    run::<ai_agent::AiAgent>(),
    run::<agent_core_react::AgentCoreReact>(),
    run::<agent_n8n::AgentNode>(),
    run::<chains::llm::ChainLlm>(),
    run::<chains::summarization::ChainSummarization>(),
    run::<chains::extractor::InformationExtractor>(),
    run::<chains::classifier::TextClassifier>(),
    run::<chains::sentiment::SentimentAnalysis>(),
    run::<guardrails::Guardrails>(),
    run_and_supply::<langchain_code::LangChainCode>(),
    run::<vendors::openai::OpenAiNode>(),
    run::<vendors::anthropic::AnthropicNode>(),
    run::<vendors::gemini::GoogleGemini>(),
    supply::<models::openai::OpenAiModel>(),
    supply::<models::openai::OpenAiCompatibleModel>(),
    supply::<models::anthropic::AnthropicModel>(),
    supply::<models::gemini::GeminiModel>(),
    supply::<models::ollama::OllamaModel>(),
    supply::<models::azure::AzureOpenAiModel>(),
    supply::<models::local::LocalModel>(),
    supply::<models::fallback::ModelFallback>(),
    supply::<models::selector::ModelSelector>(),
    supply::<models::openai_n8n::LmChatOpenAi>(),
    supply::<models::openai_n8n::LmOpenAi>(),
    supply::<models::anthropic::LmChatAnthropic>(),
    supply::<models::gemini::LmChatGoogleGemini>(),
    supply::<models::azure::LmChatAzureOpenAi>(),
    supply::<models::bedrock::LmChatAwsBedrock>(),
    supply::<models::ollama::LmChatOllama>(),
    supply::<models::ollama::LmOllama>(),
    supply::<VendorChatModel<OpenRouter>>(),
    supply::<VendorChatModel<Groq>>(),
    supply::<VendorChatModel<DeepSeek>>(),
    supply::<VendorChatModel<Mistral>>(),
    supply::<VendorChatModel<XAi>>(),
    run::<embeddings::embed_texts::EmbedTexts>(),
    supply::<embeddings::local::EmbeddingsLocal>(),
    supply::<embeddings::openai::EmbeddingsOpenAi>(),
    supply::<embeddings::openai::EmbeddingsAzureOpenAi>(),
    supply::<embeddings::openai::EmbeddingsMistralCloud>(),
    supply::<embeddings::other_providers::EmbeddingsGoogleGemini>(),
    supply::<embeddings::other_providers::EmbeddingsOllama>(),
    supply::<embeddings::other_providers::EmbeddingsCohere>(),
    supply::<embeddings::hugging_face::EmbeddingsHuggingFaceInference>(),
    supply::<embeddings::bedrock::EmbeddingsAwsBedrock>(),
    run_and_supply::<knowledge::base::KnowledgeBase>(),
    supply::<knowledge::base_tool::KnowledgeBaseTool>(),
    supply::<knowledge::loaders::DefaultDataLoader>(),
    supply::<knowledge::loaders::BinaryInputLoader>(),
    supply::<knowledge::splitters::CharacterTextSplitter>(),
    supply::<knowledge::splitters::RecursiveCharacterTextSplitter>(),
    supply::<knowledge::splitters::TokenSplitter>(),
    run_and_supply::<VectorStoreNode<vectors::in_memory::InMemoryStore>>(),
    run_and_supply::<VectorStoreNode<vectors::pgvector::PgVectorStore>>(),
    run_and_supply::<VectorStoreNode<vectors::qdrant::QdrantStore>>(),
    run_and_supply::<VectorStoreNode<vectors::supabase::SupabaseStore>>(),
    run_and_supply::<VectorStoreNode<vectors::pinecone::PineconeStore>>(),
    run_and_supply::<VectorStoreNode<vectors::zep::ZepStore>>(),
    supply::<retrievers::cohere::RerankerCohere>(),
    supply::<retrievers::vector_store::RetrieverVectorStore>(),
    supply::<retrievers::compression::RetrieverContextualCompression>(),
    supply::<retrievers::multi_query::RetrieverMultiQuery>(),
    supply::<retrievers::workflow::RetrieverWorkflow>(),
    supply::<retrievers::tool::ToolVectorStore>(),
    run::<retrievers::chain::ChainRetrievalQa>(),
    supply::<memory::agent_memory::AgentMemory>(),
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
    supply::<UnavailableMemoryNode<unavailable::Xata>>(),
    supply::<UnavailableMemoryNode<unavailable::Zep>>(),
    supply::<UnavailableMemoryNode<unavailable::ZepV2>>(),
    run::<memory::long_term::LongTermMemoryNode>(),
    run::<memory::manager::MemoryManager>(),
    supply::<agent_tool::AgentToolNode>(),
    supply::<parsers::structured::OutputParserStructured>(),
    supply::<parsers::autofixing::OutputParserAutofixing>(),
    supply::<parsers::item_list::OutputParserItemList>(),
    supply::<mcp::agent_tools::McpClientTool>(),
    supply::<tools::registry::ToolRegistryNode>(),
    run::<mcp::client::McpClient>(),
    run::<mcp::community::CommunityMcpClient>(),
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
