//! What is kept of tags, and what carries them.

use crate::Error;
use model::Str;

#[async_trait::async_trait]
pub trait Tags: Send + Sync {
    async fn tag(&self, id: &str) -> Result<Option<Tag>, Error>;
    /// By name, after the one with this name.
    async fn tags(&self, after: Option<&str>, limit: usize) -> Result<Vec<Tag>, Error>;
    async fn add_tag(&self, name: &str) -> Result<Tag, Error>;
    async fn rename_tag(&self, id: &str, name: &str) -> Result<Option<Tag>, Error>;
    async fn delete_tag(&self, id: &str) -> Result<bool, Error>;
    async fn tags_of(&self, tagged: Tagged) -> Result<Vec<Tag>, Error>;
    /// The tags of several workflows at once: pairs of workflow and tag.
    async fn tags_of_workflows(&self, ids: Vec<Str>) -> Result<Vec<(Str, Tag)>, Error>;
    /// Gives it these tags and no others; `false` if one of them is not there.
    async fn set_tags(&self, tagged: Tagged, tags: Vec<Str>) -> Result<bool, Error>;
}

/// What carries tags.
#[derive(Clone, Debug)]
pub enum Tagged {
    Workflow(Str),
    Execution(i64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    pub id: Str,
    pub name: Str,
    pub created_ms: i64,
    pub updated_ms: i64,
}
