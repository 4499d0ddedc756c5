//! Backups and the way back, on real folders.

use super::*;
use crate::inspect::{self, KeyState};
use crate::variables::VariableStore as _;
use crate::{CredentialStore as _, Error, OpenMode, Sqlite};
use std::path::{Path, PathBuf};

struct BackupFolder(PathBuf);

impl BackupFolder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("heddle-backup-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for BackupFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A data folder with a variable, a key and a file in it.
async fn filled(folder: &Path, value: &str) {
    let store = Sqlite::open(folder, OpenMode::Shared).unwrap();
    store.open_vault().unwrap();
    set(&store, value).await;
    std::fs::create_dir_all(folder.join("workspace/deep")).unwrap();
    std::fs::write(folder.join("workspace/deep/a: \\ ü.txt"), b"a file").unwrap();
    std::fs::create_dir_all(folder.join("models/small")).unwrap();
    std::fs::write(folder.join("models/small/weights"), b"can be had again").unwrap();
}

async fn set(store: &Sqlite, value: &str) {
    for variable in store.variables().await.unwrap() {
        store.delete_variable(&variable.id).await.unwrap();
    }
    store.add_variable("name", value, None).await.unwrap();
}

async fn value(folder: &Path) -> String {
    let store = Sqlite::open(folder, OpenMode::Shared).unwrap();
    store.variables().await.unwrap()[0].value.to_string()
}

fn quiet() -> impl FnMut(BackupPhase, u64, u64) {
    |_, _, _| {}
}

fn everything_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(here) = folders.pop() {
        for entry in std::fs::read_dir(here).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => found.push((path.clone(), std::fs::read(&path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn what_was_backed_up_comes_back_and_the_key_stays_out() {
    let folder = BackupFolder::new("plain");
    let (data, archive, target) =
        (folder.join("data"), folder.join("b.backup"), folder.join("new/data"));
    filled(&data, "one").await;
    let contents = back_up(&data, &archive, KeyInclusion::No, &mut quiet()).unwrap();
    assert_eq!((contents.n_files, contents.key, contents.has_key), (2, KeyState::Fits, false));
    let restored = restore(&archive, &target, ReplacePolicy::Nothing, &mut quiet()).unwrap();
    assert_eq!((restored.key, restored.before), (KeyOrigin::Nowhere, None));
    assert_eq!(value(&target).await, "one");
    assert_eq!(std::fs::read(target.join("workspace/deep/a: \\ ü.txt")).unwrap(), b"a file");
    assert!(!target.join("models").exists(), "weights are left out");
    assert!(!target.join("vault.key").exists());
    assert_eq!(inspect::key(&target).unwrap(), KeyState::Missing);
    let left: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[tokio::test]
async fn the_key_goes_along_when_it_is_wanted() {
    let folder = BackupFolder::new("key");
    let (data, archive, target) =
        (folder.join("data"), folder.join("b.backup"), folder.join("restored"));
    filled(&data, "one").await;
    assert!(back_up(&data, &archive, KeyInclusion::Yes, &mut quiet()).unwrap().has_key);
    assert_eq!(
        restore(&archive, &target, ReplacePolicy::Nothing, &mut quiet()).unwrap().key,
        KeyOrigin::Backup
    );
    assert_eq!(inspect::key(&target).unwrap(), KeyState::Fits);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for file in [target.join("vault.key"), archive] {
            assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[tokio::test]
async fn a_used_folder_is_replaced_only_by_force_and_is_kept() {
    let folder = BackupFolder::new("force");
    let (data, archive) = (folder.join("data"), folder.join("b.backup"));
    filled(&data, "one").await;
    back_up(&data, &archive, KeyInclusion::No, &mut quiet()).unwrap();
    set(&Sqlite::open(&data, OpenMode::Shared).unwrap(), "two").await;
    let refused = restore(&archive, &data, ReplacePolicy::Nothing, &mut quiet()).unwrap_err();
    assert!(matches!(refused, Error::Used { .. }));
    assert_eq!(value(&data).await, "two");
    let restored = restore(&archive, &data, ReplacePolicy::WhatIsThere, &mut quiet()).unwrap();
    assert_eq!(restored.key, KeyOrigin::Before);
    assert_eq!(value(&data).await, "one");
    assert_eq!(value(&restored.before.unwrap()).await, "two");
}

#[tokio::test]
async fn a_folder_with_a_server_on_it_is_not_replaced() {
    let folder = BackupFolder::new("served");
    let (data, archive) = (folder.join("data"), folder.join("b.backup"));
    filled(&data, "one").await;
    let server = Sqlite::open(&data, OpenMode::Serve).unwrap();
    server.announce("http://127.0.0.1:1").unwrap();
    assert_eq!(
        inspect::server_presence(&data).unwrap(),
        inspect::ServerPresence::Somebody {
            address: Some("http://127.0.0.1:1".into()),
            version: Some(inspect::own_version())
        }
    );
    back_up(&data, &archive, KeyInclusion::No, &mut quiet()).unwrap();
    let refused = restore(&archive, &data, ReplacePolicy::WhatIsThere, &mut quiet()).unwrap_err();
    assert!(matches!(refused, Error::Locked { .. }), "{refused}");
}

#[tokio::test]
async fn an_archive_that_was_cut_off_or_changed_anywhere_is_refused_and_nothing_is_touched() {
    let folder = BackupFolder::new("damage");
    let (data, archive, damaged) =
        (folder.join("data"), folder.join("b.backup"), folder.join("damaged.backup"));
    filled(&data, "one").await;
    back_up(&data, &archive, KeyInclusion::No, &mut quiet()).unwrap();
    let whole = std::fs::read(&archive).unwrap();
    let before = everything_below(&data);
    let mut versions: Vec<Vec<u8>> =
        (0..whole.len()).step_by(whole.len() / 40).map(|length| whole[..length].to_vec()).collect();
    versions.push(whole[..whole.len() - 1].to_vec());
    versions.push(b"something else".to_vec());
    let mut n_changes = 0;
    for place in (0..whole.len()).step_by(whole.len() / 200) {
        let mut changed = whole.clone();
        changed[place] ^= 0x55;
        versions.push(changed);
        n_changes += 1;
    }
    assert!(n_changes >= 200);
    let mut n_harmless = 0;
    for version in versions {
        std::fs::write(&damaged, &version).unwrap();
        // Some bytes of the format mean nothing here, such as the time of an entry: then all is as
        // it was.
        match restore(&damaged, &folder.join("elsewhere"), ReplacePolicy::Nothing, &mut quiet()) {
            Err(error) => {
                assert!(matches!(error, Error::Backup { .. } | Error::Newer { .. }), "{error}")
            }
            Ok(_) => {
                n_harmless += 1;
                assert_eq!(value(&folder.join("elsewhere")).await, "one");
                std::fs::remove_dir_all(folder.join("elsewhere")).unwrap();
            }
        }
        assert!(!folder.join("elsewhere").exists());
    }
    assert!(n_harmless < 20, "{n_harmless}");
    assert_eq!(everything_below(&data), before);
}

#[tokio::test]
async fn a_backup_made_while_others_write_holds_one_moment() {
    let folder = BackupFolder::new("writes");
    let (data, archive, target) =
        (folder.join("data"), folder.join("b.backup"), folder.join("restored"));
    let server = Sqlite::open(&data, OpenMode::Serve).unwrap();
    // Both variables always change together: a copy of two moments would show them apart.
    let (tell, mut written) = tokio::sync::watch::channel(0);
    let writer = server.clone();
    let writing = tokio::spawn(async move {
        for round in 1.. {
            let text = format!("{round}-{}", "x".repeat(20_000));
            writer
                .write(move |connection| {
                    for key in ["a", "b"] {
                        connection.execute(
                            "INSERT INTO variables (id, key, value) VALUES (?1, ?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                            [key, &text],
                        )?;
                    }
                    connection.execute("INSERT INTO facts (key, value) VALUES (?1, ?2)", [&format!("round {round}"), &text])?;
                    Ok(())
                })
                .await
                .unwrap();
            if tell.send(round).is_err() {
                return;
            }
        }
    });
    for round in 0..3 {
        let before = *written.borrow();
        written.wait_for(|now| *now > before + 1).await.unwrap();
        let (data, archive) = (data.clone(), archive.clone());
        tokio::task::spawn_blocking(move || {
            back_up(&data, &archive, KeyInclusion::No, &mut |_, _, _| {})
        })
        .await
        .unwrap()
        .unwrap();
        let target = target.join(round.to_string());
        restore(&folder.join("b.backup"), &target, ReplacePolicy::Nothing, &mut quiet()).unwrap();
        assert!(inspect::problems(&target).unwrap().is_empty());
        let variables = Sqlite::open(&target, OpenMode::Shared).unwrap().variables().await.unwrap();
        assert_eq!(variables.len(), 2);
        assert_eq!(variables[0].value, variables[1].value);
    }
    drop(written);
    writing.await.unwrap();
}

#[tokio::test]
async fn issue_15_files_of_runs_that_go_during_a_backup_do_not_end_it() {
    let folder = BackupFolder::new("going");
    let (data, archive) = (folder.join("data"), folder.join("b.backup"));
    filled(&data, "one").await;
    let binary = data.join("binary");
    let runs: Vec<PathBuf> = (0..3000).map(|run: u32| binary.join(run.to_string())).collect();
    for run in &runs {
        std::fs::create_dir_all(run).unwrap();
        std::fs::write(run.join("file"), b"a file of a run").unwrap();
    }
    let going = std::thread::spawn(move || {
        runs.iter().for_each(|run| std::fs::remove_dir_all(run).unwrap())
    });
    let mut n_made = 0;
    while !going.is_finished() {
        back_up(&data, &archive, KeyInclusion::No, &mut quiet()).unwrap();
        n_made += 1;
    }
    going.join().unwrap();
    assert!(n_made > 0);
    restore(&archive, &folder.join("restored"), ReplacePolicy::Nothing, &mut quiet()).unwrap();
    assert_eq!(value(&folder.join("restored")).await, "one");
}
