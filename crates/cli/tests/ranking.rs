//! `mapo rank` from end to end: learnt, kept, used and measured.

mod support;

use support::{json, refused, run_well};

#[test]
fn a_second_look_is_learnt_kept_used_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (dir, packed) = (path("run"), path("packed.safetensors"));
    let train = [
        "train",
        "--data",
        "toy",
        "--limit",
        "200",
        "--run",
        &dir,
        "--steps",
        "80",
        "--threads",
        "1",
    ];
    let quick = "network.hidden=24 network.attention=24 explore_first.programs=300 evaluate=80";
    let quick = quick.split(' ').flat_map(|setting| ["--set", setting]);
    run_well(train.into_iter().chain(quick));
    let model = format!("{dir}/best.safetensors");

    // What it was trained on is refused, and so is what cannot be told apart or checked.
    let rank = ["rank", "--model", &model, "--data", "toy"];
    refused(rank.into_iter().chain(["--split", "train"]), &["was trained on"]);
    refused(
        rank.into_iter().chain(["--data", "toy", "--split", "dev"]),
        &["2 datasets and 1 splits"],
    );
    refused(
        rank.into_iter().chain(["--split", "dev", "--check"]),
        &["has no second look"],
    );
    refused(
        rank.into_iter().chain(["--split", "dev", "--limit", "20"]),
        &["needs 50 questions"],
    );

    let eval = |model: &str| {
        json([
            "eval", "--model", model, "--data", "toy", "--split", "test", "--json",
        ])
    };
    let before = eval(&model);
    let card = |model: &str| json(["model", model, "--json"])["card"].clone();
    let own = concat!(
        "jsonl:",
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/own-data/questions.jsonl"
    );
    run_well(["calibrate", "--model", "box", "--data", own, "--into", &model]);
    assert!(card(&model)["calibration"].is_object());
    let bytes = std::fs::read(&model).unwrap();
    let learn = rank
        .into_iter()
        .chain(["--split", "dev", "--data", "toy", "--split", "test", "--json"])
        // As `mapo eval` looks without a second look: five programs, however improbable.
        .chain(["--beam", "5", "--reach", "1000"]);
    let learnt = json(learn.clone());
    assert_eq!(
        std::fs::read(&model).unwrap(),
        bytes,
        "without --into nothing is written"
    );
    assert_eq!(json(learn.chain(["--into", &model])), learnt);
    assert_eq!(learnt["folds"], 5);
    assert_eq!(learnt["data"][0]["data"], "toy dev");
    assert_eq!(learnt["data"][1]["without"], before["correct"]);

    // It is in the card, in words too, and the calibration that was fitted without it is gone.
    assert_eq!(card(&model)["second_look"], learnt["second_look"]);
    assert_eq!(card(&model)["second_look"]["fitted_to"], "toy dev, toy test");
    assert!(card(&model)["calibration"].is_null());
    assert!(run_well(["model", &model]).contains("signs, learnt from"));

    // Answers are those that the check says, and packing keeps it.
    let check = |model: &str| {
        json([
            "rank",
            "--check",
            "--model",
            model,
            "--data",
            "toy",
            "--split",
            "test",
            "--threads",
            "1",
            "--json",
        ])
    };
    let checked = check(&model);
    assert_eq!(checked["data"][0]["without"], before["correct"]);
    assert_eq!(checked["data"][0]["with"], eval(&model)["correct"]);
    assert!(checked["data"][0]["seconds_with"].as_f64().unwrap() > 0.0);
    let gain = |told: &serde_json::Value| told["with"].as_i64().unwrap() - told["without"].as_i64().unwrap();
    let told = &checked["data"][0];
    assert_eq!(
        gain(told),
        told["won"].as_i64().unwrap() - told["lost"].as_i64().unwrap()
    );
    // On questions that it was learnt from, by a network that has hardly learnt, it helps.
    assert!(gain(told) > 0, "{checked}");
    run_well(["pack", "--model", &model, "--out", &packed]);
    assert_eq!(card(&packed)["second_look"], learnt["second_look"]);
    let shown = run_well([
        "rank", "--check", "--model", &packed, "--data", "toy", "--split", "dev", "--limit", "50",
    ]);
    assert!(
        shown.contains("toy dev: 50 questions") && shown.contains("belief"),
        "{shown}"
    );
}

#[test]
fn the_page_has_every_sign() {
    let page = include_str!("../../../docs/asking.md");
    for sign in &mapo_model::second_look::SIGNS {
        let row = format!("| `{}` | {} |", sign.name, sign.about);
        assert!(page.contains(&row), "docs/asking.md lacks: {row}");
    }
}
