//! What is kept of tags, and what carries them.

use crate::Error;
use model::Str;

/// `whose` says who asks: their tags are those they made, and those that something in their
/// projects carries. Without it, all are meant.
#[async_trait::async_trait]
pub trait TagStore: Send + Sync {
    async fn tag(&self, id: &str, whose: Option<TagAccess>) -> Result<Option<Tag>, Error>;
    /// By name, after this one.
    async fn tags(
        &self,
        whose: Option<TagAccess>,
        after: Option<TagCursor>,
        limit: usize,
    ) -> Result<Vec<Tag>, Error>;
    /// Two tags that one person sees have two names.
    async fn add_tag(
        &self,
        name: &str,
        owner: &str,
        whose: Option<TagAccess>,
    ) -> Result<Tag, Error>;
    async fn rename_tag(
        &self,
        id: &str,
        name: &str,
        whose: Option<TagAccess>,
    ) -> Result<TagChange, Error>;
    /// Takes it from everything that carries it.
    async fn delete_tag(&self, id: &str, whose: Option<TagAccess>) -> Result<TagChange, Error>;
    async fn tags_of(&self, tagged: TagTarget) -> Result<Vec<Tag>, Error>;
    /// The tags of several workflows at once: pairs of workflow and tag.
    async fn tags_of_workflows(&self, ids: Vec<Str>) -> Result<Vec<(Str, Tag)>, Error>;
    /// Gives it these tags and no others. A new one must be of whoever asks, or be carried in a
    /// project in which they change things: where a tag is carried, others can no longer change it.
    async fn set_tags(
        &self,
        tagged: TagTarget,
        tags: Vec<Str>,
        whose: Option<TagAccess>,
    ) -> Result<TagsUpdate, Error>;
}

/// Who asks for tags.
#[derive(Clone, Debug)]
pub struct TagAccess {
    pub user_id: Str,
    /// The projects that they see.
    pub sees: Vec<Str>,
    /// Those in which they change things.
    pub changes: Vec<Str>,
}

/// A place in the list of tags.
#[derive(Clone, Debug)]
pub struct TagCursor {
    pub name: Str,
    pub id: Str,
}

/// What came of a change. One that is carried where whoever asks changes nothing stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum TagChange {
    Done(Tag),
    Missing,
    Foreign,
}

/// What came of giving something tags. If one of them cannot be given, none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagsUpdate {
    Done,
    Missing,
    Foreign,
}

/// What carries tags.
#[derive(Clone, Debug)]
pub enum TagTarget {
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
