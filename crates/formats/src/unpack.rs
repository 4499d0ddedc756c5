//! Opens archives that may have been made to harm: every limit is checked while unpacking, not from
//! what the archive claims.

use crate::ticker::tick;
use flate2::read::MultiGzDecoder;
use model::{Code, Str};
use ports::NodeError;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// What one archive may unpack to.
#[derive(Clone, Copy, Debug)]
pub struct UnpackLimits {
    pub files: usize,
    pub bytes: u64,
    /// How many times its packed size the content may be, once it is larger than a few megabytes.
    pub ratio: u64,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self { files: 10_000, bytes: 1 << 30, ratio: 500 }
    }
}

/// Below this a high ratio is harmless: a page of blanks packs well.
const RATIO_FROM: u64 = 16 << 20;

/// So much is unpacked in a few milliseconds.
const BYTES_BETWEEN_TICKS: u64 = 1 << 20;

/// The files of a ZIP archive, in order, without folders.
pub fn unzip(data: &[u8], limits: UnpackLimits) -> Result<Vec<(Str, Vec<u8>)>, NodeError> {
    let mut archive = open(data)?;
    if archive.len() > limits.files {
        return Err(bomb(format!(
            "The archive contains {} files, which exceeds the limit of {}",
            archive.len(),
            limits.files
        )));
    }
    let mut budget = UnpackBudget { packed: data.len() as u64, limits, unpacked: 0 };
    let mut files = Vec::new();
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(|error| broken(&error))?;
        let name = entry.name().map_err(|error| broken(&error))?.into_owned();
        check_name(&name)?;
        let is_folder = name.ends_with('/');
        let content = budget.read(&mut entry)?;
        if !is_folder {
            files.push((name.into(), content));
        }
    }
    Ok(files)
}

/// The content of a gzip file, all of its members.
pub fn gunzip(data: &[u8], limits: UnpackLimits) -> Result<Vec<u8>, NodeError> {
    UnpackBudget { packed: data.len() as u64, limits, unpacked: 0 }
        .read(&mut MultiGzDecoder::new(data))
}

/// Unpacks a ZIP archive to nowhere, to see that it stays within a number of bytes.
pub fn measure(data: &[u8], most: u64) -> Result<(), NodeError> {
    let mut archive = open(data)?;
    let mut left = most;
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(|error| broken(&error))?;
        let read = std::io::copy(&mut entry.take(left + 1), &mut std::io::sink())
            .map_err(|error| broken(&error))?;
        left = left.checked_sub(read).ok_or_else(|| {
            bomb(format!("The decompressed file exceeds the limit of {most} bytes"))
        })?;
    }
    Ok(())
}

fn open(data: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, NodeError> {
    let mut archive = ZipArchive::new(Cursor::new(data)).map_err(|error| broken(&error))?;
    // Files that share their bytes make a small archive unpack to very much.
    if archive.has_overlapping_files().map_err(|error| broken(&error))? {
        return Err(bomb("The files in the archive overlap".to_owned()));
    }
    Ok(archive)
}

struct UnpackBudget {
    packed: u64,
    limits: UnpackLimits,
    unpacked: u64,
}

impl UnpackBudget {
    fn read(&mut self, from: &mut dyn Read) -> Result<Vec<u8>, NodeError> {
        let by_ratio = self.packed.saturating_mul(self.limits.ratio).max(RATIO_FROM);
        let most = self.limits.bytes.min(by_ratio);
        let left = most.saturating_sub(self.unpacked);
        let mut content = Vec::new();
        let mut from = from.take(left + 1);
        while (&mut from)
            .take(BYTES_BETWEEN_TICKS)
            .read_to_end(&mut content)
            .map_err(|error| broken(&error))?
            > 0
        {
            tick()?;
        }
        if content.len() as u64 > left {
            return Err(bomb(if by_ratio < self.limits.bytes {
                format!(
                    "The decompressed archive exceeds {} times its compressed size",
                    self.limits.ratio
                )
            } else {
                format!("The decompressed archive exceeds the limit of {} bytes", self.limits.bytes)
            }));
        }
        self.unpacked += content.len() as u64;
        Ok(content)
    }
}

/// A name becomes a file name somewhere later, so one that leads elsewhere is refused here.
fn check_name(name: &str) -> Result<(), NodeError> {
    let leads_out = name.starts_with(['/', '\\'])
        || name.contains('\0')
        || name.as_bytes().get(1) == Some(&b':')
        || name.split(['/', '\\']).any(|part| part == "..");
    if leads_out {
        let shown: String = name.chars().take(100).collect();
        return Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The archive contains a file whose path leads outside of it: {shown:?}"),
        )
        .hint("The archive is designed to overwrite other files. Do not use it."));
    }
    Ok(())
}

