//! `mapo search` from end to end: a model finds programs that random exploration did not, and `mapo weigh --model`:
//! models teach which of them to believe.

mod support;

use support::{json, refused, run_well};

#[test]
fn a_trained_model_finds_what_exploration_did_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (store, more, weighed) = (path("store.jsonl"), path("more.jsonl"), path("weighed.jsonl"));
    let data = ["--data", "toy"];
    let explore = ["explore", "--limit", "200", "--programs", "60", "--out", &store];
    run_well(explore.into_iter().chain(data));
    let (dir, searched) = (path("run"), path("again"));
    let quick = "network.hidden=24 network.attention=24 evaluate=80 steps=80";
    let quick = || quick.split(' ').flat_map(|setting| ["--set", setting]);
    let train = |memory, run| {
        [
            "train",
            "--limit",
            "200",
            "--threads",
            "1",
            "--memory",
            memory,
            "--run",
            run,
        ]
    };
    run_well(train(&store, &dir).into_iter().chain(data).chain(quick()));

    let model = format!("{dir}/best.safetensors");
    let search = |memory, out| {
        [
            "search", "--model", &model, "--memory", memory, "--out", out, "--json",
        ]
    };
    let said = json(search(&store, &more).into_iter().chain(data));
    assert_eq!(said["questions"], 200, "{said}");
    let count = |name: &str| said[name].as_u64().unwrap();
    assert_eq!(count("searched"), 200 - count("solved_before"), "{said}");
    assert!(count("solved") > count("solved_before"), "{said}");
    assert!(
        count("new_programs") >= count("solved") - count("solved_before"),
        "{said}"
    );

    // What was found is a store like any other: trained on, weighed, and searched in before it is weighed only.
    run_well(train(&more, &searched).into_iter().chain(data).chain(quick()));
    run_well(
        ["weigh", "--memory", &more, "--out", &weighed]
            .into_iter()
            .chain(data),
    );
    // Two models teach what they agree on: the weights differ from those without them, and are believed in training.
    let (taught, student) = (path("taught.jsonl"), path("student"));
    let second = format!("{searched}/best.safetensors");
    let weigh = [
        "weigh", "--memory", &more, "--out", &taught, "--model", &model, &second,
    ];
    let said = json(weigh.into_iter().chain(data).chain(["--json"]));
    assert_eq!(said["solved"], count("solved"), "{said}");
    let read = |store: &str| std::fs::read_to_string(store).unwrap();
    assert_ne!(read(&weighed), read(&taught));
    let believing = ["--set", "belief=1"];
    run_well(
        train(&taught, &student)
            .into_iter()
            .chain(data)
            .chain(quick())
            .chain(believing),
    );
    let again = path("none.jsonl");
    refused(
        search(&weighed, &again).into_iter().chain(data),
        &["weighed already", "then weigh"],
    );
    assert!(!std::path::Path::new(&again).exists());
    refused(
        search(&store, &again).into_iter().chain(["--data", "tables:."]),
        &["made of toy"],
    );
}
