//! Unpacks a container image as an engine would, and starts it with its own settings in its own
//! root.

use super::{as_root, says_its_version, serves};
use crate::dist::image::recipe;
use crate::dist::stage::{Release, output, sha256_hex};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Mounts what the kernel provides for the processes of the image, in a name space of its own.
const ENTER: &str = "mount -t proc proc \"$1/proc\" && root=$1 && user=$2 && shift 2 && \
                     exec /usr/sbin/chroot --userspec=\"$user\" \"$root\" \"$@\"";

pub(crate) fn check(package: &Path, place: &Path, release: &Release) -> Result<()> {
    let archive = place.join("archive");
    std::fs::create_dir(&archive)?;
    output(Command::new("tar").arg("--directory").arg(&archive).arg("-xf").arg(package))?;
    let index: Value = serde_json::from_slice(&std::fs::read(archive.join("index.json"))?)?;
    let manifest = json_blob(&archive, &index["manifests"][0])?;
    let config = json_blob(&archive, &manifest["config"])?;
    let root = place.join("root");
    std::fs::create_dir(&root)?;
    let layers = manifest["layers"].as_array().context("no layers")?;
    for (layer, diff_id) in layers.iter().zip(texts(&config["rootfs"]["diff_ids"])) {
        let packed = archive.join(blob_path(&archive, layer)?);
        let plain =
            Command::new("gzip").args(["--decompress", "--stdout"]).arg(&packed).output()?;
        let sum = format!("sha256:{}", sha256_hex(&plain.stdout));
        ensure!(sum == diff_id, "a layer is not the one that the image names");
        let mut tar = as_root("tar");
        tar.args(["--same-owner", "--numeric-owner", "--preserve-permissions", "--directory"]);
        output(tar.arg(&root).arg("-xzf").arg(&packed))?;
    }

    let settings = &config["config"];
    let user = recipe::read(&std::fs::read_to_string("Dockerfile")?)?.uid;
    let enter = |arguments: &[String]| {
        let mut command = as_root("unshare");
        command.args(["--mount", "sh", "-c", ENTER, "sh"]).arg(&root);
        command.arg(format!("{user}:{user}")).args(arguments);
        command.env_clear().envs(texts(&settings["Env"]).iter().filter_map(|e| e.split_once('=')));
        command
    };
    let entry = texts(&settings["Entrypoint"]);
    if release.arch.is_foreign() {
        // Not in a root of its own, in which the emulator would not find its libraries.
        let program = root.join("usr/local/bin").join(&entry[0]);
        let heddle = || release.arch.command_in(&root, &program);
        says_its_version(&mut heddle(), release)?;
        return serves(heddle().arg("serve").env("HEDDLE_DATA", place.join("data")));
    }
    says_its_version(&mut enter(&entry), release)?;
    serves(&mut enter(&[entry, texts(&settings["Cmd"])].concat()))
}

fn json_blob(archive: &Path, described: &Value) -> Result<Value> {
    Ok(serde_json::from_slice(&std::fs::read(blob_path(archive, described)?)?)?)
}

/// Where a blob is, if it has the size and the sum that are said of it.
fn blob_path(archive: &Path, described: &Value) -> Result<std::path::PathBuf> {
    let digest = described["digest"].as_str().context("a blob without a sum")?;
    let sum = digest.strip_prefix("sha256:").context("a sum of another kind")?;
    let path = archive.join("blobs/sha256").join(sum);
    let bytes = std::fs::read(&path)?;
    ensure!(described["size"] == bytes.len() && sha256_hex(&bytes) == sum, "a blob is damaged");
    Ok(path)
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