fn bomb(message: String) -> NodeError {
    NodeError::new(Code::INPUT_BOMB, message)
        .hint("If you trust the archive, extract it elsewhere and use its files.")
}

fn broken(error: &dyn std::fmt::Display) -> NodeError {
    NodeError::input(format!("The archive cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::{ZipWriter, write::SimpleFileOptions};

    fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn files_come_out_as_they_went_in() {
        let files =
            unzip(&zip_of(&[("a.txt", b"one"), ("sub/b.txt", b"two")]), UnpackLimits::default())
                .unwrap();
        assert_eq!(
            files,
            [("a.txt".into(), b"one".to_vec()), ("sub/b.txt".into(), b"two".to_vec())]
        );
        assert_eq!(gunzip(&gzip(b"three"), UnpackLimits::default()).unwrap(), b"three");
    }

    #[test]
    fn what_unpacks_to_far_more_than_its_size_is_refused() {
        let blanks = vec![0; 64 << 20];
        let small = UnpackLimits { ratio: 100, ..UnpackLimits::default() };
        assert_eq!(
            unzip(&zip_of(&[("bomb", &blanks)]), small).unwrap_err().code(),
            Code::INPUT_BOMB
        );
        assert_eq!(gunzip(&gzip(&blanks), small).unwrap_err().code(), Code::INPUT_BOMB);
        let few = UnpackLimits { bytes: 1000, ..UnpackLimits::default() };
        assert_eq!(
            unzip(&zip_of(&[("a", &[1; 600]), ("b", &[2; 600])]), few).unwrap_err().code(),
            Code::INPUT_BOMB
        );
        assert_eq!(
            measure(&zip_of(&[("a", &[1; 600]), ("b", &[2; 600])]), 1000).unwrap_err().code(),
            Code::INPUT_BOMB
        );
        assert!(measure(&zip_of(&[("a", &[1; 500])]), 1000).is_ok());
    }

    #[test]
    fn an_archive_inside_an_archive_stays_one_file() {
        let inner = zip_of(&[("bomb", &vec![0; 8 << 20])]);
        let files = unzip(&zip_of(&[("inner.zip", &inner)]), UnpackLimits::default()).unwrap();
        assert_eq!(files, [("inner.zip".into(), inner)]);
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in ["../x", "a/../../x", "/etc/passwd", "..\\x", "C:\\x", "\\x"] {
            let stand_in = "n".repeat(name.len());
            let mut archive = zip_of(&[(&stand_in, b"x")]);
            let from = stand_in.into_bytes();
            // The writer would not write such a name, so it is put in afterwards, in both places
            // where it stands.
            while let Some(at) =
                archive.windows(from.len()).position(|window| window == from.as_slice())
            {
                archive[at..at + from.len()].copy_from_slice(name.as_bytes());
            }
            assert_eq!(
                unzip(&archive, UnpackLimits::default()).unwrap_err().code(),
                Code::INPUT_BOMB,
                "{name}"
            );
        }
    }

    #[test]
    fn too_many_files_are_refused() {
        let few = UnpackLimits { files: 2, ..UnpackLimits::default() };
        assert_eq!(
            unzip(&zip_of(&[("a", b""), ("b", b""), ("c", b"")]), few).unwrap_err().code(),
            Code::INPUT_BOMB
        );
    }

    #[test]
    fn files_that_share_their_bytes_are_refused() {
        let mut archive = zip_of(&[("a", b"same content"), ("b", b"same content")]);
        // The second entry of the directory is made to point at the first file.
        let signature = b"PK\x01\x02";
        let second = archive
            .windows(4)
            .enumerate()
            .filter(|(_, window)| window == signature)
            .nth(1)
            .unwrap()
            .0;
        archive[second + 42..second + 46].copy_from_slice(&[0; 4]);
        assert!(unzip(&archive, UnpackLimits::default()).is_err());
    }

    #[test]
    fn broken_archives_are_errors() {
        let archive = zip_of(&[("a.txt", b"some content that is long enough")]);
        for at in 0..archive.len() {
            let _ = unzip(&archive[..at], UnpackLimits::default());
            let mut damaged = archive.clone();
            damaged[at] ^= 0xff;
            let _ = unzip(&damaged, UnpackLimits::default());
        }
        assert!(gunzip(b"\x1f\x8b\x08nothing", UnpackLimits::default()).is_err());
    }
}
