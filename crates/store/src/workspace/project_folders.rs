//! A folder of files for each project: a workflow sees those of its own project only.

use super::{FileLimits, Workspace};
use crate::projects::{PERSONAL, ProjectStore};
use bytes::Bytes;
use model::Code;
use node_api::NodeError;
use node_api::files::FileStorage;
use std::path::PathBuf;
use std::sync::Arc;

/// The folder of the other projects' folders, in that of the first project. No path of that one
/// leads here.
pub(super) const PROJECTS: &str = ".projects";

/// The folders of all projects below one root.
#[derive(Clone)]
pub struct ProjectFolders {
    root: PathBuf,
    store: Arc<dyn ProjectStore>,
}

impl ProjectFolders {
    pub fn new(root: impl Into<PathBuf>, store: Arc<dyn ProjectStore>) -> Self {
        Self { root: root.into(), store }
    }

    fn of_project(&self, project: &str) -> Option<Workspace> {
        // The folder of the first owner's project is the root itself: files that were there before
        // there were projects are its own.
        if project == PERSONAL {
            return Some(Workspace { has_projects: true, ..Workspace::new(&self.root) });
        }
        // Ids are made of letters and digits; whatever else somebody has put into the database is
        // no name of a folder.
        let is_safe = !project.is_empty()
            && project.len() <= 64
            && project.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let root = self.root.join(PROJECTS).join(project);
        is_safe.then(|| Workspace {
            is_made: true,
            ..Workspace::with_limits(root, FileLimits::default())
        })
    }
}

#[async_trait::async_trait]
impl FileStorage for ProjectFolders {
    fn scoped_to(&self, workflow_id: &str) -> Option<Arc<dyn FileStorage>> {
        let project = self.store.project_of_workflow(workflow_id).ok().flatten();
        match project.and_then(|project| self.of_project(&project)) {
            Some(workspace) => Some(Arc::new(workspace)),
            None => Some(Arc::new(NoFolder)),
        }
    }

    async fn read(&self, path: &str) -> Result<Bytes, NodeError> {
        NoFolder.read(path).await
    }

    async fn write(&self, path: &str, data: &[u8], append: bool) -> Result<String, NodeError> {
        NoFolder.write(path, data, append).await
    }

    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        NoFolder.list(pattern).await
    }
}

/// For a workflow that belongs to no project.
struct NoFolder;

impl NoFolder {
    fn refusal(path: &str) -> NodeError {
        NodeError::new(
            Code::FILE_OUTSIDE,
            "Access to the file is not allowed: the workflow belongs to no project",
        )
        .with("path", path)
    }
}

#[async_trait::async_trait]
impl FileStorage for NoFolder {
    async fn read(&self, path: &str) -> Result<Bytes, NodeError> {
        Err(Self::refusal(path))
    }

    async fn write(&self, path: &str, _data: &[u8], _append: bool) -> Result<String, NodeError> {
        Err(Self::refusal(path))
    }

    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        Err(Self::refusal(pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::{NewVersion, WorkflowStore as _};
    use crate::{OpenMode, Sqlite};

    #[tokio::test]
    async fn issue_14_00_a_workflow_reaches_the_files_of_its_own_project_only() {
        let folder = std::env::temp_dir().join(format!("heddle-projects-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let store = Sqlite::open(&folder.join("data"), OpenMode::Serve).unwrap();
        let root = folder.join("files");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("old.txt"), "from before").unwrap();
        let team = store.add_project("Team").await.unwrap().id;
        for (id, project) in [("mine", PERSONAL), ("theirs", team.as_str())] {
            let version = NewVersion {
                id: id.into(),
                name: id.into(),
                document: "{}".into(),
                author: None,
                static_data: None,
            };
            store.add_workflow(version, project, None).await.unwrap();
        }
        let all = ProjectFolders::new(&root, Arc::new(store));
        let (mine, theirs) = (all.scoped_to("mine").unwrap(), all.scoped_to("theirs").unwrap());
        assert_eq!(
            mine.read("old.txt").await.unwrap(),
            "from before",
            "what was there before belongs to the first project"
        );
        assert!(theirs.read("old.txt").await.is_err());
        assert!(theirs.list("**").await.unwrap().is_empty());
        theirs.write("secret.txt", b"team", false).await.unwrap();
        assert_eq!(theirs.read("secret.txt").await.unwrap(), "team");
        std::os::unix::fs::symlink(root.join(PROJECTS), root.join("link")).unwrap();
        let absolute =
            format!("{}/{PROJECTS}/{team}/secret.txt", root.canonicalize().unwrap().display());
        for path in [
            format!("{PROJECTS}/{team}/secret.txt"),
            format!("./{PROJECTS}/{team}/secret.txt"),
            format!("link/{team}/secret.txt"),
            absolute,
        ] {
            let refused = mine.read(&path).await.unwrap_err();
            assert_eq!(refused.code(), Code::FILE_OUTSIDE, "{path}");
            assert!(mine.write(&path, b"x", false).await.is_err(), "{path}");
        }
        for pattern in
            [format!("{PROJECTS}/*/*"), ".*/**".to_owned(), "**".to_owned(), "link/**".to_owned()]
        {
            let listed = mine.list(&pattern).await.unwrap_or_default();
            assert!(listed.iter().all(|path| !path.contains("secret")), "{pattern}: {listed:?}");
        }
        let stray = all.scoped_to("nowhere").unwrap();
        assert!(stray.read("old.txt").await.is_err() && stray.list("*").await.is_err());
        assert!(all.of_project("../personal").is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
