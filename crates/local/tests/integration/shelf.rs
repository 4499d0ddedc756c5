//! Putting models in their place: only the very files that are known are taken, and nothing is left
//! half done.

use heddle_local::registry::{self, PackageState};
use heddle_local::{Library, LocalError};
use model::Code;
use ports::ai::LocalModels as _;
use testkit::TempFolder;

#[test]
fn a_file_that_is_no_model_is_refused_and_leaves_nothing_behind() {
    let folder = TempFolder::new("foreign");
    let file = folder.0.join("some.whl");
    std::fs::write(&file, b"not a model").unwrap();
    let models = folder.0.join("models");
    let error = registry::import(&file, &models, &mut |_, _| {}).err().unwrap();
    assert!(
        matches!(error, LocalError::Foreign { .. }) && error.code() == Code::LOCAL_MODEL_DAMAGED,
        "{error}"
    );
    let error =
        registry::install(registry::EMBEDDINGS, &file, &models, &mut |_, _| {}).unwrap_err();
    assert!(
        error.code() == Code::LOCAL_MODEL_DAMAGED
            && error.to_string().contains(registry::EMBEDDINGS.sha256),
        "{error}"
    );
    assert!(!models.exists());
    assert_eq!(registry::EMBEDDINGS.state(&models).unwrap(), PackageState::Missing);
}

#[test]
fn a_missing_model_says_which_command_brings_it() {
    let folder = TempFolder::new("missing");
    let library = Library::new(folder.0.clone());
    for (error, command) in [
        (library.embedder().err().unwrap(), "heddle models pull all-minilm-l6-v2"),
        (library.chat_model().err().unwrap(), "heddle models pull all-minilm-l6-v2"),
    ] {
        assert_eq!(error.code(), Code::LOCAL_MODEL_MISSING);
        assert!(format!("{error:?}").contains(command), "{error:?}");
    }
    assert!(
        registry::find("gpt-5")
            .err()
            .unwrap()
            .to_string()
            .contains("all-minilm-l6-v2 and smollm2-135m-instruct")
    );
}

#[test]
fn weights_are_taken_with_a_note_of_their_licence_and_damage_is_seen() {
    let Some(weights) = testkit::weights(registry::DEMO.name) else { return };
    let folder = TempFolder::new("weights");
    let known = registry::import(
        &weights.join(registry::DEMO.name).join("model.gguf"),
        &folder.0,
        &mut |_, _| {},
    )
    .unwrap();
    assert_eq!(
        (known.name, known.state(&folder.0).unwrap()),
        (registry::DEMO.name, PackageState::Ready)
    );
    let place = known.folder(&folder.0);
    assert!(std::fs::read_to_string(place.join("LICENCE.txt")).unwrap().contains("Apache-2.0"));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "nothing else is left");
    let mut bytes = std::fs::read(place.join("model.gguf")).unwrap();
    bytes[50_000_000] ^= 1;
    std::fs::write(place.join("model.gguf"), bytes).unwrap();
    assert_eq!(known.state(&folder.0).unwrap(), PackageState::Damaged);
}

#[tokio::test]
async fn weights_that_break_off_are_an_error_and_not_a_crash() {
    let folder = TempFolder::new("cut");
    let place = registry::EMBEDDINGS.folder(&folder.0);
    std::fs::create_dir_all(&place).unwrap();
    // Sparse files of the right length: everything in them is zero.
    for (name, length) in [("model.safetensors", 90_868_376), ("vocab.txt", 231_508)] {
        std::fs::File::create(place.join(name)).unwrap().set_len(length).unwrap();
    }
    let embedder = Library::new(folder.0.clone()).embedder().unwrap();
    let error = embedder.embed(&["a".into()]).await.unwrap_err();
    assert_eq!(error.code(), Code::LOCAL_MODEL_DAMAGED);
}
