//! The container image as an archive that `podman load` and `docker load` read, made without a
//! daemon. Its settings are those of the `Dockerfile`.

pub(crate) mod recipe;
mod root;

use super::stage::{Release, Stage, output, sha256_hex};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let arch = release.arch.debian;
    let recipe = recipe::read(&std::fs::read_to_string("Dockerfile")?)?;
    let archive = release.stage("image")?;
    let mut image = Image { release, archive, layers: Vec::new(), diff_ids: Vec::new() };

    let base = release.stage("image-base")?;
    root::base(release, &base, &recipe)?;
    image.add_layer(&base, ".", 0)?;
    let data = release.stage("image-data")?;
    let home = format!("./{}", recipe.home.trim_start_matches('/'));
    std::fs::create_dir_all(data.0.join("root").join(&home))?;
    image.add_layer(&data, &home, recipe.uid)?;
    // The program last: the layers before it stay the same from one release to the next.
    let program = release.stage("image-program")?;
    program.copy_program(&release.binary, "root/usr/local/bin/heddle")?;
    image.add_layer(&program, ".", 0)?;

    image.finish(arch, &recipe.config)
}

struct Image<'a> {
    release: &'a Release,
    archive: Stage,
    layers: Vec<Value>,
    diff_ids: Vec<String>,
}

impl Image<'_> {
    /// Packs a path below the folder `root` of a stage, all of it owned by one user.
    fn add_layer(&mut self, stage: &Stage, entry: &str, owner: u32) -> Result<()> {
        let plain = self.archive.0.join("layer.tar");
        self.release.pack(stage, "root", entry, owner, &plain)?;
        self.diff_ids.push(format!("sha256:{}", sha256_hex(&std::fs::read(&plain)?)));
        let packed = self.archive.0.join("layer.tar.gz");
        self.release.gzip(&plain, &packed)?;
        let bytes = std::fs::read(&packed)?;
        std::fs::remove_file(packed)?;
        let layer = self.add_blob(LAYER, &bytes)?;
        self.layers.push(layer);
        Ok(())
    }

    /// Adds content under its sum, and gives its description.
    fn add_blob(&self, kind: &str, bytes: &[u8]) -> Result<Value> {
        let sum = sha256_hex(bytes);
        self.archive.write(&format!("blobs/sha256/{sum}"), bytes)?;
        Ok(json!({ "mediaType": kind, "digest": format!("sha256:{sum}"), "size": bytes.len() }))
    }

    fn finish(self, arch: &str, settings: &Value) -> Result<PathBuf> {
        let Release { version, time, folder, .. } = self.release;
        let format = ["--utc", "+%Y-%m-%dT%H:%M:%SZ", "--date", &format!("@{time}")];
        let created = output(Command::new("date").args(format))?;
        let config = json!({
            "created": created.trim(),
            "architecture": arch,
            "os": "linux",
            "config": settings,
            "rootfs": { "type": "layers", "diff_ids": self.diff_ids },
        });
        let config = self.add_blob(CONFIG, config.to_string().as_bytes())?;
        let manifest = json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": self.layers,
            "annotations": {
                "org.opencontainers.image.title": "heddle",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        });
        let mut entry = self.add_blob(MANIFEST, manifest.to_string().as_bytes())?;
        entry["platform"] = json!({ "architecture": arch, "os": "linux" });
        entry["annotations"] = json!({ "org.opencontainers.image.ref.name": version });
        let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [entry] });
        self.archive.write("index.json", index.to_string())?;
        self.archive.write("oci-layout", json!({ "imageLayoutVersion": "1.0.0" }).to_string())?;
        // The same for versions of Docker that do not read this layout.
        let path = |blob: &Value| {
            blob["digest"].as_str().unwrap_or_default().replace("sha256:", "blobs/sha256/")
        };
        let layers: Vec<String> = self.layers.iter().map(path).collect();
        let tag = format!("heddle:{version}");
        let docker = json!([{ "Config": path(&config), "RepoTags": [tag], "Layers": layers }]);
        self.archive.write("manifest.json", docker.to_string())?;
        let target = folder.join(format!("heddle-{version}-image-linux-{arch}.tar"));
        self.release.pack(&self.archive, ".", ".", 0, &target)?;
        Ok(target)
    }
}
