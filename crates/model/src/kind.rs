//! Kinds of connections between nodes.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident = $name:literal,)*) => {
        /// What flows along a connection: items (`main`), a supplied capability (`ai_*`) or
        /// control.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind { $(#[serde(rename = $name)] $variant,)* }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// Reads a kind by its name or by one of the older names that other formats use for it.
            pub fn from_name(name: &str) -> Option<Kind> {
                match name {
                    $($name => Some(Kind::$variant),)*
                    "data" => Some(Kind::Main),
                    "model" => Some(Kind::AiLanguageModel),
                    "memory" => Some(Kind::AiMemory),
                    "tool" | "tools" => Some(Kind::AiTool),
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    Main = "main",
    AiLanguageModel = "ai_languageModel",
    AiTool = "ai_tool",
    AiMemory = "ai_memory",
    AiDocument = "ai_document",
    AiVectorStore = "ai_vectorStore",
    AiEmbedding = "ai_embedding",
    AiOutputParser = "ai_outputParser",
    AiTextSplitter = "ai_textSplitter",
    AiRetriever = "ai_retriever",
    AiReranker = "ai_reranker",
    AiChain = "ai_chain",
    AiAgent = "ai_agent",
    AiToolkit = "ai_toolkit",
    Control = "control",
}

impl std::fmt::Display for Kind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}
