//! The embedding model against what its authors publish, and against an independent computation of
//! the same weights.

use heddle_local::Library;
use model::Str;
use ports::ai::{LOCAL_EMBEDDING_MODEL, LocalModels as _, cosine_similarity};

/// The vectors of texts, unless the weights are not here.
async fn vectors(texts: &[&str]) -> Option<Vec<Vec<f32>>> {
    let folder = testkit::weights(LOCAL_EMBEDDING_MODEL)?;
    let embedder = Library::new(folder).embedder().unwrap();
    assert_eq!(embedder.model(), LOCAL_EMBEDDING_MODEL);
    let texts: Vec<Str> = texts.iter().map(|text| Str::from(*text)).collect();
    Some(embedder.embed(&texts).await.unwrap())
}

/// The example of the authors' own introduction to the model.
#[tokio::test]
async fn similarities_are_those_that_the_authors_publish() {
    let texts =
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];
    let Some(vectors) = vectors(&texts).await else { return };
    for (one, other, wanted) in
        [(0, 1, "0.6660"), (0, 2, "0.1046"), (1, 2, "0.1411"), (0, 0, "1.0000")]
    {
        assert_eq!(
            format!("{:.4}", cosine_similarity(&vectors[one], &vectors[other])),
            wanted,
            "{} and {}",
            texts[one],
            texts[other]
        );
    }
}

/// The first numbers of vectors that were computed from the same weights in double precision with
/// the authors' own tokeniser.
#[tokio::test]
async fn odd_texts_have_the_vectors_that_an_independent_computation_gives() {
    let (long_word, long_text) = ("a".repeat(150), "Don't panic! ".repeat(200));
    let cases: [(&str, [f32; 4]); 6] = [
        ("", [-0.11884, 0.0483, -0.00255, -0.01101]),
        ("Crème brûlée à la carte, naïve façade", [0.04075, 0.02424, 0.02753, -0.05393]),
        ("北京是中国的首都。", [0.0965, 0.1158, 0.0652, 0.00501]),
        ("tab\tand\u{200b}zero\u{ad}width\0", [0.01123, 0.03171, -0.08338, -0.07483]),
        (&long_word, [-0.0416, -0.02468, 0.07789, -0.00615]),
        (&long_text, [-0.01877, 0.01505, -0.01943, -0.05151]),
    ];
    let Some(vectors) = vectors(&cases.map(|case| case.0)).await else { return };
    for ((text, wanted), vector) in cases.iter().zip(vectors) {
        let far = vector.iter().zip(wanted).any(|(ours, wanted)| (ours - wanted).abs() > 2e-5);
        assert!(!far && vector.len() == 384, "{text:.40}: {:?} and not {wanted:?}", &vector[..4]);
        assert!((cosine_similarity(&vector, &vector) - 1.0).abs() < 1e-6);
    }
}

#[tokio::test]
async fn many_texts_come_back_in_their_order() {
    let texts: Vec<String> = (0..50).map(|number| format!("text number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let Some(together) = vectors(&texts).await else { return };
    let Some(alone) = vectors(&texts[17..18]).await else { return };
    assert_eq!((together.len(), &together[17]), (50, &alone[0]));
}
